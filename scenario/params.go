package scenario

import (
	"fmt"

	"weft/problem"
	"weft/protocol/reliable"
	"weft/transport"
)

// params resolves the transport of a group.
func (p *plan) params(t *Transport) (transport.Params, error) {
	if err := t.checkFrames(false, p.frames.hops); err != nil {
		return transport.Params{}, err
	}
	header, ack := t.wire()
	o := transport.Params{
		Payload: t.Payload, Header: header, AckSize: ack, AckEvery: t.Ack.Every, AckBitmap: t.Ack.Bitmap,
		Unmarked: t.Ack.Entropies == unmarkedEntropies, PerPair: t.Connection == perPair,
		Reply: t.Ack.Reply,
	}
	o.Class, o.AckClass = t.classes(p.queues.port.Trim != nil)
	for _, f := range features() {
		if f.group != nil {
			f.group(p, &o)
		}
	}
	if t.Connection == pooled {
		o.Pool = t.Pool
		o.Turns = t.inTurn()
	}
	if o.Unmarked && o.AckEvery > reliable.MaxEntropies {
		return o, at("ack.every", fmt.Errorf("an acknowledgement that returns all unmarked entropies has room for %d, but reports %d packets", reliable.MaxEntropies, o.AckEvery))
	}
	o.ConnectionTimer = t.Timer == perConnection
	o.TimedFromQueue = t.RTOFrom == fromQueue
	o.Nagle = t.Nagle
	o.AckDelay = p.ackDelay(t)
	o.RTO, o.Adaptive = p.timeout(t, o.Class, o.AckClass)
	if t.ReorderLimit != nil {
		o.ReorderLimit = uint32(*t.ReorderLimit)
	}
	var err error
	if o.Congestion, err = t.Congestion.Build(); err != nil {
		return o, at("congestion", err)
	}
	if o.Balancer, err = t.Balancer.Build(); err != nil {
		return o, at("balancer", err)
	}
	o.Balancer.Run = t.Burst
	if o.Congestion.NewHost != nil {
		p.grouped.hosted = t.Congestion.Kind
	}
	if frame := t.Payload + header; frame > p.queues.leastLimit {
		return o, at("payload", problem.New("a frame of %v does not fit a queue of %v", frame, p.queues.leastLimit).Mend("make fabric.queue larger"))
	}
	o.Env = p.env(t.Payload, header, o.RTO)
	if err := p.lossRecovery(t, &o); err != nil {
		return o, at("recovery", err)
	}
	if err := p.checkNotices(&o.Congestion.Controller); err != nil {
		return o, at("congestion", err)
	}
	p.times.stuckAfter = max(p.times.stuckAfter, p.recovery(&o))
	if o.Congestion.CheckHost != nil {
		env := transport.HostEnv(&o, len(p.graph.Hosts), p.queues.port.Classes, p.queues.port.Credit)
		if p.allLossless(o.Class, o.Congestion.Needs.Classes) {
			env.Queue = 0 // the limit does not apply to lossless classes
		}
		warnings, err := o.Congestion.CheckHost(env)
		if err != nil {
			return o, at("congestion", err)
		}
		for _, w := range warnings {
			p.notice(w)
		}
	}
	return o, nil
}
