package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fault"
	"weft/record"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// lockstep looks for senders in lockstep, where hosts are exact: after each departure from a full queue the same sender
// finds room, or no mark, and the same one does not. Nothing need be lost for that.
//
// The rule: in three windows in a row, each of 50 round trips, the same sender gets less than half of what equal senders get
// on average, and no more in the last window than in the first, so that it is not on its way to its share. Senders are equal
// if they have messages of one group under way throughout, over one port, to receivers at one distance. The port must be busy.
//
// Where packets may take several paths, only the last ports before receivers count: of others it is not known who shares them. There a
// sender is left out if all that cross its switch, or the receiver's, to others could fill one link on the way with an equal share each.
//
// Windows that never change (constant) stay in lockstep where hosts are inexact, too, so they are looked at there, and nothing else.
type lockstep struct {
	watched
	ticks  watch.Ticks
	single bool
	core   []unit.Rate // of each switch, the slowest link to another
	ways   ideals
	begin  unit.Time // of the window
	// seen is what was acknowledged at this tick and the last, and slow who is slow in this window and was in the last.
	seen  [2]map[carried]unit.Bytes
	slow  [2]map[sender]slowSender
	found *locked
	lockstepRoom
}

// lockstepRoom is memory that windows use one after another.
type lockstepRoom struct {
	list, all    []sent
	ports        []topo.PortID       // of all in list
	cross        map[topo.NodeID]int // hosts whose messages cross other switches, by their own switch and by that of receivers
	used         map[portUse]bool
	users        map[topo.PortID]int
	index        map[int32]int
	ended, mixed map[int32]bool
}

// portUse is a host's use of a port.
type portUse struct {
	port topo.PortID
	src  int32
}

const (
	// lockstepRTTs is the length of a window, in round trips.
	lockstepRTTs = 50
	// lockstepWindows is in how many windows a sender must be slow.
	lockstepWindows = 3
	// leastBusy is the share of a port's rate that equal senders must have together.
	leastBusy = 0.5
)

// carried is one part of a message.
type carried struct {
	group    int32
	src, dst int32
	part     int32
	ordinal  uint64
}

// kind is what equal senders have in common.
type kind struct {
	port  topo.PortID
	group int
	frame unit.Time // how long a full frame takes to the receiver
}

// sender is a host that sends over a port.
type sender struct {
	kind
	src int32
}

// slowSender is one that got little in some windows in a row.
type slowSender struct {
	windows int
	first   unit.Bytes // in the first of them
	since   unit.Time
}

// locked are two equal senders of which one is slow.
type locked struct {
	sender
	winner      int32
	from, to    unit.Time
	share, best float64 // of what equal senders get on average
}

