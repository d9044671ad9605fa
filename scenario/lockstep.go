package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weft/fabric"
	"weft/record"
	"weft/route"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// lockstep looks for senders in lockstep. Their frames reach a full queue in the same order
// every time: after each departure the same sender finds room, and the same one does not.
//
// The rule: a sender lost many packets, and another of its kind hardly any. Two are of a kind
// if they send over the same port, in the same group, at the same distance, about as much, and
// mostly at the same time. Such senders lose alike, unless they are in lockstep.
//
// Only a few ports are looked at, those that lost most. Where packets may take several paths,
// only the last ports before receivers count: of others it is not known who shared them.
type lockstep struct {
	ways    ideals
	ports   []lossyPort // those that lost most first
	senders map[sender]*sent
}

const (
	// mostPorts bounds the memory: no more senders are held than send over so many ports.
	mostPorts = 8
	// leastLost is how many packets a port, and a sender, must have lost.
	leastLost = 100
	// fewer is how many times fewer losses of another sender are hardly any.
	fewer = 20
)

// lossyPort is a port whose queue was full.
type lossyPort struct {
	id    topo.PortID
	lost  int64 // frames, dropped or trimmed
	again int64 // packets that its senders sent again
}

// sender is a host that sends over a port.
type sender struct {
	kind
	src int32
}

// kind is what senders that are compared have in common.
type kind struct {
	port  int // its place among those looked at
	group int
	frame unit.Time // how long a full frame takes to the receiver
}

// sent is what a sender sent.
type sent struct {
	sender
	packets, again int64
	from, to       unit.Time
}

// newLockstep picks the ports.
func (r *run) newLockstep() lockstep {
	l := lockstep{ways: ideals{plan: &r.plan}, senders: map[sender]*sent{}}
	single := !r.layered() && singlePath(r.graph, r.tables)
	for i, c := range r.counters {
		p := lossyPort{id: topo.PortID(i), lost: int64(c.Drops[fabric.QueueFull] + c.Trims)}
		from, to := r.graph.Ends(p.id)
		if p.lost >= leastLost && r.graph.Nodes[from].Kind == topo.Switch && (single || r.graph.Nodes[to].Kind == topo.Host) {
			l.ports = append(l.ports, p)
		}
	}
	slices.SortStableFunc(l.ports, func(a, b lossyPort) int { return cmp.Compare(b.lost, a.lost) })
	l.ports = slices.Clone(l.ports[:min(len(l.ports), mostPorts)])
	return l
}

// singlePath tells whether there is one path between any two hosts.
func singlePath(g *topo.Graph, t *route.Tables) bool {
	for n := range g.Nodes {
		if g.Nodes[n].Kind != topo.Switch {
			continue
		}
		offsets, _ := t.Sets(topo.NodeID(n))
		for i := range offsets[1:] {
			if offsets[i+1]-offsets[i] > 1 {
				return false
			}
		}
	}
	return true
}

// addToLockstep takes a measured message into account, at the port on its way that lost most.
func (r *run) addToLockstep(l *lockstep, m *transport.Message) {
	if len(l.ports) == 0 {
		return
	}
	path := l.ways.path(m.Src, m.Dst)
	port := slices.IndexFunc(l.ports, func(p lossyPort) bool { return slices.Contains(l.ways.ports, p.id) })
	if port < 0 {
		return
	}
	g := &r.groups[m.Group]
	k := sender{kind{port, m.Group, transport.Ideal(path, g.Payload, g.Payload, g.Header)}, m.Src}
	s := l.senders[k]
	if s == nil {
		s = &sent{sender: k, from: m.Start}
		l.senders[k] = s
	}
	l.ports[port].again += int64(m.Retransmits)
	s.packets += int64(m.Packets)
	s.again += int64(m.Retransmits)
	end := m.SenderEnd
	if end == transport.Unfinished {
		end = r.now
	}
	s.from, s.to = min(s.from, m.Start), max(s.to, end)
}

// find returns the senders in lockstep of which one lost most, nil if there are none.
func (l *lockstep) find() (loser, winner *sent) {
	for i, p := range l.ports {
		if p.again > 2*p.lost { // they lost elsewhere
			maps.DeleteFunc(l.senders, func(k sender, _ *sent) bool { return k.port == i })
		}
	}
	// Those of a kind are next to each other, the one that lost most first.
	list := slices.SortedFunc(maps.Values(l.senders), func(a, b *sent) int {
		return cmp.Or(a.compareKind(b), cmp.Compare(b.again, a.again), cmp.Compare(b.packets, a.packets), cmp.Compare(a.src, b.src))
	})
	var first *sent
	for _, s := range list {
		if first == nil || first.kind != s.kind {
			first = s
		}
		if first.outdone(s) && (loser == nil || first.again > loser.again) {
			loser, winner = first, s
		}
	}
	return loser, winner
}

func (s *sent) compareKind(o *sent) int {
	return cmp.Or(cmp.Compare(s.port, o.port), cmp.Compare(s.group, o.group), cmp.Compare(s.frame, o.frame))
}

// outdone tells whether s lost many packets, and another of its kind hardly any.
func (s *sent) outdone(by *sent) bool {
	together := min(s.to, by.to) - max(s.from, by.from)
	return s.again >= leastLost && fewer*by.again <= s.again &&
		2*by.packets >= s.packets && 2*s.packets >= by.packets &&
		2*together >= by.to-by.from
}

// inLockstep tells of senders in lockstep, and how to part them. A run that made no progress
// has another cause, which it names.
func (r *run) inLockstep(l *lockstep) string {
	if r.ended == record.Stuck {
		return ""
	}
	loser, winner := l.find()
	if loser == nil {
		return ""
	}
	a, b := r.hostName(loser.src), r.hostName(winner.src)
	text := fmt.Sprintf("%s and %s look phase-locked at the full queue of %s: %s retransmitted %d of %d packets, %s %d of %d.",
		a, b, r.graph.PortName(l.ports[loser.port].id), a, loser.again, loser.packets, b, winner.again, winner.packets) +
		" Exact NICs can keep this up: the same sender finds the queue full every time." +
		" Seeds then only change which sender it is, and confidence intervals over seeds are too narrow."
	// A fiftieth of a frame's time costs a busy host 1 % of its rate.
	delay := (r.derived.hosts.Transmit(r.derived.packet) / 50).RoundUp(unit.Nanosecond)
	if r.jitter == (fabric.Jitter{}) {
		return text + fmt.Sprintf(" Write fabric: {nic_jitter: %v} to make NICs differ a little, as real ones do", min(delay, mostWait))
	}
	return text + fmt.Sprintf(" Write a longer delay in fabric.nic_jitter, such as %v", min(max(delay, 2*r.jitter.Delay), mostWait))
}
