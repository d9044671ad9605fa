package transport

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// blast is the smallest transport of a host: it sends its messages one after another at
// line rate, the receiver confirms each that arrived in full, and nothing is lost.
type blast struct {
	env     protocol.HostEnv
	queue   []protocol.HostMessage // the first is partly sent
	numbers []uint32               // of the message to each peer
	sent    unit.Bytes             // of the first
	unsure  map[[2]uint32]protocol.HostMessage
	got     map[[2]uint32]unit.Bytes
	answers []protocol.Packet
	pause   unit.Time // between packets
	due     unit.Time
	expires int
}

const (
	blastData uint8 = iota
	blastDone
)

func newBlast(env protocol.HostEnv) *blast {
	return &blast{env: env, numbers: make([]uint32, env.Hosts), unsure: map[[2]uint32]protocol.HostMessage{}, got: map[[2]uint32]unit.Bytes{}}
}

func (b *blast) Submit(_ unit.Time, m *protocol.HostMessage) { b.queue = append(b.queue, *m) }

func (b *blast) Receive(now unit.Time, p *protocol.Packet) unit.Bytes {
	key := [2]uint32{uint32(p.Peer), p.Message}
	if p.Kind == blastDone {
		m := b.unsure[key]
		delete(b.unsure, key)
		b.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageCompleted, Group: m.Group, Peer: m.Peer, Tag: m.Tag, Bytes: m.Bytes})
		return 0
	}
	b.got[key] += p.Payload
	if b.got[key] < p.Size {
		return p.Payload
	}
	delete(b.got, key)
	b.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageDelivered, Group: p.Group, Peer: p.Peer, Tag: p.Tag, Bytes: p.Size})
	answer := protocol.Packet{Peer: p.Peer, Kind: blastDone, Group: p.Group, Message: p.Message, Wire: b.env.Control, EchoAt: p.SentAt}
	answer.EchoOf(p.Entropy, p.Flags&protocol.Marked != 0)
	b.answers = append(b.answers, answer)
	return p.Payload
}

func (b *blast) Next(now unit.Time, p *protocol.Packet) bool {
	if len(b.answers) > 0 {
		*p = b.answers[0]
		b.answers = b.answers[1:]
		return true
	}
	if len(b.queue) == 0 || now < b.due {
		return false
	}
	b.due = now + b.pause
	m := b.queue[0]
	p.Peer, p.Kind, p.Group, p.Tag, p.Size = m.Peer, blastData, m.Group, m.Tag, m.Bytes
	p.Message, p.Offset = b.numbers[m.Peer], b.sent
	p.Payload = min(b.env.Payload, m.Bytes-b.sent)
	p.Wire = p.Payload + b.env.Header
	b.sent += p.Payload
	if b.sent == m.Bytes {
		p.SentAt = now + 1
		b.unsure[[2]uint32{uint32(m.Peer), b.numbers[m.Peer]}] = m
		b.numbers[m.Peer]++
		b.queue, b.sent = b.queue[1:], 0
	}
	return true
}

func (b *blast) Ready() (unit.Time, bool) {
	switch {
	case len(b.answers) > 0:
		return 0, true
	case len(b.queue) > 0:
		return b.due, true
	}
	return 0, false
}

// Deadline asks to be called while answers are awaited, so that the way of a timer is seen.
func (b *blast) Deadline() (unit.Time, bool) {
	return unit.Time(b.expires+1) * 10 * unit.Microsecond, len(b.unsure) > 0
}

func (b *blast) Expire(now unit.Time) {
	if now >= unit.Time(b.expires+1)*10*unit.Microsecond {
		b.expires = int(now / (10 * unit.Microsecond))
	}
}

func (b *blast) Check() error {
	if b.sent < 0 || len(b.queue) == 0 && b.sent != 0 {
		return fmt.Errorf("%v of no message sent", b.sent)
	}
	return nil
}

// hostedParams is a transport of hosts as a whole.
func hostedParams(make func(protocol.HostEnv) protocol.HostTransport) Params {
	p := params(0)
	p.Congestion = protocol.CongestionControl{NewHost: make}
	return p
}

// TestHostedLoneMessage compares a message alone with the closed form.
func TestHostedLoneMessage(t *testing.T) {
	for _, size := range []unit.Bytes{1, payload, payload + 1, 100 * payload, 70 * unit.MiB} {
		p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport { return newBlast(env) })
		l := labConfig{Graph: star(t, 3), Groups: []Group{{Name: "g", Params: p, Sources: from(0, 3, message1(size))}}}.build(t)
		m := l.finish(t)[0]
		hops := l.hops(0, 1)
		if want := Ideal(hops, size, payload, header); m.End != want {
			t.Errorf("%v: delivered at %d, the closed form says %d", size, m.End, want)
		}
		if want := m.End + Ideal(hops, 1, payload, ackSize-1); m.SenderEnd != want {
			t.Errorf("%v: confirmed at %d, the closed form says %d", size, m.SenderEnd, want)
		}
		if got := l.transport.Packets()[0].Payload; got != size {
			t.Errorf("%v delivered, of %v", got, size)
		}
		if rtts := l.transport.RTTs()[0]; rtts.Count() != 1 {
			t.Errorf("%d round-trip times, want that of the last packet", rtts.Count())
		}
	}
}

