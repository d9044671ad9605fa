package fabric_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// teller is a controller that tells how many ticks it had, and what the queue holds. It settles
// after a number of ticks in a row with an empty queue.
type teller struct {
	ticks, idle, settles uint64
	log                  func(now unit.Time, queue unit.Bytes)
}

func (c *teller) Tick(now unit.Time, queue unit.Bytes) (protocol.Notice, bool) {
	c.ticks++
	c.idle++
	if queue > 0 {
		c.idle = 0
	}
	if c.log != nil {
		c.log(now, queue)
	}
	return protocol.Notice{c.ticks, uint64(queue)}, true
}

func (c *teller) Settled() bool { return c.idle >= c.settles }

// writer is a teller that counts what it is told, and writes that into fields.
type writer struct {
	teller
	arrived, left, mix uint64
}

func (c *writer) note(now unit.Time, wire unit.Bytes, f *protocol.Field) {
	c.mix = sim.Mix(c.mix ^ uint64(now) ^ uint64(wire)<<48 ^ c.ticks<<40)
	if f != nil {
		f[1] = sim.Mix(f[1] ^ c.mix)
	}
}

func (c *writer) Arrived(now unit.Time, wire unit.Bytes, f *protocol.Field) {
	c.arrived++
	c.note(now, wire, f)
}

func (c *writer) Left(now unit.Time, wire unit.Bytes, f *protocol.Field) {
	c.left++
	c.note(now, wire, f)
}

// writers are controllers that see frames, beside what c has.
func writers(c fabric.ControlConfig) fabric.ControlConfig {
	made := c.New
	c.Fields = true
	c.New = func(env protocol.QueueEnv) protocol.QueueController { return &writer{teller: *made(env).(*teller)} }
	return c
}

// tellers tell the sources of all frames of a class, with frames of 64 B and another class.
func tellers(period unit.Time, class, reply uint8, settles uint64) fabric.ControlConfig {
	return fabric.ControlConfig{
		Class: class,
		Controller: protocol.Controller{
			Period: period, NoticeBytes: 64,
			New: func(protocol.QueueEnv) protocol.QueueController { return &teller{settles: settles} },
		},
		Reply: func(f *fabric.Frame) (fabric.Frame, bool) {
			n := fabric.Frame{Message: f.Message, Size: 64, Entropy: f.Entropy}
			n.Address(f.Dst(), f.Src(), 0)
			n.SetClass(reply, hashed)
			return n, true
		},
	}
}

// Two hosts send ten frames of one flow each to a third. Controllers tick once a
// period while the queue holds something, after what else happens then, make up for ticks with an empty
// queue until they settle, and tell both flows once per tick.
func TestControllerTicks(t *testing.T) {
	const ns = unit.Nanosecond
	g := graph(t, topo.Star{Hosts: 3, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	for _, tt := range []struct {
		queue  sim.QueueKind
		offset sim.Time // all is later by as much
	}{{sim.Calendar, 0}, {sim.Swept, 0}, {sim.Calendar, 100 * ns}, {sim.Swept, 299 * ns}} {
		var sends []send
		for k := range 10 {
			for src := range int32(2) {
				sends = append(sends, send{At: tt.offset, Src: src, Dst: 2, ID: uint32(7 + src), Size: 1000, Class: 1, Entropy: uint16(k)})
			}
		}
		var log []string
		control := tellers(300*ns, 1, 0, 2)
		control.Offset = tt.offset
		control.New = func(env protocol.QueueEnv) protocol.QueueController {
			if env.Class != 1 || env.Classes != 2 || env.Rate != 100*unit.Gbps || env.Rand == nil {
				t.Errorf("environment %+v", env)
			}
			return &teller{settles: 2, log: func(now unit.Time, queue unit.Bytes) {
				log = append(log, fmt.Sprintf("%d,%d", (now-tt.offset)/ns, queue))
			}}
		}
		n := setup{
			Graph: g, Queue: tt.queue, Sends: sends, Control: control,
			Port: func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Classes: 2, Limit: unit.MiB} },
		}.build(t)
		n.drain(t)
		if want := strings.Fields("300,0 600,0 1200,3000 1500,7000 1800,11000 2100,8000 2400,4000 2700,0"); !slices.Equal(log, want) {
			t.Errorf("%v: ticks %v, want %v", tt, log, want)
		}
		port := n.port(t, "tor0", "host2")
		for host := range 2 {
			var want []string
			for k, held := range []int{3000, 7000, 11000, 8000, 4000} {
				at := tt.offset + sim.Time(1200+300*k)*ns + (100 * unit.Gbps).Transmit(64) + unit.Microsecond
				want = append(want, fmt.Sprint(at, 7+host, port, [2]int{3 + k, held}))
			}
			var got []string
			for _, d := range n.logs[host] {
				got = append(got, fmt.Sprint(d.At, d.ID, " ", d.Stamps))
			}
			if strings.Join(got, "; ") != strings.Join(want, "; ") {
				t.Errorf("%v: host %d heard\n%v, want\n%v", tt, host, got, want)
			}
		}
		if total, _ := n.Totals(); total.Originated != 10 || total.OriginatedBytes != 640 || total.Delivered != 30 {
			t.Errorf("%v: totals %+v", tt, total)
		}
	}
}

