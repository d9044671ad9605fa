package scenario

import (
	"weft/fabric"
	"weft/record"
	detoured "weft/record/section/detours"
	"weft/scenario/internal/watch"
	"weft/unit"
)

var detourFeature = feature{
	name: "routing.policy: valiant, ugal, par",
	plan: func(p *plan, _ *Fabric) error {
		p.planThreshold()
		return nil
	},
	rows:  (*plan).thresholdRows,
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

// Open saves the counts from before the window.
func (s *detours) Open(unit.Time) { s.counts = s.Network.Detoured() }

// Close counts the detours since Open.
func (s *detours) Close(unit.Time) { s.counts = s.Network.Detoured().Since(s.counts) }

// Section adds the counts to the result.
func (s *detours) Section(_ *watch.Moment, res *record.Result) {
	c := &s.counts
	res.Summary.Sections.Add(&detoured.Counts{Packets: int64(c.Frames), Detours: int64(c.Detours), Turned: int64(c.Turned), Laneless: int64(c.Laneless)})
}

// planThreshold resolves by how many bytes a queue must be shorter before a packet takes a
// detour. By default it is one data frame per link of the longest path.
func (p *plan) planThreshold() {
	d := p.routes.policy.Detours
	if d == nil || d.Threshold >= 0 {
		return
	}
	resolved := *d
	resolved.Threshold = p.frames.data * unit.Bytes(max(1, p.tables.Longest()))
	p.routes.policy.Detours = &resolved
}

// thresholdRows lists the threshold in the manifest if queues decide about detours.
func (p *plan) thresholdRows() []record.Derived {
	if !p.routes.policy.Adapts() {
		return nil
	}
	return []record.Derived{record.DerivedBytes("detour_threshold", p.routes.policy.Detours.Threshold, "what speaks for the minimal path beside queues; with local information in bytes times links")}
}

// idleWalks reports detours that no packet took.
func (v *review) idleWalks(path, kind string) {
	if d := v.Network.Detoured(); d.Detours == 0 {
		v.never(path, kind, "no packet went by an intermediate; %d went on to other switches", d.Frames)
	}
}
