package scenario

import (
	"errors"

	"weft/fabric"
	"weft/fault"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// newPlan builds the graph, tables, traffic and faults that a scenario describes. Its
// errors carry paths of the file. Traffic, faults and records do not depend on each other,
// so newPlan reports the errors of all three together.
func newPlan(s *Spec, tell func(what string, share float64)) (*plan, error) {
	p := &plan{
		tell:     tell,
		seed:     s.Seed,
		failing:  failing{reconverge: unit.Forever},
		times:    times{until: unit.Forever, from: s.Measure.From, to: unit.Forever, stuckAfter: s.StuckAfter},
		records:  watch.Records{Interval: s.Record.Interval, Spans: s.Record.Snapshots},
		offering: offering{carried: map[string]float64{}},
	}
	if !s.Routing.Reconverge.Never {
		p.failing.reconverge = s.Routing.Reconverge.After
	}
	if s.Until != nil {
		p.times.until = *s.Until
	}
	if s.Measure.To != nil {
		p.times.to = *s.Measure.To
	}
	p.times.ends, p.times.since = s.Measure.Ends, s.Measure.since(min(p.times.to, p.times.until))
	var err error
	if p.graph, err = s.Topology.Build(); err != nil {
		return nil, at("topology", err)
	}
	adjacency := p.graph.Adjacency()
	for _, n := range p.graph.Hosts {
		p.uplinks = append(p.uplinks, adjacency.Ports(n)[0])
	}
	if err := checkMemory(p.graph); err != nil {
		return nil, at("topology", err)
	}
	if err := p.planRouting(&s.Routing); err != nil {
		return nil, err
	}
	t := &s.Transport
	header, ack := t.wire()
	if p.derived, err = derive(p.graph, p.tables, t.Payload, header, ack); err != nil {
		return nil, at("topology", err)
	}
	p.frames.data = s.largestFrame()
	p.planWalks()
	p.frames.hops = p.mostSwitches(s)
	p.frames.onWire = s.largestOnWire(p.frames.hops)
	if err := p.planFabric(s); err != nil {
		return nil, err
	}
	data, ackClass := t.classes(p.queues.port.Trim != nil)
	p.derived.rto, _ = p.timeout(t, data, ackClass)
	wrong := []error{p.planGroups(s), p.planFaults(s)}
	if errors.Join(wrong...) == nil {
		p.planPatience(s)
		wrong = append(wrong, p.finishFeatures(s))
	}
	if errors.Join(wrong...) == nil {
		p.offering.load, p.offering.offered = p.expect(s.Traffic), nil
		p.hints(s)
	}
	if err := errors.Join(append(wrong, p.planRecord(&s.Record))...); err != nil {
		return p, err
	}
	return p, p.checkLoad(s.Traffic)
}

// planGroups plans the groups of traffic, and their common needs of the fabric.
func (p *plan) planGroups(s *Spec) (err error) {
	list := s.Traffic
	p.grouped.tenants = numberTenants(list)
	wrong := make([]error, len(list))
	for i := range list {
		wrong[i] = p.planTraffic(&list[i])
	}
	if err := errors.Join(oncePerFile(list, wrong)...); err != nil {
		return err
	}
	for _, f := range features() {
		if f.settle != nil {
			f.settle(p, s)
		}
	}
	if err := p.checkPairs(list); err != nil {
		return at("topology", err)
	}
	if p.grouped.sprays, err = transport.Sprays(p.groups); err != nil {
		return at("traffic", err)
	}
	return p.checkNeeds(s)
}

// planFabric resolves the queues of switch ports.
func (p *plan) planFabric(s *Spec) error {
	f := &s.Fabric
	p.queues.buffer = f.Buffer.resolve()
	var notices []string
	var err error
	if p.queues.rules, notices, err = newQueueRules(p.graph, f); err != nil {
		return err
	}
	p.notes.notices = append(p.notes.notices, notices...)
	p.queues.port = fabric.PortConfig{Classes: f.Classes}
	if f.Admission != nil {
		rule, err := f.Admission.Build()
		if err != nil {
			return at("fabric.admission", err)
		}
		p.queues.port.Admission = rule.New
	}
	if f.Overflow == trimming {
		p.queues.port.Classes, p.queues.first = max(2, f.Classes), 1
		p.queues.port.Trim = &fabric.TrimConfig{Header: uint16(f.Trim.Header), Coin: f.Trim.Victim == "coin"}
		p.queues.port.Trim.Ratio, p.queues.ratioOf = s.trimRatio()
	}
	p.queues.port = p.config(&p.queues.rules.fabric, p.derived.hosts)
	p.derived.limit, p.derived.infinite = p.queues.port.Limit, f.Queue.Infinite
	if err := p.checkQueues(); err != nil {
		return err
	}
	p.queues.leastLimit, p.queues.unbounded, p.queues.marks = p.queues.port.Limit, f.Queue.Infinite, p.queues.rules.fabric.marking.Marks()
	for _, k := range p.queueKinds() {
		p.queues.leastLimit = min(p.queues.leastLimit, p.config(k.rule, k.rate).Limit)
		p.queues.unbounded = p.queues.unbounded || k.rule.limit.Infinite
		p.queues.marks = p.queues.marks || k.rule.marking.Marks()
	}
	p.queues.unbounded = p.queues.unbounded && f.Buffer == nil
	for _, one := range features() {
		if one.plan != nil {
			if err := one.plan(p, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishFeatures refuses features that exclude each other, and then settles features that
// depend on the rest of the plan.
func (p *plan) finishFeatures(s *Spec) error {
	wrong := p.refuseConflicts(s)
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	for _, one := range features() {
		if one.finish != nil {
			wrong = append(wrong, one.finish(p, s))
		}
	}
	return errors.Join(wrong...)
}

// planFaults puts the faults on a timeline.
func (p *plan) planFaults(s *Spec) error {
	var wrong []error
	faults := make([]fault.Fault, len(s.Faults))
	for i := range s.Faults {
		f, err := s.Faults[i].Build()
		if err != nil {
			wrong = append(wrong, at(faultPath(i), err))
		}
		faults[i] = f
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	t, err := fault.NewTimeline(faults, p.graph, p.seed, fault.Options{Follow: p.failing.reconverge != unit.Forever})
	for _, err := range each(err) {
		if one := (*fault.Error)(nil); errors.As(err, &one) {
			err = at(faultPath(one.Index), one.Err)
		} else {
			err = at("faults", err)
		}
		wrong = append(wrong, err)
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	p.failing.timeline = t
	p.notes.notices = append(p.notes.notices, t.Notices...)
	if len(t.Missing) == 0 {
		return nil
	}
	p.failing.missing = make([]bool, len(p.graph.Links))
	for _, l := range t.Missing {
		p.failing.missing[l] = true
	}
	p.routes.present, err = p.routes.router(route.Options{Down: func(l topo.LinkID) bool { return p.failing.missing[l] }})
	return at("faults", err)
}
