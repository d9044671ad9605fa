package scenario

import (
	"weft/fabric"
	"weft/record"
	detoured "weft/record/section/detours"
	"weft/scenario/internal/watch"
	"weft/unit"
)

var detourFeature = feature{
	build: func(p *plan, c *fabric.Config) { c.Detours = p.routes.policy.Detours },
	watch: watchDetours,
}

// detours counts packets that took detours within the measured window.
type detours struct {
	watched
	counts fabric.DetourCounts
}

func watchDetours(w watched, _ *window) watch.Observer {
	if !w.routes.policy.Wanders() {
		return nil
	}
	return &detours{watched: w}
}

// Open notes what took detours before.
func (s *detours) Open(unit.Time) { s.counts = s.Network.Detoured() }

// Close counts what took them since.
func (s *detours) Close(unit.Time) { s.counts = s.Network.Detoured().Since(s.counts) }

// Section adds which packets took detours.
func (s *detours) Section(_ *watch.Moment, res *record.Result) {
	c := &s.counts
	res.Summary.Sections.Add(&detoured.Counts{Packets: int64(c.Frames), Detours: int64(c.Detours), Turned: int64(c.Turned), Laneless: int64(c.Laneless)})
}
