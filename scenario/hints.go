package scenario

import (
	"fmt"
	"iter"
	"slices"

	"weft/fault"
	"weft/internal/readable"
	"weft/protocol"
	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// transports yields the transport of each group as the file has it, and as it was planned.
func (p *plan) transports(s *Spec) iter.Seq2[*Transport, *transport.Group] {
	return func(yield func(*Transport, *transport.Group) bool) {
		i := 0
		for _, t := range s.carriers() {
			if !yield(t, &p.groups[i]) {
				return
			}
			i++
		}
	}
}

// shallowest returns the queue limit of the host-facing port that holds the fewest
// bandwidth-delay products of its link, and the bytes of one such product.
func (p *plan) shallowest() (limit, bdp unit.Bytes) {
	limit, bdp = mostQueued, 1
	for _, up := range p.uplinks {
		down := up.Reverse()
		if from, _ := p.graph.Ends(down); p.graph.Nodes[from].Kind != topo.Switch {
			continue
		}
		at, one := p.port(down).Limit, p.graph.Links[down.Link()].Rate.In(p.derived.rtt)
		if float64(at)*float64(bdp) < float64(limit)*float64(one) {
			limit, bdp = at, one
		}
	}
	return limit, bdp
}

// hintConnections notes options of connections under a host transport, which does not use
// connections, and options of pools without a pool.
func (p *plan) hintConnections(s *Spec) {
	for t, g := range p.transports(s) {
		if t.Pick != nil && t.Connection != pooled {
			p.notice(fmt.Sprintf("pick: %s chooses among the connections of a pool, so it has no effect with connection: %s; leave it out, or write connection: %s", *t.Pick, t.Connection, pooled))
		}
		if g.Congestion.NewHost == nil {
			continue
		}
		if s.Fabric.NIC == fifo {
			p.notice(fmt.Sprintf("%s is a host transport and chooses each frame when the wire is free, so fabric.nic: %s has no effect; leave it out", t.Congestion.Kind, fifo))
		}
		if g.ConnectionTimer {
			p.notice(fmt.Sprintf("%s is a host transport with its own timers, so timer: %s has no effect; leave it out", t.Congestion.Kind, perConnection))
		}
		if g.Nagle {
			p.notice(fmt.Sprintf("%s is a host transport and sends the last packet of a message like any other, so nagle has no effect; leave it out", t.Congestion.Kind))
		}
		if t.RTO != nil && g.Balancer.Oblivious {
			p.notice("a host transport has its own timers, so transport.rto has no effect unless its balancer learns; leave it out")
		}
		if n := g.Congestion.Host.Groups; n > len(p.groups) {
			p.notice(fmt.Sprintf("%s has options for %d groups of traffic, such as weights, but there are %d, with replies and backgrounds; leave the last ones out", t.Congestion.Kind, n, len(p.groups)))
		}
		for _, o := range []struct {
			name string
			set  bool
		}{
			{"ack.every", t.Ack.Every > 1}, {"ack.delay", t.Ack.Delay != nil}, {"ack.bitmap", t.Ack.Bitmap}, {"ack.entropies", t.Ack.Entropies == unmarkedEntropies},
			{"ack.reply", t.Ack.Reply > 0}, {"ack.class", t.Ack.Class != nil && !g.Congestion.Host.ControlClass}, {"reorder_limit", t.ReorderLimit != nil},
			{"recovery", t.Recovery.kind() != selective || t.Recovery.Class != nil},
		} {
			if o.set {
				p.notice(fmt.Sprintf("%s is a host transport and answers packets in its own way, so %s has no effect; leave it out", t.Congestion.Kind, o.name))
			}
		}
		if t.Connection != perMessage {
			p.notice(fmt.Sprintf("%s is a host transport without connections, so connection: %s has no effect; leave it out, or write connection: %s", t.Congestion.Kind, t.Connection, perMessage))
		}
	}
}

// hintBursts notes bursts that have no effect: their packets share an entropy anyway, or
// entropies do not matter.
func (p *plan) hintBursts(s *Spec) {
	for t, g := range p.transports(s) {
		switch {
		case t.Burst <= 1:
		case g.Balancer.OnePath:
			p.notice(fmt.Sprintf("%s gives all packets of a connection one entropy, so burst: %d has no effect; leave it out", t.Balancer.Kind, t.Burst))
		case g.Balancer.Spray.Way != protocol.ByHash:
			p.notice(fmt.Sprintf("%s has switches choose for each packet, so burst: %d has no effect; leave it out", t.Balancer.Kind, t.Burst))
		}
	}
}

// hintTimeouts notes transports that detect losses by a timeout derived from full queues,
// where queues have no limit and links lose frames.
func (p *plan) hintTimeouts(s *Spec) {
	if !p.queues.unbounded || !p.changes(losesFrames) {
		return
	}
	for t, g := range p.transports(s) {
		if t.RTO == nil && g.Congestion.NewHost == nil && g.Recovery.Kind != transport.IRN && g.Recovery.Kind != transport.Order {
			p.notice(fmt.Sprintf("links lose frames, and without transport.rto a timeout is the time through full queues, which have no bound here: %v; write rto: %v, or another time", g.RTO.RoundUp(unit.Microsecond), (10 * p.derived.rtt).RoundUp(unit.Microsecond)))
		}
	}
}

// changes reports whether any link undergoes such a change. Links that are missing from the
// beginning do not count: no route uses them.
func (p *plan) changes(so func(fault.Change) bool) bool {
	return slices.ContainsFunc(p.failing.timeline.Changes, func(c fault.Change) bool { return !p.isMissing(c.Port.Link()) && so(c) })
}

func losesFrames(c fault.Change) bool {
	return c.What == fault.Down || c.What == fault.SetLoss && c.Loss > 0
}

// longSilence is the time that a host transport waits before it notices a loss, in base
// round trips, above which a notice is due.
const longSilence = 100

// hintSilences notes host transports that notice losses on links only after a long silence.
func (p *plan) hintSilences(s *Spec) {
	if !p.changes(losesFrames) {
		return
	}
	for t, g := range p.transports(s) {
		host := &g.Congestion.Host
		if g.Congestion.NewHost == nil || host.Silence <= longSilence*p.derived.rtt {
			continue
		}
		text := fmt.Sprintf("links lose frames, and %s asks for what is missing after a silence of %v (%.0f base round trips); until then, lost packets hold the credit granted for them",
			t.Congestion.Kind, host.Silence, float64(host.Silence)/float64(p.derived.rtt))
		if host.SilenceOption != "" {
			text += fmt.Sprintf("; write congestion: {kind: %s, %s: %v} for a shorter one",
				t.Congestion.Kind, host.SilenceOption, (20 * p.derived.rtt).RoundUp(10*unit.Microsecond))
		}
		p.notice(text)
	}
}

// hintDeadPorts notes switches that choose ports by load while they do not know that links
// are down: a dead link looks idle. If routes follow within a millisecond, the effect is
// too short for a notice.
func (p *plan) hintDeadPorts(s *Spec) {
	if p.failing.reconverge < unit.Millisecond || !p.changes(func(c fault.Change) bool { return c.What == fault.Down }) {
		return
	}
	until := fmt.Sprintf("until routing reacts, %v after the failure (routing.reconverge)", p.failing.reconverge)
	if p.failing.reconverge == unit.Forever {
		until = "for good, since routing never reacts (routing.reconverge)"
	}
	for t, g := range p.transports(s) {
		spray := g.Balancer.Spray
		switch {
		case spray.Way != protocol.ByLoad:
		case spray.AvoidDown:
			p.notice(fmt.Sprintf("%s avoids dead links of its own switch only; packets still go towards links that are down further on %s", t.Balancer.Kind, until))
		default:
			p.notice(fmt.Sprintf("%s chooses by load, and a dead link has none: with local_failures: ignore it attracts packets %s. Write local_failures: avoid for links of the same switch", t.Balancer.Kind, until))
		}
	}
}

// hintRoutes notes links that stay down while routes do not change. It is silent where
// hintDeadPorts has already warned.
func (p *plan) hintRoutes(s *Spec) {
	if p.failing.reconverge < unit.Forever {
		return
	}
	for _, g := range p.transports(s) {
		if g.Balancer.Spray.Way == protocol.ByLoad {
			return
		}
	}
	if n := len(stayingDown(p.failing.timeline)); n > 0 {
		what, over := fmt.Sprintf("%d links are", n), "them"
		if n == 1 {
			what, over = "a link is", "it"
		}
		p.notice(fmt.Sprintf("%s down to the end of the run, and with routing.reconverge: never routing keeps using %s: only balancers and retransmissions get around. To see routing react, leave reconverge out, or write a time", what, over))
	}
}

// stayingDown returns the links that go down and do not come back, except links that are
// missing from the beginning, which no route uses.
func stayingDown(t *fault.Timeline) map[topo.LinkID]bool {
	down := map[topo.PortID]bool{}
	for _, c := range t.Changes {
		switch c.What {
		case fault.Down:
			down[c.Port] = true
		case fault.Up:
			delete(down, c.Port)
		}
	}
	links := map[topo.LinkID]bool{}
	for port := range down {
		if !slices.Contains(t.Missing, port.Link()) {
			links[port.Link()] = true
		}
	}
	return links
}

// hintReserve notes connections that avoid paths for much longer than any link is down.
// That costs more than the failure.
func (p *plan) hintReserve(s *Spec) {
	longest := longestOutage(p.failing.timeline.Changes)
	if longest == 0 {
		return
	}
	const much = 2
	for t, g := range p.transports(s) {
		if r := g.Balancer.Reserve; r >= much*longest {
			p.notice(fmt.Sprintf("%s keeps to a few cached paths for %v after a failure, but no link here is down for more than %v; for an earlier return to all paths, write balancer: {kind: %[1]s, freezing_timeout: %[3]v}", t.Balancer.Kind, r, longest))
		}
	}
}

// longestOutage returns the longest time for which a port is down. It is 0 if none is down,
// or if one stays down.
func longestOutage(changes []fault.Change) unit.Time {
	since := map[topo.PortID]unit.Time{}
	var longest unit.Time
	for _, c := range changes {
		switch c.What {
		case fault.Down:
			since[c.Port] = c.At
		case fault.Up:
			longest = max(longest, c.At-since[c.Port])
			delete(since, c.Port)
		}
	}
	if len(since) > 0 {
		return 0
	}
	return longest
}

// hintEnd notes groups whose messages cannot arrive before the run ends.
func (p *plan) hintEnd(s *Spec) {
	if p.times.until == unit.Forever {
		return
	}
	for i := range s.Traffic {
		t := &s.Traffic[i]
		sizes, err := t.Size.Load()
		if err != nil || ordered(t) {
			continue
		}
		size := unit.Bytes(sizes.Mean())
		if least := p.derived.hosts.Transmit(size); t.Start+least >= p.times.until {
			p.notice(fmt.Sprintf("a message of %s of %v takes %v at the rate of a host's link, but the run ends at until: %v; make it longer, or no message may finish", t.Name, size, least, p.times.until))
		}
	}
}

// hintLoad notes loads that links cannot carry.
func (p *plan) hintLoad() {
	if p.offering.load == nil || p.offering.load.Advice == "" {
		return
	}
	tier, load, _ := p.offering.load.Over()
	text := fmt.Sprintf("%s are offered %s of what they can carry, headers included", record.TierName(tier.Tier), readable.Percent(load))
	if whole := tier.Load * (1 + p.offering.load.Headers); tier.Busiest != nil && whole < 1 {
		text = fmt.Sprintf("%s is offered %s of what it can carry, headers included", tier.Port, readable.Percent(load))
	}
	p.notice(text + ", so that messages wait ever longer; " + p.offering.load.Advice)
}

// offeredShare returns the load of a group on links of a rate, if the group states a load
// and never stops.
func (p *plan) offeredShare(t *Traffic, line unit.Rate) (unit.Ratio, bool) {
	a, ok := t.Arrival.Options.(*workload.Poisson)
	if !ok || a.Count != nil {
		return 0, false
	}
	sizes, err := t.Size.Load()
	if err != nil {
		return 0, false
	}
	share := a.Offers(sizes.Mean(), line)
	if carried, ok := p.offering.carried[t.Name]; ok {
		share /= carried
	}
	return unit.Ratio(share), true
}

// ordered reports whether a group's pattern decides itself when messages start.
func ordered(t *Traffic) bool {
	pattern, err := t.Pattern.Build()
	_, says := pattern.(workload.Ordered)
	return err != nil || says
}

// openEnded reports whether measured messages keep starting until the run ends.
func (p *plan) openEnded(s *Spec) bool {
	return p.times.until != unit.Forever && p.times.to >= p.times.until && slices.ContainsFunc(s.Traffic, func(t Traffic) bool {
		a, ok := t.Arrival.Options.(*workload.Poisson)
		return ok && a.Count == nil && (t.Stop == nil || *t.Stop >= p.times.until)
	})
}

// hintWindow notes a measured window in which no message starts.
func (p *plan) hintWindow(s *Spec) {
	if p.times.from == 0 {
		return
	}
	for i := range s.Traffic {
		t := &s.Traffic[i]
		once, single := t.Arrival.Options.(*workload.Once)
		over := t.Stop != nil && *t.Stop <= p.times.from || single && !ordered(t) && once.Count == 1 && t.Start+t.Jitter < p.times.from
		if !over {
			return
		}
	}
	p.notice(fmt.Sprintf("no message starts after measure.from, %v, so none is measured", p.times.from))
}
