package scenario

import (
	"strings"

	"weft/problem"
)

// conflict is a pair of features that exclude each other: the one that lists it, and another. What controls, balancers and rules need of
// a fabric stands in needTable.
type conflict struct {
	with string // the other one, as lists name it
	// at is the key that is to blame. One of a transport begins with a dot.
	at string
	// why and remedy may have words in braces, which words replaces.
	why, remedy string
	// One of these tells whether a scenario has both. file and sent see the file: the fabric, and one of all transports with it.
	// planned and carried see the plan, with routes, queues and lanes: as a whole, and with a transport.
	file    func(f *Fabric) bool
	sent    func(f *Fabric, c *carrier, all []carrier) bool
	planned func(p *plan, f *Fabric) bool
	carried func(p *plan, c *carrier) bool
	due     []string // keys that bring it about, beside the one that is to blame
}

// problem returns the conflict as an error.
func (e *conflict) problem(words *strings.Replacer) error {
	return problem.New("%s", words.Replace(e.why)).Mend("%s", words.Replace(e.remedy)).Due(e.due...)
}

// words stand for those in braces: kinds of a transport's parts, if it is about one, and the lossless classes of a fabric.
func (f *Fabric) words(c *carrier) *strings.Replacer {
	list := []string{"{one path}", onePath}
	if f.PFC != nil {
		list = append(list, "{lossless}", listClasses(f.PFC.lossless(f.Classes)))
	}
	if c != nil {
		list = append(list, "{control}", c.t.Congestion.Kind, "{balancer}", c.t.Balancer.Kind)
	}
	return strings.NewReplacer(list...)
}
