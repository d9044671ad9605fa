package carrier

import (
	"errors"
	"fmt"
	"testing"

	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/lan"
)

// TestPathSizes sends messages over paths that take less than the endpoints would send, or all of it: all arrive, and datagrams are then
// about as large as the narrowest path takes.
func TestPathSizes(t *testing.T) {
	for _, c := range []struct {
		mtus     []unit.Bytes
		datagram unit.Bytes
	}{
		{[]unit.Bytes{1280}, 1452}, {[]unit.Bytes{1452}, 1452}, {[]unit.Bytes{600}, 1452}, {[]unit.Bytes{520}, 600},
		{[]unit.Bytes{1472, 1472, 1280, 1472}, 1472}, {[]unit.Bytes{1280}, 9000}, {[]unit.Bytes{1452}, 9000}, {[]unit.Bytes{9000}, 9000},
		{[]unit.Bytes{9000, 4000}, 9000}, {[]unit.Bytes{9000}, 65_000}, {[]unit.Bytes{513}, 65_000},
	} {
		for mode, set := range modes {
			t.Run(fmt.Sprint(c.mtus, c.datagram, mode), func(t *testing.T) {
				w := newWorldOver(t, 2, lan.Faults{}, c.mtus, set, func(cfg *Config) { cfg.Datagram = c.datagram })
				peers := w.pair()
				exchange(t, w, peers, 6, 100_000)
				takes := c.datagram
				for _, mtu := range c.mtus {
					takes = min(takes, mtu)
				}
				for i, p := range peers {
					if p.Datagram() > takes || takes-p.Datagram() > max(16, takes/64) {
						t.Errorf("end %d sends datagrams of up to %v over paths that take %v", i, p.Datagram(), takes)
					}
				}
				oversized := w.Counts().Oversized
				exchange(t, w, peers, 6, 100_000)
				if w.Counts().Oversized != oversized {
					t.Errorf("%d datagrams more were too large", w.Counts().Oversized-oversized)
				}
				for i, e := range w.ends {
					if (e.Counts.Split == 0) != (takes == c.datagram && c.datagram <= usual) {
						t.Errorf("end %d sent %d packets in pieces", i, e.Counts.Split)
					}
				}
			})
		}
	}
}

// TestBlackHole has a path come to take less in the middle of a run, on which only small datagrams live then: all messages arrive. When
// it takes all again, so do the endpoints, after the time that they wait.
func TestBlackHole(t *testing.T) {
	for mode, set := range modes {
		for _, size := range []struct{ before, after unit.Bytes }{{1452, 1280}, {9000, 1452}, {9000, 530}} {
			t.Run(fmt.Sprint(mode, size), func(t *testing.T) {
				w := newWorldOver(t, 2, lan.Faults{}, []unit.Bytes{size.before, size.before}, set, func(c *Config) { c.Datagram = size.before })
				peers := w.pair()
				exchange(t, w, peers, 10, 100_000)
				w.At(w.Now()+300*unit.Microsecond, func() { w.SetLink(1, pathOf(size.after)) })
				exchange(t, w, peers, 40, 40_000)
				for i, p := range peers {
					if p.Datagram() > size.after || size.after-p.Datagram() > max(16, size.after/64) {
						t.Errorf("end %d sends %v over a path that takes %v", i, p.Datagram(), size.after)
					}
				}
				w.SetLink(1, pathOf(size.before))
				w.Run(w.Now() + raiseAfter)
				exchange(t, w, peers, 10, 100_000)
				for i, p := range peers {
					if p.Datagram() != size.before {
						t.Errorf("end %d still sends %v over a path that takes %v", i, p.Datagram(), size.before)
					}
				}
			})
		}
	}
}

// TestPieces sends packets in pieces over a network that loses, repeats, reorders and breaks them: all messages arrive unchanged.
func TestPieces(t *testing.T) {
	for mode, set := range modes {
		for _, mtu := range []unit.Bytes{1280, 600} {
			t.Run(fmt.Sprint(mode, mtu), func(t *testing.T) {
				w := newWorldOver(t, 2, lan.Faults{}, []unit.Bytes{mtu, mtu}, set, func(c *Config) { c.Datagram = 4000 })
				peers := w.pair()
				exchange(t, w, peers, 5, 100_000)
				w.SetFaults(lan.Faults{Loss: 0.05, Duplicate: 0.1, Corrupt: 0.02, Reorder: 0.2, ReorderBy: 30 * unit.Microsecond})
				want := map[[16]byte]bool{}
				for i := range 40 {
					want[digest(body(uint64(i), 50_000))] = true
				}
				for _, e := range w.ends {
					e.arrived = nil
				}
				exchange(t, w, peers, 40, 50_000)
				for i, e := range w.ends {
					if len(e.arrived) != 40 || e.Counts.Split < 400 {
						t.Errorf("%d messages came to end %d, which sent %d packets in pieces", len(e.arrived), i, e.Counts.Split)
					}
					for _, m := range e.arrived {
						if !want[digest(m.Body)] {
							t.Errorf("a message came to end %d changed", i)
						}
					}
					if p := peers[i]; p.gathered > gatheredBytes || len(p.pieces) > mostGathered {
						t.Errorf("end %d holds %d B of %d packets", i, p.gathered, len(p.pieces))
					}
				}
			})
		}
	}
}

