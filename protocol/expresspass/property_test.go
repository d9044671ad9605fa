package expresspass

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

func drawOptions(t *rapid.T) Options {
	o := testOptions(rapid.SampledFrom([]string{Paper, SIRD}).Draw(t, "preset"))
	pool := rapid.SampledFrom([]int{0, 1, 3, 40}).Draw(t, "pool")
	reply, early := rapid.Bool().Draw(t, "reply"), rapid.Bool().Draw(t, "early")
	o.Pool, o.Reply, o.EarlyStop = &pool, &reply, &early
	return o
}

// drawMessages submits messages at random times.
func drawMessages(t *rapid.T, l *lan) {
	n := int32(len(l.hosts))
	for range rapid.IntRange(1, 12).Draw(t, "messages") {
		l.run(l.now + unit.Time(rapid.IntRange(0, int(20*unit.Microsecond)).Draw(t, "gap")))
		from := rapid.Int32Range(0, n-1).Draw(t, "from")
		to := rapid.Int32Range(0, n-2).Draw(t, "to")
		if to >= from {
			to++
		}
		size := rapid.OneOf(rapid.IntRange(1, 3000), rapid.IntRange(1, 300000)).Draw(t, "size")
		l.send(from, to, unit.Bytes(size))
	}
}

// TestLossless checks that without faults every message arrives once, that nothing is sent
// twice, that all credits are accounted for, and that the queue of data at a port is as
// short as credits promise: what comes at once is at most a burst and the credits queued at
// each of the senders, since the port let no more credits through than it can take data.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.Int32Range(2, 8).Draw(t, "hosts")
		l := newLan(t, drawOptions(t), hosts, rapid.Uint64().Draw(t, "seed"))
		l.fate = func(p *protocol.Packet) []unit.Time {
			if p.Flags&protocol.Resent != 0 && p.Payload > 0 || p.Kind == kindNack {
				t.Fatalf("at %v: packet of kind %d, though nothing was lost", l.now, p.Kind)
			}
			return []unit.Time{0}
		}
		drawMessages(t, l)
		if l.run(unit.Second) {
			t.Fatal("something goes on for ever")
		}
		if err := l.settled(); err != nil {
			t.Fatal(err)
		}
		// Each credit that waited at a sender's port may have come late by the whole queue.
		if most := unit.Bytes(hosts)*(class.Queue+class.Burst)/class.Credit*class.Data + 12*84; l.deepest > most {
			t.Fatalf("%v of data queued, more than %v", l.deepest, most)
		}
	})
}

// TestLossy checks the same under loss, repetition and reordering, but for the queue.
func TestLossy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLan(t, drawOptions(t), rapid.Int32Range(2, 4).Draw(t, "hosts"), rapid.Uint64().Draw(t, "seed"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "fates"), 0))
		loss := rapid.SampledFrom([]float64{0.001, 0.05, 0.3}).Draw(t, "loss")
		l.fate = chance(rng, loss, rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond}).Draw(t, "jitter"))
		drawMessages(t, l)
		if l.run(100 * unit.Second) {
			t.Fatal("something goes on for ever")
		}
		if err := l.settled(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNothingAllocated passes packets of long messages between two hosts.
func TestNothingAllocated(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		l := newLan(t, testOptions(preset), 2, 1)
		a, b := l.hosts[0], l.hosts[1]
		a.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 500 * unit.MB})
		b.Submit(0, &protocol.HostMessage{Peer: 0, Bytes: 500 * unit.MB})
		now, moved := unit.Time(0), 0
		var p protocol.Packet
		step := func() {
			for i, h := range l.hosts {
				h.Expire(now)
				for range 2 {
					p = protocol.Packet{}
					if h.Next(now, &p) {
						moved++
						p.Peer = int32(i)
						l.hosts[1-i].Receive(now, &p)
					}
				}
			}
			now += 130 * unit.Nanosecond
		}
		for range 5000 {
			step()
		}
		if n := testing.AllocsPerRun(5000, step); n != 0 {
			t.Errorf("%s: %v allocations a step", preset, n)
		}
		if moved < 5000 {
			t.Errorf("%s: only %d packets moved", preset, moved)
		}
	}
}
