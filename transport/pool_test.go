package transport

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// restarting notes when it starts and restarts.
type restarting struct {
	*fixed
	restarts *[]unit.Time
}

func (c restarting) Restart(now unit.Time) { *c.restarts = append(*c.restarts, now) }

// tell makes the connections' controls one that notes starts and restarts, and the entropy
// of each connection the number in which it was made, from 1.
func tell(p *Params) (control *fixed, restarts *[]unit.Time) {
	control, restarts = watch(p, unit.MiB), new([]unit.Time)
	p.Congestion.New = func(protocol.Env) protocol.Congestion { return restarting{control, restarts} }
	made := uint16(0)
	p.Balancer.New = func(protocol.Env) protocol.Entropy {
		made++
		return &constant{v: made}
	}
	return control, restarts
}

// TestPool sends messages of one pair over two connections: the third message waits for
// one, later ones take the connection that was freed last, and other pairs have pools of
// their own.
func TestPool(t *testing.T) {
	const us = unit.Microsecond
	p := params(unit.MiB)
	p.Pool = 2
	control, restarts := tell(&p)
	var order []uint32             // messages by their first packets
	entropy := map[uint32]uint16{} // connection of each message
	l := labConfig{
		Graph: star(t, 3),
		Groups: []Group{{Params: p, Sources: from(0, 3,
			workload.Message{At: 0, Dst: 1, Size: 60 * payload},
			workload.Message{At: 0, Dst: 1, Size: 10 * payload},
			workload.Message{At: 0, Dst: 1, Size: payload},
			workload.Message{At: 0, Dst: 1, Size: payload},
			workload.Message{At: 0, Dst: 2, Size: payload},
			workload.Message{At: 1000 * us, Dst: 1, Size: payload},
		)}},
		hooks: hooks{sent: func(_ sim.Time, _ int32, f *fabric.Frame) {
			if f.Kind == end.Data && f.Seq == 0 {
				order = append(order, f.Serial)
				entropy[f.Serial] = f.Entropy
			}
		}},
	}.build(t)
	messages := l.finish(t)
	if want := []uint32{0, 1, 4, 2, 3, 5}; !slices.Equal(order, want) {
		t.Errorf("messages began in the order %v, want %v", order, want)
	}
	// The second connection is freed first, and carries messages 2 and 3 after 1; then the
	// first one is freed, which message 5 takes.
	if diff := cmp.Diff(map[uint32]uint16{0: 1, 1: 2, 4: 3, 2: 2, 3: 2, 5: 1}, entropy); diff != "" {
		t.Errorf("connections of messages (-want +got):\n%s", diff)
	}
	if want := []unit.Time{messages[1].SenderEnd, messages[2].SenderEnd, 1000 * us}; !slices.Equal(*restarts, want) {
		t.Errorf("controls restarted at %v, want %v", *restarts, want)
	}
	if len(control.starts) != 3 {
		t.Errorf("%d connections, want 3", len(control.starts))
	}
	for _, m := range messages[:5] {
		if m.Start != 0 {
			t.Errorf("a message that waits began at %v", m.Start)
		}
	}
}

// TestPoolInTurn sends messages of one pair over two connections in turn: the third one goes
// behind the first, which is not done, and restarts its control, which a control below one
// packet is let go on by.
func TestPoolInTurn(t *testing.T) {
	const us = unit.Microsecond
	p := params(unit.MiB)
	p.Pool, p.Turns = 2, true
	control, restarts := tell(&p)
	type packet struct{ message, connection, number int }
	var last []packet // of each message
	l := labConfig{
		Graph: star(t, 3),
		Groups: []Group{{Params: p, Sources: from(0, 3,
			workload.Message{At: 0, Dst: 1, Size: 60 * payload},
			workload.Message{At: 0, Dst: 1, Size: payload},
			workload.Message{At: 0, Dst: 2, Size: payload},
			workload.Message{At: us, Dst: 1, Size: 2 * payload},
			workload.Message{At: us, Dst: 1, Size: payload},
			workload.Message{At: 1000 * us, Dst: 1, Size: payload},
		)}},
		hooks: hooks{sent: func(_ sim.Time, _ int32, f *fabric.Frame) {
			if f.Kind == end.Data {
				p := packet{int(f.Serial), int(f.Entropy), int(f.Seq)}
				if n := len(last); n > 0 && last[n-1].message == p.message {
					last[n-1] = p
				} else {
					last = append(last, p)
				}
			}
		}},
	}.build(t)
	l.finish(t)
	of := map[int]packet{}
	for _, p := range last {
		of[p.message] = p
	}
	want := map[int]packet{0: {0, 1, 59}, 1: {1, 2, 0}, 2: {2, 3, 0}, 3: {3, 1, 1}, 4: {4, 2, 0}, 5: {5, 1, 0}}
	if diff := cmp.Diff(want, of, cmp.AllowUnexported(packet{})); diff != "" {
		t.Errorf("connections of messages, and their last packets (-want +got):\n%s", diff)
	}
	at := func(message int) int {
		return slices.IndexFunc(last, func(p packet) bool { return p == want[message] })
	}
	if at(3) < at(0) || at(4) > at(0) {
		t.Errorf("packets left as %v: message 3 is to go behind message 0, and message 4 not", last)
	}
	if w := []unit.Time{us, us, 1000 * us}; !slices.Equal(*restarts, w) {
		t.Errorf("controls restarted at %v, want %v", *restarts, w)
	}
	if len(control.starts) != 3 {
		t.Errorf("%d connections, want 3", len(control.starts))
	}
}