// TestGatheredIsBounded has a peer begin many packets and end none: what is kept stays below its bounds, and packets whose pieces
// follow one another still come whole.
func TestGatheredIsBounded(t *testing.T) {
	s := meetStrange(t, "sird")
	p := s.e.byID[ID{2}]
	for i := range uint32(10_000) {
		f := codec.Fragment{Packet: i, Index: uint8(i % 3), Count: 3, Total: uint16(300 + i%1000)}
		b := codec.AppendFragment(codec.AppendHead(nil, codec.Head{Type: codec.Piece, Session: s.remote}), f, make([]byte, f.Total))
		s.e.Arrive(s.now, s.from, summed(b), false)
		held := 0
		for _, g := range p.pieces {
			held += len(g.packet)
		}
		if len(p.pieces) > mostGathered || held != p.gathered || held > gatheredBytes {
			t.Fatalf("%d B of %d packets are held, %d B by the books", held, len(p.pieces), p.gathered)
		}
	}
	if len(p.pieces) != mostGathered || s.e.Counts.Malformed != 0 {
		t.Errorf("%d packets are held, %+v", len(p.pieces), s.e.Counts)
	}
	ping := codec.AppendHead(nil, codec.Head{Type: codec.Piece, Session: s.remote})
	for i := range uint8(2) { // the pieces of a packet that is none
		b := codec.AppendFragment(ping[:codec.HeadSize:codec.HeadSize], codec.Fragment{Packet: 1 << 20, Index: i, Count: 2, Total: 40}, make([]byte, 40))
		s.e.Arrive(s.now, s.from, summed(b), false)
	}
	if s.e.Counts.Malformed != 1 {
		t.Errorf("what came whole was not looked at: %+v", s.e.Counts)
	}
}

// TestTooLarge has the driver say that datagrams were not sent: what is sent next fits.
func TestTooLarge(t *testing.T) {
	for _, limit := range []unit.Bytes{0, 1280, 700, 100} {
		w := newWorld(t, 2, lan.Faults{}, func(c *Config) { c.Datagram = 1472 })
		peers := w.pair()
		exchange(t, w, peers, 3, 100_000)
		e, p := w.ends[0], peers[0]
		e.TooLarge(w.Now(), &Datagram{Size: 1472, Peer: p}, limit)
		if want := max(least, limit); limit > 0 && p.Datagram() != want || limit == 0 && p.Datagram() != base {
			t.Errorf("limit %v: datagrams of %v are sent", limit, p.Datagram())
		}
		exchange(t, w, peers, 3, 100_000)
		if takes := min(1471, max(limit, least)); limit > 0 && p.Datagram() > takes {
			t.Errorf("limit %v: datagrams of %v are sent", limit, p.Datagram())
		}
		e.TooLarge(w.Now(), &Datagram{Size: 200}, limit) // of a handshake
	}
}

// TestSilentPath checks that a peer that is silent, or a network that loses much of all sizes, does not make datagrams small.
func TestSilentPath(t *testing.T) {
	w := newWorld(t, 2, lan.Faults{}, func(c *Config) { c.Datagram = 1452 })
	peers := w.pair()
	exchange(t, w, peers, 3, 100_000)
	w.SetFaults(lan.Faults{Loss: 0.1})
	exchange(t, w, peers, 60, 50_000)
	w.SetFaults(lan.Faults{Loss: 1})
	h := w.submit(0, peers[0], body(1, 100_000))
	w.Run(w.Now() + 5*unit.Second)
	if err := w.ends[0].ended[h]; !errors.Is(err, ErrSilent) {
		t.Errorf("a message to nowhere ended with %v", err)
	}
	for i, p := range peers {
		if p.Datagram() != 1452 {
			t.Errorf("end %d sends datagrams of %v", i, p.Datagram())
		}
	}
}

// TestPiecesAllocateNothing sends and takes packets in pieces.
func TestPiecesAllocateNothing(t *testing.T) {
	for mode, set := range modes {
		w := newWorld(t, 2, lan.Faults{}, set)
		peers := w.pair()
		packet, b := make([]byte, 1400), make([]byte, 2000)
		e, other, now := w.ends[0], w.ends[1], w.Now()
		send := func() {
			if !e.split(peers[0].session, 0, 0, packet, base) {
				t.Fatal("it does not go in pieces")
			}
			for e.parts.left() {
				d, ok := e.piece(now, b)
				if !ok {
					t.Fatal("a piece is not sent")
				}
				other.Carrier.Arrive(now, w.address(0), b[:d.Size], false)
			}
		}
		before := other.Counts.Malformed
		if n := testing.AllocsPerRun(200, send); n != 0 {
			t.Errorf("%s: %v allocations", mode, n)
		}
		if other.Counts.Malformed != before+201 {
			t.Errorf("%s: %+v", mode, other.Counts)
		}
	}
}
