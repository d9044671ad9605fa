package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"weft/fabric"
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/sim"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// linksPerDomain is the number of directed links below which the working set of a domain
// fits the cache, so that further cuts no longer pay.
const linksPerDomain = 128

// mostDomains is the most domains that a large fabric is cut into for one thread: small
// domains have little work in most windows, and each costs time in every window.
// domainsPerThread is the least number of domains per thread that shares the work evenly.
const (
	mostDomains      = 32
	domainsPerThread = 8
)

// assemble cuts the fabric into domains and attaches the transport.
func (p *plan) assemble(o RunOptions, threads, domains int, kind sim.QueueKind) (*run, error) {
	r := &run{
		plan: p, Scene: &watch.Scene{Graph: p.graph, From: p.times.from, To: p.times.to}, Moment: new(watch.Moment),
		options: o, threads: threads, kind: kind, window: new(window),
	}
	if o.Live != nil {
		threads, domains = 1, 1
		partOf[live](p).Live = o.Live
	}
	if domains == 0 {
		domains = max(1, min(2*len(p.graph.Links)/linksPerDomain, mostDomains))
		if threads > 1 {
			domains = max(domains, domainsPerThread*threads)
		}
	}
	together := topo.Disjoint(len(p.graph.Hosts), p.grouped.sharedDomain)
	domain := topo.Partition(p.graph, min(domains, fabric.MaxDomains), together...)
	r.domains = int(slices.Max(domain)) + 1
	r.threads = min(threads, r.domains)
	if r.threads < threads {
		nodes := ""
		if together != nil {
			nodes = ", the hosts of a rank stay together"
		}
		r.notes.notices = append(r.notes.notices, fmt.Sprintf("only %d of %d threads run: the fabric can be cut into no more than %d domains, since a host stays with its switch%s and links without delay are not cut",
			r.threads, threads, r.domains, nodes))
	}
	from, to := p.times.since, p.times.to
	if p.recorded.all {
		from, to = 0, unit.Forever
	}
	failing := newFailures(p)
	hosts := transport.Config{
		Seed:        p.seed,
		Groups:      p.groups,
		HostName:    p.hostName,
		LineRate:    p.lineRate,
		Hops:        p.switches,
		Paths:       p.pathsOf(failing),
		SourceMarks: p.sourceMarks,
		Classes:     p.queues.port.Classes,
		MeasureFrom: from, MeasureTo: to,
		Gauge: failing.gauge,
		Watch: o.watcher(),
	}
	for _, f := range features() {
		if f.attach != nil {
			f.attach(p, &hosts)
		}
	}
	r.Transport = transport.New(hosts, len(p.graph.Hosts), r.domains)
	if m := partOf[live](p).messages(); m != nil {
		m.Carry(r.Transport)
	}
	signals := unit.Time(0)
	if p.grouped.signals {
		signals = fabric.LeastSignalDelay(p.graph)
	}
	config := fabric.Config{
		Graph: p.graph, Tables: p.routes.present, Domain: domain, Seed: p.seed, Queue: kind,
		Port:     p.port,
		Buffer:   p.queues.buffer,
		Control:  r.Transport.Control(),
		Sprays:   p.grouped.sprays,
		Endpoint: r.Transport.Attach,
		Progress: p.telling("network"),
		Observe:  o.observe,
		Follow:   o.follower(),

		SignalDelay: signals, Together: together,
	}
	for _, f := range features() {
		if f.build != nil {
			f.build(p, &config)
		}
	}
	network, err := fabric.New(config)
	if err != nil {
		return nil, err
	}
	r.Network = network
	if why := network.Fallback; why != nil && o.observe == nil && o.follow == nil && o.Live == nil {
		r.notes.notices = append(r.notes.notices, fmt.Sprintf("engine windows are not swept, but handled event by event, since %v; results are the same, but take longer", why))
	}
	if len(p.failing.timeline.Changes) > 0 {
		network.Outages(p.derived.rtt)
	}
	r.observers = observersOf(watched{plan: p, Scene: r.Scene, Moment: r.Moment}, failing, r.window)
	return r, nil
}