// TestConnectionsOfPools: what can be seen of a pool's connection stays the same from one
// message to the next, and is there once however many messages it carries.
func TestConnectionsOfPools(t *testing.T) {
	const us = unit.Microsecond
	for _, turns := range []bool{false, true} {
		p := params(2 * payload)
		p.Pool, p.Turns = 1, turns
		l := labConfig{
			Graph: star(t, 2),
			Groups: []Group{{Params: p, Sources: from(0, 2,
				workload.Message{At: 0, Dst: 1, Size: 40 * payload},
				workload.Message{At: 0, Dst: 1, Size: 40 * payload},
			)}},
		}.build(t)
		var seen []Connection
		for at := us; at < 200*us; at += us {
			l.run(t, at)
			for _, c := range l.transport.Connections(func(int32, int32) bool { return true }) {
				seen = append(seen, c.Identity())
			}
		}
		if want := (Connection{Dst: 1, Ordinal: 1}); len(seen) == 0 || slices.ContainsFunc(seen, func(c Connection) bool { return c != want }) {
			t.Errorf("in turn %t: saw %v, want %v throughout", turns, slices.Compact(seen), want)
		}
	}
}

// TestRestartWakes has a connection that holds back between packets let go on by a message
// that restarts its window, whether that finds it idle or takes it in turn.
func TestRestartWakes(t *testing.T) {
	const us = unit.Microsecond
	for _, c := range []struct {
		name  string
		with  func(*Params)
		first unit.Bytes // idle soon, or held with a packet to send
	}{
		{"pool", func(p *Params) { p.Pool = 1 }, payload},
		{"pool in turn", func(p *Params) { p.Pool, p.Turns = 1, true }, 2 * payload},
		{"pair", func(p *Params) { p.PerPair = true }, payload},
	} {
		p := params(payload / 2)
		c.with(&p)
		p.Congestion = protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion {
			return waking{&slow{fixed: fixed{window: payload / 2}, gap: 100 * us}}
		}}
		var sent []sim.Time
		l := labConfig{
			Graph: star(t, 2),
			Groups: []Group{{Params: p, Sources: from(0, 2,
				workload.Message{At: 0, Dst: 1, Size: c.first},
				workload.Message{At: 30 * us, Dst: 1, Size: payload},
			)}},
			hooks: hooks{sent: func(now sim.Time, _ int32, f *fabric.Frame) {
				if f.Kind == end.Data {
					sent = append(sent, now)
				}
			}},
		}.build(t)
		l.finish(t)
		want := int(c.first/payload) + 1
		if len(sent) != want || sent[0] != 0 || sent[1] != 30*us || sent[want-1] > 31*us {
			t.Errorf("%s: packets left at %v, want one at 0 and the others from 30us on", c.name, sent)
		}
	}
}

// waking wants ten packets in flight once it is restarted.
type waking struct{ *slow }

func (c waking) Restart(unit.Time) { c.gap, c.window = 0, 10*payload }

// TestReply makes the acknowledgement longer that completes a message, whichever packet
// it is for.
func TestReply(t *testing.T) {
	for _, every := range []int{1, 4} {
		p := params(unit.MiB)
		p.Reply, p.AckEvery = 84, every
		sizes := map[uint16]int{}
		l := labConfig{
			Graph:  star(t, 2),
			Groups: []Group{{Params: p, Sources: from(0, 2, message1(8*payload), message1(1))}},
			hooks: hooks{sent: func(_ sim.Time, _ int32, f *fabric.Frame) {
				if f.Kind == end.Ack {
					sizes[f.Size]++
				}
			}},
		}.build(t)
		l.finish(t)
		if sizes[ackSize+84] != 2 || sizes[ackSize] == 0 || len(sizes) != 2 {
			t.Errorf("acknowledgements of every %d: sizes %v", every, sizes)
		}
	}
}

// slow wants half a packet in flight.
type slow struct {
	fixed
	gap unit.Time
}

func (c *slow) Pace() protocol.Pace { return protocol.Pace{Gap: c.gap} }

