package sird

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// These tests are about what a balancer that learns is told: the entropy and the mark of
// every data packet come back once, in a CREDIT if one follows, or else in an 84 B frame.

// returned is what a packet says of one that arrived.
type returned struct {
	kind    uint8
	peer    int32
	group   uint8
	entropy uint16
	marked  bool
}

// newEchoing is a host that is to echo.
func newEchoing(o Options) *bare {
	b := newBare(o)
	b.echo = ^protocol.GroupSet(0)
	return b
}

// echoed gives a host the data packet of a message at an offset, with an entropy; odd ones
// are marked.
func (b *bare) echoed(now unit.Time, p *protocol.Packet, group uint8, entropy uint16) {
	p.Group, p.Entropy = group, entropy
	if entropy%2 == 1 {
		p.Flags |= protocol.Marked
	}
	b.Receive(now, p)
}

// echoes returns what the packets that a host can send at a time return, and fails if one
// that returns something is neither a CREDIT nor a frame for nothing else, or not of 84 B.
func (b *bare) echoes(t *testing.T, now unit.Time) (list []returned) {
	t.Helper()
	for {
		var p protocol.Packet
		if !b.Next(now, &p) {
			return list
		}
		echo := p.Flags&protocol.Echoes != 0
		if echo && p.Kind != kindCredit && p.Kind != kindAck || p.Kind == kindAck && !echo || p.Wire != 84 || p.Payload != 0 {
			t.Errorf("at %v: %+v", now, p)
		}
		if echo {
			list = append(list, returned{p.Kind, p.Peer, p.Group, p.Echo, p.Flags&protocol.EchoMarked != 0})
		}
	}
}

// wantEchoes compares the entropies of what comes back, of which marks must be those of
// echoed. Credits are those that are to be in a CREDIT, acks in frames of their own.
func wantEchoes(t *testing.T, what string, got []returned, peer int32, group uint8, credits, acks []uint16) {
	t.Helper()
	var inCredits, alone []uint16
	for _, e := range got {
		if e.peer != peer || e.group != group || e.marked != (e.entropy%2 == 1) {
			t.Errorf("%s: %+v came back, want all to host %d in group %d, and the odd ones marked", what, e, peer, group)
		}
		if e.kind == kindCredit {
			inCredits = append(inCredits, e.entropy)
		} else {
			alone = append(alone, e.entropy)
		}
	}
	if !slices.Equal(inCredits, credits) || !slices.Equal(alone, acks) {
		t.Errorf("%s: entropies %v in CREDITs and %v in frames of their own, want %v and %v", what, inCredits, alone, credits, acks)
	}
}

// TestEchoRule follows one message: while something is to be granted echoes wait for
// CREDITs, up to eight; the last CREDIT leaves none behind; and then each goes at once.
func TestEchoRule(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset = preset
		b := newEchoing(o)
		const size = 14 * mss
		b.request(0, 3, 0, size)
		arrive := func(n int, packets ...unit.Bytes) {
			for _, k := range packets {
				b.echoed(slow(n), data(3, 0, size, k*mss), 0, uint16(100+k))
			}
		}
		n := 0
		// want asks for what goes now, with one credit if one is due and else with none.
		want := func(what string, due bool, credits, acks []uint16) {
			t.Helper()
			if b.paid = slow(n); !due {
				b.paid = unit.Second
			}
			wantEchoes(t, preset+", "+what, b.echoes(t, slow(n)), 3, 0, credits, acks)
			n++
		}
		want("nothing has come", true, nil, nil)
		arrive(n, 0, 1, 2)
		want("all wait for a CREDIT", false, nil, nil)
		want("the oldest", true, []uint16{100}, nil)
		want("then the next", true, []uint16{101}, nil)
		want("then the last", true, []uint16{102}, nil)
		want("none again", true, nil, nil)
		arrive(n, 3, 4, 5, 6, 7, 8, 9, 10)
		want("eight wait", false, nil, nil)
		arrive(n, 11, 12)
		want("more do not", false, nil, []uint16{111, 112})
		for k := range uint16(7) {
			want("the first seven of eight", true, []uint16{103 + k}, nil)
		}
		arrive(n, 0, 1) // which came before, and still came
		want("copies wait too", false, nil, nil)
		want("the last but one", true, []uint16{110}, nil)
		want("the last credit", true, []uint16{100}, []uint16{101})
		if b.senders[3].owed != 0 {
			t.Fatalf("%v is still to be granted", b.senders[3].owed)
		}
		trimmed := data(3, 0, size, 13*mss)
		trimmed.Flags, trimmed.Wire = protocol.WasTrimmed, 84
		b.echoed(slow(n), trimmed, 0, 113)
		want("a trimmed packet, when all is granted", true, nil, []uint16{113})
		arrive(n, 13, 12)
		want("the tail", true, nil, []uint16{113, 112})
	}
}

