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

// queue measures what waits for host 0's downlink, each payload counted once however many
// copies of it wait: from when the first comes to the switch until the first has left.
type queue struct {
	*net
	to    int32 // whom the packet goes to that is being sent
	stays map[dataKey]*stay
}

// stay is how long a payload waits. A lost one never comes.
type stay struct {
	from, until unit.Time
	wire        unit.Bytes
}

// measureQueue lets a queue see all packets of a network with a fate.
func measureQueue(l *net, fate func(int32, *protocol.Packet) []unit.Time) *queue {
	q := &queue{net: l, stays: map[dataKey]*stay{}}
	l.sent = func(_ int32, p *protocol.Packet) { q.to = p.Peer }
	l.Fate = func(from int32, p *protocol.Packet) []unit.Time {
		copies := fate(from, p)
		if p.Kind == kindData && q.to == 0 && len(copies) > 0 {
			at := l.Now + l.Rate.Transmit(p.Wire) + l.Delay + slices.Min(copies)
			key := dataKey{0, from, p.Message, p.Offset}
			if s := q.stays[key]; s == nil {
				q.stays[key] = &stay{at, unit.Forever, p.Wire}
			} else {
				s.from = min(s.from, at)
			}
		}
		return copies
	}
	l.Arrived = func(to int32, p *protocol.Packet) {
		if p.Kind == kindData && to == 0 {
			s := q.stays[dataKey{0, p.Peer, p.Message, p.Offset}]
			s.until = min(s.until, l.Now-l.Delay)
		}
	}
	return q
}

// most is the largest amount that waited at once, the frame on the wire included.
func (q *queue) most() (most unit.Bytes) {
	type change struct {
		at    unit.Time
		bytes unit.Bytes
	}
	var list []change
	for _, s := range q.stays {
		list = append(list, change{s.from, s.wire}, change{s.until, -s.wire})
	}
	slices.SortFunc(list, func(a, b change) int {
		if a.at != b.at {
			return int(max(-1, min(1, a.at-b.at)))
		}
		return int(a.bytes - b.bytes) // one leaves before another comes
	})
	sum := unit.Bytes(0)
	for _, c := range list {
		sum += c.bytes
		most = max(most, sum)
	}
	return most
}

// share is the part of B that the queue is claimed to stay in (§4.1): B less the BDP of the
// least path, which is what the least round trip keeps elsewhere, a credit's way out and a
// packet's way in.
func (q *queue) share() unit.Bytes {
	least := q.Rate.In(4*q.Delay + 2*q.Rate.Transmit(84) + q.Rate.Transmit(full))
	return max(0, q.config.b-least)
}

// overdraft is what senders may send beyond their credit: with preset paper any credit lets
// a full packet go (Algorithm 2, line 5), and one with several messages can have less than a
// packet's left from the end of another.
func (q *queue) overdraft(senders int) unit.Bytes {
	if q.config.paper {
		return unit.Bytes(senders) * (full - 1)
	}
	return 0
}

// calledIn tells whether host 0 has called in credit of any sender.
func (q *queue) calledIn() bool {
	return slices.ContainsFunc(q.hosts[0].senders, func(s *senderState) bool { return s != nil && s.generation > 0 })
}

// fates are how a network may treat packets: how far apart their delays are and why, and
// whether it loses or repeats any.
type fates struct {
	how          string
	apart        unit.Time
	away         []unit.Time // by host
	loss, repeat float64
}

const (
	distances = "distances" // each host's packets are late by as much
	random    = "random"    // each packet is late by chance, and overtakes others
	held      = "held"      // all packets wait for the same instants
)

func (f *fates) fate(l *net, rng *rand.Rand) func(int32, *protocol.Packet) []unit.Time {
	chance := hosttest.Chance(rng, f.loss, f.repeat, 0)
	return func(from int32, p *protocol.Packet) []unit.Time {
		copies := chance(from, p)
		for i := range copies {
			switch {
			case f.apart == 0:
			case f.how == distances:
				copies[i] = f.away[from]
			case f.how == random:
				copies[i] = unit.Time(rng.Int64N(int64(f.apart)))
			case f.how == held:
				copies[i] = (f.apart - l.Now%f.apart) % f.apart
			}
		}
		return copies
	}
}

