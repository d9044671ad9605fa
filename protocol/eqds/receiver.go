package eqds

import (
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// receiver pulls for all connections to a host.
type receiver struct {
	peers []peer
	free  []int32
	// again lists the peers with trimmed packets to send again, active those that ask
	// for more. A peer can be in both.
	again, active turns
	// due is when the next pull may go.
	due     unit.Time
	rate    unit.Rate
	quantum unit.Bytes
}

// peer is the receiving end of a connection.
type peer struct {
	// target is the highest total it asked for, without trimmed packets, of which
	// reported is the total; it is owed both. A target says nothing of packets trimmed
	// after it was sent, so that one total for both would lose what a later one does
	// not contain yet.
	target, reported uint32
	// pulled is the total of the last pull, and high the highest of any.
	pulled, high uint32
	// trimmed is what of the trimmed packets is yet to be pulled.
	trimmed unit.Bytes
	open    bool
	in      [2]bool // lists, by turns.list
	next    [2]int32
}

func (p *peer) wants() unit.Bytes { return unit.Bytes(int32(p.target + p.reported - p.pulled)) }

// turns is a FIFO of peers that take turns.
type turns struct {
	list       int
	head, tail int32
}

// none is no peer.
const none int32 = -1

// Lists, by number.
const (
	byAgain = iota
	byActive
)

func newReceiver(o Options, env protocol.HostEnv) *receiver {
	return &receiver{
		again: turns{byAgain, none, none}, active: turns{byActive, none, none},
		rate:    max(1, unit.Rate(float64(env.LineRate)*float64(o.Rate))),
		quantum: unit.Bytes(o.Pull) * env.Packet,
	}
}

func (r *receiver) push(q *turns, i int32) {
	p := &r.peers[i]
	if p.in[q.list] {
		return
	}
	p.in[q.list], p.next[q.list] = true, none
	if q.head == none {
		q.head = i
	} else {
		r.peers[q.tail].next[q.list] = i
	}
	q.tail = i
}

// first returns the peer whose turn it is. Those that want nothing any more leave.
func (r *receiver) first(q *turns) int32 {
	for q.head != none {
		i := q.head
		p := &r.peers[i]
		if p.open && p.wants() > 0 && (q.list == byActive || p.trimmed > 0) {
			return i
		}
		r.pop(q)
	}
	return none
}

func (r *receiver) pop(q *turns) {
	i := q.head
	p := &r.peers[i]
	q.head, p.in[q.list] = p.next[q.list], false
	if !p.open && !p.in[byAgain] && !p.in[byActive] {
		r.free = append(r.free, i)
	}
}

func (r *receiver) Open(unit.Time) int32 {
	i := numbered.Take(&r.peers, &r.free)
	r.peers[i] = peer{open: true}
	return i
}

func (r *receiver) Close(_ unit.Time, i int32) {
	p := &r.peers[i]
	p.open = false
	if !p.in[byAgain] && !p.in[byActive] {
		r.free = append(r.free, i)
	}
}

func (r *receiver) Arrived(a *protocol.Arrival) {
	p := &r.peers[a.Peer]
	if int32(a.Ask.Target-p.target) > 0 {
		p.target = a.Ask.Target
	}
	if a.Trimmed {
		p.reported += uint32(a.Wire)
		p.trimmed += a.Wire
	}
	if a.Overdue && int32(p.pulled-a.Ask.Granted) > 0 {
		p.pulled = a.Ask.Granted // pulls were lost, or are late and then come twice
	}
	if p.wants() > 0 {
		r.push(&r.active, a.Peer)
		if p.trimmed > 0 {
			r.push(&r.again, a.Peer)
		}
	}
}

func (r *receiver) Next(now unit.Time, g *protocol.Grant) bool {
	if now < r.due {
		return false
	}
	q := &r.again
	i := r.first(q)
	if i == none {
		q = &r.active
		if i = r.first(q); i == none {
			return false
		}
	}
	r.pop(q)
	p := &r.peers[i]
	amount := min(r.quantum, p.wants())
	p.pulled += uint32(amount)
	fresh := unit.Bytes(max(0, min(int32(p.pulled-p.high), int32(amount))))
	if int32(p.pulled-p.high) > 0 {
		p.high = p.pulled
	}
	p.trimmed = max(0, p.trimmed-amount)
	if p.wants() > 0 && (q.list == byActive || p.trimmed > 0) {
		r.push(q, i)
	}
	r.due = max(r.due, now) + r.rate.Transmit(amount)
	*g = protocol.Grant{Peer: i, Total: p.pulled, New: fresh, Again: amount - fresh}
	return true
}

func (r *receiver) Deadline() (unit.Time, bool) {
	return r.due, r.first(&r.again) != none || r.first(&r.active) != none
}