// TestHostedPausesCostNoPackets lets a transport that is not ready for a while go on by
// itself when its time has come.
func TestHostedPauses(t *testing.T) {
	p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport {
		b := newBlast(env)
		b.pause = 3 * unit.Microsecond
		return b
	})
	l := labConfig{Graph: star(t, 2), Groups: []Group{{Name: "g", Params: p, Sources: from(0, 2, message1(3*payload))}}}.build(t)
	m := l.finish(t)[0]
	if want := 6*unit.Microsecond + Ideal(l.hops(0, 1), payload, payload, header); m.End != want {
		t.Errorf("delivered at %d, want %d", m.End, want)
	}
}

// TestHostedEntropies checks that the balancer of a pair chooses the entropies of data,
// and hears of the echoes.
func TestHostedEntropies(t *testing.T) {
	p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport { return newBlast(env) })
	chooser := count(&p)
	var seen []uint16
	c := labConfig{Graph: star(t, 2), Groups: []Group{{Name: "g", Params: p, Sources: from(0, 2, message1(3*payload), message1(2*payload))}}}
	c.sent = func(_ sim.Time, host int32, f *fabric.Frame) {
		if host == 0 {
			seen = append(seen, f.Entropy)
		}
	}
	l := c.build(t)
	l.finish(t)
	if diff := cmp.Diff([]uint16{0, 1, 2, 3, 4}, seen); diff != "" {
		t.Error(diff)
	}
	if len(chooser.acks) != 2 || chooser.acks[0].Entropy != 2 || chooser.acks[1].Entropy != 4 || chooser.acks[0].RTT <= 0 {
		t.Errorf("the chooser was told of %+v", chooser.acks)
	}
	if len(chooser.starts) != 1 || len(chooser.resumes) != 1 {
		t.Errorf("started %v and resumed %v; both messages are under way together", chooser.starts, chooser.resumes)
	}
}

// hesitant reports a loss when it is asked for its first packet, which it sends later.
type hesitant struct {
	*blast
	asked bool
}

func (h *hesitant) Next(now unit.Time, p *protocol.Packet) bool {
	if m := h.queue; !h.asked && len(m) > 0 {
		h.asked, h.due = true, now+5*unit.Microsecond
		h.env.Out.Report(protocol.HostEvent{Kind: protocol.PacketLost, Cause: protocol.Timeout, Group: m[0].Group, Peer: m[0].Peer, Tag: m[0].Tag, Bytes: payload})
		return false
	}
	return h.blast.Next(now, p)
}

// TestHostedEventsWithoutAPacket: what a transport reports when it has no packet to send is heard at once.
func TestHostedEventsWithoutAPacket(t *testing.T) {
	p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport { return &hesitant{blast: newBlast(env)} })
	chooser := count(&p)
	l := labConfig{Graph: star(t, 2), Groups: []Group{{Name: "g", Params: p, Sources: from(0, 2, message1(payload))}}}.build(t)
	m := l.finish(t)[0]
	if want := 5*unit.Microsecond + Ideal(l.hops(0, 1), payload, payload, header); m.End != want || m.Timeouts != 1 {
		t.Errorf("delivered at %v after %d timeouts, want %v and 1", m.End, m.Timeouts, want)
	}
	if len(chooser.losses) != 1 || chooser.losses[0].Now != 0 {
		t.Errorf("the chooser was told of %+v, want a loss at 0", chooser.losses)
	}
}

// TestHostedDeterminism runs two transports side by side, one of hosts and one of
// connections, and demands the same messages for every cut.
func TestHostedDeterminism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 100 * unit.Nanosecond})
		lists := make([][]workload.Message, 2*len(g.Hosts))
		for i := range lists {
			h := i % len(g.Hosts)
			at := unit.Time(0)
			for range rapid.IntRange(0, 5).Draw(t, "messages") {
				dst := rapid.IntRange(0, len(g.Hosts)-2).Draw(t, "dst")
				if dst >= h {
					dst++
				}
				at += unit.Time(rapid.IntRange(0, int(20*unit.Microsecond)).Draw(t, "gap"))
				lists[i] = append(lists[i], workload.Message{Dst: int32(dst), At: at, Size: unit.Bytes(rapid.IntRange(1, 20*payload).Draw(t, "size"))})
			}
		}
		play := func(domains, threads int) ([]Message, Counts) {
			own := hostedParams(func(env protocol.HostEnv) protocol.HostTransport { return newBlast(env) })
			own.Balancer = spraying()
			other := params(10 * payload)
			groups := []Group{{Name: "own", Params: own}, {Name: "other", Params: other}}
			for k := range groups {
				groups[k].Sources = make([]workload.Source, len(g.Hosts))
				for h := range g.Hosts {
					l := append(list(nil), lists[k*len(g.Hosts)+h]...)
					groups[k].Sources[h] = &l
				}
			}
			l := labConfig{Graph: g, Domains: domains, Threads: threads, Groups: groups}.build(t)
			return l.finish(t), l.transport.Counts()
		}
		want, counts := play(1, 1)
		for _, cut := range [][2]int{{2, 1}, {5, 3}} {
			got, gotCounts := play(cut[0], cut[1])
			if diff := cmp.Diff(want, got); diff != "" || counts != gotCounts {
				t.Fatalf("%v: counts %+v and %+v, messages:\n%s", cut, counts, gotCounts, diff)
			}
		}
	})
}

