package fabric_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// pauseOracle follows a network of one domain. Afterwards it works out from what every frame did when links had
// to be paused and resumed, and compares that with what they heard.
type pauseOracle struct {
	t     rapid.TB
	n     *network
	pause fabric.PauseConfig
	size  unit.Bytes // of the shared buffer, headroom and reserves included; 0 without limit

	now   sim.Time
	over  map[fabric.FrameID]topo.PortID
	stays []*frameStay
	at    map[fabric.FrameID]*frameStay
	heard map[topo.PortID][]toggle
	sent  map[topo.PortID][]*frameStay
}

// toggle is a pause or resume.
type toggle struct {
	at    sim.Time
	class uint8
	pause bool
}

func (o *pauseOracle) Arrived(now sim.Time, link topo.PortID, id fabric.FrameID, _ sim.Time) {
	o.now = now
	o.over[id] = link
}

func (o *pauseOracle) Queued(now sim.Time, port topo.PortID, id fabric.FrameID) {
	if from, _ := o.n.graph.Ends(port); o.n.graph.Nodes[from].Kind != topo.Switch {
		return
	}
	f := o.n.Domains()[0].Frame(id)
	s := &frameStay{port: port, over: o.over[id], class: f.Priority(), size: unit.Bytes(f.Size), enters: now}
	if f.Flags&packet.Carried == packet.Backward { // which the switch stamps now
		s.size += 8
	}
	o.at[id] = s
	o.stays = append(o.stays, s)
}

func (o *pauseOracle) Sent(port topo.PortID, id fabric.FrameID, begin, departs sim.Time) {
	s := &frameStay{begin: begin, departs: departs}
	if at := o.at[id]; at != nil && at.port == port {
		at.begin, at.departs, at.sent = begin, departs, true
		s = at
	}
	o.sent[port] = append(o.sent[port], s)
}

func (o *pauseOracle) Dropped(_ sim.Time, port topo.PortID, id fabric.FrameID, why fabric.Reason) {
	if s := o.at[id]; s != nil && s.port == port {
		s.refused = true
		if lossless := o.pause.Classes>>s.class&1 != 0; lossless != (why == fabric.HeadroomFull) {
			o.t.Fatalf("a frame of class %d was dropped: %v", s.class, why)
		}
	}
}

func (o *pauseOracle) Trimmed(sim.Time, topo.PortID, fabric.FrameID) {}

func (o *pauseOracle) Paused(now sim.Time, link topo.PortID, class uint8, pause bool) {
	o.heard[link] = append(o.heard[link], toggle{now, class, pause})
}

// books are what the oracle thinks that a switch holds.
type books struct {
	held, headroom map[account]unit.Bytes
	queue          map[account]unit.Bytes // by port, of the frames in it
	all            unit.Bytes
	holders        map[account]map[topo.PortID]bool // the ports for which a link is paused
}

// account is a class of a link into the switch, or of a port of it.
type account struct {
	link  topo.PortID
	class uint8
}

