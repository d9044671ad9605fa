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

// convergenceFeature records how long senders take to take notice of others that come to their receiver.
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

// converging is whether a plan measures convergence.
type converging struct {
	measured *transport.Convergence // with the window; nil if it does not
}

// confirms tells whether senders of a plan confirm what receivers tell them. A bundle is the only one to do so.
func (p *plan) confirms() bool {
	return slices.ContainsFunc(p.groups, func(g transport.Group) bool { return g.Congestion.NewBundle != nil })
}

// convergences is what receivers measured in a run.
type convergences struct {
	watched
	measured *transport.Convergence
}

// Look takes what was measured when the run is over, since some of what began in the measured window ends after it.
func (c *convergences) Look(m *watch.Moment) error {
	if m.Over {
		c.measured = c.Transport.Convergence()
	}
	return nil
}

// Section adds what was measured.
func (c *convergences) Section(_ *watch.Moment, res *record.Result) {
	if !c.confirms() {
		res.Manifest.Notices = append(res.Manifest.Notices, "record.convergence: true recorded nothing, since no control here has receivers tell senders their shares, as dart does")
		return
	}
	if c.measured == nil { // who carries the messages does not measure
		return
	}
	h := &c.measured.Times
	res.Summary.Sections.Add(&convergence.Times{
		Count: h.Count(), P50: unit.Time(h.PerMille(500)), P90: unit.Time(h.PerMille(900)), P99: unit.Time(h.PerMille(990)), Worst: unit.Time(h.Max()),
	})
}