// TestPacketsInFrames writes packets into frames and reads them back, padded ones too.
func TestPacketsInFrames(t *testing.T) {
	for _, padded := range []bool{false, true} {
		t.Run(fmt.Sprint("padded ", padded), func(t *testing.T) { packetsInFrames(t, padded) })
	}
}

func packetsInFrames(t *testing.T, padded bool) {
	p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport { return newBlast(env) })
	p.Congestion.Host.Padded = padded
	l := labConfig{Graph: star(t, 3), Groups: []Group{{Name: "a", Params: p, Sources: from(0, 3)}, {Name: "b", Params: p, Sources: from(0, 3)}}}.build(t)
	e := l.transport.endpoints[0]
	large := func(name string, bits int) *rapid.Generator[int64] {
		return rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(1<<(bits-1)-2, 1<<(bits-1)+2), rapid.Int64Range(0, 1<<bits-1))
	}
	extended, plain := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		want := protocol.Packet{
			Peer: 2, Kind: uint8(rapid.IntRange(0, protocol.HostKinds-1).Draw(t, "kind")), Group: uint8(rapid.IntRange(0, 1).Draw(t, "group")),
			Entropy: uint16(large("", 16).Draw(t, "entropy")),
			Message: uint32(large("", 32).Draw(t, "message")), Tag: uint64(large("", 33).Draw(t, "tag")),
			Size: unit.Bytes(large("", 40).Draw(t, "size")), Offset: unit.Bytes(large("", 40).Draw(t, "offset")),
			Amount: unit.Bytes(large("", 30).Draw(t, "amount")),
			Flags:  protocol.PacketFlags(rapid.IntRange(0, int(protocol.Own4*2-1)).Draw(t, "flags"))&^(protocol.Marked|protocol.WasTrimmed) | protocol.Pinned,
		}
		if rapid.Bool().Draw(t, "data") {
			want.Payload = unit.Bytes(rapid.IntRange(1, payload).Draw(t, "payload"))
			want.Wire = want.Payload + header
			if padded {
				want.Wire = payload + header
			}
			want.Flags &^= protocol.Resent // which is counted for a message that is in flight
		} else {
			want.Wire = unit.Bytes(rapid.IntRange(1, 1<<16-1).Draw(t, "wire"))
		}
		if rapid.Bool().Draw(t, "more") {
			want.Number, want.Extra = uint32(large("", 32).Draw(t, "number")), uint32(large("", 32).Draw(t, "extra"))
			want.SentAt, want.EchoAt = unit.Time(large("", 62).Draw(t, "sent")), unit.Time(large("", 62).Draw(t, "echo"))
		}
		if rapid.Bool().Draw(t, "beyond its fields") {
			want.More = &protocol.More{Length: rapid.Uint8Range(1, protocol.MostMore).Draw(t, "length")}
			want.More.Bytes[want.More.Length-1] = rapid.Byte().Draw(t, "last byte")
		}
		if want.Flags&protocol.Echoes != 0 {
			want.Echo = uint16(large("", 16).Draw(t, "echoed"))
		}
		if rapid.Bool().Draw(t, "small") {
			want = protocol.Packet{
				Peer: want.Peer, Kind: want.Kind, Group: want.Group, Entropy: want.Entropy, Message: want.Message & 3, Tag: want.Tag & 3,
				Offset: want.Offset & 3, Payload: want.Payload, Wire: want.Wire, Flags: protocol.Pinned,
			}
			if padded && rapid.Bool().Draw(t, "last") {
				want.Size = want.Offset + want.Payload
			}
		}
		p := want
		id := e.writePacket(0, &p)
		f := e.d.Frame(id)
		if e.d.Store.Host(f) != nil {
			extended++
		} else {
			plain++
		}
		if f.Src() != 0 || f.Dst() != 2 {
			t.Fatalf("frame from %d to %d", f.Src(), f.Dst())
		}
		f.Address(f.Dst(), f.Dst(), f.Group()) // as if the peer had sent it
		var read hostedPacket
		e.readPacket(id, &read)
		got := read.Packet
		e.d.Free(id)
		want.Flags &^= protocol.Pinned
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
	if extended == 0 || plain == 0 {
		t.Errorf("%d packets had an extension and %d none", extended, plain)
	}
}
