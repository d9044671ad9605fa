package transport

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// heard is what a chatterer's host was told.
type heard struct {
	At    unit.Time
	Value uint32
	Was   string
}

// chatterer answers what it is told with signals and messages at random, from a
// stream of its own, so that anything that comes in another order shows.
type chatterer struct {
	self, hosts int32
	rng         *rand.Rand
	left        int
	messages    []workload.Message
	signals     [][2]uint32
	log         []heard
	beside      []int32
}

func (c *chatterer) Beside() []int32 { return c.beside }

func (c *chatterer) Due() (unit.Time, bool) {
	if len(c.messages) == 0 {
		return 0, false
	}
	return c.messages[0].At, true
}

func (c *chatterer) Next() (workload.Message, bool) {
	if len(c.messages) == 0 {
		return workload.Message{}, false
	}
	m := c.messages[0]
	c.messages = c.messages[1:]
	return m, true
}

func (c *chatterer) Emit() (int32, uint32, bool) {
	if len(c.signals) == 0 {
		return 0, 0, false
	}
	s := c.signals[0]
	c.signals = c.signals[1:]
	return int32(s[0]), s[1], true
}

func (c *chatterer) note(now unit.Time, value uint32, was string) {
	c.log = append(c.log, heard{now, value, was})
	if c.left == 0 {
		return
	}
	c.left--
	for range c.rng.IntN(4) {
		c.signals = append(c.signals, [2]uint32{uint32(c.rng.IntN(int(c.hosts))), c.rng.Uint32N(1000)})
	}
	if c.rng.IntN(3) == 0 {
		dst := (c.self + 1 + c.rng.Int32N(c.hosts-1)) % c.hosts
		c.messages = append(c.messages, workload.Message{At: now, Dst: dst, Size: unit.Bytes(1 + c.rng.IntN(3*payload))})
	}
}

func (c *chatterer) Completed(now unit.Time, ordinal uint64) {
	c.note(now, uint32(ordinal), "completed")
}
func (c *chatterer) Signalled(now unit.Time, _ int32, value uint32) { c.note(now, value, "signalled") }
func (c *chatterer) Received(now unit.Time, src int32, ordinal uint64) {
	c.note(now, uint32(src)<<16+uint32(ordinal), "received")
}

// TestSignalsOverCuts has hosts signal to each other all the time, in two groups
// and over links of equal delays, so that many signals come at one instant: what
// each source is told, and when, depends on neither domains nor threads.
func TestSignalsOverCuts(t *testing.T) {
	t.Run("equal links", func(t *testing.T) { signalsOverCuts(t, unit.Microsecond) })
	// Two domains leave the short link whole, and could have longer windows.
	t.Run("a short link", func(t *testing.T) { signalsOverCuts(t, 100*unit.Nanosecond) })
	// The hosts of one machine are at one switch, those of the other at two.
	t.Run("machines", func(t *testing.T) { signalsOverCuts(t, unit.Microsecond, []int32{0, 1}, []int32{5, 7, 8}) })
}