// check replays a switch.
func (o *pauseOracle) check(node topo.NodeID) {
	b := books{map[account]unit.Bytes{}, map[account]unit.Bytes{}, map[account]unit.Bytes{}, 0, map[account]map[topo.PortID]bool{}}
	want := map[topo.PortID][]toggle{}
	type step struct {
		at     sim.Time
		leaves bool
		stay   *frameStay
	}
	var steps []step
	kept := unit.Bytes(0)
	for _, s := range o.stays {
		if at, _ := o.n.graph.Ends(s.port); at == node {
			steps = append(steps, step{s.enters, false, s})
			if s.sent {
				steps = append(steps, step{s.departs, true, s})
			}
		}
	}
	classes := o.pause.Classes
	for id := range topo.PortID(2 * len(o.n.graph.Links)) {
		if _, to := o.n.graph.Ends(id); to == node {
			for k := range uint8(8) {
				if classes>>k&1 != 0 {
					l := o.pause.Limits(id)
					kept += l.Headroom + l.Reserve
				}
			}
		}
	}
	size := unit.Bytes(1 << 36)
	if o.size > 0 {
		size = o.size
	}
	size -= min(size, kept)
	slices.SortStableFunc(steps, func(a, b step) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		switch {
		case a.leaves == b.leaves:
			return 0
		case a.leaves:
			return -1
		}
		return 1
	})
	lossless := func(k uint8) bool { return classes>>k&1 != 0 }
	shared := func() unit.Bytes {
		sum := b.all
		for a, held := range b.held {
			sum -= min(held, o.pause.Limits(a.link).Reserve)
		}
		for _, h := range b.headroom {
			sum -= h
		}
		return sum
	}
	threshold := func(link topo.PortID) unit.Bytes {
		l := o.pause.Limits(link)
		if l.Off > 0 {
			return l.Off
		}
		return unit.Bytes(l.Alpha * float64(size-min(size, shared())))
	}
	quanta := &o.pause.Quanta
	lapses := func(link topo.PortID) sim.Time { // for how long a pause holds
		if quanta.Count == 0 || quanta.Refresh > 0 {
			return sim.Forever
		}
		return quanta.Time(o.n.graph.Links[link.Link()].Rate)
	}
	until := map[account]sim.Time{}
	signal := func(at sim.Time, a account, pause bool) {
		leaves := at
		for _, f := range o.sent[a.link^1] {
			if f.begin < at && f.departs > at {
				leaves = f.departs
			}
		}
		link := o.n.graph.Links[a.link.Link()]
		comes := leaves + transmit(link.Rate, 64) + link.Delay
		if last := want[a.link]; len(last) > 0 { // of any class
			comes = max(comes, last[len(last)-1].at)
		}
		want[a.link] = append(want[a.link], toggle{comes, a.class, pause})
		until[a] = comes + min(lapses(a.link), sim.Forever-comes)
	}
	resume := func(at sim.Time, a account, of topo.PortID) {
		if !b.holders[a][of] {
			return
		}
		if delete(b.holders[a], of); len(b.holders[a]) == 0 {
			signal(at, a, false)
		}
	}
	over := func(a account) unit.Bytes { return b.held[a] - min(b.held[a], o.pause.Limits(a.link).Reserve) }
	left, leftQueue := map[account]bool{}, map[account]bool{}
	instant := func(at sim.Time) { // is over
		var all []account
		for a := range b.holders {
			all = append(all, a)
		}
		slices.SortFunc(all, func(x, y account) int {
			return cmp.Or(cmp.Compare(x.link, y.link), cmp.Compare(x.class, y.class))
		})
		for _, a := range all {
			l := o.pause.Limits(a.link)
			for of := range b.holders[a] {
				free := false
				switch o.pause.Of {
				case fabric.OfIngress: // which is looked at only when one of its own frames leaves
					free = left[a] && b.headroom[a] == 0 && (over(a) == 0 || over(a)+l.Gap <= threshold(a.link))
				case fabric.OfEgress: // likewise, when a frame leaves the queue
					free = leftQueue[account{of, a.class}] && b.queue[account{of, a.class}] <= l.Off-min(l.Off, l.Gap)
				case fabric.OfSwitch:
					free = b.all <= l.Off-min(l.Off, l.Gap)
				}
				if free {
					resume(at, a, of)
				}
			}
		}
	}
	for i, s := range steps {
		a := account{s.stay.over, s.stay.class}
		q := account{s.stay.port, s.stay.class}
		l := o.pause.Limits(a.link)
		if s.leaves {
			b.all -= s.stay.size
			b.queue[q] -= s.stay.size
			if lossless(a.class) {
				h := min(b.headroom[a], s.stay.size)
				b.headroom[a] -= h
				b.held[a] -= s.stay.size - h
			}
			left[a], leftQueue[q] = true, true
		} else {
			fits, taken := true, !s.stay.refused
			if lossless(a.class) {
				beyond := b.held[a] + s.stay.size - min(b.held[a]+s.stay.size, l.Reserve)
				fits = beyond == 0 || shared()+beyond-over(a) <= size &&
					(o.pause.PoolFirst || o.pause.Of != fabric.OfIngress || beyond <= threshold(a.link))
				switch taken = true; {
				case fits:
					b.held[a] += s.stay.size
				case b.headroom[a]+s.stay.size <= l.Headroom:
					b.headroom[a] += s.stay.size
				default:
					taken = false
				}
				if taken == s.stay.refused {
					o.t.Fatalf("at %v: a frame over link %d was refused: %v; want %v", s.at, a.link, s.stay.refused, !taken)
				}
			}
			if taken {
				b.all += s.stay.size
				b.queue[q] += s.stay.size
			}
			of, pauses := topo.PortID(-1), false
			switch o.pause.Of {
			case fabric.OfIngress:
				pauses = b.headroom[a] > 0 || over(a) > 0 && over(a) >= threshold(a.link)
			case fabric.OfEgress:
				of, pauses = s.stay.port, b.queue[q] >= l.Off
			case fabric.OfSwitch:
				pauses = b.all >= l.Off
			}
			if lossless(a.class) && taken && pauses && (!b.holders[a][of] || s.at >= until[a]) {
				if b.holders[a] == nil {
					b.holders[a] = map[topo.PortID]bool{}
				}
				if b.holders[a][of] = true; len(b.holders[a]) == 1 || s.at >= until[a] {
					signal(s.at, a, true)
				}
			}
		}
		if i+1 == len(steps) || steps[i+1].at > s.at {
			if len(left) > 0 {
				instant(s.at)
			}
			clear(left)
			clear(leftQueue)
		}
	}
	for id := range topo.PortID(2 * len(o.n.graph.Links)) {
		if _, to := o.n.graph.Ends(id); to != node {
			continue
		}
		w := settled(expire(want[id], lapses(id)))
		if got := settled(o.heard[id]); !slices.Equal(got, w) {
			o.t.Fatalf("%s heard\n%v\nwant\n%v", o.n.graph.PortName(id), got, w)
		}
	}
}

