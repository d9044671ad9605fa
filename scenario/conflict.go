package scenario

import (
	"cmp"
	"strings"

	"weft/problem"
	"weft/protocol"
	"weft/transport"
)

// conflict is a pair of features that exclude each other: the feature that lists it, and
// another one. The needs of controls, balancers and rules are in needTable instead.
type conflict struct {
	with string // the other feature, as lists name it
	// at is the key to blame. A key of a transport begins with a dot.
	at string
	// why and remedy may contain words in braces, which words replaces.
	why, remedy string
	// ways are alternative remedies. One is offered only if no part of the scenario needs
	// what it gives up.
	ways []way
	// One of these functions reports whether a scenario has both features. file sees the
	// fabric; sent sees the fabric and one carrier after the other. planned and carried
	// also see the plan, with its routes, queues and lanes: planned once, carried once per
	// carrier.
	file    func(f *Fabric) bool
	sent    func(f *Fabric, c *carrier, all []carrier) bool
	planned func(p *plan, f *Fabric) bool
	carried func(p *plan, c *carrier) bool
	// followed reports whether the feature prevents weft explain from following messages of
	// a group. The other feature is then following.
	followed func(p *plan, g *transport.Group) bool
	// live reports whether the feature prevents carrying packets of programs. The other
	// feature is then emulated.
	live func(p *plan) bool
	due  []string // other keys that also cause the conflict
	// fabricWords returns words in braces about the fabric; planWords returns words that only the plan
	// knows.
	fabricWords func(f *Fabric, used uint8) []string
	planWords   func(p *plan) []string
}

// way is one of several remedies of a conflict, and the properties that the scenario loses
// by it.
type way struct {
	text  string
	loses protocol.Need
}

// following names weft explain in lists of conflicts.
const following = "weft explain"

// insteadOf is the remedy if no other is left.
const insteadOf = "choose another control, such as nscc, which needs neither"

// problem returns the conflict as an error. needed holds the properties that some part of
// the scenario cannot do without.
func (e *conflict) problem(words *strings.Replacer, needed protocol.Need) error {
	return problem.New("%s", words.Replace(e.why)).Mend("%s", words.Replace(e.remedyText(needed))).Due(e.due...)
}

// remedyText returns the remedy.
func (e *conflict) remedyText(needed protocol.Need) string {
	var list []string
	for _, w := range e.ways {
		if w.loses&needed == 0 {
			list = append(list, w.text)
		}
	}
	return cmp.Or(e.remedy, strings.Join(list, ", or "), insteadOf)
}

// needed returns the properties that some part of the transports cannot do without.
func needed(carriers []carrier) (all protocol.Need) {
	for i := range carriers {
		for _, part := range carriers[i].parts() {
			all |= part.needs.Must
		}
	}
	return all
}

// words replaces the words in braces. It knows the fabric and the classes that transports
// use; the kinds of a carrier's parts, if the conflict is about one; and the plan, if there
// is one.
func (e *conflict) words(f *Fabric, used uint8, c *carrier, p *plan) *strings.Replacer {
	list := []string{"{one path}", onePath}
	if e.fabricWords != nil {
		list = append(list, e.fabricWords(f, used)...)
	}
	if e.planWords != nil && p != nil {
		list = append(list, e.planWords(p)...)
	}
	if c != nil {
		list = append(list, "{control}", c.t.Congestion.Kind, "{balancer}", c.t.Balancer.Kind, "{recovery}", c.t.Recovery.kind())
	}
	return strings.NewReplacer(list...)
}

// usedClasses returns one bit for each class that data or acknowledgements use according to
// the file.
func (s *Spec) usedClasses() (used uint8) {
	for _, t := range s.carriers() {
		data, ack := t.classes(false)
		used |= 1<<data | 1<<ack
	}
	return used
}
