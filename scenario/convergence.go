package scenario

import (
	"slices"

	"weft/record"
	"weft/record/section"
	"weft/record/section/convergence"
	"weft/scenario/internal/watch"
	"weft/transport"
	"weft/unit"
)

// convergenceFeature records how long senders take to react when other senders join or
// leave their receiver.
var convergenceFeature = feature{
	name: "record.convergence",
	settle: func(p *plan, s *Spec) {
		if s.Record.Convergence {
			partOf[converging](p).measured = &transport.Convergence{From: p.times.from, To: p.times.to}
		}
	},
	attach: func(p *plan, c *transport.Config) { c.Convergence = partOf[converging](p).measured },
	watch: func(w watched, _ *window) watch.Observer {
		if partOf[converging](w.plan).measured == nil {
			return nil
		}
		return &convergences{watched: w}
	},
	section: func(s *Spec) section.Section {
		if !s.Record.Convergence {
			return nil
		}
		return new(convergence.Times)
	},
}

// converging is the part of a plan that measures convergence.
type converging struct {
	measured *transport.Convergence // with the measured window; nil if convergence is not measured
}

// confirms reports whether senders of a plan confirm the rates that receivers grant them.
// Only a bundle does so.
func (p *plan) confirms() bool {
	return slices.ContainsFunc(p.groups, func(g transport.Group) bool { return g.Congestion.NewBundle != nil })
}

// convergences reports the convergence times that receivers measured.
type convergences struct {
	watched
	measured *transport.Convergence
}

// Look takes the measurement at the end of the run, since some convergences begin in the
// measured window and end after it.
func (c *convergences) Look(m *watch.Moment) error {
	if m.Over {
		c.measured = c.Transport.Convergence()
	}
	return nil
}

// Section adds the convergence times to the result.
func (c *convergences) Section(_ *watch.Moment, res *record.Result) {
	if !c.confirms() {
		res.Manifest.Notices = append(res.Manifest.Notices, "record.convergence: true recorded nothing, since no control here has receivers tell senders their shares, as dart does")
		return
	}
	if c.measured == nil { // this transport does not measure convergence
		return
	}
	h := &c.measured.Times
	res.Summary.Sections.Add(&convergence.Times{
		Count: h.Count(), P50: unit.Time(h.PerMille(500)), P90: unit.Time(h.PerMille(900)), P99: unit.Time(h.PerMille(990)), Worst: unit.Time(h.Max()),
	})
}
