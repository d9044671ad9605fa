package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"weft/fault"
	"weft/internal/readable"
	"weft/problem"
	"weft/record"
	"weft/route/load"
	"weft/topo"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// payload returns the payload of a demand in bits per second.
func (o *offer) payload(d *workload.Demand) float64 {
	if o.size > 0 {
		return 8 * float64(d.Messages*o.size)
	}
	return 8 * d.Bytes
}

// mostLoadWork limits the work of computing loads to about a quarter of a second. Networks
// of up to some thousand hosts are computed completely; of larger ones only some
// destinations are.
const mostLoadWork = 8_000_000

// offers records what a group offers to links, if it has a rate. setting is the one that
// the group's pattern was built with.
func (p *plan) offers(s *Traffic, t workload.Traffic, setting workload.Setting, g *transport.Params) {
	demands, ok := workload.Demands(t, setting)
	if !ok {
		p.offering.rateless = append(p.offering.rateless, s.Name)
		return
	}
	o := offer{name: s.Name, start: s.Start, stop: p.times.until, demands: demands, header: 8 * float64(g.Header)}
	if s.Stop != nil {
		o.stop = min(o.stop, *s.Stop)
	}
	_, _, o.ends = workload.Total(t, setting)
	if listed(t.Pattern) {
		messages, bytes := 0.0, 0.0
		for i := range demands {
			messages, bytes = messages+demands[i].Messages, bytes+demands[i].Bytes
		}
		const half = 0.5 // the last packet is half full on average
		o.packets = bytes/messages/float64(g.Payload) + half
	} else {
		o.packets = workload.Packets(t.Sizes, g.Payload)
	}
	p.offering.offered = append(p.offering.offered, o)
	if s.Reply == nil {
		return
	}
	sizes, err := s.Reply.Size.Load()
	if err != nil {
		return
	}
	o.name, o.answers = s.Name+repliesSuffix, true
	o.size, o.packets = sizes.Mean(), workload.Packets(sizes, s.Reply.Transport.Payload)
	header, _ := s.Reply.Transport.wire()
	o.header = 8 * float64(header)
	p.offering.offered = append(p.offering.offered, o)
}

// busiestMoment returns the offers that overlap at the moment with the highest total.
func (p *plan) busiestMoment() (most []offer) {
	best := -1.0
	for _, moment := range p.offering.offered {
		var list []offer
		sum := 0.0
		for _, o := range p.offering.offered {
			if o.start > moment.start || o.stop <= moment.start {
				continue
			}
			list = append(list, o)
			for i := range o.demands {
				sum += o.payload(&o.demands[i])
			}
		}
		if sum > best {
			most, best = list, sum
		}
	}
	return most
}

// spread puts demands on links along the routes of the policy.
func (p *plan) spread(demands []load.Demand, o load.Options) *load.Loads {
	tables := p.routes.present
	if p.explicit() {
		tables = p.tables
	}
	o.Most = mostLoadWork
	return load.Spread(p.graph, tables, demands, o)
}

// expect computes the expected load, or nil if no group has a rate.
func (p *plan) expect(list []Traffic) *record.Load {
	offered := p.busiestMoment()
	if len(offered) == 0 {
		return nil
	}
	var demands []load.Demand
	payload, headers := 0.0, 0.0
	l := &record.Load{Without: p.offering.rateless}
	for i := range offered {
		o := &offered[i]
		for k := range o.demands {
			d := &o.demands[k]
			bits := o.payload(d)
			payload, headers = payload+bits, headers+d.Messages*o.packets*o.header
			demands = append(demands, load.Demand{Host: d.Host, Rate: bits, Targets: d.Targets, Answers: o.answers})
		}
	}
	if len(offered) < len(p.offering.offered) || len(p.offering.rateless) > 0 {
		for i := range offered {
			l.Groups = append(l.Groups, offered[i].name)
		}
	}
	if payload > 0 {
		l.Headers = headers / payload
	}
	rate := p.firstRates()
	tiers := func(around bool) []record.TierLoad {
		loads := p.spread(demands, load.Options{Intermediates: around, Rate: rate})
		var list []record.TierLoad
		for _, t := range loads.Tiers() {
			one := record.TierLoad{Tier: t.Name, Links: t.Links, Load: t.Mean}
			if t.Known {
				one.Busiest = &t.Most
			}
			if t.Known && t.Most > 0 {
				one.Port = p.graph.PortName(t.Port)
			}
			list = append(list, one)
		}
		return list
	}
	switch {
	case !p.routes.policy.Wanders():
		l.Routes, l.Tiers = record.Shortest, tiers(false)
		if p.layered() && !p.explicit() {
			l.Routes = record.Layered
		}
	case p.always():
		l.Routes, l.Tiers = record.DetoursOnly, tiers(true)
	default:
		l.Routes, l.Tiers, l.Detoured = record.EitherWay, tiers(false), tiers(true)
	}
	ends := slices.ContainsFunc(offered, func(o offer) bool { return o.ends })
	if _, over, ok := l.Over(); ok && !ends {
		l.Advice = lessLoad(list, over)
	}
	return l
}

