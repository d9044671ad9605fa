package scenario

import (
	"slices"

	"weft/fabric"
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/transport"
	"weft/unit"
)

// emulated names, in lists of conflicts, a fabric that runs at the pace of the clock.
const emulated = "weft emulate, run --on wire"

// liveFeature carries packets of programs instead of the scenario's traffic.
var liveFeature = feature{
	name: emulated,
	build: func(p *plan, c *fabric.Config) {
		if l := partOf[live](p); l.Live != nil {
			if m := l.messages(); m != nil {
				hosts := c.Endpoint
				c.Endpoint = func(d *fabric.Domain) fabric.Endpoint { return m.AttachBeside(d, hosts(d)) }
			} else {
				c.Endpoint = l.Attach
			}
			c.Follow = l.Follower()
			c.HostJitter, c.Jitter = 0, fabric.Jitter{} // real hosts have jitter of their own
		}
	},
	attach: func(p *plan, c *transport.Config) {
		if m := partOf[live](p).messages(); m != nil {
			c.Outside = m
		}
	},
	watch: func(w watched, _ *window) watch.Observer {
		if m := partOf[live](w.plan).messages(); m != nil {
			return &liveWindow{m: m}
		}
		return nil
	},
	conflicts: []conflict{{
		with: "fabric.overflow: trim", at: "fabric.overflow",
		why: "no program knows what to do with a packet that was cut to its header", remedy: "write overflow: drop",
		live: func(p *plan) bool { return p.queues.port.Trim != nil },
	}, {
		with: "fabric.telemetry", at: "fabric.telemetry",
		why: "packets of programs have no room for what switches write", remedy: "remove telemetry, or choose a control that needs none",
		live: func(p *plan) bool { return partOf[fabric.Telemetry](p).On },
	}, {
		with: "fabric.credits", at: "fabric.credits",
		why: "programs send no credits", remedy: "remove credits, or choose a control that needs none",
		live: func(p *plan) bool { return p.queues.port.Credit.On() },
	}, {
		with: "a control of switches (rocc, rcp)", at: "transport.congestion",
		why: "programs do not read notices of switches", remedy: "choose another control, such as dctcp",
		live: func(p *plan) bool {
			return slices.ContainsFunc(p.groups, func(g transport.Group) bool { return g.Congestion.Controller.On() })
		},
	}, {
		with: "explicit paths (routing.policy)", at: "routing.policy",
		why: "programs name no paths", remedy: "choose another policy, such as ecmp",
		live: func(p *plan) bool { return p.explicit() },
	}},
}

// liveWindow announces the measured window to the endpoints that carry the messages.
type liveWindow struct {
	watch.Nothing
	m LiveMessages
}

func (l *liveWindow) Open(now unit.Time) {
	if now > 0 { // before time 0 nothing was counted
		l.m.Window(true)
	}
}

func (l *liveWindow) Close(unit.Time) { l.m.Window(false) }

// live holds the source of outside packets, if a run carries any.
type live struct{ Live }

// fillCounts replaces the transport's counts in a summary with the counts of the endpoints that
// carried the messages.
func (l *live) fillCounts(s *record.Summary) {
	if l.Live == nil {
		return
	}
	m := l.messages()
	if m == nil { // programs report no counts
		s.Retransmits, s.Timeouts = record.Unknown, record.Unknown
		return
	}
	t := m.Told()
	s.Packets, s.Retransmits, s.Timeouts, s.RTT, s.SpuriousRetransmits = t.Packets, t.Retransmits, t.Timeouts, t.RTT, t.Spurious
	for i := range s.Groups {
		p := &s.Groups[i].Packets
		p.Marked, p.Kept = record.Unknown, record.Unknown
	}
}

// messages returns the endpoints that carry the traffic's messages, or nil if there are
// none.
func (l *live) messages() LiveMessages {
	m, _ := l.Live.(LiveMessages)
	return m
}
