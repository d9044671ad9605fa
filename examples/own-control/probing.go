package main

import (
	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// options are what a scenario can say, as in
//
//	congestion: {kind: probing, step: 500Mbps}
type options struct {
	Every unit.Time `yaml:"every" default:"20us" min:"1ns" doc:"Time after which a rate that was not cut grows."`
	Step  unit.Rate `yaml:"step" default:"1Gbps" min:"1bps" doc:"Growth of the rate per step."`
	Least unit.Rate `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least rate."`
}

// probing is the entry under which scenarios find the control.
func probing() catalog.Entry[protocol.CongestionControl] {
	return catalog.Define("probing", "a rate that grows at every tick of a timer and is cut by the share of marked packets", "",
		func(o options) (protocol.CongestionControl, error) {
			return protocol.CongestionControl{
				Needs:     protocol.Needs{Must: protocol.Marks}, // refused where no port marks
				Receivers: "probing",
				New:       func(env protocol.Env) protocol.Congestion { return &prober{env: env, options: o} },
				NewAnswerer: func(protocol.HostEnv) protocol.Answerer {
					return &counter{}
				},
			}, nil
		})
}

// prober is the sending end of one connection.
type prober struct {
	env protocol.Env
	options
	rate unit.Rate
	due  unit.Time // of the next tick
	cut  unit.Time // until when no mark cuts
}

func (p *prober) Start(now unit.Time) { p.rate, p.due, p.cut = p.env.LineRate, unit.Forever, 0 }

// Window is never full: the rate alone decides.
func (p *prober) Window() unit.Bytes { return unit.TiB }

// Pace implements protocol.Pacer. When the rate changes, the transport rescales the gap that a
// packet is waiting for.
func (p *prober) Pace() protocol.Pace { return protocol.Pace{Rate: p.rate} }

// Acked reads what the receiver put into the acknowledgement: how many packets it reports on, and
// how many of them were marked. Once a round trip the rate is cut by half their share.
func (p *prober) Acked(a *protocol.Ack) {
	if !a.Answered || a.Now < p.cut {
		return
	}
	packets, marked := int64(a.Answer[0]), int64(a.Answer[1])
	p.rate = max(p.Least, p.rate-unit.Rate(int64(p.rate)/2*marked/packets))
	p.cut, p.due = a.Now+p.env.BaseRTT, a.Now+p.Every
}

func (p *prober) Lost(*protocol.Loss) {}

// Deadline implements protocol.Timed. At line rate there is nothing to wait for.
func (p *prober) Deadline() unit.Time { return p.due }

// Expire implements protocol.Timed.
func (p *prober) Expire(now unit.Time) {
	p.rate, p.due = p.rate+p.Step, now+p.Every
	if p.rate >= p.env.LineRate {
		p.rate, p.due = p.env.LineRate, unit.Forever
	}
}

// counter is the receiving end of a host: by connection, what arrived since the last report.
type counter struct {
	seen []struct{ packets, marked uint64 }
	free []int32
}

func (c *counter) Open(unit.Time, int32, uint8) int32 {
	if n := len(c.free); n > 0 {
		peer := c.free[n-1]
		c.free = c.free[:n-1]
		return peer
	}
	c.seen = append(c.seen, struct{ packets, marked uint64 }{})
	return int32(len(c.seen) - 1)
}

func (c *counter) Close(_ unit.Time, peer int32) {
	c.seen[peer].packets, c.seen[peer].marked = 0, 0
	c.free = append(c.free, peer)
}

func (c *counter) Heard(h *protocol.Heard) {
	s := &c.seen[h.Peer]
	s.packets++
	if h.Marked {
		s.marked++
	}
}

// Answer reports on 16 packets together, if any of them was marked.
func (c *counter) Answer(_ unit.Time, peer int32) (protocol.Answer, bool) {
	s := &c.seen[peer]
	if s.packets < 16 {
		return protocol.Answer{}, false
	}
	a := protocol.Answer{s.packets, s.marked}
	s.packets, s.marked = 0, 0
	return a, a[1] > 0
}
