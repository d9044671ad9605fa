package transport

import (
	"runtime"
	"testing"

	"weft/fabric"
	"weft/protocol"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// numberer numbers the fields that it sends, and probes every so often. What comes back must be what it sent.
type numberer struct {
	t            testing.TB
	next         uint64
	due          unit.Time
	acks, probes int
	fresh        bool // the next field is a probe's
	window       unit.Bytes
	least        unit.Time // of round trips
	awaited      uint64    // field of the probe under way
}

func (c *numberer) Start(now unit.Time)  { c.due = now + 5*unit.Microsecond }
func (c *numberer) Window() unit.Bytes   { return c.window }
func (c *numberer) Pace() protocol.Pace  { return protocol.Pace{Rate: 50 * unit.Gbps} }
func (c *numberer) Lost(*protocol.Loss)  {}
func (c *numberer) Deadline() unit.Time  { return c.due }
func (c *numberer) Expire(now unit.Time) { c.due, c.fresh = unit.Forever, true }

func (c *numberer) Field(unit.Time) protocol.Field {
	c.next++
	if c.fresh {
		c.awaited, c.fresh = c.next, false
	}
	return protocol.Field{c.next, ^c.next}
}

func (c *numberer) check(f protocol.Field) {
	if f[0] == 0 || f[0] > c.next || f[1] != ^f[0] {
		c.t.Errorf("field %x of %d sent", f, c.next)
	}
}

func (c *numberer) Acked(a *protocol.Ack) {
	c.acks++
	if !a.Fielded {
		c.t.Error("an acknowledgement without a field")
	}
	c.check(a.Field)
}

func (c *numberer) Probe(unit.Time) bool { return c.fresh }

func (c *numberer) Probed(now unit.Time, f protocol.Field, rtt unit.Time) {
	c.probes++
	c.check(f)
	if f[0] != c.awaited || rtt < c.least || rtt > unit.Millisecond {
		c.t.Errorf("the probe with field %d came back with %d after %v", c.awaited, f[0], rtt)
	}
	c.due = now + 5*unit.Microsecond
}

// TestFields has data carry fields in both kinds of acknowledgement, beside answers, and in probes. Once all has
// reached its size, nothing is allocated.
func TestFields(t *testing.T) {
	for _, every := range []int{1, 8} {
		const hosts = 6
		p := params(0)
		p.AckEvery = every
		p.Env.Payload = payload
		var controls []*numberer
		p.Congestion = protocol.CongestionControl{
			Controller: protocol.Controller{Fields: true},
			New: func(protocol.Env) protocol.Congestion {
				c := &numberer{t: t, window: 20 * payload, least: 4 * unit.Microsecond}
				controls = append(controls, c)
				return c
			},
			NewAnswerer: func(protocol.HostEnv) protocol.Answerer { return &echoer{} },
		}
		sources := make([]workload.Source, hosts)
		for h := range sources {
			sources[h] = &loop{dst: int32((h + 2) % hosts), size: 40 * payload, left: 1 << 30, ready: 2, completed: make([]unit.Time, 0, 1<<16)}
		}
		lab := labConfig{
			Graph:  graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 1, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0}),
			Port:   func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB} },
			Groups: []Group{{Params: p, Sources: sources}},
		}.build(t)
		lab.transport.from, lab.transport.to = 0, 0 // no records
		lab.run(t, 10*unit.Millisecond)
		var before, after runtime.MemStats
		start := lab.transport.Counts()
		runtime.ReadMemStats(&before)
		lab.Run(20*unit.Millisecond, 1)
		runtime.ReadMemStats(&after)
		packets := lab.transport.Counts().Packets - start.Packets
		if allocations := after.Mallocs - before.Mallocs; packets < 5000 || allocations*1000 > packets {
			t.Errorf("an ACK for %d packets: %d allocations for %d packets", every, allocations, packets)
		}
		acks, probes := 0, 0
		for _, c := range controls {
			acks, probes = acks+c.acks, probes+c.probes
		}
		if acks < 1000 || probes < 100 {
			t.Errorf("%d acknowledgements, %d probes", acks, probes)
		}
	}
}
