package scenario

import (
	"context"
	"fmt"
	"time"

	"weft/record"
	"weft/topo"
)

// Run executes a scenario in this process and returns its result. Mistakes in the scenario
// are returned as a *config.Error. If the context ends, or if the run makes no progress,
// the result is partial.
func Run(ctx context.Context, s *Scenario, o RunOptions) (*record.Result, error) {
	started := time.Now()
	p, err := s.plan(o.Building)
	if err != nil {
		return nil, err
	}
	threads, domains := s.Engine.Threads, int(s.Engine.Domains)
	if o.Threads > 0 {
		threads = o.Threads
	}
	if o.Domains > 0 {
		domains = o.Domains
	}
	r, err := p.assemble(o, threads, domains, queueKinds[s.Engine.Queue])
	if err != nil {
		return nil, err
	}
	if o.Built != nil {
		o.Built()
	}
	built := time.Now()
	processor := processorTime()
	if err := r.execute(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Variant, err)
	}
	processor = processorTime() - processor
	ran := time.Now()
	idle := s.neverActed(r)
	res := r.results()
	res.Summary.NeverActed = idle
	res.Summary.Name = s.Variant
	if presets := s.Presets(); len(presets) > 0 {
		res.Summary.Presets = presets
	}
	res.Summary.Drawn = s.drawn(p.failing.timeline)
	res.Summary.EngineCPU = processor
	res.Summary.Wall = time.Since(started)
	res.Summary.PeakRSS = peakMemory()
	return res, r.describe(s, res, record.Timings{
		Started: started, Build: built.Sub(started), Run: ran.Sub(built), EngineCPU: processor,
	})
}

// Verify finds mistakes in a scenario that its text alone does not show, such as a topology
// whose numbers don't fit, or a fault on a link that isn't there. It builds everything but
// runs nothing. Its errors are *config.Error.
func (s *Scenario) Verify() (notices []string, err error) {
	b, err := s.Build()
	return b.Notices, err
}

// Built holds what is known about a scenario before it runs.
type Built struct {
	// Notices are hints for the user. Derived are the values that follow from the scenario.
	// Manifests have both.
	Notices []string
	Derived []record.Derived
	// Load is the load that links are expected to carry; nil if no traffic has a rate of
	// its own.
	Load *record.Load
}

// Build works like Verify, and returns what follows from the scenario.
func (s *Scenario) Build() (Built, error) {
	return s.BuildTelling(nil)
}

// BuildTelling works like Build, and reports its progress in the way of
// RunOptions.Building.
func (s *Scenario) BuildTelling(tell func(what string, share float64)) (Built, error) {
	p, err := s.plan(tell)
	if err != nil {
		return Built{}, err
	}
	return Built{p.notes.notices, p.rows(), p.offering.load}, nil
}

// plan calls newPlan, and moves its errors to their places in the file.
func (s *Scenario) plan(tell func(what string, share float64)) (*plan, error) {
	p, err := newPlan(&s.Spec, tell)
	if err != nil {
		return nil, s.placed(err)
	}
	s.noteBrought(p)
	for _, text := range p.graph.Notes {
		p.notice(text)
	}
	if err := s.overruled(p); err != nil {
		return nil, s.placed(at("topology", err))
	}
	return p, nil
}

// overruled notes options of the topology that the file gives but the topology does not
// use.
func (s *Scenario) overruled(p *plan) error {
	o, ok := s.Topology.Options.(interface {
		Overruled(g *topo.Graph, given func(option string) bool) (string, error)
	})
	if !ok {
		return nil
	}
	text, err := o.Overruled(p.graph, func(option string) bool { return s.places.Given("topology." + option) })
	if text != "" {
		p.notice(text)
	}
	return err
}