// TestControllersAnyWay runs random frames through random networks with controllers: what hosts receive
// depends neither on how windows are run, nor on domains or threads.
func TestControllersAnyWay(t *testing.T) {
	fielded := 0
	rapid.Check(t, func(t *rapid.T) {
		delay := rapid.SampledFrom([]unit.Time{0, 100 * unit.Nanosecond, unit.Microsecond}).Draw(t, "delay")
		g := graph(t, topo.LeafSpine{
			ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: 100 * unit.Gbps, Delay: delay, SwitchLatency: rapid.SampledFrom([]unit.Time{0, 300 * unit.Nanosecond}).Draw(t, "latency"),
		})
		classes := rapid.IntRange(1, 3).Draw(t, "classes")
		class := func(name string) uint8 { return uint8(rapid.IntRange(0, 2).Draw(t, name)) }
		var sends []send
		for range rapid.IntRange(1, 60).Draw(t, "frames") {
			src := rapid.Int32Range(0, 5).Draw(t, "src")
			for range rapid.IntRange(1, 20).Draw(t, "burst") {
				sends = append(sends, send{
					At: sim.Time(rapid.IntRange(0, 200).Draw(t, "at")) * 80 * unit.Nanosecond, Src: src, Dst: (src + 1 + rapid.Int32Range(0, 4).Draw(t, "dst")) % 6,
					ID: uint32(rapid.IntRange(0, 9).Draw(t, "flow")), Size: uint16(1000 * rapid.IntRange(1, 3).Draw(t, "kB")),
					Class: class("class"), Spray: rapid.SampledFrom([]uint8{hashed, loaded}).Draw(t, "spray"),
					Field: rapid.Bool().Draw(t, "field"),
				})
			}
		}
		s := setup{
			Graph: g, Sends: sends,
			Control: tellers(sim.Time(rapid.IntRange(1, 20).Draw(t, "period"))*80*unit.Nanosecond, class("controlled"), class("replies"), uint64(rapid.IntRange(1, 5).Draw(t, "settles"))),
			Port:    func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Classes: classes, Limit: 20_000} },
		}
		if rapid.Bool().Draw(t, "fields") {
			fielded++
			s.Control = writers(s.Control)
		}
		if rapid.Bool().Draw(t, "stamps") {
			s.Telemetry.On = true
			for i := range s.Sends {
				s.Sends[i].Track = []packet.Flags{0, packet.Forward, packet.Backward}[i%3]
			}
		}
		if rapid.Bool().Draw(t, "pauses") {
			s.Pause = fabric.PauseConfig{
				Classes: 1<<classes - 1,
				Limits: func(topo.PortID) fabric.PauseLimits {
					return fabric.PauseLimits{Off: 20_000, Gap: 5000, Headroom: 100_000}
				},
			}
		}
		var want [][]delivery
		for _, way := range []struct {
			queue            sim.QueueKind
			domains, threads int
			observed         bool
		}{{sim.Calendar, 1, 1, false}, {sim.Swept, 1, 1, false}, {sim.Swept, 3, 2, false}, {sim.Calendar, 5, 3, false}, {sim.Heap, 2, 1, true}} {
			s := s
			s.Queue, s.Domains, s.Threads, s.Observed = way.queue, way.domains, way.threads, way.observed
			n := s.build(t)
			n.run(t, 5*unit.Microsecond+3)
			n.run(t, unit.Millisecond)
			if want == nil {
				want = n.logs
			}
			for h := range n.logs {
				if !slices.Equal(n.logs[h], want[h]) {
					t.Fatalf("%+v: host %d received\n%v, and otherwise\n%v", way, h, n.logs[h], want[h])
				}
			}
		}
	})
	if fielded == 0 {
		t.Error("no case has fields")
	}
}

