package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"weft/config"
	"weft/fabric"
	"weft/fault"
	"weft/internal/histogram"
	"weft/problem"
	"weft/protocol"
	"weft/record"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// RunOptions say how to execute a scenario. They never change results.
type RunOptions struct {
	// Threads is the number of threads of the engine; 0 is the scenario's.
	Threads int
	// Domains is the number of domains to cut the fabric into; 0 is the scenario's.
	Domains int
	// Check counts all frames and bytes at the end of every window.
	Check bool
	// Progress, if not nil, is called now and then from the running goroutine.
	Progress func(Progress)
	// Building, if not nil, is told what of the network is being built, and which share of that is
	// done, from 0 to 1. It may be called by any goroutine, by one at a time.
	Building func(what string, share float64)
	// Built, if not nil, is called before the first event, when all is built.
	Built func()

	observe func(domain int, e fabric.Event)
	follow  *follower
	// tap sees the way of every frame, in tests, in one domain.
	tap fabric.Follower
}

// Progress tells how far a run is.
type Progress struct {
	// Now is the simulated time, Until the scenario's end, Forever if it drains.
	Now, Until unit.Time
	// Delivered is the payload delivered so far; Total the payload of all
	// messages, 0 if it isn't known.
	Delivered, Total unit.Bytes
	// Messages and Completed count messages that have started and those whose
	// last byte was delivered.
	Messages, Completed uint64
	Events              uint64
}

// Share returns how much of the run is done, from 0 to 1, as far as that is known.
func (p Progress) Share() float64 {
	switch {
	case p.Total > 0:
		return min(1, float64(p.Delivered)/float64(p.Total))
	case p.Until > 0 && p.Until != unit.Forever:
		return min(1, float64(p.Now)/float64(p.Until))
	}
	return 0
}

// Run executes a scenario in this process and returns what it leaves. What is
// wrong with the scenario is a *config.Error. The context ends a run early: its
// result is then partial, as is that of a run that made no progress.
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
	res.Summary.Drawn = s.drawn(p.timeline)
	res.Summary.EngineCPU = processor
	res.Summary.Wall = time.Since(started)
	res.Summary.PeakRSS = peakMemory()
	return res, r.describe(s, res, record.Timings{
		Started: started, Build: built.Sub(started), Run: ran.Sub(built), EngineCPU: processor,
	})
}

// Verify finds what is wrong with a scenario beyond its text: a topology whose
// numbers don't fit, a fault on a link that isn't there. It builds all but runs
// nothing. Its errors are *config.Error.
func (s *Scenario) Verify() (notices []string, err error) {
	b, err := s.Build()
	return b.Notices, err
}

// Built is what is known of a scenario before it runs.
type Built struct {
	// Notices are what the user should know, Derived the values that follow from the
	// scenario; manifests have both.
	Notices []string
	Derived []record.Derived
	// Load is what links are expected to carry; nil if no traffic has a rate of its own.
	Load *record.Load
}

// Build is Verify for those who also want to know what follows from the scenario.
func (s *Scenario) Build() (Built, error) {
	return s.BuildTelling(nil)
}

// BuildTelling is Build that tells how far it is, as RunOptions.Building has it.
func (s *Scenario) BuildTelling(tell func(what string, share float64)) (Built, error) {
	p, err := s.plan(tell)
	if err != nil {
		return Built{}, err
	}
	return Built{p.notices, p.rows(), p.load}, nil
}

// plan is newPlan with errors at their places in the file.
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

// overruled notes the options of a topology that it has no use for, though the file
// gives them.
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

// placed moves errors that say their paths to their places in the file.
func (s *Scenario) placed(err error) error {
	errs := new(config.Error)
	all := each(err)
	for i, one := range all {
		if errs.Full() {
			errs.More += len(all) - i
			break
		}
		errs.Append(s.placedOne(one))
	}
	return errs.Err()
}

func (s *Scenario) placedOne(err error) error {
	path, err := problem.Subject(err)
	return s.Errorf(s.written(path), "%w", err)
}