// expire returns what a sending end makes of pauses, which hold for a time, and resumes.
func expire(list []toggle, holds sim.Time) (out []toggle) {
	for k := range uint8(8) {
		paused, ends := false, sim.Forever
		pass := func(now sim.Time) {
			if paused && ends <= now {
				out = append(out, toggle{ends, k, false})
				paused = false
			}
		}
		for _, x := range list {
			if x.class != k {
				continue
			}
			pass(x.at)
			if x.pause != paused {
				out = append(out, x)
			}
			if paused = x.pause; paused {
				ends = x.at + min(holds, sim.Forever-x.at)
			}
		}
		pass(sim.Forever - 1)
	}
	return out
}

// settled puts toggles in order, and leaves out pauses that last no time, since nobody notices them.
func settled(list []toggle) []toggle {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b toggle) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.at, b.at))
	})
	var out []toggle
	for _, x := range list {
		if n := len(out); n > 0 && out[n-1].class == x.class && out[n-1].at == x.at && out[n-1].pause != x.pause {
			out = out[:n-1]
			continue
		}
		out = append(out, x)
	}
	return out
}

// TestPausesAgainstModel compares every decision to take a frame, to pause and to resume with those of a
// model that keeps everything and adds it up anew.
func TestPausesAgainstModel(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		s.changes, s.reroute, s.stops = nil, nil, nil
		drawPauses(t, s)
		s.Buffer.AtBegin, s.Pause.Slow, s.Pause.Watchdog = false, nil, fabric.Watchdog{}
		o := &pauseOracle{
			t: t, pause: s.Pause, size: s.Buffer.Size,
			over: map[fabric.FrameID]topo.PortID{}, at: map[fabric.FrameID]*frameStay{},
			heard: map[topo.PortID][]toggle{}, sent: map[topo.PortID][]*frameStay{},
		}
		s.Follow = o
		s.built = func(n *network) { o.n = n }
		s.play(t)
		toggles, refused := 0, 0
		for node := range topo.NodeID(len(s.Graph.Nodes)) {
			if s.Graph.Nodes[node].Kind == topo.Switch {
				o.check(node)
			}
		}
		for _, h := range o.heard {
			toggles += len(h)
		}
		for _, stay := range o.stays {
			if stay.refused {
				refused++
			}
		}
		cover.note("scenes", true)
		cover.note("pauses", toggles > 0)
		cover.note("pauses that expire", toggles > 0 && s.Pause.Quanta.Count > 0 && s.Pause.Quanta.Refresh == 0)
		cover.note("refused frames", refused > 0)
		cover.note("dynamic thresholds", toggles > 0 && s.Pause.Limits(0).Off == 0)
	})
	cover.report(t, 3)
}
