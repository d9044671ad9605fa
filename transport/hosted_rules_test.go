package transport

import (
	"fmt"
	"strings"
	"testing"

	"weft/protocol"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// meddler is blast with mistakes.
type meddler struct {
	*blast
	next     func(p *protocol.Packet)
	received func(p *protocol.Packet, fresh unit.Bytes) unit.Bytes
	event    func(v *protocol.HostEvent) (times int)
	deadline func(at unit.Time, ok bool) (unit.Time, bool)
}

func (m *meddler) Next(now unit.Time, p *protocol.Packet) bool {
	ok := m.blast.Next(now, p)
	if ok && m.next != nil {
		m.next(p)
	}
	return ok
}

func (m *meddler) Receive(now unit.Time, p *protocol.Packet) unit.Bytes {
	fresh := m.blast.Receive(now, p)
	if m.received != nil {
		fresh = m.received(p, fresh)
	}
	if m.event != nil {
		out := m.env.Out
		told := out.Events
		out.Events = nil
		for _, v := range told {
			for range m.event(&v) {
				out.Report(v)
			}
		}
	}
	return fresh
}

func (m *meddler) Deadline() (unit.Time, bool) {
	at, ok := m.blast.Deadline()
	if m.deadline != nil {
		return m.deadline(at, ok)
	}
	return at, ok
}

// mistakes has every rule that a transport of hosts can break, each broken by a mistake that
// is easily made, and what is said of it.
var mistakes = []struct {
	name string
	m    meddler
	want string
}{
	{"group", meddler{next: onData(func(p *protocol.Packet) { p.Group = 7 })}, "its group must be that of its message"},
	{"group of connections", meddler{next: onData(func(p *protocol.Packet) { p.Group = 1 })}, "its group must be that of its message"},
	{"group out of all range", meddler{next: onData(func(p *protocol.Packet) { p.Group = 200 })}, "its group must be that of its message"},
	{"peer", meddler{next: onDone(func(p *protocol.Packet) { p.Peer = 3 })}, "its peer must be one of HostEnv.Hosts, which is 3"},
	{"negative peer", meddler{next: onData(func(p *protocol.Packet) { p.Peer = -1 })}, "its peer must be one of HostEnv.Hosts"},
	{"peer is oneself", meddler{next: onData(func(p *protocol.Packet) { p.Peer = 0 })}, "its peer must be another host"},
	{"kind", meddler{next: onDone(func(p *protocol.Packet) { p.Kind = 17 })}, "kind must be below protocol.HostKinds, which is 16"},
	{"class", meddler{next: onData(func(p *protocol.Packet) { p.Class = 7 })}, "of class 7; its class must be below HostEnv.Classes, which is 1"},
	{"wire of a header too much", meddler{next: onData(func(p *protocol.Packet) { p.Wire += 8 })}, "of 4168 B; with the header its wire size must be 4160 B"},
	{"wire without header", meddler{next: onData(func(p *protocol.Packet) { p.Wire = p.Payload })}, "of 4096 B; with the header its wire size must be 4160 B"},
	{"wire beyond 16 bits", meddler{next: onData(func(p *protocol.Packet) { p.Wire += 70_000 })}, "with the header its wire size must be 4160 B"},
	{"control beyond 16 bits", meddler{next: onDone(func(p *protocol.Packet) { p.Wire += 70_000 })}, "its wire size must be from 1 to 65535 B"},
	{"more than there is room for", meddler{next: onDone(func(p *protocol.Packet) { p.More = &protocol.More{Length: 129} })}, "and 129 B of More; it must say at most protocol.MostMore, which is 128 B"},
	{"no wire", meddler{next: onDone(func(p *protocol.Packet) { p.Wire = 0 })}, "its wire size must be from 1 to 65535 B"},
	{"payload", meddler{next: onData(func(p *protocol.Packet) { p.Payload, p.Wire = 2*payload, 2*payload+header })}, "its payload must be from 0 to 4096 B"},
	{"negative payload", meddler{next: onDone(func(p *protocol.Packet) { p.Payload = -1 })}, "its payload must be from 0 to 4096 B"},
	{"no tag", meddler{next: onData(func(p *protocol.Packet) { p.Tag = 0 })}, "its tag must be that of a message that was submitted"},
	{"tag cut to 32 bits", meddler{next: onData(func(p *protocol.Packet) { p.Tag = uint64(uint32(p.Tag)) })}, "its tag must be that of a message that was submitted"},
	{"tag of another message", meddler{next: onData(func(p *protocol.Packet) { p.Tag++ })}, "the message with its tag is to host 2"},
	{"resent with a wrong tag", meddler{next: onData(func(p *protocol.Packet) { p.Tag, p.Flags = 9, p.Flags|protocol.Resent })}, "its tag must be that of a message that was submitted"},

	{"fresh", meddler{received: func(p *protocol.Packet, fresh unit.Bytes) unit.Bytes { return p.Size }}, "Receive returned 8192 B of new payload for a packet that carries 4096 B"},
	{"negative fresh", meddler{received: func(p *protocol.Packet, fresh unit.Bytes) unit.Bytes { return -fresh }}, "Receive returned -4096 B of new payload"},
	{"too little is fresh", meddler{received: func(p *protocol.Packet, fresh unit.Bytes) unit.Bytes { return fresh / 2 }}, "it must count every byte once"},

	{"delivered with a wrong tag", meddler{event: on(protocol.MessageDelivered, func(v *protocol.HostEvent) { v.Tag++ })}, "it must do so within the call of Receive that brings the last byte"},
	{"delivered with a wrong peer", meddler{event: on(protocol.MessageDelivered, func(v *protocol.HostEvent) { v.Peer = 99 })}, "MessageDelivered for group 0, peer 99"},
	{"delivered with a wrong group", meddler{event: on(protocol.MessageDelivered, func(v *protocol.HostEvent) { v.Group = 40 })}, "MessageDelivered for group 40"},
	{"delivered with wrong bytes", meddler{event: on(protocol.MessageDelivered, func(v *protocol.HostEvent) { v.Bytes = 1 })}, "they must be the payload of the message"},
	{"delivered twice", meddler{event: func(v *protocol.HostEvent) int { return 2 - int(v.Kind) }}, "it must be reported once for each"},
	{"never delivered", meddler{event: func(v *protocol.HostEvent) int { return int(v.Kind) }}, "it must be reported once for each"},
	{"completed with a wrong tag", meddler{event: on(protocol.MessageCompleted, func(v *protocol.HostEvent) { v.Tag += 5 })}, "it reported MessageCompleted for group 0, peer 1 and tag"},
	{"completed with no tag", meddler{event: on(protocol.MessageCompleted, func(v *protocol.HostEvent) { v.Tag = 0 })}, "that was submitted and was not reported as completed"},
	{"completed with a wrong peer", meddler{event: on(protocol.MessageCompleted, func(v *protocol.HostEvent) { v.Peer = 0 })}, "it reported MessageCompleted for group 0, peer 0"},
	{"completed with a wrong group", meddler{event: on(protocol.MessageCompleted, func(v *protocol.HostEvent) { v.Group = 1 })}, "it reported MessageCompleted for group 1"},
	{"completed with a group out of range", meddler{event: on(protocol.MessageCompleted, func(v *protocol.HostEvent) { v.Group = 77 })}, "it reported MessageCompleted for group 77"},
	{"completed twice", meddler{event: func(v *protocol.HostEvent) int { return 1 + int(v.Kind) }}, "was not reported as completed"},
	{"lost with a wrong tag", meddler{event: on(protocol.MessageCompleted, func(v *protocol.HostEvent) { v.Kind, v.Tag = protocol.PacketLost, 9 })}, "it reported PacketLost for group 0, peer 1 and tag 9"},
	{"no such event", meddler{event: on(protocol.MessageCompleted, func(v *protocol.HostEvent) { v.Kind = 9 })}, "it reported an event of unknown kind 9"},

	{"deadline for ever", meddler{deadline: func(unit.Time, bool) (unit.Time, bool) { return 0, true }}, "it must return a later one, or false"},
}

func onData(do func(p *protocol.Packet)) func(p *protocol.Packet) {
	return onKind(blastData, do)
}

func onDone(do func(p *protocol.Packet)) func(p *protocol.Packet) {
	return onKind(blastDone, do)
}

func onKind(kind uint8, do func(p *protocol.Packet)) func(p *protocol.Packet) {
	return func(p *protocol.Packet) {
		if p.Kind == kind {
			do(p)
		}
	}
}

func on(kind protocol.HostEventKind, do func(v *protocol.HostEvent)) func(v *protocol.HostEvent) int {
	return func(v *protocol.HostEvent) int {
		if v.Kind == kind {
			do(v)
		}
		return 1
	}
}

// TestRulesOfHostTransports makes each mistake and demands that it is told, the same for every
// cut, and that no host goes on with it.
func TestRulesOfHostTransports(t *testing.T) {
	for _, tt := range mistakes {
		t.Run(tt.name, func(t *testing.T) {
			var first *Breach
			for _, cut := range [][2]int{{1, 1}, {4, 2}} {
				p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport {
					m := tt.m
					m.blast = newBlast(env)
					return &m
				})
				g := graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 1, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 100 * unit.Nanosecond})
				n := len(g.Hosts)
				l := labConfig{Graph: g, Domains: cut[0], Threads: cut[1], Groups: []Group{
					{Name: "own", Params: p, Sources: from(0, n, message1(2*payload), workload.Message{Dst: 2, Size: 2 * payload}, message1(payload))},
					{Name: "other", Params: params(0), Sources: from(1, n, workload.Message{Dst: 0, Size: payload})},
				}}.build(t)
				l.Run(unit.Millisecond, l.threads)
				b := l.transport.Breach()
				if b == nil {
					b = l.transport.Settled(unit.Millisecond)
				}
				if b == nil || !strings.Contains(b.Rule, tt.want) {
					t.Fatalf("told %+v, want %q", b, tt.want)
				}
				if err := l.Check(); err != nil {
					t.Error(err)
				}
				if first == nil {
					first = b
				} else if *b != *first {
					t.Errorf("told %+v, and %+v with another cut", first, b)
				}
			}
		})
	}
}

// TestSmallPacketsMayBeFilledUp lets a packet be as large as a control packet if with its
// payload it would be smaller, and reads its payload back.
func TestSmallPacketsMayBeFilledUp(t *testing.T) {
	for _, size := range []unit.Bytes{1, 3, ackSize, payload} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport {
				m := &meddler{blast: newBlast(env)}
				m.next = func(p *protocol.Packet) { p.Wire = max(p.Wire, env.Control) }
				return m
			})
			p.AckSize = header + 10
			l := labConfig{Graph: star(t, 2), Groups: []Group{{Name: "g", Params: p, Sources: from(0, 2, message1(size))}}}.build(t)
			l.finish(t)
			if b := l.transport.Breach(); b != nil {
				t.Error(b)
			}
			if got := l.transport.Packets()[0].Payload; got != size {
				t.Errorf("%v delivered, of %v", got, size)
			}
		})
	}
}
