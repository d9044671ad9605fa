package carrier

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"testing"

	"weft/unit"
	"weft/wire/internal/lan"
)

var floods = flag.Int("flood", 0, "how many datagrams TestFlood makes in each of its cases; 0 is some")

// flood is an endpoint with a peer, and somebody who sends it what the peer sent before, changed.
type flood struct {
	a, b    *end
	now     unit.Time
	buffer  []byte
	heard   [][]byte // by a, from b
	bodies  uint64   // of messages so far
	arrived int
}

// mostHeard is how many datagrams are kept to be changed.
const mostHeard = 2048

// carry takes datagrams between the two until both are idle, or a time is over.
func (f *flood) carry(r *rand.Rand) {
	for idle := 0; idle < 20; {
		idle++
		for _, side := range []struct{ from, to *end }{{f.a, f.b}, {f.b, f.a}} {
			for {
				_, _, n, ok := side.from.Next(f.now, f.buffer)
				if !ok {
					break
				}
				idle = 0
				d := bytes.Clone(f.buffer[:n])
				if side.to == f.a {
					if len(f.heard) < mostHeard {
						f.heard = append(f.heard, d)
					} else {
						f.heard[r.IntN(mostHeard)] = d
					}
				}
				side.to.Arrive(f.now, side.from.addr, bytes.Clone(d), false)
				f.now += 2 * unit.Microsecond
			}
		}
		f.now += 100 * unit.Microsecond
		f.a.Expire(f.now)
		f.b.Expire(f.now)
	}
}

// exchange has the peer send a message, which must come as it is.
func (f *flood) exchange(t *testing.T, r *rand.Rand) {
	t.Helper()
	if len(f.b.peers) == 0 || f.b.peers[len(f.b.peers)-1].Gone() {
		f.b.Dial(f.now, f.a.addr)
		f.carry(r)
	}
	f.bodies++
	want := body(f.bodies, 1+r.IntN(20_000))
	if _, err := f.b.Submit(f.now, f.b.peers[len(f.b.peers)-1], OneWay, 0, want); err != nil {
		t.Fatal(err)
	}
	f.b.collect()
	f.carry(r)
	for _, m := range f.a.arrived {
		if bytes.Equal(m.Body, want) {
			f.arrived++
		}
	}
}

// mutate returns a datagram that was not sent, made of those that were.
func (f *flood) mutate(r *rand.Rand, sum bool) []byte {
	was := f.heard[r.IntN(len(f.heard))]
	d := append(f.buffer[:0], was...)
	if sum {
		d = d[:len(d)-sumSize]
	}
	switch r.IntN(5) {
	case 0: // cut
		d = d[:r.IntN(len(d)+1)]
	case 1: // the head of one, the rest of another
		other := f.heard[r.IntN(len(f.heard))]
		at := r.IntN(min(len(d), len(other)) + 1)
		d = append(d[:at], other[at:]...)
	case 2: // longer
		for range 1 + r.IntN(40) {
			d = append(d, byte(r.Uint32()))
		}
	}
	for range r.IntN(4) {
		if len(d) > 0 {
			d[r.IntN(min(len(d), 64))] ^= 1 << r.IntN(8)
		}
	}
	if r.IntN(8) == 0 && len(d) > 0 {
		d[r.IntN(len(d))] = byte(r.Uint32())
	}
	if sum {
		d = summed(d)
	}
	return d
}

// TestFlood sends an endpoint datagrams of its peer again, changed, cut, spliced and as they were, from the peer's address and
// from others. It does not panic, holds no more than it may, and goes on with its peer. Where datagrams are sealed, or their
// checksums are left as they were, no message comes that the peer did not send, and none twice.
func TestFlood(t *testing.T) {
	for _, c := range []struct {
		name, transport string
		sealed, sum     bool
	}{
		{"sealed", "sird", true, false},
		{"sealed", "dctcp", true, false},
		{"plain", "sird", false, false},
		{"plain, with checksums made right", "sird", false, true},
		{"plain, with checksums made right", "dctcp", false, true},
	} {
		t.Run(c.name+", "+c.transport, func(t *testing.T) {
			t.Parallel()
			count := *floods
			if count == 0 {
				count = 30_000
			}
			change := func(cfg *Config) {
				cfg.Incoming, cfg.Largest, cfg.Peers = 4*unit.MB, unit.MB, 4
				if c.sealed {
					cfg.Secret = []byte("what both know")
				}
			}
			w := newWorld(t, 2, lan.Faults{}, over(t, c.transport, ""), change)
			f := &flood{a: w.ends[0], b: w.ends[1], buffer: make([]byte, 1<<16)}
			r := rand.New(rand.NewPCG(7, 7))
			exchanges := 0
			for i := range count {
				if i%1000 == 0 {
					f.a.arrived = f.a.arrived[:0]
					f.exchange(t, r)
					exchanges++
					if c.sealed || !c.sum {
						if f.arrived != exchanges || len(f.a.arrived) != 1 {
							t.Fatalf("after %d datagrams: %d of %d messages came, and %d at once", i, f.arrived, exchanges, len(f.a.arrived))
						}
						f.a.arrived = f.a.arrived[:0]
					}
				}
				from := f.b.addr
				if r.IntN(4) == 0 {
					from = w.address(2 + r.IntN(8))
				}
				f.a.Arrive(f.now, from, f.mutate(r, c.sum), r.IntN(16) == 0)
				if c.sealed || !c.sum {
					if len(f.a.arrived) > 0 {
						t.Fatalf("datagram %d brought a message", i)
					}
				}
				if i%64 == 0 {
					f.now += 20 * unit.Microsecond
					f.a.Expire(f.now)
					for range 8 { // what it answers nobody hears
						if _, _, _, ok := f.a.Next(f.now, f.buffer); !ok {
							break
						}
					}
				}
				if f.a.held > f.a.cfg.Incoming || f.a.held < 0 || len(f.a.byID) > f.a.cfg.Peers || len(f.a.sessions) > f.a.cfg.Peers*(mostSessions+1)+len(f.a.dials) {
					t.Fatalf("after %d datagrams %v are held, and %d peers and %d sessions", i, f.a.held, len(f.a.byID), len(f.a.sessions))
				}
			}
			if n := f.a.Counts; n.Received < uint64(count) {
				t.Errorf("%d datagrams were counted of %d", n.Received, count)
			}
		})
	}
}
