package scenario

import (
	"cmp"
	"fmt"
	"strings"

	"weft/problem"
	"weft/protocol"
	"weft/transport"
)

// conflict is a pair of features that exclude each other: the one that lists it, and another. What controls, balancers and rules need of
// a fabric stands in needTable.
type conflict struct {
	with string // the other one, as lists name it
	// at is the key that is to blame. One of a transport begins with a dot.
	at string
	// why and remedy may have words in braces, which words replaces.
	why, remedy string
	// ways stand in place of a remedy if some part may need what it gives up.
	ways []way
	// One of these tells whether a scenario has both. file and sent see the file: the fabric, and one of all transports with it.
	// planned and carried see the plan, with routes, queues and lanes: as a whole, and with a transport.
	file    func(f *Fabric) bool
	sent    func(f *Fabric, c *carrier, all []carrier) bool
	planned func(p *plan, f *Fabric) bool
	carried func(p *plan, c *carrier) bool
	// followed tells whether messages of a group cannot be followed for it, where the other one is following.
	followed func(p *plan, g *transport.Group) bool
	due      []string // keys that bring it about, beside the one that is to blame
	// named are words in braces that only the plan knows.
	named func(p *plan) []string
}

// way is one of several remedies of a conflict, and what a scenario no longer has that goes it.
type way struct {
	text  string
	loses protocol.Need
}

// following is weft explain, as conflicts list it.
const following = "weft explain"

// insteadOf is a remedy without which no other is left.
const insteadOf = "choose another control, such as nscc, which needs neither"

// problem returns the conflict as an error. Needed is what some part of the scenario cannot do without.
func (e *conflict) problem(words *strings.Replacer, needed protocol.Need) error {
	return problem.New("%s", words.Replace(e.why)).Mend("%s", words.Replace(e.mended(needed))).Due(e.due...)
}

// mended returns the remedy.
func (e *conflict) mended(needed protocol.Need) string {
	var list []string
	for _, w := range e.ways {
		if w.loses&needed == 0 {
			list = append(list, w.text)
		}
	}
	return cmp.Or(e.remedy, strings.Join(list, ", or "), insteadOf)
}

// needed returns what some part of the transports cannot do without.
func needed(carriers []carrier) (all protocol.Need) {
	for i := range carriers {
		for _, part := range carriers[i].parts() {
			all |= part.needs.Must
		}
	}
	return all
}

// words stand for those in braces: kinds of a transport's parts, if it is about one, and classes of a fabric, of which transports use some.
func (f *Fabric) words(c *carrier, used uint8) *strings.Replacer {
	list := []string{"{one path}", onePath}
	if f.PFC != nil {
		list = append(list, "{lossless}", listClasses(f.PFC.lossless(f.Classes)), "{are}", "is")
		if several := f.PFC.lossless(f.Classes); several&(several-1) != 0 {
			list[len(list)-1] = "are"
		}
		list = append(list, "{pauses of data}", f.PFC.ofClasses(f.dataClasses(used)))
	}
	if c != nil {
		list = append(list, "{control}", c.t.Congestion.Kind, "{balancer}", c.t.Balancer.Kind, "{recovery}", c.t.Recovery.kind())
	}
	return strings.NewReplacer(list...)
}

// usedClasses returns a bit for each class of data and acknowledgements of transports, as far as the file says.
func (s *Spec) usedClasses() (used uint8) {
	for _, t := range s.carriers() {
		data, ack := t.classes(false)
		used |= 1<<data | 1<<ack
	}
	return used
}

// classList writes classes as fabric.pfc.classes has them.
func classList(mask uint8) string {
	_, list, _ := strings.Cut(listClasses(mask), " ")
	return fmt.Sprintf("[%s]", list)
}

// ofClasses writes how a file has the same pauses in a few classes only.
func (c *PFC) ofClasses(mask uint8) string {
	list := "classes: " + classList(mask)
	text, err := c.MarshalText()
	switch {
	case err != nil: // it is a mapping, to which a key is added
		return list
	case c.XOff != nil:
		return fmt.Sprintf("pfc: {xoff: %s, %s}", text, list)
	}
	return fmt.Sprintf("pfc: {model: %s, %s}", text, list)
}
