package scenario

import (
	"weft/problem"
	"weft/record"
	stormy "weft/record/section/storms"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/unit"
)

var stormFeature = feature{
	check: func(v *validation, _ []carrier) {
		if v.s.Fabric.Storms != nil && v.s.Fabric.PFC == nil {
			v.wrong("fabric.storms", problem.New("without fabric.pfc no link is ever paused").Mend("write fabric: {pfc: 500KB}, or remove fabric.storms"))
		}
	},
	plan: func(p *plan, f *Fabric) error {
		if f.Storms != nil {
			partOf[stormPlan](p).period = *f.Storms
		}
		return nil
	},
	watch: watchStorms,
	effects: []effect{{[]string{"fabric.storms"}, "periods of links in storms", func(v *review) {
		if seen, ok := find[*storms](v.observers); ok && seen.counts.Periods == 0 {
			v.never("fabric.storms", "", "no link was paused for nine tenths of %v", seen.period)
		}
	}}},
}

// stormPlan is what a plan has of it.
type stormPlan struct{ period unit.Time }

// nearly is the share of a period for which a link in a storm is paused.
const nearly = 0.9

// storms counts periods of links that were paused nearly all the time.
type storms struct {
	watched
	period, next unit.Time
	paused       []unit.Time // by link, up to the last look
	stormy       []bool
	counts       stormy.Counts
}

func watchStorms(w watched, _ *window) watch.Observer {
	period := partOf[stormPlan](w.plan).period
	if period == 0 {
		return nil
	}
	n := 2 * len(w.graph.Links)
	return &storms{watched: w, period: period, next: period, paused: make([]unit.Time, n), stormy: make([]bool, n)}
}

// Due is the end of the period.
func (s *storms) Due() unit.Time { return s.next }

// Look takes up for how long each link was paused since the last period ended.
func (s *storms) Look(m *watch.Moment) error {
	if m.Now < s.next {
		return nil
	}
	s.next = m.Now + s.period
	for i := range s.paused {
		p := s.Network.Pauses(topo.PortID(i), m.Now)
		longest := unit.Time(0)
		for _, t := range p.Time {
			longest = max(longest, t)
		}
		if float64(longest-s.paused[i]) >= nearly*float64(s.period) {
			s.counts.Periods++
			s.stormy[i] = true
		}
		s.paused[i] = longest
	}
	return nil
}

// Section adds the storms.
func (s *storms) Section(_ *watch.Moment, res *record.Result) {
	s.counts.Period = s.period
	for _, in := range s.stormy {
		if in {
			s.counts.Links++
		}
	}
	res.Summary.Sections.Add(&s.counts)
}