func signalsOverCuts(t *testing.T, shortest unit.Time, machines ...[]int32) {
	const hosts = 12
	g := graph(t, topo.LeafSpine{ToRs: 4, HostsPerToR: 3, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 200 * unit.Nanosecond})
	for i := range g.Links {
		if l := &g.Links[i]; g.Nodes[l.A].Name == "tor3" && g.Nodes[l.B].Name == "spine0" {
			l.Delay = shortest
		}
	}
	delay := fabric.LeastSignalDelay(g)
	if want := shortest + 200*unit.Nanosecond; delay != want {
		t.Fatalf("signals take %v, want %v", delay, want)
	}
	run := func(domains, threads int, kind sim.QueueKind) (logs [][]heard, messages []Message) {
		var groups []Group
		var all []*chatterer
		for k := range 2 {
			sources := make([]workload.Source, hosts)
			for h := range sources {
				c := &chatterer{self: int32(h), hosts: hosts, rng: rand.New(rand.NewPCG(uint64(h), uint64(k))), left: 60}
				c.messages = []workload.Message{{Dst: int32((h + 5) % hosts), Size: payload}}
				for _, m := range machines {
					if slices.Contains(m, int32(h)) {
						c.beside = m
					}
				}
				sources[h], all = c, append(all, c)
			}
			groups = append(groups, Group{Params: params(2 * payload), Sources: sources})
		}
		messages = labConfig{Graph: g, Domains: domains, Threads: threads, Queue: kind, Groups: groups, SignalDelay: delay, Together: machines}.build(t).finish(t)
		for _, c := range all {
			logs = append(logs, c.log)
		}
		return logs, messages
	}
	want, wantMessages := run(1, 1, sim.Calendar)
	signals := 0
	for _, log := range want {
		for _, e := range log {
			if e.Was == "signalled" {
				signals++
			}
		}
	}
	if signals < 400 || len(wantMessages) < 100 {
		t.Fatalf("only %d signals and %d messages: the test does not reach what it is for", signals, len(wantMessages))
	}
	for _, c := range []struct {
		domains, threads int
		kind             sim.QueueKind
	}{{2, 1, sim.Heap}, {3, 2, sim.Calendar}, {100, 2, sim.Heap}, {100, 1, sim.Calendar}, {1, 1, sim.Swept}, {100, 2, sim.Swept}} {
		t.Run(fmt.Sprintf("%d domains, %d threads, queue %d", c.domains, c.threads, c.kind), func(t *testing.T) {
			got, gotMessages := run(c.domains, c.threads, c.kind)
			if diff := cmp.Diff(wantMessages, gotMessages); diff != "" {
				t.Fatalf("messages (-one domain +these):\n%s", diff)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("what sources were told (-one domain +these):\n%s", diff)
			}
		})
	}
}

// speaker signals once when its message is completed.
type speaker struct {
	list
	to   []int32
	told []unit.Time
	done unit.Time
}

func (s *speaker) Due() (unit.Time, bool) {
	if len(s.list) == 0 {
		return 0, false
	}
	return s.list[0].At, true
}
func (s *speaker) Completed(now unit.Time, _ uint64) {
	s.done, s.to = now, []int32{0, 1}
}
func (s *speaker) Received(unit.Time, int32, uint64)          {}
func (s *speaker) Signalled(now unit.Time, _ int32, _ uint32) { s.told = append(s.told, now) }
func (s *speaker) Emit() (to int32, value uint32, ok bool) {
	if len(s.to) == 0 {
		return 0, 0, false
	}
	to, s.to = s.to[0], s.to[1:]
	return to, 0, true
}

// TestSignalDelay finds that a signal acts at once at its own host and after the
// delay at another.
func TestSignalDelay(t *testing.T) {
	g := star(t, 2)
	a, b := &speaker{list: list{message1(payload)}}, &speaker{}
	labConfig{
		Graph: g, SignalDelay: fabric.LeastSignalDelay(g),
		Groups: []Group{{Params: params(unit.MiB), Sources: []workload.Source{a, b}}},
	}.build(t).finish(t)
	if diff := cmp.Diff([][]unit.Time{{a.done}, {a.done + unit.Microsecond}}, [][]unit.Time{a.told, b.told}); diff != "" {
		t.Errorf("signals of hosts 0 and 1 (-want +got):\n%s", diff)
	}
}

// TestSignalBeside finds that signals between hosts of one machine act at once, also where the host that is signalled
// to has had its turn of the window.
func TestSignalBeside(t *testing.T) {
	for _, kind := range []sim.QueueKind{sim.Swept, sim.Calendar} {
		for from := range 2 {
			g := star(t, 2)
			hosts := [2]*together{{}, {}}
			hosts[from].list = list{message1(payload)}
			network := labConfig{
				Graph: g, SignalDelay: fabric.LeastSignalDelay(g), Together: [][]int32{{0, 1}}, Queue: kind,
				Groups: []Group{{Params: params(unit.MiB), Sources: []workload.Source{hosts[0], hosts[1]}}},
			}
			if from == 1 {
				hosts[1].list[0].Dst = 0
			}
			network.build(t).finish(t)
			done := []unit.Time{hosts[from].done}
			if diff := cmp.Diff([][]unit.Time{done, done}, [][]unit.Time{hosts[0].told, hosts[1].told}); diff != "" || done[0] == 0 {
				t.Errorf("queue %d, signals of hosts 0 and 1 from %d (-want +got):\n%s", kind, from, diff)
			}
		}
	}
}

// together is a speaker that has a machine with the other host.
type together struct{ speaker }

func (*together) Beside() []int32 { return []int32{0, 1} }