// loadRows lists the expected loads for the manifest.
func (p *plan) loadRows() (rows []record.Derived) {
	if p.offering.load == nil {
		return nil
	}
	add := func(name string, share float64, meaning string) {
		rows = append(rows, record.DerivedCount("expected_load."+name, 100*share, "%", meaning))
	}
	for i, tiers := range [][]record.TierLoad{p.offering.load.Tiers, p.offering.load.Detoured} {
		suffix, how := "", ""
		if i > 0 {
			suffix, how = ".detoured", " if all packets take detours"
		}
		for _, t := range tiers {
			what := record.TierName(t.Tier)
			add(t.Tier+suffix, t.Load, "expected payload on "+what+", as a share of what they can carry together"+how)
			if t.Busiest != nil {
				add(t.Tier+".busiest"+suffix, *t.Busiest, "the same on the busiest of "+what+how)
			}
		}
	}
	return rows
}

// firstRates returns the rates of ports that faults set at time 0, or nil if there are
// none.
func (p *plan) firstRates() func(topo.PortID) unit.Rate {
	set := map[topo.PortID]unit.Rate{}
	for _, c := range p.failing.timeline.Changes {
		if c.At == 0 && c.What == fault.SetRate {
			set[c.Port] = c.Rate
		}
	}
	if len(set) == 0 {
		return nil
	}
	return func(port topo.PortID) unit.Rate {
		if rate, ok := set[port]; ok {
			return rate
		}
		return p.graph.Links[port.Link()].Rate
	}
}

// bearable is the utilisation that a remedy aims at. It leaves room for acknowledgements,
// and queues grow without bound as the load approaches capacity.
const bearable = 0.9

// lessLoad suggests a smaller load. over is the utilisation of the busiest links, headers
// included.
func lessLoad(list []Traffic, over float64) string {
	var one *Traffic
	for i := range list {
		if a, ok := list[i].Arrival.Options.(*workload.Poisson); ok && a.Load != nil && !ordered(&list[i]) {
			if one != nil {
				one = nil
				break
			}
			one = &list[i]
		}
	}
	if one == nil || len(list) > 1 {
		return fmt.Sprintf("offer at most %s of that", readable.Percent(bearable/over))
	}
	was := float64(*one.Arrival.Options.(*workload.Poisson).Load)
	percent := math.Floor(100 * was * bearable / over)
	if percent < 1 {
		return fmt.Sprintf("write load: %.2g%% or less", 100*was*bearable/over)
	}
	return fmt.Sprintf("write load: %.0f%% or less", percent)
}

// errNoTier reports a network without links of a tier.
var errNoTier = errors.New("the network has no links between switches")

// share returns the load of the links that a group's load refers to, when hosts send at
// full rate.
func (p *plan) share(of workload.LoadOf, full workload.Traffic, setting workload.Setting) (float64, error) {
	demands, ok := workload.Demands(full, setting)
	if !ok {
		return 0, problem.At("of", "of: %s needs to know who sends to whom beforehand", of).Mend("write of: %s", workload.OfHosts)
	}
	list := make([]load.Demand, len(demands))
	for i, d := range demands {
		list[i] = load.Demand{Host: d.Host, Rate: 8 * d.Bytes, Targets: d.Targets}
	}
	carried := func(around bool) (float64, error) {
		loads := p.spread(list, load.Options{Intermediates: around})
		tiers := loads.Tiers()
		if of == workload.OfTightest {
			_, most := loads.Busiest()
			return most, nil
		}
		if len(tiers) < 2 {
			return 0, problem.At("of", "of: %s: %w", of, errNoTier).Mend("write of: %s", workload.OfHosts)
		}
		if of == workload.OfUplinks {
			return tiers[1].Mean, nil
		}
		return tiers[len(tiers)-1].Mean, nil
	}
	straight, err := carried(p.always())
	if err != nil || !p.routes.policy.Adapts() || of != workload.OfTightest {
		return straight, err
	}
	around, err := carried(true)
	return min(straight, around), err
}
