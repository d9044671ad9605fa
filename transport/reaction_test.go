package transport

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// delivery is what a receiver's source is told.
type delivery struct {
	At      unit.Time
	Src     int32
	Ordinal uint64
}

// relay is a source that sends what it is given, and answers each message that its
// host receives if it has answers left.
type relay struct {
	list      []workload.Message
	answers   int
	delay     unit.Time
	received  []delivery
	completed []uint64
}

func (r *relay) first() int {
	best := -1
	for i, m := range r.list {
		if best < 0 || m.At < r.list[best].At {
			best = i
		}
	}
	return best
}

func (r *relay) Due() (unit.Time, bool) {
	if len(r.list) == 0 {
		return 0, false
	}
	return r.list[r.first()].At, true
}

func (r *relay) Next() (workload.Message, bool) {
	i := r.first()
	if i < 0 {
		return workload.Message{}, false
	}
	m := r.list[i]
	r.list = append(r.list[:i:i], r.list[i+1:]...)
	return m, true
}

func (r *relay) Completed(_ unit.Time, ordinal uint64) { r.completed = append(r.completed, ordinal) }

func (r *relay) Received(now unit.Time, src int32, ordinal uint64) {
	r.received = append(r.received, delivery{now, src, ordinal})
	if r.answers > 0 {
		r.answers--
		r.list = append(r.list, workload.Message{At: now + r.delay, Dst: src, Size: payload})
	}
}

// TestReceived tells the sources of receiving hosts of every message that was
// delivered, once, by the group, sender and ordinal that its record has, whatever
// is lost on the way.
func TestReceived(t *testing.T) {
	for _, domains := range []int{1, 3} {
		for _, every := range []int{1, 4} {
			t.Run(fmt.Sprintf("domains %d, ack every %d", domains, every), func(t *testing.T) {
				const hosts = 6
				rng := rand.New(rand.NewPCG(7, 9))
				var groups []Group
				var relays [][]*relay
				for range 2 {
					p := params(3 * payload)
					p.RTO, p.AckEvery, p.AckDelay = 30*unit.Microsecond, every, 5*unit.Microsecond
					sources := make([]workload.Source, hosts)
					of := make([]*relay, hosts)
					for h := range sources {
						of[h] = &relay{answers: 5, delay: unit.Microsecond}
						for range 8 {
							of[h].list = append(of[h].list, workload.Message{
								At:  unit.Time(rng.IntN(100)) * unit.Microsecond,
								Dst: int32(h+1+rng.IntN(hosts-1)) % hosts, Size: unit.Bytes(1 + rng.IntN(4*payload)),
							})
						}
						sources[h] = of[h]
					}
					groups = append(groups, Group{Params: p, Sources: sources})
					relays = append(relays, of)
				}
				losses := make([]*rand.Rand, hosts)
				for h := range losses {
					losses[h] = rand.New(rand.NewPCG(uint64(h), 3))
				}
				messages := labConfig{
					Graph: graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}), Domains: domains, Groups: groups,
					hooks: hooks{received: func(_ unit.Time, h int32, _ *fabric.Frame) bool { return losses[h].IntN(10) > 0 }},
				}.build(t).finish(t)
				if len(messages) != 2*hosts*13 {
					t.Errorf("%d messages; want %d and as many answers as were allowed", len(messages), 2*hosts*13)
				}
				type name struct {
					group, src int32
					ordinal    uint64
				}
				want := map[name]delivery{}
				for _, m := range messages {
					want[name{int32(m.Group), m.Src, m.Ordinal}] = delivery{m.End, m.Dst, m.Ordinal}
				}
				for g := range relays {
					for h, r := range relays[g] {
						for _, d := range r.received {
							n := name{int32(g), d.Src, d.Ordinal}
							if diff := cmp.Diff(want[n], delivery{d.At, int32(h), d.Ordinal}); diff != "" {
								t.Fatalf("message %+v (-record +what host %d was told):\n%s", n, h, diff)
							}
							delete(want, n)
						}
						seen := map[uint64]bool{}
						for _, o := range r.completed {
							seen[o] = true
						}
						if len(seen) != len(r.completed) || len(seen) != 13 {
							t.Errorf("host %d was told of the completion of messages %v", h, r.completed)
						}
					}
				}
				if len(want) > 0 {
					t.Errorf("nobody was told of %v", want)
				}
			})
		}
	}
}

// TestOvertaken has a message become due while a later one waits for its time.
func TestOvertaken(t *testing.T) {
	waits := &relay{answers: 1, delay: 2 * unit.Microsecond, list: []workload.Message{
		{At: 50 * unit.Microsecond, Dst: 0, Size: 7}, {At: 80 * unit.Microsecond, Dst: 0, Size: 8},
	}}
	l := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: params(unit.MiB), Sources: []workload.Source{&list{message1(payload)}, waits}}},
	}.build(t)
	m := l.finish(t)
	if m[1].Size != payload || m[1].Start != m[0].End+2*unit.Microsecond || m[2].Size != 7 || m[2].Start != 50*unit.Microsecond ||
		m[3].Size != 8 || m[3].Start != 80*unit.Microsecond {
		t.Errorf("the answer was due at %d, before the others; messages %+v", m[0].End+2*unit.Microsecond, m)
	}
}
