package main

import (
	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// options are what a scenario can say, as in
//
//	congestion: {kind: busiest, target: 0.9}
type options struct {
	Period unit.Time `yaml:"period" default:"10us" min:"1us" doc:"Time over which a queue measures its load."`
	Target float64   `yaml:"target" default:"0.95" min:"0.1" max:"1" doc:"Load that senders steer the busiest queue of their path to."`
	Step   unit.Rate `yaml:"step" default:"500Mbps" min:"1bps" doc:"Growth of every rate per step, which makes shares equal."`
	Least  unit.Rate `yaml:"least" default:"100Mbps" min:"1bps" doc:"Least rate."`
}

// unity is a load of 1 in a field, which has whole numbers.
const unity = 1 << 20

// busiest is the entry under which scenarios find the control. Data packets carry a field, 0 at first. Each
// switch on the way raises it to the load of its queue. Acknowledgements bring it back, and the sender
// divides its rate by it, once in a round trip and a period.
func busiest() catalog.Entry[protocol.CongestionControl] {
	return catalog.Define("busiest", "rates that follow the load of the busiest queue of the path, which packets carry", "",
		func(o options) (protocol.CongestionControl, error) {
			return protocol.CongestionControl{
				Receivers: o, // groups of traffic must agree on all of it: a queue has one controller
				Controller: protocol.Controller{
					Period: o.Period, Fields: true, FieldBytes: 4,
					New: func(env protocol.QueueEnv) protocol.QueueController {
						return &meter{room: float64(env.Rate.In(o.Period))}
					},
				},
				New: func(env protocol.Env) protocol.Congestion { return &sender{env: env, options: o} },
			}, nil
		})
}

// meter is what runs at a queue of a switch.
type meter struct {
	room    float64 // what the link sends in a period, in bytes
	arrived unit.Bytes
	load    uint64
}

// Arrived implements protocol.FieldController. Frames without a field use the link, too.
func (m *meter) Arrived(_ unit.Time, wire unit.Bytes, _ *protocol.Field) { m.arrived += wire }

// Left implements protocol.FieldController.
func (m *meter) Left(_ unit.Time, _ unit.Bytes, f *protocol.Field) {
	if f != nil {
		f[0] = max(f[0], m.load)
	}
}

// Tick ends a period: what came in it and what is left in the queue is the load. Nobody is told.
func (m *meter) Tick(_ unit.Time, queue unit.Bytes) (n protocol.Notice, tell bool) {
	m.load = uint64(float64(m.arrived+queue) / m.room * unity)
	m.arrived = 0
	return n, false
}

// Settled tells that further ticks of an empty queue change nothing: it need not be called then.
func (m *meter) Settled() bool { return m.load == 0 && m.arrived == 0 }

// sender is the sending end of one connection.
type sender struct {
	env protocol.Env
	options
	rate unit.Rate
	next unit.Time // when the rate may change again
}

func (s *sender) Start(unit.Time) { s.rate, s.next = s.env.LineRate, 0 }

// Field is what the next packet carries.
func (s *sender) Field(unit.Time) protocol.Field { return protocol.Field{} }

// Acked steers the busiest queue to its target. At most the rate doubles.
func (s *sender) Acked(a *protocol.Ack) {
	if !a.Fielded || a.Now < s.next {
		return
	}
	load := max(float64(a.Field[0])/unity, s.Target/2)
	s.rate = unit.Rate(float64(s.rate)*s.Target/load) + s.Step
	s.rate = min(max(s.rate, s.Least), s.env.LineRate)
	s.next = a.Now + s.env.BaseRTT + s.Period
}

func (s *sender) Lost(*protocol.Loss) {}

// Window is never full: the rate alone decides.
func (s *sender) Window() unit.Bytes { return unit.TiB }

// Pace implements protocol.Pacer.
func (s *sender) Pace() protocol.Pace { return protocol.Pace{Rate: s.rate} }