// run is a scenario in execution.
type run struct {
	plan
	options   RunOptions
	threads   int
	domains   int
	kind      sim.QueueKind
	network   *fabric.Network
	routes    *route.Tables // as they are now
	swept     uint64        // windows, once the network is gone
	transport *transport.Transport
	series    []*fabric.Series
	snapshots snapshots
	windows   windows
	reactions reactions
	credits   credit
	recovery  *recovery
	buffering []*fabric.Buffer
	buffered  []fabric.Buffering // by the end of the window
	steady    steadiness
	lockstep  lockstep
	loads     []transport.Load // of hosts when the measured window began, if it ends
	least     *record.LeastHost
	sent      []sentBy // by group, once it is over
	now       unit.Time
	acted     unit.Time // the last time that control acted

	changes  []fault.Change // that are still to come
	reroutes []unit.Time    // likewise, in order
	down     []bool         // links with a dead direction, by LinkID

	// counters are those of all ports: up to the measured window, nil if it begins with the
	// run, and within it once it is over.
	counters []fabric.PortCounters
	// deepest are the queues before the measured window, heldMost is the most that a switch held of a link then, and
	// rerouting tells that routes changed; see neverActed.
	deepest   depths
	heldMost  unit.Bytes
	rerouting bool
	// pauses are the same of pauses, nil without any lossless class.
	pauses []fabric.Pauses
	// deflected is the same of deflections.
	deflected fabric.Deflections
	detoured  fabric.DetourCounts
	packets   [2][]transport.Packets // arrived by then, by group
	complete  [2]unit.Bytes          // of completed messages by then
	// creditCounts are of credits that are packets, by then.
	creditCounts [2]protocol.CreditCounts
	rtts         []*histogram.Histogram // of the measured window, by group
	measured     bool                   // the window has begun
	closed       bool                   // the window has ended

	// The state at the last look for progress.
	delivered, completed uint64
	lookAt, lookedAt     unit.Time
	steps                int             // of the engine, so far
	served               []fabric.Served // by port, where data can starve

	ended record.Ending
	cause string
	// deadlockSeen tells that a deadlock was reported that a watchdog ends.
	deadlockSeen bool
}

// linksPerDomain is the number of directed links below which a domain's working
// set fits the cache anyway, so that cutting further stops paying.
const linksPerDomain = 128

// mostDomains is into how many domains a large fabric is cut for one thread. In most windows there is
// little to do in a small part of it, and each domain costs something in every window. domainsPerThread
// is what threads need at least to share the work evenly.
const (
	mostDomains      = 32
	domainsPerThread = 8
)

// assemble cuts the fabric into domains and puts the transport on it.
func (p plan) assemble(o RunOptions, threads, domains int, kind sim.QueueKind) (*run, error) {
	r := &run{plan: p, routes: p.present, options: o, threads: threads, kind: kind, lookAt: p.stuckAfter}
	if domains == 0 {
		domains = max(1, min(2*len(p.graph.Links)/linksPerDomain, mostDomains))
		if threads > 1 {
			domains = max(domains, domainsPerThread*threads)
		}
	}
	domain := topo.Partition(p.graph, min(domains, fabric.MaxDomains))
	r.domains = int(slices.Max(domain)) + 1
	r.threads = min(threads, r.domains)
	if r.threads < threads {
		r.notices = append(r.notices, fmt.Sprintf("only %d of %d threads run: the fabric can be cut into no more than %d domains, since a host stays with its switch and links without delay are not cut",
			r.threads, threads, r.domains))
	}
	from, to := p.since, p.to
	if p.all {
		from, to = 0, unit.Forever
	}
	r.recovery = newRecovery(&r.plan)
	r.transport = transport.New(transport.Config{
		Seed:        p.seed,
		Groups:      p.groups,
		HostName:    p.hostName,
		LineRate:    p.lineRate,
		Hops:        p.switches,
		Paths:       r.pathsOf(),
		NIC:         p.nic,
		Interrupts:  p.interrupts,
		SourceMarks: p.sourceMarks,
		Classes:     p.queue.Classes,
		Credits:     p.queue.Credit,
		MeasureFrom: from, MeasureTo: to,
		Gauge: r.recovery.gauge,
		Watch: o.watcher(),
	}, len(p.graph.Hosts), r.domains)
	signals := unit.Time(0)
	if p.signals {
		signals = fabric.LeastSignalDelay(p.graph)
	}
	network, err := fabric.New(fabric.Config{
		Graph: p.graph, Tables: p.present, Domain: domain, Seed: p.seed, Queue: kind,
		Port:       p.port,
		Jitter:     p.jitter,
		HostJitter: p.inexact,
		Buffer:     p.buffer,
		Pause:      p.pause,
		Telemetry:  p.telemetry,
		Deflect:    p.deflect,
		Detours:    p.policy.Detours,
		Lanes:      p.lanes,
		LaneGroups: p.laneGroups,
		Control:    r.transport.Control(),
		Sprays:     p.sprays,
		Endpoint:   r.transport.Attach,
		Progress:   p.telling("network"),
		Observe:    o.observe,
		Follow:     o.follower(),

		SignalDelay: signals,
	})
	if err != nil {
		return nil, err
	}
	r.network = network
	if why := network.Fallback; why != nil && o.observe == nil && o.follow == nil {
		r.notices = append(r.notices, fmt.Sprintf("engine windows are not swept, but handled event by event, since %v; results are the same, but take longer", why))
	}
	for _, id := range p.ports {
		r.series = append(r.series, network.Record(id, p.interval))
	}
	for _, node := range p.switchesMeasured {
		r.buffering = append(r.buffering, network.Buffer(node, p.buffers.Interval, p.buffers.Waiting))
	}
	r.steady, r.lockstep = newSteadiness(&r.plan), newLockstep(&r.plan)
	r.windows = newWindows(p.pairs, p.interval)
	r.reactions = newReactions(p.reactionTo, p.pairs, p.interval)
	r.credits = newCredit(&r.plan)
	r.snapshots = newSnapshots(network, p.spans, 2*len(p.graph.Links), p.derived.rtt)
	if r.changes = p.timeline.Changes; len(r.changes) > 0 {
		network.Outages(p.derived.rtt)
	}
	r.down = make([]bool, len(p.graph.Links))
	return r, nil
}