// TestEchoOfGroups lets two tenants share a sender: a CREDIT returns what its own group's
// balancer chose, and what is older of the other group goes in a frame of its own.
func TestEchoOfGroups(t *testing.T) {
	b := newEchoing(testOptions())
	for group := range uint8(2) {
		p := data(1, uint32(group), 150*mss+unit.Bytes(group)*10*mss, 0)
		p.Kind, p.Payload, p.Wire, p.Group = kindRequest, 0, 84, group
		b.Receive(0, p)
	}
	b.next(t, 0, kindCredit)
	for k := range unit.Bytes(4) { // of group 1, 1, 0, 1
		group := uint8(1)
		if k == 2 {
			group = 0
		}
		b.echoed(slow(1), data(1, uint32(group), 150*mss+unit.Bytes(group)*10*mss, k*mss), group, uint16(k))
	}
	b.paid = slow(1) // one credit is due
	got := b.echoes(t, slow(1))
	slices.SortFunc(got, func(x, y returned) int { return int(x.entropy) - int(y.entropy) })
	want := []returned{{kindAck, 1, 1, 0, false}, {kindAck, 1, 1, 1, true}, {kindCredit, 1, 0, 2, false}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v came back with a CREDIT of group 0, want %+v", got, want)
	}
	if n := b.senders[1].echoes.n; n != 1 {
		t.Errorf("%d wait, want the one of group 1 that came after", n)
	}
}

// TestEchoOfCalledIn calls credit in while an echo waits for a CREDIT, so that none
// follows: it goes in a frame of its own.
func TestEchoOfCalledIn(t *testing.T) {
	o := testOptions()
	b := newEchoing(o)
	b.request(0, 1, 0, 100*mss)
	for n := range 3 {
		b.next(t, slow(n), kindCredit)
	}
	b.paid = unit.Second
	b.echoed(slow(3), data(1, 0, 100*mss, 0), 0, 7)
	wantEchoes(t, "while credit is owed", b.echoes(t, slow(3)), 1, 0, nil, nil)
	b.Expire(slow(3) + patience*o.Silence)
	if !b.senders[1].dead {
		t.Fatal("credit was not called in")
	}
	wantEchoes(t, "called in", b.echoes(t, slow(3)+patience*o.Silence), 1, 0, nil, []uint16{7})
}

// TestNoEcho has no balancer that learns, so that nothing comes back.
func TestNoEcho(t *testing.T) {
	b := newBare(testOptions())
	b.request(0, 1, 0, 2*mss)
	for k := range unit.Bytes(2) {
		b.next(t, slow(int(k)), kindCredit)
		b.echoed(slow(int(k)), data(1, 0, 2*mss, k*mss), 0, 7)
	}
	if got := b.echoes(t, slow(9)); len(got) > 0 {
		t.Errorf("%+v came back", got)
	}
}

// TestEchoesOnce demands that each data packet that arrived of a group that wants it is returned
// once, whatever was lost, repeated or late, and that no CREDIT leaves without an echo while one
// waits.
func TestEchoesOnce(t *testing.T) {
	carried := [kindAck + 1]int{}
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		hosts := rapid.Int32Range(2, 4).Draw(t, "hosts")
		env := testEnv(hosts)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{1, 2, 3}).Draw(t, "groups"))
		l := newNet(t, o, hosts, env)
		l.sent = func(from int32, p *protocol.Packet) {
			switch {
			case p.Flags&protocol.Echoes != 0:
				carried[p.Kind]++
			case p.Kind == kindCredit && l.hosts[from].senders[p.Peer].echoes.n > 0:
				t.Fatalf("an echo waits though a CREDIT goes without any: %+v", *p)
			}
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		l.Fate = hosttest.Chance(rng, rapid.SampledFrom([]float64{0, 0.05, 0.4}).Draw(t, "loss"), rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "repeat"),
			rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond, 500 * unit.Microsecond}).Draw(t, "jitter"))
		l.CheckEchoes(env.Echo, func() bool { return rng.IntN(3) == 0 })
		drawMessages(t, l)
		l.Finish(1000 * unit.Second)
	})
	if carried[kindCredit] == 0 || carried[kindAck] == 0 {
		t.Errorf("%d echoes in CREDITs and %d in frames of their own, so that not all was tested", carried[kindCredit], carried[kindAck])
	}
}