// newLockstep looks at nothing where links fail: then some are slow for other reasons.
func newLockstep(w watched) *lockstep {
	p := w.plan
	fixed := slices.ContainsFunc(p.groups, func(g transport.Group) bool { return g.Congestion.Fixed })
	if p.ends.held > 0 && !fixed || p.ends.apart || p.changes(func(fault.Change) bool { return true }) {
		return &lockstep{watched: w, ticks: watch.NoTicks()}
	}
	every := p.derived.rtt.Times(lockstepRTTs)
	l := &lockstep{
		watched: w, ticks: watch.NewTicks(every, every), single: !p.layered() && singlePath(p.graph, p.tables), core: p.coreRates(), ways: ideals{plan: p},
		lockstepRoom: lockstepRoom{
			cross: map[topo.NodeID]int{}, used: map[portUse]bool{}, users: map[topo.PortID]int{}, index: map[int32]int{}, ended: map[int32]bool{}, mixed: map[int32]bool{},
		},
	}
	for i := range l.seen {
		l.seen[i], l.slow[i] = map[carried]unit.Bytes{}, map[sender]slowSender{}
	}
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

// Due returns when a window ends.
func (l *lockstep) Due() unit.Time { return l.ticks.Due }

// Look ends a window if that is due.
func (l *lockstep) Look(m *watch.Moment) error {
	now := m.Now
	if now < l.ticks.Due {
		return nil
	}
	seen, before := l.seen[0], l.seen[1]
	clear(seen)
	l.list = l.list[:0]
	l.Transport.Sending(func(s transport.Sending) {
		k := carried{int32(s.Group), s.Src, s.Dst, s.Part, s.Ordinal}
		seen[k] = s.Acked
		if was, ok := before[k]; ok {
			l.list = append(l.list, sent{src: s.Src, dst: s.Dst, group: s.Group, acked: s.Acked - was})
		}
	})
	clear(l.ended) // hosts that did not send the same throughout
	for k := range before {
		if _, ok := seen[k]; !ok {
			l.ended[k.src] = true
		}
	}
	for k := range seen {
		if _, ok := before[k]; !ok {
			l.ended[k.src] = true
		}
	}
	l.list = slices.DeleteFunc(l.list, func(s sent) bool { return l.ended[s.src] })
	l.compare(l.senders(), now)
	l.seen, l.begin = [2]map[carried]unit.Bytes{before, seen}, now
	l.ticks.Advance(now, m.Next, len(seen) == 0)
	if l.found != nil {
		*l = lockstep{watched: l.watched, ticks: watch.NoTicks(), found: l.found}
	}
	return nil
}

// sent is what a sender has sent in a window.
type sent struct {
	sender
	src, dst    int32
	group       int
	acked       unit.Bytes
	first, last int // of its ports
	// from and to are the switches at its ends if it crosses others on one of several paths, else noSwitch.
	from, to topo.NodeID
}

const noSwitch topo.NodeID = -1

// senders returns what hosts sent over the port that each shares with most others. A host whose messages take different ports
// is left out.
func (l *lockstep) senders() []sent {
	clear(l.used)
	clear(l.users)
	clear(l.cross)
	l.ports = l.ports[:0]
	for i := range l.list {
		s := &l.list[i]
		path := l.ways.path(s.src, s.dst)
		g := &l.ways.groups[s.group]
		s.frame, s.kind.group = transport.Ideal(path, g.Payload, g.Payload, g.Header), s.group
		ports := l.ways.ports[1:] // the first is the host's own
		s.from, s.to = noSwitch, noSwitch
		if !l.single && len(ports) > 1 {
			s.from, _ = l.ways.graph.Ends(ports[0])
			ports = ports[len(ports)-1:]
			s.to, _ = l.ways.graph.Ends(ports[0])
			l.cross[s.from]++
			l.cross[s.to]++
		}
		s.first = len(l.ports)
		l.ports = append(l.ports, ports...)
		s.last = len(l.ports)
		for _, p := range ports {
			if u := (portUse{p, s.src}); !l.used[u] {
				l.used[u] = true
				l.users[p]++
			}
		}
	}
	clear(l.index)
	clear(l.mixed)
	l.all = l.all[:0]
	for _, s := range l.list {
		if s.first == s.last { // hosts back to back share nothing
			continue
		}
		s.kind.port = slices.MaxFunc(l.ports[s.first:s.last], func(a, b topo.PortID) int { return cmp.Compare(l.users[a], l.users[b]) })
		s.sender.src = s.src
		i, ok := l.index[s.src]
		switch {
		case !ok:
			l.index[s.src] = len(l.all)
			l.all = append(l.all, s)
		case l.all[i].kind != s.kind:
			l.mixed[s.src] = true
		default:
			l.all[i].acked += s.acked
		}
	}
	l.all = slices.DeleteFunc(l.all, func(s sent) bool { return l.mixed[s.src] })
	return l.all
}

// compare looks at the senders of a window that ends now, those of a kind together.
func (l *lockstep) compare(all []sent, now unit.Time) {
	slices.SortFunc(all, func(a, b sent) int {
		return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.kind.group, b.kind.group), cmp.Compare(a.frame, b.frame), cmp.Compare(a.src, b.src))
	})
	clear(l.slow[0])
	for len(all) > 0 {
		if l.ways.ends.held > 0 && !l.ways.groups[all[0].kind.group].Congestion.Fixed {
			all = all[1:]
			continue
		}
		n := slices.IndexFunc(all, func(s sent) bool { return s.kind != all[0].kind })
		if n < 0 {
			n = len(all)
		}
		l.equals(all[:n], now)
		all = all[n:]
	}
	l.slow[0], l.slow[1] = l.slow[1], l.slow[0]
}