// execute runs to the end. The context ends it early.
func (r *run) execute(ctx context.Context) error {
	step := unit.Microsecond
	for {
		if err := r.kept(); err != nil {
			return err
		}
		// How far a step went beyond the last event depends on how fast the
		// machine is, so nothing that stands at its end counts for a run that
		// drained before: no fault, no measured window, no until.
		if r.network.Bound() == sim.Forever && r.network.Quiet() < r.now && r.settled() {
			switch {
			case !r.network.Waiting():
				r.ended = record.Drained
			case r.network.Next() == sim.Forever && !r.repairs():
				r.ended, r.cause = record.Stuck, r.waits()
			}
			if r.ended != "" {
				r.now = max(r.network.Quiet(), r.acted)
				return r.finish()
			}
		}
		if err := r.control(); err != nil {
			return err
		}
		switch {
		case ctx.Err() != nil:
			r.ended = record.Interrupted
		case r.now >= r.until:
			r.ended = record.Until
			if r.deadlocked() {
				r.ended = record.Stuck
			}
		case r.now >= r.lookAt && r.stuck():
			r.ended = record.Stuck
		}
		if r.ended != "" {
			return r.finish()
		}
		due := r.nextControl()
		if due <= r.now {
			return fmt.Errorf("at %v: something is due at %v again, so the run would never go on; this is a fault of weft", r.now, due)
		}
		next := min(due, r.now+step)
		if bound := r.network.Bound(); r.options.Check && bound < next {
			next = min(next, max(bound, r.now)+min(r.network.Lookahead, unit.Microsecond))
		}
		started := time.Now()
		r.network.Run(next, r.threads)
		step = max(adapt(step, next-r.now, time.Since(started)), r.leastStep())
		r.now = next
		if r.steps++; r.steps%stepsPerCount == 0 {
			if err := r.checkRecordings(); err != nil {
				return err
			}
		}
		if r.options.Check {
			if err := r.check(); err != nil {
				return fmt.Errorf("at %v: %w", r.now, err)
			}
		}
		if r.options.Progress != nil {
			r.options.Progress(r.progress())
		}
	}
}

// adapt chooses how far to run before looking at the context and reporting
// progress, so that either is prompt and neither costs anything, from how long
// the last step took, of which control may have left a part only. It does not
// change results.
func adapt(step, part unit.Time, took time.Duration) unit.Time {
	const from, to = 20 * time.Millisecond, 100 * time.Millisecond
	switch {
	case took < from && part == step && step < unit.Second:
		return 2 * step
	case took > to && part > unit.Nanosecond:
		return part / 2
	}
	return step
}

// leastStep keeps windows whole: a look between them cuts one short.
func (r *run) leastStep() unit.Time {
	if r.network.Lookahead == sim.Forever {
		return unit.Nanosecond
	}
	return 16 * r.network.Lookahead
}

// settled tells whether every message that started was acknowledged in full. A
// network in which nothing moves any more before that has not drained: a repair
// may come, or else the run is stuck.
func (r *run) settled() bool {
	c := r.transport.Counts()
	return c.Completed == c.Started
}

func (r *run) progress() Progress {
	c := r.transport.Counts()
	return Progress{
		Now: r.now, Until: r.until,
		Delivered: unit.Bytes(c.DeliveredBytes), Total: r.expected,
		Messages: c.Started, Completed: c.Delivered, Events: r.network.Events(),
	}
}

// finish brings the books up to date and checks that no frame or byte is missing.
func (r *run) finish() error {
	r.network.Finish(r.now)
	if err := r.kept(); err != nil {
		return err
	}
	r.snapshots.look(r.now, true)
	if err := cmp.Or(r.check(), r.checkRecordings()); err != nil {
		return err
	}
	if !r.measured {
		r.openWindow()
	}
	if !r.closed {
		r.closeWindow()
	}
	return nil
}
