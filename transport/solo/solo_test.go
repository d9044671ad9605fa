package solo_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/protocol"
	"weft/transport/solo"
	"weft/unit"
)

// script is a transport that does what a test wants.
type script struct {
	env      protocol.HostEnv
	got      protocol.Packet
	fresh    unit.Bytes
	next     *protocol.Packet
	ready    []unit.Time
	deadline []unit.Time
	events   []protocol.HostEvent
	submits  []protocol.HostMessage
	cancels  []protocol.HostMessage
	forgets  []int32
	expires  []unit.Time
}

func first(list []unit.Time) (unit.Time, bool) {
	if len(list) == 0 {
		return 0, false
	}
	return list[0], true
}

func (s *script) report() {
	for _, e := range s.events {
		s.env.Out.Report(e)
	}
	s.events = nil
}

func (s *script) Submit(_ unit.Time, m *protocol.HostMessage) {
	s.submits = append(s.submits, *m)
	s.report()
}

func (s *script) Receive(_ unit.Time, p *protocol.Packet) unit.Bytes {
	s.got = *p
	s.report()
	return s.fresh
}

func (s *script) Next(_ unit.Time, p *protocol.Packet) bool {
	s.report()
	if s.next == nil {
		return false
	}
	*p = *s.next
	return true
}

func (s *script) Ready() (unit.Time, bool)    { return first(s.ready) }
func (s *script) Deadline() (unit.Time, bool) { return first(s.deadline) }
func (s *script) Expire(now unit.Time)        { s.expires = append(s.expires, now) }
func (s *script) Check() error                { return nil }

func (s *script) Cancel(_ unit.Time, m *protocol.HostMessage) bool {
	s.cancels = append(s.cancels, *m)
	return true
}

func (s *script) Forget(_ unit.Time, peer int32) { s.forgets = append(s.forgets, peer) }

// carried is what Carry's transports are.
type carried interface {
	protocol.HostTransport
	protocol.Canceler
	protocol.Forgetter
	Differs() (what, want, got string)
}

const (
	header  = 157
	payload = 1385
)

// open returns a carried script, and the script.
func open(t rapid.TB, change ...func(*protocol.HostEnv)) (carried, *script, *protocol.HostOutput) {
	t.Helper()
	var s *script
	out := &protocol.HostOutput{}
	env := protocol.HostEnv{
		Rand: rand.NewPCG(1, 2), Out: out, Hosts: 65, LineRate: unit.Gbps, BaseRTT: 100 * unit.Microsecond, BDP: 12_500,
		Packet: payload + header, Payload: payload, Header: header, Control: header, Classes: 2, Largest: unit.MB,
	}
	for _, f := range change {
		f(&env)
	}
	h := solo.Carry(protocol.CongestionControl{NewHost: func(e protocol.HostEnv) protocol.HostTransport {
		if e.Rand != env.Rand || e.Largest != env.Largest || e.Hosts != env.Hosts {
			t.Errorf("the transport is made with %+v", e)
		}
		s = &script{env: e}
		return s
	}}).NewHost(env)
	return h.(carried), s, out
}

// agree demands that nothing differs.
func agree(t rapid.TB, h carried) {
	t.Helper()
	if what, want, got := h.Differs(); what != "" {
		t.Fatalf("%s is to be %s, and is %s", what, want, got)
	}
}

const tag = 1<<60 | 12345<<3 | 1