// equals looks at senders of a kind, and notes those that are slow.
func (l *lockstep) equals(list []sent, now unit.Time) {
	sum, best := unit.Bytes(0), 0
	for i, s := range list {
		sum += s.acked
		if s.acked > list[best].acked {
			best = i
		}
	}
	port := &l.ways.graph.Links[list[0].port.Link()]
	if len(list) < 2 || float64(sum) < leastBusy*float64(port.Rate.In(now-l.begin)) {
		return
	}
	mean := float64(sum) / float64(len(list))
	for _, s := range list {
		if 2*float64(s.acked) >= mean || l.crowded(&s, mean, now-l.begin) {
			continue
		}
		was := l.slow[1][s.sender]
		if was.windows == 0 {
			was.first, was.since = s.acked, l.begin
		}
		was.windows++
		l.slow[0][s.sender] = was
		if was.windows >= lockstepWindows && s.acked <= was.first && l.found == nil {
			l.found = &locked{s.sender, list[best].src, was.since, now, float64(s.acked) / mean, float64(list[best].acked) / mean}
		}
	}
}

// crowded tells whether a link between switches may be full on the way of a sender, of what equal senders get on average in a span.
func (l *lockstep) crowded(s *sent, mean float64, span unit.Time) bool {
	if s.from == noSwitch {
		return false
	}
	full := func(node topo.NodeID) bool { return float64(l.cross[node])*mean > float64(l.core[node].In(span)) }
	return full(s.from) || full(s.to)
}

// coreRates returns the rate of the slowest link of each switch to other switches.
func (p *plan) coreRates() []unit.Rate {
	rates := make([]unit.Rate, len(p.graph.Nodes))
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		from, to := p.graph.Ends(id)
		if r := p.graph.Links[id.Link()].Rate; p.graph.Nodes[to].Kind == topo.Switch && (rates[from] == 0 || r < rates[from]) {
			rates[from] = r
		}
	}
	return rates
}

// Doubt tells of senders in lockstep, and how to part them. A run that made no progress
// has another cause, which it names.
func (s *lockstep) Doubt(m *watch.Moment, _ *transport.Messages, say func(kind record.NoticeKind, text string)) {
	l := s.found
	if l == nil || m.Ended == record.Stuck {
		return
	}
	a, b := s.hostName(l.src), s.hostName(l.winner)
	text := fmt.Sprintf("%s and %s look phase-locked at %s: from %s to %s %s got %.0f %% of what equal senders got there on average, and %s %.0f %%.",
		a, b, s.graph.PortName(l.port), micros(l.from), micros(l.to), a, 100*l.share, b, 100*l.best) +
		" Nothing parts them, and seeds only change which sender it is, so that intervals over seeds are too narrow."
	if s.groups[l.kind.group].Congestion.Fixed {
		// A fiftieth of a frame's time costs a busy host 1 % of its rate.
		delay := (s.derived.hosts.Transmit(s.derived.packet) / 50).RoundUp(unit.Nanosecond)
		say(record.NoticeLocked, text+fmt.Sprintf(" Windows never change: write fabric: {nic_jitter: %v} to make NICs differ a little, as real ones do", min(delay, mostWait)))
		return
	}
	say(record.NoticeLocked, text+" Write fabric: {host_jitter: auto}, the default, to make hosts inexact, as real ones are; what stays of it then is the control's own")
}
