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

// lockstep detects senders in lockstep. With hosts that keep exact time, each departure
// from a full queue can make room for the same sender again and again, or spare it the
// mark, while another sender never gets its turn. That can happen without any loss.
//
// A sender is in lockstep if, in three windows in a row of 50 round trips each, it gets
// less than half of the mean of equal senders, and no more in the last window than in the
// first, so that it is not approaching its share. Senders are equal if they have messages
// of one group under way throughout, over one port, to receivers at one distance. The port
// must be busy.
//
// Where packets may take several paths, only the last ports before receivers count, since
// it is not known who shares the others. A sender is then left out if equal shares for all
// senders that cross its switch, or the receiver's switch, could fill a link between
// switches.
//
// Controls whose windows never change (constant) stay in lockstep even if hosts are
// inexact. With inexact hosts, only they are checked.
type lockstep struct {
	watched
	ticks  watch.Ticks
	single bool
	core   []unit.Rate // for each switch, the rate of the slowest link to another switch
	ways   ideals
	begin  unit.Time // start of the window
	// seen holds the acknowledged bytes at this tick and the last. slow holds the slow
	// senders of this window and the last.
	seen  [2]map[carried]unit.Bytes
	slow  [2]map[sender]slowSender
	found *locked
	lockstepRoom
}

// lockstepRoom is memory that is reused from window to window.
type lockstepRoom struct {
	list, all []sent
	ports     []topo.PortID // the ports of all entries of list
	// the number of senders whose messages cross other switches, by the sender's and by the
	// receiver's switch
	cross        map[topo.NodeID]int
	used         map[portUse]bool
	users        map[topo.PortID]int
	index        map[int32]int
	ended, mixed map[int32]bool
}

// portUse is the use of a port by a host.
type portUse struct {
	port topo.PortID
	src  int32
}

const (
	// lockstepRTTs is the length of a window, in round trips.
	lockstepRTTs = 50
	// lockstepWindows is the number of windows in a row in which a sender must be slow.
	lockstepWindows = 3
	// leastBusy is the share of a port's rate that equal senders must use together.
	leastBusy = 0.5
)

// carried identifies one part of a message.
type carried struct {
	group    int32
	src, dst int32
	part     int32
	ordinal  uint64
}

// kind holds the properties that equal senders share.
type kind struct {
	port  topo.PortID
	group int
	frame unit.Time // time of a full frame to the receiver
}

// sender is a host that sends over a port.
type sender struct {
	kind
	src int32
}

// slowSender is a sender that was slow in consecutive windows.
type slowSender struct {
	windows int
	first   unit.Bytes // bytes in the first of them
	since   unit.Time
}

// locked is a pair of equal senders, one of them slow.
type locked struct {
	sender
	winner      int32
	from, to    unit.Time
	share, best float64 // relative to the mean of equal senders
}

// newLockstep checks nothing if any link changes during the run, since senders can then be
// slow for other reasons.
func newLockstep(w watched) *lockstep {
	p := w.plan
	fixed := slices.ContainsFunc(p.groups, func(g transport.Group) bool { return g.Congestion.Fixed })
	if p.ends.held > 0 && !fixed || p.ends.unequal || p.changes(func(fault.Change) bool { return true }) {
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

// singlePath reports whether there is only one path between any two hosts.
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

// Due returns the end of the window.
func (l *lockstep) Due() unit.Time { return l.ticks.Due }

// Look ends the window if it is due.
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
	clear(l.ended) // hosts that did not send the same messages throughout
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

// sent holds what a sender sent in a window.
type sent struct {
	sender
	src, dst    int32
	group       int
	acked       unit.Bytes
	first, last int // its range in ports
	// from and to are the switches of sender and receiver if the sender's messages may take
	// one of several paths between them. Otherwise both are noSwitch.
	from, to topo.NodeID
}

const noSwitch topo.NodeID = -1

// senders returns the bytes that each host sent, with the port of its path that most hosts
// share. It leaves out hosts whose messages differ in port, group or distance.
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
		ports := l.ways.ports[1:] // the first port is the host's own
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
		if s.first == s.last { // hosts connected directly share no port
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

// compare compares the senders of the window that ends now, kind by kind.
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

// equals records the slow senders among senders of one kind.
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

// crowded reports whether a link between switches on the way of a sender may be full in a
// span, if all senders get the mean.
func (l *lockstep) crowded(s *sent, mean float64, span unit.Time) bool {
	if s.from == noSwitch {
		return false
	}
	full := func(node topo.NodeID) bool { return float64(l.cross[node])*mean > float64(l.core[node].In(span)) }
	return full(s.from) || full(s.to)
}

// coreRates returns, for each switch, the rate of its slowest link to another switch.
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

// Doubt reports senders in lockstep, and how to separate them. A run that got stuck has
// another cause, which it names itself.
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
		// A delay of 1/50 of a frame's time costs a busy host 1 % of its rate.
		delay := (s.derived.hosts.Transmit(s.derived.packet) / 50).RoundUp(unit.Nanosecond)
		say(record.NoticeLocked, text+fmt.Sprintf(" Windows never change: write fabric: {nic_jitter: %v} to make NICs differ a little, as real ones do", min(delay, mostWait)))
		return
	}
	say(record.NoticeLocked, text+" Write fabric: {host_jitter: auto}, the default, to make hosts inexact, as real ones are; what stays of it then is the control's own")
}