// TestCalls makes each call: the transport gets it as it is, and what it answers comes back.
func TestCalls(t *testing.T) {
	h, s, out := open(t)
	agree(t, h)
	m := protocol.HostMessage{Peer: 64, Tag: tag, Bytes: 5000}
	for range 3 { // ordinals, and tags that come again
		s.ready, s.deadline = []unit.Time{0}, []unit.Time{9 * unit.Microsecond}
		h.Submit(unit.Microsecond, &m)
		agree(t, h)
		if got := s.submits[len(s.submits)-1]; got != m {
			t.Fatalf("submitted %+v, not %+v", got, m)
		}
		s.next = &protocol.Packet{Peer: 64, Class: 1, Tag: tag, Size: 5000, Offset: payload, Payload: payload, Wire: payload + header, Flags: protocol.Resent}
		s.events = []protocol.HostEvent{{Kind: protocol.PacketLost, Peer: 64, Tag: tag, Bytes: 7}, {Kind: protocol.MessageCompleted, Peer: 64, Tag: tag, Bytes: 5000}}
		want := append([]protocol.HostEvent(nil), s.events...)
		out.Events = nil
		var p protocol.Packet
		if !h.Next(2*unit.Microsecond, &p) || p != *s.next {
			t.Fatalf("sent %+v, not %+v", p, s.next)
		}
		agree(t, h)
		if diff := cmp.Diff(want, out.Events); diff != "" {
			t.Fatal(diff)
		}
		s.next, s.ready = nil, nil
		if h.Next(3*unit.Microsecond, &p) {
			t.Fatal("a packet is sent that is not there")
		}
		agree(t, h)
	}
	if at, ok := h.Deadline(); !ok || at != 9*unit.Microsecond {
		t.Fatalf("deadline %v, %v", at, ok)
	}
	h.Expire(12 * unit.Microsecond) // late
	agree(t, h)
	if diff := cmp.Diff([]unit.Time{12 * unit.Microsecond}, s.expires); diff != "" {
		t.Fatal(diff)
	}
	s.deadline = nil
	h.Submit(13*unit.Microsecond, &m)
	if !h.Cancel(13*unit.Microsecond, &m) || len(s.cancels) != 1 || s.cancels[0] != m {
		t.Fatalf("cancelled %+v, not %+v", s.cancels, m)
	}
	agree(t, h)
	h.Submit(13*unit.Microsecond, &m)
	agree(t, h)
	h.Forget(14*unit.Microsecond, 64)
	agree(t, h)
	if diff := cmp.Diff([]int32{64}, s.forgets); diff != "" {
		t.Fatal(diff)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

// TestPaced has a transport that is ready later send then, and have been expected to, though the wire is free later still.
func TestPaced(t *testing.T) {
	h, s, _ := open(t)
	s.ready = []unit.Time{5 * unit.Microsecond}
	h.Receive(unit.Microsecond, &protocol.Packet{Peer: 1, Wire: header})
	agree(t, h)
	s.next = &protocol.Packet{Peer: 1, Wire: header}
	var p protocol.Packet
	h.Next(6*unit.Microsecond, &p)
	agree(t, h)
}

// TestDiffers has a carrier be told what it would not do.
func TestDiffers(t *testing.T) {
	control := &protocol.Packet{Peer: 1, Wire: header}
	for _, test := range []struct {
		what string
		do   func(h carried, s *script)
	}{
		{"wish to send", func(h carried, s *script) { s.next = control; h.Next(1, new(protocol.Packet)) }},
		{"wish to send", func(h carried, s *script) { // it is too early
			s.ready = []unit.Time{5}
			h.Receive(1, &protocol.Packet{Peer: 1, Wire: header})
			s.next = control
			h.Next(4, new(protocol.Packet))
		}},
		{"timer", func(h carried, _ *script) { h.Expire(1) }},
		{"timer", func(h carried, s *script) {
			s.deadline = []unit.Time{5}
			h.Receive(1, &protocol.Packet{Peer: 1, Wire: header})
			h.Expire(4)
		}},
		{"number of calls", func(h carried, s *script) { // the deadline has moved
			s.deadline = []unit.Time{5}
			h.Receive(1, &protocol.Packet{Peer: 1, Wire: header})
			h.Receive(6, &protocol.Packet{Peer: 1, Wire: header})
			s.deadline = []unit.Time{9}
			h.Expire(7)
		}},
		{"number of calls", func(h carried, _ *script) { h.Cancel(1, &protocol.HostMessage{Peer: 1, Tag: 1, Bytes: 1}) }},
		{"class of the packet", func(h carried, _ *script) { h.Receive(1, &protocol.Packet{Peer: 1, Wire: header, Class: 1}) }},
		{"group", func(h carried, _ *script) { h.Submit(1, &protocol.HostMessage{Peer: 1, Group: 1, Tag: 1, Bytes: 1}) }},
		{"group", func(h carried, _ *script) { h.Receive(1, &protocol.Packet{Peer: 1, Group: 1, Wire: header}) }},
		{"group", func(h carried, _ *script) { h.Cancel(1, &protocol.HostMessage{Peer: 1, Group: 1, Tag: 1, Bytes: 1}) }},
		{"flags of the frame", func(h carried, s *script) {
			s.ready, s.next = []unit.Time{0}, &protocol.Packet{Peer: 1, Wire: header, Flags: protocol.Marked}
			h.Receive(1, &protocol.Packet{Peer: 1, Wire: header})
			h.Next(1, new(protocol.Packet))
		}},
		{"promise of the transport", func(h carried, s *script) {
			s.ready, s.next = []unit.Time{0}, &protocol.Packet{Peer: 1, Wire: header + 1, Payload: 1, Tag: tag}
			h.Receive(1, &protocol.Packet{Peer: 1, Wire: header})
			h.Next(1, new(protocol.Packet))
		}},
		{"promise of the transport", func(h carried, s *script) {
			s.events = []protocol.HostEvent{{Kind: protocol.MessageCompleted, Peer: 1, Tag: tag}}
			h.Receive(1, &protocol.Packet{Peer: 1, Wire: header})
		}},
		{"promise of the transport", func(h carried, s *script) {
			s.fresh = 2
			h.Receive(1, &protocol.Packet{Peer: 1, Wire: header + 1, Payload: 1, Size: 1, Tag: tag})
		}},
	} {
		h, s, _ := open(t)
		test.do(h, s)
		what, want, got := h.Differs()
		if what != test.what || want == got {
			t.Errorf("%q is to be %s, and is %s; %q differs", what, want, got, test.what)
		}
	}
	for name, change := range map[string]func(*protocol.HostEnv){
		"environment":               func(e *protocol.HostEnv) { e.Host = 1 },
		"packet of the environment": func(e *protocol.HostEnv) { e.Packet++ },
		"echo of the environment":   func(e *protocol.HostEnv) { e.Echo = 3 },
	} {
		h := solo.Carry(protocol.CongestionControl{NewHost: func(e protocol.HostEnv) protocol.HostTransport { return &script{env: e} }})
		env := protocol.HostEnv{
			Out: &protocol.HostOutput{}, Hosts: 2, LineRate: unit.Gbps, BaseRTT: 1, BDP: 2000, Packet: 1542, Payload: payload, Header: header, Control: header, Classes: 2,
		}
		change(&env)
		if what, _, _ := h.NewHost(env).(interface {
			Differs() (what, want, got string)
		}).Differs(); what != name {
			t.Errorf("%q differs, not %q", what, name)
		}
	}
}

// TestPackets has packets of all kinds come and go: nothing of them changes on their way through frames.
func TestPackets(t *testing.T) {
	h, s, out := open(t)
	s.ready = []unit.Time{0}
	m := protocol.HostMessage{Peer: 2, Tag: tag, Bytes: 5000}
	h.Submit(1, &m)
	agree(t, h)
	now := unit.Time(1)
	number := func(t *rapid.T, name string, bits int) int64 {
		return rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(1<<(bits-1)-2, 1<<(bits-1)+2), rapid.Int64Range(0, 1<<bits-1)).Draw(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := protocol.Packet{
			Peer: int32(rapid.IntRange(1, 64).Draw(t, "peer")), Kind: uint8(rapid.IntRange(0, protocol.HostKinds-1).Draw(t, "kind")),
			Message: uint32(number(t, "message", 32)), Size: unit.Bytes(number(t, "size", 60)), Offset: unit.Bytes(number(t, "offset", 60)),
			Amount: unit.Bytes(number(t, "amount", 60)), Wire: unit.Bytes(rapid.IntRange(1, 1<<16-1).Draw(t, "wire")),
			Flags: protocol.PacketFlags(rapid.IntRange(0, int(protocol.Own4*2-1)).Draw(t, "flags")) &^ protocol.WasTrimmed,
		}
		if rapid.Bool().Draw(t, "more") {
			p.Number, p.Extra = uint32(number(t, "number", 32)), uint32(number(t, "extra", 32))
			p.SentAt, p.EchoAt, p.Echo = unit.Time(number(t, "sent", 62)), unit.Time(number(t, "echo at", 62)), uint16(number(t, "echo", 16))
		}
		if rapid.Bool().Draw(t, "comes") {
			p.Tag, p.Entropy = rapid.Uint64().Draw(t, "tag"), uint16(number(t, "entropy", 16))
			if rapid.Bool().Draw(t, "data") {
				p.Payload = unit.Bytes(rapid.IntRange(1, payload).Draw(t, "payload"))
			}
			now++
			h.Receive(now, &p)
			agree(t, h)
			if diff := cmp.Diff(p, s.got); diff != "" {
				t.Fatal(diff)
			}
			return
		}
		p.Flags &^= protocol.Marked
		p.Class = uint8(rapid.IntRange(0, 1).Draw(t, "class"))
		if p.Flags&protocol.Pinned != 0 {
			p.Entropy = uint16(number(t, "entropy", 16))
		}
		if rapid.Bool().Draw(t, "data") {
			p.Peer, p.Tag, p.Payload = m.Peer, m.Tag, unit.Bytes(rapid.IntRange(1, payload).Draw(t, "payload"))
			p.Wire = p.Payload + header
		}
		s.next = &p
		var got protocol.Packet
		now++
		if !h.Next(now, &got) {
			t.Fatal("nothing is sent")
		}
		agree(t, h)
		if diff := cmp.Diff(p, got); diff != "" {
			t.Fatal(diff)
		}
	})
	if len(out.Events) != 0 {
		t.Errorf("told %+v", out.Events)
	}
}

// TestDelivered has messages of a peer be delivered, and withdrawn: their names are the peer's in what is reported.
func TestDelivered(t *testing.T) {
	h, s, out := open(t)
	want := protocol.HostEvent{Kind: protocol.MessageDelivered, Peer: 3, Tag: tag, Bytes: 10}
	s.events, s.fresh = []protocol.HostEvent{want}, 10
	p := protocol.Packet{Peer: 3, Tag: tag, Size: 10, Payload: 10, Wire: 10 + header}
	if fresh := h.Receive(1, &p); fresh != 10 {
		t.Errorf("%v are fresh", fresh)
	}
	agree(t, h)
	s.events = []protocol.HostEvent{{Kind: protocol.MessageWithdrawn, Peer: 3, Tag: 7}}
	s.fresh = 0
	h.Receive(2, &protocol.Packet{Peer: 3, Wire: header})
	agree(t, h)
	if len(out.Events) != 2 || out.Events[0] != want || out.Events[1].Tag != 7 {
		t.Errorf("told %+v", out.Events)
	}
}
