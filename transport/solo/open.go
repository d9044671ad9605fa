package solo

import (
	"fmt"

	"weft/fabric"
	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// newHost returns a transport on a host that is alone on a fabric.
func newHost(c protocol.CongestionControl, env protocol.HostEnv) protocol.HostTransport {
	h := &host{core: core{caller: env.Out, names: map[int32]map[uint64]uint64{}}}
	if err := h.open(c, env); err != nil {
		return unfit{why: err}
	}
	return h
}

// open makes the fabric and the carrier, which then makes the transport.
func (h *host) open(c protocol.CongestionControl, env protocol.HostEnv) error {
	if env.Host != 0 {
		return fmt.Errorf("it is of host %d; the simulated host is number 0", env.Host)
	}
	g, err := topo.Star{Hosts: 1, Rate: env.LineRate, Delay: unit.Microsecond}.Build()
	if err != nil {
		return err
	}
	tables, err := route.Minimal(g, route.Options{})
	if err != nil {
		return err
	}
	build := c.NewHost
	c.NewHost = func(carriers protocol.HostEnv) protocol.HostTransport {
		h.enter(build, env, carriers)
		return &h.core
	}
	sources := []workload.Source{quiet{}}
	h.transport = transport.New(transport.Config{
		Groups:   []transport.Group{{Name: "told", Params: params(c, &env), Sources: sources}},
		LineRate: func(int32) unit.Rate { return env.LineRate },
		Classes:  env.Classes, MeasureTo: unit.Forever,
		HostName: func(int32) string { return "host" },
	}, int(env.Hosts), 1)
	h.network, err = fabric.New(fabric.Config{
		Graph: g, Tables: tables, Domain: topo.Partition(g, 1), Queue: sim.Calendar,
		Port: func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB} },
		Endpoint: func(d *fabric.Domain) fabric.Endpoint {
			h.domain = d
			h.endpoint = h.transport.Attach(d).(*transport.Endpoint)
			return clock{h.endpoint, h}
		},
	})
	return err
}

// params returns a group of traffic from which the carrier derives the transport's environment.
func params(c protocol.CongestionControl, env *protocol.HostEnv) transport.Params {
	rto := unit.Second // for connections, which this host lacks
	return transport.Params{
		Payload: env.Payload, Header: env.Header, AckSize: env.Control, AckEvery: 1, RTO: rto,
		Class: env.Class, AckClass: env.ControlClass, Congestion: c,
		Balancer: protocol.Balancer{Oblivious: env.Echo == 0, New: func(protocol.Env) protocol.Entropy { return unmoved{} }},
		Env: protocol.Env{
			Payload: env.Payload, Packet: env.Packet, BDP: env.BDP, BDPPackets: int((env.BDP-1)/env.Packet) + 1,
			BaseRTT: env.BaseRTT, RTO: rto, LineRate: env.LineRate, Queue: env.Queue,
		},
	}
}

// enter makes the transport with the caller's environment and puts it into the carrier.
// The carrier's environment must agree, except where it cannot know better.
func (h *host) enter(build func(protocol.HostEnv) protocol.HostTransport, env, carriers protocol.HostEnv) {
	h.carrier = carriers.Out
	want, got := env, carriers
	want.Rand, want.Out, want.Largest, want.Paths = nil, nil, 0, 0
	got.Rand, got.Out = nil, nil
	h.compare("environment", want, got)
	env.Out = &h.own
	h.HostTransport = build(env)
}

// clock sits between the engine and the carrier. The host's timer runs when it is
// due, but deadlines wait for the caller.
type clock struct {
	*transport.Endpoint
	h *host
}

// Timer implements fabric.Endpoint.
func (c clock) Timer(now sim.Time, local int32) bool {
	if at, ok := c.h.core.Deadline(); ok && at <= now {
		c.h.due = true
	} else {
		c.h.ready = c.Endpoint.Timer(now, local) || c.h.ready
	}
	return false
}

// quiet is a source without messages.
type quiet struct{}

func (quiet) Next() (m workload.Message, ok bool) { return m, false }
func (quiet) Completed(unit.Time, uint64)         {}

// unmoved is a chooser that learns nothing.
type unmoved struct{}

func (unmoved) Start(unit.Time)       {}
func (unmoved) Resume(unit.Time)      {}
func (unmoved) Next(unit.Time) uint16 { return 0 }
func (unmoved) Acked(*protocol.Ack)   {}
func (unmoved) Lost(*protocol.Loss)   {}

// unfit replaces the transport of a host that cannot be simulated.
type unfit struct{ why error }

func (u unfit) Differs() (what, want, got string) {
	return "environment", "one of a simulated host", u.why.Error()
}

func (unfit) Submit(unit.Time, *protocol.HostMessage)               {}
func (unfit) Receive(unit.Time, *protocol.Packet) (none unit.Bytes) { return 0 }
func (unfit) Next(unit.Time, *protocol.Packet) bool                 { return false }
func (unfit) Ready() (unit.Time, bool)                              { return 0, false }
func (unfit) Deadline() (unit.Time, bool)                           { return 0, false }
func (unfit) Expire(unit.Time)                                      {}
func (u unfit) Check() error                                        { return u.why }
