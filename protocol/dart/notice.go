package dart

import (
	"weft/protocol"
	"weft/unit"
)

// notice is how long a sender takes to take notice of another one that came, as the paper's testbed measures it at the
// receiver (§V-A): from the newcomer's first packet to the first packet of the sender that was sent after an
// acknowledgement had told it of the smaller share.
//
// The receiver asks by a bit of its answers, and the sender's packets carry the bit that came last. A measurement turns the
// bit round. It begins only while the sender's last packet has the bit as it was, so that no packet under way has it
// otherwise: what a sender confirms is always the change that is measured, and never one before. That takes packets and
// acknowledgements that do not overtake each other for as long as a measurement and what follows it.
//
// Counts may change again meanwhile:
//
//   - Another sender comes: the measurement goes on, and none begins for the second one with this sender.
//   - Others leave before the sender is told, so that the first answer says no less than the one before it: the
//     measurement is dropped, as there is nothing to take notice of.
//   - Others leave once it is told: the measurement goes on, as the sender still slows down.
//   - The sender leaves: the measurement is dropped. None begins until a packet has the bit that was asked for.
//
// A larger share is not measured. In the state elsewhere senders are not told to share: a measurement waits until they are.
type notice struct {
	// bit is what was asked for last, and confirmed what the sender's last packet had.
	bit, confirmed bool
	// untold tells that no answer asked for the bit yet.
	untold bool
	// since is when the other sender came; Forever if nothing is measured.
	since unit.Time
	// told is the share that the sender was told last.
	told share
}

// unaware is the notice of a sender that was told nothing.
var unaware = notice{since: unit.Forever, told: alone}

// begin starts a measurement, unless a packet under way may have the other bit.
func (n *notice) begin(now unit.Time) {
	if n.since == unit.Forever && n.confirmed == n.bit {
		n.bit, n.untold, n.since = !n.bit, true, now
	}
}

// tell notes the share that an answer says, and whether that is the one that was counted.
func (n *notice) tell(s share, counted bool) {
	if n.untold && counted {
		n.untold = false
		if !s.below(n.told) {
			n.bit, n.since = !n.bit, unit.Forever
		}
	}
	n.told = s
}

// asks returns the bit that an answer asks for.
func (n *notice) asks() bool { return n.bit != n.untold }

// confirm takes the bit of a packet, and tells whether the measurement ends with it.
func (n *notice) confirm(bit bool) bool {
	n.confirmed = bit
	return bit == n.bit && n.since != unit.Forever && !n.untold
}

// leave drops the measurement. A sender that comes again counts as one at line rate.
func (n *notice) leave() {
	if n.untold {
		n.bit, n.untold = !n.bit, false
	}
	n.since, n.told = unit.Forever, alone
}

// notices takes what a packet confirms.
func (r *receiver) notices(h *protocol.Heard, sender int32) {
	if n := &r.set.list[sender].notice; n.confirm(h.Confirms) {
		r.convergence.Add(n.since, h.Now)
		n.since = unit.Forever
	}
}

// watch begins measurements with those that sent before others of a tenant came, so many having come into the set, and whose
// share is less now: those of the tenant, and if links are divided among more tenants, all.
func (r *receiver) watch(now unit.Time, tenant uint8, before uint64, all bool) {
	for i := r.set.newest; i != nobody; i = r.set.list[i].older {
		if s := &r.set.list[i]; s.entry <= before && s.begun > 0 && (all || s.tenant == tenant) {
			s.notice.begin(now)
		}
	}
}
