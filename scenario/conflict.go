package scenario

import (
	"cmp"
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
	// live tells whether packets of programs cannot be carried for it, where the other one is emulated.
	live func(p *plan) bool
	due  []string // keys that bring it about, beside the one that is to blame
	// said are words in braces about the fabric, and named those that only the plan knows.
	said  func(f *Fabric, used uint8) []string
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

// words stand for those in braces: kinds of a transport's parts, if it is about one, and what the conflict says of a fabric, of
// whose classes transports use some, and of a plan, if there is one.
func (e *conflict) words(f *Fabric, used uint8, c *carrier, p *plan) *strings.Replacer {
	list := []string{"{one path}", onePath}
	if e.said != nil {
		list = append(list, e.said(f, used)...)
	}
	if e.named != nil && p != nil {
		list = append(list, e.named(p)...)
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
