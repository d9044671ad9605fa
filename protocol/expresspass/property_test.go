package expresspass

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

func drawOptions(t *rapid.T) Options {
	o := testOptions(rapid.SampledFrom([]string{Paper, SIRD}).Draw(t, "preset"))
	pool := rapid.SampledFrom([]int{0, 1, 3, 40}).Draw(t, "pool")
	reply, early := rapid.Bool().Draw(t, "reply"), rapid.Bool().Draw(t, "early")
	o.Pool, o.Reply, o.EarlyStop = &pool, &reply, &early
	return o
}

var sizes = [][2]int{{1, 3000}, {1, 300000}}

func pick(t *rapid.T) hosttest.Pick {
	return func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
}

// TestLossless checks that without faults every message arrives once, that nothing is sent
// twice, that all credits are accounted for, and that the queue of data at a port is as
// short as credits promise: what comes at once is at most a burst and the credits queued at
// each of the senders, since the port let no more credits through than it can take data.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.Int32Range(2, 8).Draw(t, "hosts")
		n := newNet(t, drawOptions(t), hosts, rapid.Uint64().Draw(t, "seed"))
		n.fate(func(_ int32, p *protocol.Packet) []unit.Time {
			if p.Flags&protocol.Resent != 0 && p.Payload > 0 || p.Kind == kindNack {
				t.Fatalf("at %v: packet of kind %d, though nothing was lost", n.Now, p.Kind)
			}
			return []unit.Time{0}
		})
		n.Draw(pick(t), 1, sizes...)
		n.Finish(unit.Second)
		// Each credit that waited at a sender's port may have come late by the whole queue.
		most := unit.Bytes(hosts) * (class.Queue + class.Burst) / class.Credit * class.Data
		for i, port := range n.Hosts {
			if port.Most > most {
				t.Fatalf("%v of data queued for host %d, more than %v", port.Most, i, most)
			}
		}
	})
}

// TestLossy checks the same under loss, repetition and reordering, but for the queue.
func TestLossy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNet(t, drawOptions(t), rapid.Int32Range(2, 4).Draw(t, "hosts"), rapid.Uint64().Draw(t, "seed"))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "fates"), 0))
		loss := rapid.SampledFrom([]float64{0.001, 0.05, 0.3}).Draw(t, "loss")
		n.fate(hosttest.Chance(rng, loss, rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond}).Draw(t, "jitter")))
		n.Draw(pick(t), 1, sizes...)
		n.Finish(100 * unit.Second)
	})
}

// TestNothingAllocated passes packets of long messages between two hosts.
func TestNothingAllocated(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		env := testEnv(2)
		c := newConfig(testOptions(preset), env)
		t.Run(preset, func(t *testing.T) {
			every := func(*protocol.Packet) bool { return true }
			hosttest.CheckAllocations(t, 65*unit.Nanosecond, 10000, every, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
				env.Host, env.Out, env.Rand = i, out, rand.NewPCG(1, uint64(i))
				return newHost(c, env)
			})
		})
	}
}
