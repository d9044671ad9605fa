package sird

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

func drawOptions(t *rapid.T) Options {
	yes := true
	o := testOptions()
	o.Preset = rapid.SampledFrom([]string{Paper, NSDI25}).Draw(t, "preset")
	o.Policy = rapid.SampledFrom([]string{"srpt", "round-robin", "classes"}).Draw(t, "policy")
	o.B.BDPs = rapid.SampledFrom([]float64{0.1, 1, 1.5, 4}).Draw(t, "b")
	o.UnschT = rapid.SampledFrom([]unit.Threshold{{}, {Inf: true}, {Amount: unit.Amount{BDPs: 1}}, {Amount: unit.Amount{BDPs: 4}}, {Amount: unit.Amount{Bytes: 1458}}}).Draw(t, "unscht")
	o.SThr = rapid.SampledFrom([]unit.Threshold{{Inf: true}, {Amount: unit.Amount{BDPs: 0.5}}, {Amount: unit.Amount{Bytes: 1}}}).Draw(t, "sthr")
	o.FairShare = rapid.SampledFrom([]unit.Ratio{0, 0.5, 1}).Draw(t, "fair")
	o.Reclaim = rapid.SampledFrom([]*bool{nil, new(bool), &yes}).Draw(t, "reclaim")
	o.Lift = rapid.Bool().Draw(t, "lift")
	o.Priority = rapid.SampledFrom([]string{"none", "control", "control+unscheduled"}).Draw(t, "priority")
	o.Silence = rapid.SampledFrom([]unit.Time{50 * unit.Microsecond, unit.Millisecond}).Draw(t, "silence")
	return o
}

// drawMessages submits messages at random times.
func drawMessages(t *rapid.T, l *net) {
	pick := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	l.Draw(pick, 3, [2]int{1, 3000}, [2]int{1458 * 60, 1458 * 70}, [2]int{1, 600000})
}

// TestLossless checks that without losses every message arrives once, in finite time, and
// that no credit is left anywhere, whatever the order of arrival.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		hosts := rapid.Int32Range(2, 5).Draw(t, "hosts")
		env := testEnv(hosts)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(t, "echo"))
		l := newNet(t, o, hosts, env)
		if rapid.Bool().Draw(t, "reorder") {
			l.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), 0, 0, 5*unit.Microsecond)
		}
		resent := 0
		l.Arrived = func(_ int32, p *protocol.Packet) {
			if p.Flags&protocol.Resent != 0 || p.Kind == kindQuery {
				resent++
			}
		}
		drawMessages(t, l)
		l.Finish(unit.Second)
		if resent > 0 && o.Silence == unit.Millisecond {
			t.Fatalf("%d packets were sent again or asked for though none was lost", resent)
		}
	})
}

// TestOvertakenRequest lets credit that is left over send a message's data before the
// packet that announces it: a first announcement asks nothing, however late it comes.
func TestOvertakenRequest(t *testing.T) {
	for _, late := range []unit.Time{3 * unit.Microsecond, 30 * unit.Microsecond} {
		o := testOptions()
		o.UnschT = unit.Threshold{}
		l := newNet(t, o, 2, testEnv(2))
		l.Fate = func(_ int32, p *protocol.Packet) []unit.Time {
			if p.Kind == kindRequest && p.Message == 1 {
				return []unit.Time{late}
			}
			return []unit.Time{0}
		}
		count := make([]int, kindAck+1)
		l.Arrived = func(_ int32, p *protocol.Packet) {
			if p.Message != 1 {
				return
			}
			if p.Kind == kindRequest && count[kindData] == 0 {
				t.Errorf("%v late: the announcement came first", late)
			}
			count[p.Kind]++
		}
		l.Send(0, 1, 60*1458, 0)
		l.Run(8 * unit.Microsecond)
		l.Send(0, 1, 20*1458, 0)
		l.Finish(unit.Second)
		if count[kindRequest] != 1 || count[kindDone] != 1 || count[kindQuery] > 0 || count[kindStatus] > 0 {
			t.Errorf("%v late: packets by kind are %v", late, count)
		}
	}
}

// TestLossy checks the same under loss, repetition and reordering.
func TestLossy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		hosts := rapid.Int32Range(2, 4).Draw(t, "hosts")
		env := testEnv(hosts)
		env.Echo = protocol.GroupSet(rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(t, "echo"))
		l := newNet(t, o, hosts, env)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		loss := rapid.SampledFrom([]float64{0.001, 0.05, 0.4}).Draw(t, "loss")
		l.Fate = hosttest.Chance(rng, loss, rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "repeat"), rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond, 500 * unit.Microsecond}).Draw(t, "jitter"))
		drawMessages(t, l)
		l.Finish(1000 * unit.Second)
	})
}

// TestLostRequest loses the request of a message while a shorter one to the same receiver
// takes all credit, so that the receiver is never silent: the message is announced again
// after two silences, and then its receiver has named it.
func TestLostRequest(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		o := testOptions()
		o.Preset, o.Silence = preset, 100*unit.Microsecond
		l := newNet(t, o, 2, testEnv(2))
		var requests []unit.Time
		l.Fate = func(_ int32, p *protocol.Packet) []unit.Time {
			if p.Kind == kindRequest && p.Message == 1 {
				if requests = append(requests, l.Now); len(requests) == 1 {
					return nil
				}
			}
			return []unit.Time{0}
		}
		l.Send(0, 1, 5*unit.MB, 0)
		l.Send(0, 1, 6*unit.MB, 0)
		l.Finish(unit.Second)
		if len(requests) < 2 || requests[1] > 300*unit.Microsecond || len(requests) > 4 {
			t.Errorf("%s: requests at %v", preset, requests)
		}
	}
}