// execute runs until the scenario ends or the context is cancelled.
func (r *run) execute(ctx context.Context) error {
	step := unit.Microsecond
	for {
		if err := r.checkRules(); err != nil {
			return err
		}
		// A drained run ends at its last event, not at the end of the step, whose length
		// depends on the speed of the machine. So nothing that is due between the two
		// counts: no fault, no measured window, no until.
		if r.options.Live != nil {
			if r.carried() {
				r.Ended = record.Drained
				return r.finish()
			}
		} else if r.Network.Bound() == sim.Forever && r.Network.Quiet() < r.Now && settled(r.Transport) {
			switch {
			case !r.Network.Waiting():
				r.Ended = record.Drained
			case r.Network.Next() == sim.Forever && r.Repairs == 0:
				r.Ended, r.Blocked.Cause = record.Stuck, r.waits()
			}
			if r.Ended != "" {
				r.Now = max(r.Network.Quiet(), r.Acted)
				return r.finish()
			}
		}
		if err := r.control(); err != nil {
			return err
		}
		switch {
		case ctx.Err() != nil:
			r.Ended, r.Blocked = record.Interrupted, watch.Blocked{}
		case r.Ended == "" && r.Last:
			r.Ended = record.Until
		}
		if r.Ended != "" {
			return r.finish()
		}
		due := r.nextControl()
		if due <= r.Now {
			return fmt.Errorf("at %v: something is due at %v again, so the run would never go on; this is a fault of weft", r.Now, due)
		}
		if r.options.Live != nil {
			if err := r.advance(ctx, due); err != nil {
				return err
			}
			continue
		}
		next := min(due, r.Now+step)
		if bound := r.Network.Bound(); r.options.Check && bound < next {
			next = min(next, max(bound, r.Now)+min(r.Network.Lookahead, unit.Microsecond))
		}
		started := time.Now()
		r.Network.Run(next, r.threads)
		step = max(adapt(step, next-r.Now, time.Since(started)), r.leastStep())
		r.Now = next
		if r.steps++; r.steps%stepsPerCount == 0 {
			if err := r.checkRecordings(); err != nil {
				return err
			}
		}
		if r.options.Check {
			if err := r.check(); err != nil {
				return fmt.Errorf("at %v: %w", r.Now, err)
			}
		}
		if r.options.Progress != nil {
			r.options.Progress(r.progress())
		}
	}
}

// liveStep is how far a live run advances before it reports progress and checks whether it
// is over.
const liveStep = 20 * unit.Millisecond

// carried reports whether a live run has delivered all messages of its traffic and its
// network is idle.
func (r *run) carried() bool {
	return partOf[live](r.plan).messages() != nil && r.Now > 0 && r.Transport.AllCarried() && !r.Network.Waiting()
}

// advance runs the fabric up to a time, with packets from outside.
func (r *run) advance(ctx context.Context, due unit.Time) (err error) {
	over := false
	if r.Now, over, err = r.options.Live.Advance(ctx, r.Network, min(due, r.Now+liveStep)); over {
		r.times.until = r.Now
	}
	if err == nil && r.options.Progress != nil {
		r.options.Progress(r.progress())
	}
	return err
}

// adapt chooses the length of the next step from the real time of the last one. part is the
// simulated time that this step covered, which control may have cut short. Steps should be
// short enough to react to the context and report progress promptly, and long enough that
// this costs nothing. The choice does not change results.
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

// leastStep returns the shortest step that does not cut the engine's windows short too
// often.
func (r *run) leastStep() unit.Time {
	if r.Network.Lookahead == sim.Forever {
		return unit.Nanosecond
	}
	return 16 * r.Network.Lookahead
}

// nextControl returns the next time at which the run must stop between events.
func (r *run) nextControl() unit.Time { return min(r.times.until, nextDue(r.observers)) }

// control lets observers do their work that is due now, before any packet event of this
// instant.
func (r *run) control() error {
	r.Next, r.Last = r.Network.Next(), r.Now >= r.times.until
	if r.options.Live != nil { // a packet may come from outside at any time
		r.Next = min(r.Next, r.Now)
	}
	for _, o := range r.observers {
		if err := o.Look(r.Moment); err != nil {
			return err
		}
	}
	return nil
}

// waits explains why frames wait although no message does.
func (r *run) waits() string {
	for _, o := range r.observers {
		if g, ok := o.(watch.Guard); ok {
			return g.Waits()
		}
	}
	return ""
}

func (r *run) progress() Progress {
	c := r.Transport.Counts()
	return Progress{
		Now: r.Now, Until: r.times.until,
		Delivered: unit.Bytes(c.DeliveredBytes), Total: r.grouped.expected,
		Messages: c.Started, Completed: c.Delivered, Events: r.Network.Events(),
	}
}

// finish brings all counters up to date and checks that no frame or byte is missing.
func (r *run) finish() error {
	r.Network.Finish(r.Now)
	if err := cmp.Or(r.checkRules(), r.checkSchedulers()); err != nil {
		return err
	}
	if err := cmp.Or(r.check(), r.checkRecordings()); err != nil {
		return err
	}
	r.Over = true
	return r.control()
}

// check recounts frames and bytes one by one, and compares observers' own counts.
func (r *run) check() error {
	if err := cmp.Or(r.Network.Check(), r.Transport.Check()); err != nil {
		return err
	}
	for _, o := range r.observers {
		if a, ok := o.(watch.Auditor); ok {
			if err := a.Audit(r.Now); err != nil {
				return err
			}
		}
	}
	return nil
}
