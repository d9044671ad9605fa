package scenario

import (
	"fmt"

	"weft/fault"
	"weft/protocol"
	"weft/record"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/unit"
)

// failures applies the planned faults to links, moves routes around them, and measures the
// consequences. It is the only observer that changes the run.
type failures struct {
	watched
	*recovery
	changes  []fault.Change // the changes still to come
	reroutes []unit.Time    // the reroutes still to come, in order
	down     []bool         // links with a dead direction, by LinkID
	current  *route.Tables  // the routes in use
}

func newFailures(p *plan) *failures {
	return &failures{recovery: newRecovery(p), changes: p.failing.timeline.Changes, down: make([]bool, len(p.graph.Links)), current: p.routes.present}
}

// Due returns the next time at which a link or the routes change.
func (f *failures) Due() unit.Time {
	t := unit.Forever
	if len(f.changes) > 0 {
		t = f.changes[0].At
	}
	if len(f.reroutes) > 0 {
		t = min(t, f.reroutes[0])
	}
	return t
}

// Look makes the changes that are due.
func (f *failures) Look(m *watch.Moment) error {
	if m.Over {
		f.settle(f.Network, f.Transport, m.Now)
		return nil
	}
	if len(f.changes) > 0 && f.changes[0].At <= m.Now {
		m.Acted = m.Now
		for len(f.changes) > 0 && f.changes[0].At <= m.Now {
			f.changing(f.Network, m.Now, f.changes[0])
			f.apply(f.changes[0])
			f.changes = f.changes[1:]
		}
		f.changed(f.Network, m.Now)
	}
	if len(f.reroutes) > 0 && f.reroutes[0] <= m.Now {
		m.Acted = m.Now
		for len(f.reroutes) > 0 && f.reroutes[0] <= m.Now {
			f.reroutes = f.reroutes[1:]
		}
		if err := f.reroute(); err != nil {
			return err
		}
	}
	f.countPending()
	return nil
}

// countPending counts the changes still to come.
func (f *failures) countPending() {
	f.Changes, f.Repairs = len(f.changes), len(f.changes)+len(f.reroutes)
}

// apply changes a link, and schedules the reroute that follows.
func (f *failures) apply(c fault.Change) {
	f.Network.Apply(f.Now, c)
	switch c.What {
	case fault.Down, fault.Up:
		f.down[c.Port.Link()] = f.Network.Down(c.Port) || f.Network.Down(c.Port.Reverse())
	case fault.SetRate:
		if !f.routes.policy.ByRate {
			return
		}
	default:
		return
	}
	if f.failing.reconverge == unit.Forever || f.isMissing(c.Port.Link()) {
		return
	}
	if at := f.Now + f.failing.reconverge; len(f.reroutes) == 0 || f.reroutes[len(f.reroutes)-1] != at {
		f.reroutes = append(f.reroutes, at)
	}
}

// reroute computes routes for the links and rates in use now.
func (f *failures) reroute() error {
	t, err := f.routes.router(route.Options{Down: func(l topo.LinkID) bool { return f.down[l] }, Rate: f.Network.Rate})
	if err != nil {
		return fmt.Errorf("routes at %v: %w", f.Now, err)
	}
	f.Network.SetTables(t)
	f.current, f.Rerouted = t, true
	f.Transport.Reroute()
	for _, one := range features() {
		if one.reroute == nil {
			continue
		}
		if text := one.reroute(f.plan, t); text != "" {
			f.notice(text)
		}
	}
	return nil
}

// Section adds one row per fault and port, and their sums.
func (f *failures) Section(_ *watch.Moment, res *record.Result) {
	for i, p := range f.recovery.ports {
		f.rows[i].Port = res.Ports[p].Name
	}
	res.Faults, res.Summary.Faults = f.rows, record.SumFaults(f.rows)
	for _, m := range f.failing.timeline.Marks {
		res.Marks = append(res.Marks, record.Mark{At: m.At, What: m.What})
	}
	if len(res.Faults) == record.MostFaults {
		res.Manifest.Notices = append(res.Manifest.Notices, fmt.Sprintf("of the port faults, only the first %d are recorded and summed up", record.MostFaults))
	}
}

// pathsOf returns a function that gives senders their current explicit paths, or nil
// without explicit paths.
func (p *plan) pathsOf(now *failures) func(src, dst int32, list []protocol.Path) []protocol.Path {
	if !p.explicit() {
		return nil
	}
	return func(src, dst int32, list []protocol.Path) []protocol.Path {
		from, to := now.current.Edge(p.graph.Hosts[src]), now.current.Edge(p.graph.Hosts[dst])
		now.current.Paths().Each(from, to, func(entropy uint16, weight int, path []topo.PortID) {
			way := protocol.Path{Entropy: entropy, Weight: weight, Links: len(path)}
			for _, id := range path {
				way.Delay += p.graph.Links[id.Link()].Delay
			}
			list = append(list, way)
		})
		return list
	}
}
