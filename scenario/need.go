package scenario

import "weft/protocol"

// This file has what a row of the table of needs is, and what it is asked about.

// onePath is a balancer that gives a flow one path, and plain one that needs nothing.
const onePath, plain = "ecmp", "ops"

// need is a row of the table of needs: one thing that a part of a scenario can rely on.
type need struct {
	need protocol.Need // one bit; 0 of an amount
	// noun is what it is, as "NAME needs …" goes on.
	noun string
	// written says how a scenario has it, for lists of parts; nil says nothing.
	written func(n *protocol.Needs) []string
	// without is how a scenario does not have it, for lists; empty is "without NOUN".
	without string
	// amount tells whether a part lacks it, if it is one.
	amount func(n *protocol.Needs, o *offers) bool
	// has tells whether a fabric has it for every transport, as far as the file says; nil if parts of a transport have it.
	has func(f *Fabric) bool
	// drops tells that it is against drops: a part does not miss it where there are none.
	drops bool
	// lack says why a scenario does not have it, and what to write.
	lack func(q *inquiry) lack
}

// lacking tells whether a part cannot do without it and lacks it.
func (n *need) lacking(of *protocol.Needs, o *offers) bool {
	if n.amount != nil {
		return n.amount(of, o)
	}
	return of.Must.Has(n.need) && o.lacks(n.need)
}

// offers is what parts find in a scenario.
type offers struct {
	has protocol.Need
	// not is what turned out to be lacking, whatever provides it.
	not protocol.Need
	// classes are those of ports, first is the first class that the transport uses.
	classes, first int
}

// under adds what the parts of a transport have for each other.
func (o offers) under(c *carrier, f *Fabric) offers {
	o.has |= c.congestion.Provides() | c.balancer.Provides()
	if c.t.Ack.Every > 1 {
		o.not |= protocol.PacketAcks
	}
	if c.t.Connection == perPair {
		o.has |= protocol.Pairs
	}
	first, _ := c.t.classes(f.Overflow == trimming)
	o.first = int(first)
	return o
}

// lacks tells whether something is not there.
func (o *offers) lacks(n protocol.Need) bool { return n&^(o.has&^o.not) != 0 }

// inquiry asks what a part lacks.
type inquiry struct {
	part
	carrier *carrier
	offers  offers
	fabric  *Fabric
	// given tells whether the file has a key.
	given func(path string) bool
	// used has a bit for each class of any transport.
	used uint8
	// plan is nil before there is one.
	plan *plan
}

// lack is how a scenario is without something that a part needs.
type lack struct {
	// does is what the part does that cannot be done so, as a sentence that begins with its name
	// goes on; when empty, that it needs what the table has.
	does string
	// path names what is to change; when empty, the part.
	path string
	// why is how the scenario is instead, and remedy what to write.
	why, remedy string
	// key is the key that makes the scenario so; when empty, no single one does.
	key string
}

// untilPlanned is of what only the network shows: it counts as there before.
func untilPlanned(*Fabric) bool { return true }

// keys returns how a scenario has a need, whatever the part.
func keys(written ...string) func(*protocol.Needs) []string {
	return func(*protocol.Needs) []string { return written }
}

// another says what to choose in place of the part.
func (q *inquiry) another() string {
	switch q.sort {
	case aBalancer:
		return "choose another balancer, such as " + plain
	case aMarking:
		return "choose another marking law, such as red"
	case anAdmitter, aScheduler:
		return "leave " + q.path + " out"
	}
	return "choose a control that does not need it, such as nscc"
}

// balancer names the balancer of the transport, and says so if the file does not.
func (q *inquiry) balancer() string {
	kind := q.carrier.t.Balancer.Kind
	if q.given(q.carrier.path + ".balancer") {
		return kind
	}
	return kind + " (the default)"
}
