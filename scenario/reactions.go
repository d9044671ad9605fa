package scenario

import (
	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

const (
	// cutShare is below which share of its earlier rate a sender counts as slower.
	cutShare = 0.999
	// reactionStep is how often rates are looked at until all have fallen, or for mostSteps; then as often as series are.
	reactionStep = 100 * unit.Nanosecond
	mostSteps    = 10_000
)

// reactions notes when the rates of connections fall after a moment.
type reactions struct {
	windows // of which only the list of connections is used
	since   unit.Time
	steps   int
	found   []record.Reaction // by place in the list
}

// newReactions returns what never looks if there is no moment.
func newReactions(since *unit.Time, pairs []hostPairs, interval unit.Time) reactions {
	if since == nil || len(pairs) == 0 {
		return reactions{windows: newWindows(nil, interval)}
	}
	r := reactions{windows: newWindows(pairs, interval), since: *since}
	r.ticks = newTicks(*since, interval)
	return r
}

// look notes the rates if that is due. Connections without a rate at the moment do not count. Nothing happens before
// the time next.
func (r *reactions) look(t *transport.Transport, now, next unit.Time) {
	if now < r.due {
		return
	}
	first := r.steps == 0
	connections := t.Connections(r.want)
	for _, c := range connections {
		if _, known := r.index[c.Identity()]; !known && !first || c.Pace == 0 {
			continue
		}
		if r.series(c) == nil {
			continue
		}
		k := r.index[c.Identity()]
		if k == len(r.found) {
			r.found = append(r.found, record.Reaction{Before: c.Pace, Least: c.Pace, Cut: record.None})
		}
		f := &r.found[k]
		f.Least = min(f.Least, c.Pace)
		if f.Cut == record.None && float64(c.Pace) < cutShare*float64(f.Before) {
			f.Cut = now - r.since
		}
	}
	r.steps++
	r.due = now.Plus(r.every)
	if r.steps < mostSteps && r.waits() {
		r.due = now.Plus(min(reactionStep, r.every))
	}
	if len(connections) == 0 {
		r.due = max(r.due, next)
	}
}

// waits tells whether some rate has not fallen yet.
func (r *reactions) waits() bool {
	for i := range r.found {
		if r.found[i].Cut == record.None {
			return true
		}
	}
	return false
}

// result returns what was found, with the largest queue of the recorded ports.
func (r *reactions) result(host func(int32) string, recorded []topo.PortID, ports []record.Port) *record.Reactions {
	out := &record.Reactions{Since: r.since}
	for _, id := range recorded {
		out.QueueMax = max(out.QueueMax, ports[id].QueueMax)
	}
	for i := range r.found {
		c := r.found[i]
		c.Connection = r.list[i].name(host)
		out.Connections = append(out.Connections, c)
	}
	return out
}