// TestPacing sends a packet every gap, and all at once when the gap ends.
func TestPacing(t *testing.T) {
	const us = unit.Microsecond
	p := params(payload / 2)
	var control *slow
	p.Congestion = protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion {
		control = &slow{fixed: fixed{window: payload / 2}, gap: 50 * us}
		return control
	}}
	var sent []sim.Time
	l := labConfig{
		Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(6*payload))}},
		hooks: hooks{
			sent: func(now sim.Time, _ int32, f *fabric.Frame) {
				if f.Kind == end.Data {
					sent = append(sent, now)
					if f.Seq == 3 {
						control.gap, control.window = 0, 10*payload
					}
				}
			},
		},
	}.build(t)
	l.finish(t)
	if want := []sim.Time{0, 50 * us, 100 * us, 150 * us}; len(sent) != 6 || !slices.Equal(sent[:4], want) {
		t.Fatalf("packets left at %v, want %v and two more", sent, want)
	}
	if late := sent[5] - sent[3]; late >= 50*us {
		t.Errorf("the last packet left %v after the gap ended", late)
	}
}

// TestNICQueue hands all that windows allow to the host's queue at once: a short message
// waits behind a long one, and data that finds too much is marked.
func TestNICQueue(t *testing.T) {
	p := params(unit.MiB)
	marked, acks := 0, 0
	c := labConfig{
		Graph: star(t, 3),
		Groups: []Group{{Params: p, Sources: from(0, 3,
			workload.Message{Dst: 1, Size: 10 * payload}, workload.Message{Dst: 2, Size: 1})}},
		hooks: hooks{received: func(_ sim.Time, _ int32, f *fabric.Frame) bool {
			if f.Kind == end.Data && f.Flags&packet.Marked != 0 {
				marked++
			}
			if f.Kind == end.Ack && f.Bits&end.Marked != 0 {
				acks++
			}
			return true
		}},
	}
	pulled := c.build(t).finish(t)
	c.NIC = &NICQueue{Mark: true, Thresholds: slices.Repeat([]unit.Bytes{4 * (payload + header)}, 3)}
	c.Groups[0].Sources = from(0, 3, workload.Message{Dst: 1, Size: 10 * payload}, workload.Message{Dst: 2, Size: 1})
	queued := c.build(t).finish(t)
	if queued[0].End >= pulled[0].End || queued[1].End <= pulled[1].End {
		t.Errorf("queued: messages end at %v and %v; pulled: at %v and %v", queued[0].End, queued[1].End, pulled[0].End, pulled[1].End)
	}
	// Frames 5 to 9 of the first message find more than four before them; so does the
	// second message. (The first is on the wire, and counts until it is pulled.)
	if marked != acks || marked < 5 || marked > 7 {
		t.Errorf("%d packets arrived marked, and %d marks came back", marked, acks)
	}
	all := marked
	marked, acks = 0, 0
	c.NIC.SpareFirst = true
	c.Groups[0].Sources = from(0, 3, workload.Message{Dst: 1, Size: 10 * payload}, workload.Message{Dst: 2, Size: 1})
	c.build(t).finish(t)
	if marked != all-1 || acks != marked {
		t.Errorf("with the first spared, %d packets arrived marked, and %d marks came back", marked, acks)
	}
}

// racks is six hosts on three switches, over two others.
func racks(t rapid.TB) *topo.Graph {
	return graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond / 2, SwitchLatency: unit.Microsecond / 4})
}

// TestPoolsOfScenes sends random messages over pools, with and without a queue at hosts:
// all arrive, and neither cuts nor threads change when.
func TestPoolsOfScenes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const hosts = 6
		p := params(unit.Bytes(rapid.IntRange(1, 8).Draw(t, "window")) * payload)
		p.Pool = rapid.IntRange(1, 3).Draw(t, "pool")
		p.Turns = rapid.Bool().Draw(t, "turns")
		p.Reply = unit.Bytes(rapid.IntRange(0, 100).Draw(t, "reply"))
		p.AckEvery = rapid.IntRange(1, 3).Draw(t, "every")
		p.AckDelay = 10 * unit.Microsecond
		lists := make([][]workload.Message, hosts)
		for range rapid.IntRange(1, 60).Draw(t, "messages") {
			src := rapid.IntRange(0, hosts-1).Draw(t, "src")
			at := unit.Time(len(lists[src])) * unit.Time(rapid.IntRange(0, 5).Draw(t, "gap")) * unit.Microsecond
			if n := len(lists[src]); n > 0 {
				at = max(at, lists[src][n-1].At)
			}
			lists[src] = append(lists[src], workload.Message{
				At: at, Dst: int32((src + rapid.IntRange(1, 2).Draw(t, "to")) % hosts),
				Size: unit.Bytes(rapid.IntRange(1, 10*payload).Draw(t, "size")),
			})
		}
		var nic *NICQueue
		if rapid.Bool().Draw(t, "queue at hosts") {
			nic = &NICQueue{Mark: true, Thresholds: slices.Repeat([]unit.Bytes{2 * payload}, hosts)}
		}
		var want []Message
		for _, domains := range []int{1, 3} {
			sources := make([]workload.Source, hosts)
			for h := range sources {
				l := list(slices.Clone(lists[h]))
				sources[h] = &l
			}
			c := labConfig{Graph: racks(t), Domains: domains, Threads: domains, Groups: []Group{{Params: p, Sources: sources}}, NIC: nic}
			got := c.build(t).finish(t)
			if want == nil {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d domains (-one +these):\n%s", domains, diff)
			}
		}
	})
}
