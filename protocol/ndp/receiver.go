package ndp

import (
	"weft/internal/fifo"
	"weft/protocol"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// receiver pulls for all connections to a host.
type receiver struct {
	peers []peer
	free  []int32
	// turns are the peers that have pulls, in the order in which they take turns.
	turns fifo.Queue[int32]
	// due is when the next pull may go.
	due    unit.Time
	pause  unit.Time
	packet unit.Bytes
}

// peer is the receiving end of a connection.
type peer struct {
	pulls  int    // earned and not yet sent
	pulled uint32 // total of the last pull, and high the highest of any
	high   uint32
	open   bool
	queued bool
}

func newReceiver(o Options, env protocol.HostEnv) *receiver {
	rate := max(1, unit.Rate(float64(env.LineRate)*float64(o.Rate)))
	return &receiver{packet: env.Packet, pause: rate.Transmit(env.Packet)}
}

// Open implements protocol.Receiver.
func (r *receiver) Open(unit.Time) int32 {
	i := numbered.Take(&r.peers, &r.free)
	r.peers[i] = peer{open: true}
	return i
}

// Close implements protocol.Receiver: its pulls are dropped.
func (r *receiver) Close(_ unit.Time, i int32) {
	p := &r.peers[i]
	p.open, p.pulls = false, 0
	if !p.queued {
		r.free = append(r.free, i)
	}
}

// Arrived implements protocol.Receiver.
func (r *receiver) Arrived(a *protocol.Arrival) {
	p := &r.peers[a.Peer]
	if a.Wire > 0 {
		p.pulls++
	}
	if missing := int32(p.pulled - a.Ask.Granted); a.Overdue && missing > 0 {
		p.pulled = a.Ask.Granted // pulls were lost, or are late and then come twice
		p.pulls += int(missing) / int(r.packet)
	}
	if p.pulls > 0 && !p.queued {
		p.queued = true
		r.turns.Push(a.Peer)
	}
}

// skip passes over peers that were closed while they waited for their turn.
func (r *receiver) skip() {
	for !r.turns.Empty() {
		i := r.turns.First()
		p := &r.peers[i]
		if p.pulls > 0 {
			return
		}
		r.turns.Pop()
		p.queued = false
		if !p.open {
			r.free = append(r.free, i)
		}
	}
}

// Next implements protocol.Receiver.
func (r *receiver) Next(now unit.Time, g *protocol.Grant) bool {
	if r.skip(); now < r.due || r.turns.Empty() {
		return false
	}
	i := r.turns.First()
	r.turns.Pop()
	p := &r.peers[i]
	p.pulls--
	p.pulled += uint32(r.packet)
	*g = protocol.Grant{Peer: i, Total: p.pulled, Again: r.packet}
	if int32(p.pulled-p.high) > 0 {
		p.high = p.pulled
		g.New, g.Again = r.packet, 0
	}
	p.queued = p.pulls > 0
	if p.queued {
		r.turns.Push(i)
	}
	r.due = max(r.due, now) + r.pause
	return true
}

// Deadline implements protocol.Receiver.
func (r *receiver) Deadline() (unit.Time, bool) {
	r.skip()
	return r.due, !r.turns.Empty()
}
