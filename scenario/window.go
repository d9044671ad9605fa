package scenario

import (
	"weft/fabric"
	"weft/internal/histogram"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// window is the measured window of a run. It counts what ports and transports do within the
// window, and tells other observers when it begins and ends.
type window struct {
	watched
	others       []watch.Observer // all observers, including itself
	begun, ended bool

	// counters holds the counts of all ports. At first they are the counts before the
	// window, or nil if it begins with the run. In the end they are the counts within the
	// window.
	counters []fabric.PortCounters
	// deepest holds the longest queues before the window, which are not counted within it;
	// see neverActed.
	deepest  depths
	packets  [2][]transport.Packets // arrived by its begin and by its end, by group
	complete [2]unit.Bytes          // of messages completed by then
	rtts     []*histogram.Histogram // within it, by group
}

// Due returns when the window begins or ends.
func (w *window) Due() unit.Time {
	t := unit.Forever
	if !w.begun {
		t = w.times.from
	}
	if !w.ended {
		t = min(t, w.times.to)
	}
	return t
}

// Look opens and closes the window. At the end of the run it closes a window that is still
// open.
func (w *window) Look(m *watch.Moment) error {
	if !w.begun && (m.Now >= w.times.from || m.Over) {
		w.begun, m.Acted = true, m.Now
		for _, o := range w.others {
			o.Open(m.Now)
		}
	}
	if !w.ended && (m.Now >= w.times.to || m.Over) {
		w.ended, m.Acted = true, m.Now
		for _, o := range w.others {
			o.Close(m.Now)
		}
	}
	return nil
}

// Open saves the counts from before the window.
func (w *window) Open(now unit.Time) {
	if now > 0 { // at time 0 nothing was counted
		w.counters = counted(w.Scene, now, nil)
		w.deepest.add(w.plan, w.Network, now)
	}
	w.packets[0], w.complete[0] = w.Transport.Packets(), w.Transport.CompletedPayload()
	w.Network.ResetQueueMax(now)
	w.Transport.ResetRTTs()
}

// Close saves the counts within the window.
func (w *window) Close(now unit.Time) {
	w.counters = counted(w.Scene, now, w.counters)
	w.packets[1], w.complete[1] = w.Transport.Packets(), w.Transport.CompletedPayload()
	w.rtts = w.Transport.RTTs()
}

// counted returns the counts of all ports since the readings in c, which it overwrites. If
// c is nil, it counts from the beginning of the run.
func counted(s *watch.Scene, now unit.Time, c []fabric.PortCounters) []fabric.PortCounters {
	if c == nil {
		c = make([]fabric.PortCounters, 2*len(s.Graph.Links))
	}
	for i := range c {
		c[i] = s.Network.Counters(topo.PortID(i), now).Since(c[i])
	}
	return c
}

// lost counts frames that were dropped or trimmed in the window.
func (w *window) lost() (frames uint64) {
	for i := range w.counters {
		c := &w.counters[i]
		frames += c.Trims + lostAt(c)
	}
	return frames
}

// depth is the longest queue at a port, relative to a threshold of that port.
type depth struct {
	most, at unit.Bytes
	known    bool
}

func (d *depth) add(most, at unit.Bytes) {
	if !d.known || float64(most)*float64(d.at) > float64(d.most)*float64(at) {
		*d = depth{most, at, true}
	}
}

// depths holds the queues that came nearest to the start of marking and to the limit, over
// all switch ports.
type depths struct{ marks, limit depth }

// add considers the longest queues since these were last reset.
func (d *depths) add(p *plan, n *fabric.Network, now unit.Time) {
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		if from, _ := p.graph.Ends(id); p.graph.Nodes[from].Kind != topo.Switch {
			continue
		}
		c := p.port(id)
		most := unit.Bytes(n.QueueMax(id, now))
		if c.ECN {
			d.marks.add(most, c.KMin)
		}
		d.limit.add(most, c.Limit)
	}
}
