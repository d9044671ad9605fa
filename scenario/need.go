package scenario

import "weft/protocol"

// This file defines a row of the table of needs, and the questions that are put to it.

// onePath is the usual balancer with one path per flow; plain is the usual balancer without
// needs.
const onePath, plain = "ecmp", "ops"

// need is a row of the table of needs: a property that a part of a scenario can rely on.
type need struct {
	need protocol.Need // one bit; 0 for an amount
	// noun continues the sentence "NAME needs …".
	noun string
	// written returns how a scenario provides it, for lists of parts; nil for nothing to
	// write.
	written func(n *protocol.Needs) []string
	// without describes a scenario that lacks it, for lists. If empty, that is "without
	// NOUN".
	without string
	// amount reports whether a part lacks it, if it is an amount.
	amount func(n *protocol.Needs, o *offers) bool
	// has reports whether a fabric provides it to every transport, according to the file;
	// nil if parts of a transport provide it.
	has func(f *Fabric) bool
	// drops: it protects against drops, so a part does not miss it where nothing is
	// dropped.
	drops bool
	// lack explains why a scenario does not provide it, and what to write.
	lack func(q *inquiry) lack
}

// lacking reports whether a part cannot do without it and lacks it.
func (n *need) lacking(of *protocol.Needs, o *offers) bool {
	if n.amount != nil {
		return n.amount(of, o)
	}
	return of.Must.Has(n.need) && o.lacks(n.need)
}

// offers holds the properties that a scenario provides to its parts.
type offers struct {
	has protocol.Need
	// not holds the properties that turned out to be lacking, whatever provides them.
	not protocol.Need
	// classes is the number of classes of ports; first is the first class that the
	// transport uses.
	classes, first int
}

// under adds the properties that the parts of a transport provide for each other.
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

// lacks reports whether any of the properties is lacking.
func (o *offers) lacks(n protocol.Need) bool { return n&^(o.has&^o.not) != 0 }

// inquiry asks what a part lacks.
type inquiry struct {
	part
	carrier *carrier
	offers  offers
	fabric  *Fabric
	// given reports whether the file has a key.
	given func(path string) bool
	// used has a bit for each class that any transport uses.
	used uint8
	// plan is nil while the file is checked.
	plan *plan
}

// lack describes how a scenario lacks something that a part needs.
type lack struct {
	// does continues a sentence that begins with the part's name: what the part does that
	// the lack makes impossible. If empty, the part needs the noun of the table.
	does string
	// path is the key to change. If empty, it is the part's key.
	path string
	// why describes the scenario; remedy is what to write.
	why, remedy string
	// key is the key that causes the lack, or empty if no single key does.
	key string
}

// untilPlanned is for properties that only the network shows. Until it is planned, they
// count as provided.
func untilPlanned(*Fabric) bool { return true }

// keys returns a written function that is the same for all parts.
func keys(written ...string) func(*protocol.Needs) []string {
	return func(*protocol.Needs) []string { return written }
}

// another suggests another choice for the part.
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

// balancer names the balancer of the transport, and adds that it is the default if the file
// does not name it.
func (q *inquiry) balancer() string {
	kind := q.carrier.t.Balancer.Kind
	if q.given(q.carrier.path + ".balancer") {
		return kind
	}
	return kind + " (the default)"
}
