package watch

import (
	"weft/record"
	reacted "weft/record/section/reactions"
	"weft/topo"
	"weft/unit"
)

const (
	// cutShare is the share of its earlier rate below which a sender counts as slower.
	cutShare = 0.999
	// reactionStep is the interval between looks until all rates have fallen, or until
	// mostSteps looks. Later looks follow the interval of series.
	reactionStep = 100 * unit.Nanosecond
	mostSteps    = 10_000
)

// reactions records when the rates of connections fall after a moment.
type reactions struct {
	Nothing
	ticks Ticks
	connections
	scene    *Scene
	recorded []topo.PortID
	since    unit.Time
	steps    int
	found    []reacted.Connection // by index in the list
}

// newReactions returns an observer that never looks if there are no connections to look at.
func newReactions(s *Scene, o *Records) *reactions {
	r := &reactions{ticks: NoTicks(), scene: s, recorded: o.Ports, since: *o.Reaction}
	if len(o.pairs) > 0 {
		r.ticks, r.connections = NewTicks(r.since, o.Interval), connectionsOf(o.pairs)
	}
	return r
}

// Due returns the time of the next look at rates.
func (r *reactions) Due() unit.Time { return r.ticks.Due }

// Look compares the rates if it is due. Connections without a rate at the moment in
// question do not count.
func (r *reactions) Look(m *Moment) error {
	if m.Now < r.ticks.Due {
		return nil
	}
	first := r.steps == 0
	connections := r.scene.Transport.Connections(r.want)
	for _, c := range connections {
		if _, known := r.index[c.Identity()]; !known && !first || c.Pace == 0 {
			continue
		}
		if r.series(c) == nil {
			continue
		}
		k := r.index[c.Identity()]
		if k == len(r.found) {
			r.found = append(r.found, reacted.Connection{Before: c.Pace, Least: c.Pace, Cut: reacted.Never})
		}
		f := &r.found[k]
		f.Least = min(f.Least, c.Pace)
		if f.Cut == reacted.Never && float64(c.Pace) < cutShare*float64(f.Before) {
			f.Cut = m.Now - r.since
		}
	}
	r.steps++
	r.ticks.Due = m.Now.Plus(r.ticks.every)
	if r.steps < mostSteps && r.waits() {
		r.ticks.Due = m.Now.Plus(min(reactionStep, r.ticks.every))
	}
	if len(connections) == 0 {
		r.ticks.Due = max(r.ticks.Due, m.Next)
	}
	return nil
}

// waits reports whether some rate has not fallen yet.
func (r *reactions) waits() bool {
	for i := range r.found {
		if r.found[i].Cut == reacted.Never {
			return true
		}
	}
	return false
}

// Section adds the reactions, and the largest queue of the recorded ports.
func (r *reactions) Section(_ *Moment, res *record.Result) {
	out := &reacted.Section{Since: r.since}
	for _, id := range r.recorded {
		out.QueueMax = max(out.QueueMax, res.Ports[id].QueueMax)
	}
	for i := range r.found {
		c := r.found[i]
		c.Name = r.list[i].name(r.scene.Host)
		out.Connections = append(out.Connections, c)
	}
	res.Summary.Sections.Add(out)
}