// Controllers allocate nothing once everything has reached its size.
func TestControllersAllocateNothing(t *testing.T) {
	g := graph(t, topo.LeafSpine{ToRs: 4, HostsPerToR: 4, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	for _, queue := range []sim.QueueKind{sim.Calendar, sim.Swept} {
		n, err := fabric.New(fabric.Config{
			Graph: g, Tables: tables(t, g, nil), Domain: topo.Partition(g, 2), Sprays: sprays, Queue: queue,
			Control: writers(tellers(2*unit.Microsecond, 1, 0, 2)),
			Port:    func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Classes: 3, Limit: 50 * unit.KiB} },
			Endpoint: func(d *fabric.Domain) fabric.Endpoint {
				for h := range d.Hosts {
					d.SetTimer(int32(h), 0)
				}
				return &blaster{d: d, hosts: int32(len(g.Hosts)), fields: true}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		n.Run(400*unit.Microsecond, 1)
		var before, after runtime.MemStats
		start, _ := n.Totals()
		runtime.ReadMemStats(&before)
		n.Run(800*unit.Microsecond, 1)
		runtime.ReadMemStats(&after)
		end, _ := n.Totals()
		frames, notices := end.Injected-start.Injected, end.Originated-start.Originated
		if allocations := after.Mallocs - before.Mallocs; notices < 1000 || allocations*1000 > frames {
			t.Errorf("%v: %d allocations for %d frames and %d notices", queue, allocations, frames, notices)
		}
	}
}

// TestNewRefusesControllers that have no period, or nothing that makes notices.
func TestNewRefusesControllers(t *testing.T) {
	g := graph(t, topo.Star{Hosts: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	for want, change := range map[string]func(*fabric.ControlConfig){
		"the period of controllers is 0s":  func(c *fabric.ControlConfig) { c.Period = 0 },
		"the offset of controllers is 1us": func(c *fabric.ControlConfig) { c.Offset = c.Period },
		"notices of controllers have -1B":  func(c *fabric.ControlConfig) { c.NoticeBytes = -1 },
		"nothing makes the notices":        func(c *fabric.ControlConfig) { c.Reply = nil },
	} {
		c := tellers(unit.Microsecond, 0, 0, 1)
		change(&c)
		_, err := fabric.New(fabric.Config{Graph: g, Domain: make([]int32, len(g.Nodes)), Control: c})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// recorder notes of every frame when it arrived and left, with the ticks before, and writes that into fields.
type recorder struct{ teller }

func (c *recorder) Arrived(now unit.Time, _ unit.Bytes, f *protocol.Field) {
	if f != nil {
		f[0], f[1] = 1000*f[0]+uint64(now/unit.Nanosecond), c.ticks
	}
}

func (c *recorder) Left(now unit.Time, _ unit.Bytes, f *protocol.Field) {
	if f != nil {
		f[0], f[1] = 100_000*f[0]+uint64(now/unit.Nanosecond), 1000*f[1]+c.ticks
	}
}

// Three frames of 1250 B, 100 ns each, come to a port at 1100, 1200 and 1300 ns, and with the first two that have no
// field, of other hosts: one goes before it, the other one after. The port writes when each arrived and began to leave,
// and how many ticks there were until then, every 200 ns: also those that it slept through, and that of an
// instant only after all frames of it.
func TestFieldsAreWritten(t *testing.T) {
	const ns = unit.Nanosecond
	g := graph(t, topo.Star{Hosts: 4, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	for _, queue := range []sim.QueueKind{sim.Calendar, sim.Swept} {
		sends := []send{{Src: 2, Dst: 3, ID: 9, Size: 1250}, {Src: 1, Dst: 3, ID: 9, Size: 1250}}
		for k := range uint32(3) {
			sends = append(sends, send{Src: 0, Dst: 3, ID: k, Size: 1250, Field: true})
		}
		control := tellers(200*ns, 0, 0, 0)
		control.NoticeBytes, control.Reply, control.Fields = 0, nil, true
		control.New = func(protocol.QueueEnv) protocol.QueueController { return &recorder{teller{settles: 1000}} }
		n := setup{Graph: g, Queue: queue, Sends: sends, Control: control}.build(t)
		n.drain(t)
		var got []string
		for _, d := range n.logs[3] {
			if d.Src == 0 {
				got = append(got, d.Stamps)
			}
		}
		want := []string{"0 [][110001200 5005]", "0 [][220001400 5006]", "0 [][330001500 6007]"}
		if !slices.Equal(got, want) {
			t.Errorf("%v: fields %v, want %v", queue, got, want)
		}
		if total, _ := n.Totals(); total.Originated != 0 {
			t.Errorf("%v: %d notices of controllers without any", queue, total.Originated)
		}
	}
}