// TestScheduledQueue checks §4.1 for one receiver without unscheduled traffic: scheduled
// packets queue at its downlink for at most B less the least BDP, plus one frame. It is
// claimed of senders that answer credit at once, and holds as long as all hosts are as far
// away, or delays differ, and packets overtake each other, by no more than the pacer takes
// to grant so much: a credit's delay, its wait for the sender's uplink with others that came
// late, and a data packet's delay may each bring as much together.
//
// Where it does not hold, B itself bounds the queue, as it does in the published algorithm:
// only of a downlink that was busy with paid packets for a round trip is a BDP of credit
// under way elsewhere.
//
//   - If delays differ by more, credit that was sent one after another comes back at the same
//     time, to a downlink that had nothing to do.
//   - Copies that the network makes take the downlink's time, so that less credit comes back,
//     and is in flight again. They are not counted themselves, since nothing bounds them.
//   - What was lost is sent again without new credit, which nothing paces (as in Homa): all
//     senders that are asked answer together. The credit of the lost copies bounds it, which
//     is outstanding meanwhile, unless that of a silent sender was called in.
//
// With preset paper less than a frame of each sender comes on top of either bound, since any
// credit lets a full packet go.
func TestScheduledQueue(t *testing.T) {
	largest := map[string]unit.Bytes{}
	rapid.Check(t, func(t *rapid.T) {
		o := testOptions()
		o.Preset = rapid.SampledFrom([]string{Paper, NSDI25}).Draw(t, "preset")
		o.UnschT = unit.Threshold{}
		o.Policy = rapid.SampledFrom([]string{"srpt", "round-robin"}).Draw(t, "policy")
		o.B = unit.Amount{BDPs: rapid.SampledFrom([]float64{0.8, 1, 1.5, 3}).Draw(t, "b")}
		pace := unit.Ratio(1)
		o.Pace = &pace
		hosts := rapid.Int32Range(3, 7).Draw(t, "hosts")
		l := newNet(t, o, hosts, testEnv(hosts))
		f := fates{
			how:    rapid.SampledFrom([]string{distances, random, held}).Draw(t, "how"),
			apart:  rapid.SampledFrom([]unit.Time{0, 0, 500 * unit.Nanosecond, 2 * unit.Microsecond, 5 * unit.Microsecond, 15 * unit.Microsecond}).Draw(t, "apart"),
			loss:   rapid.SampledFrom([]float64{0, 0, 0.01, 0.1}).Draw(t, "loss"),
			repeat: rapid.SampledFrom([]float64{0, 0, 0.01, 0.2}).Draw(t, "repeat"),
		}
		for range hosts {
			f.away = append(f.away, unit.Time(rapid.IntRange(0, int(f.apart)).Draw(t, "away")))
		}
		q := measureQueue(l, f.fate(l, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))))
		several, gap := 0, rapid.SampledFrom([]unit.Time{0, 30 * unit.Microsecond}).Draw(t, "gaps")
		for from := range hosts - 1 {
			n := rapid.IntRange(1, 3).Draw(t, "messages")
			if n > 1 {
				several++
			}
			for range n {
				l.Send(from+1, 0, unit.Bytes(rapid.IntRange(1, 900000).Draw(t, "size")), 0)
				l.Run(l.Now + unit.Time(rapid.IntRange(0, int(gap)).Draw(t, "gap")))
			}
		}
		l.Finish(1000 * unit.Second)
		if q.calledIn() {
			return
		}
		const rounding = 1 // of the round trip to whole bytes
		bound := l.config.b
		if f.loss == 0 && f.repeat == 0 {
			bound = min(bound, max(q.share(), l.Rate.In(3*f.apart))+full+rounding)
		}
		most := q.most()
		if bound += q.overdraft(several); most > bound {
			t.Fatalf("%v queued at the downlink, of at most %v", most, bound)
		}
		if all := l.Hosts[0].Most; most > all || f.loss == 0 && f.repeat == 0 && most < all-full {
			t.Fatalf("%v queued at the downlink, and with copies %v", most, all)
		}
		largest[o.Preset] = max(largest[o.Preset], most)
	})
	if testing.Short() { // there were few draws
		return
	}
	for _, preset := range []string{Paper, NSDI25} {
		if largest[preset] < 10*full {
			t.Errorf("%s: at most %v ever queued, so that nothing was tested", preset, largest[preset])
		}
	}
}

// TestQueueBeyond shows the cases in which the queue grows beyond B less the least BDP, and
// that it stays below B.
func TestQueueBeyond(t *testing.T) {
	for _, tt := range []struct {
		name string
		fates
	}{
		{"late by turns", fates{how: held, apart: 15 * unit.Microsecond}},
		{"copies", fates{repeat: 0.3}},
		{"losses", fates{}},
	} {
		for _, preset := range []string{Paper, NSDI25} {
			o := testOptions()
			o.Preset, o.UnschT, o.Policy = preset, unit.Threshold{}, "round-robin"
			const hosts = 6
			l := newNet(t, o, hosts, testEnv(hosts))
			fate := tt.fate(l, rand.New(rand.NewPCG(4, 4)))
			q := measureQueue(l, func(from int32, p *protocol.Packet) []unit.Time {
				// Everything is lost for a while, so that all senders are asked at once.
				if tt.name == "losses" && l.Now > 20*unit.Microsecond && l.Now < 60*unit.Microsecond {
					return nil
				}
				return fate(from, p)
			})
			for from := range int32(hosts - 1) {
				l.Send(from+1, 0, 400*unit.KB, 0)
			}
			l.Finish(unit.Second)
			if most := q.most(); q.calledIn() || most <= q.share()+full || most > l.config.b {
				t.Errorf("%s, %s: %v queued at the downlink, want more than %v and at most %v", tt.name, preset, most, q.share()+full, l.config.b)
			}
		}
	}
}
