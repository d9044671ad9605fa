package carrier

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"

	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/lan"
)

// stranger makes datagrams of who is no peer of an endpoint, but may have seen what its peers sent.
type stranger struct {
	*rand.Rand
	sealed   bool
	known    []uint64 // sessions of the endpoint
	recorded [][]byte // datagrams of its peers' handshakes
	stale    [24]byte
}

func newStranger(w *world, seed uint64, e *end) *stranger {
	s := &stranger{Rand: rand.New(rand.NewPCG(seed, 1)), sealed: e.sealed}
	for number, session := range e.sessions {
		s.known = append(s.known, number, session.remote)
	}
	s.stale = e.jar.Make(0, place(w.address(99)), 1)
	return s
}

func (s *stranger) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	return b
}

// make returns one more.
func (s *stranger) make() []byte {
	session := s.Uint64()
	if len(s.known) > 0 && s.IntN(2) == 0 {
		session = s.known[s.IntN(len(s.known))]
	}
	h := codec.Head{Session: session, Number: s.Uint64N(codec.MaxNumber), Phase: uint8(s.IntN(2))}
	switch s.IntN(8) {
	case 0, 1:
		g := codec.Greeting{Session: session, ID: ID(s.bytes(16)), Life: s.Uint64(), Epoch: s.Uint32(), MTU: 1472, Sealed: s.sealed}
		switch s.IntN(3) {
		case 0:
			g.Cookie = s.stale
		case 1:
			g.Cookie = [24]byte(s.bytes(24))
			binary.BigEndian.PutUint64(g.Cookie[16:], s.Uint64N(2))
		}
		var offer []byte
		if g.Offers() {
			offer = s.bytes(codec.OfferSize)
		}
		return summed(codec.AppendHello(codec.AppendHead(nil, codec.Head{Type: codec.Hello}), codec.AppendGreeting(nil, &g), offer))
	case 2:
		h.Type = codec.Reset
		return summed(codec.AppendHead(nil, h))
	case 3:
		h.Type = codec.Challenge
		return summed(codec.AppendChallenge(codec.AppendHead(nil, h), [24]byte(s.bytes(24))))
	case 4:
		h.Type = codec.Accept
		size := codec.GreetingSize
		if s.sealed {
			size = codec.AnswerSize
		}
		return summed(append(codec.AppendHead(nil, h), s.bytes(size)...))
	case 5:
		if len(s.recorded) > 0 {
			return s.recorded[s.IntN(len(s.recorded))]
		}
		fallthrough
	case 6:
		return s.bytes(s.IntN(300))
	}
	h.Type = codec.Packet + codec.Type(s.IntN(6)) // Reset among them, with a body
	return append(codec.AppendHead(nil, h), s.bytes(s.IntN(1400))...)
}

// TestStrangersCostNothing has strangers send an endpoint all kinds of datagrams, also those that they saw of a peer: it keeps nothing,
// and answers with at most one datagram that is no larger. Its peer is not disturbed.
func TestStrangersCostNothing(t *testing.T) {
	for mode, set := range modes {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, 2, lan.Faults{}, set)
			p := w.connect(0, 1)
			w.Run(w.Now() + unit.Millisecond)
			e := w.ends[1]
			s := newStranger(w, 1, e)
			s.recorded = record(t, w, e, set)
			if mode == "plain" { // where who sees a session can end it
				s.known, s.recorded = nil, s.recorded[:2]
			}
			w.Run(w.Now() + 200*unit.Second)
			now, from, b := w.Now(), w.address(50), make([]byte, 1<<16)
			sessions, peers := len(e.sessions), len(e.byID)
			round := func(count int) {
				for range count {
					d := s.make()
					e.Arrive(now, from, d, false)
					answers := 0
					for {
						to, _, n, ok := e.Next(now, b)
						if !ok {
							break
						}
						if answers++; to != from || n > len(d) || answers > 1 {
							t.Fatalf("%d bytes to %v answer %d from %v", n, to, len(d), from)
						}
					}
					now += unit.Microsecond
				}
			}
			round(2000)
			before := heap()
			round(20_000)
			if grown := int64(heap()) - int64(before); grown > 100_000 {
				t.Errorf("the heap grew by %d B", grown)
			}
			if len(e.sessions) != sessions || len(e.byID) != peers || len(e.dials) != 0 || e.waits() {
				t.Errorf("it has %d sessions of %d, %d peers of %d, and asks %d", len(e.sessions), sessions, len(e.byID), peers, len(e.dials))
			}
			if e.byID[p.ID] != nil || e.peers[0].Gone() {
				t.Error("the peer was given up")
			}
			w.Run(now)
			h := w.submit(0, p, body(1, 100_000))
			w.Run(w.Now() + unit.Second)
			if err, done := w.ends[0].ended[h]; !done || err != nil {
				t.Errorf("a message of the peer ended %v: %v", done, err)
			}
		})
	}
}

// heap returns how much is held.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// record returns what a peer sent when it connected, from another address than strangers have.
func record(t *testing.T, w *world, e *end, mode func(*Config)) (list [][]byte) {
	w.ends = append(w.ends, nil)
	client := w.start(2, mode)
	from, b := client.addr, make([]byte, 2000)
	now := w.Now()
	client.Dial(now, e.addr)
	for range 3 {
		for {
			to, _, n, ok := client.Next(now, b)
			if !ok {
				break
			}
			if to == e.addr {
				list = append(list, append([]byte(nil), b[:n]...))
				e.Arrive(now, from, b[:n], false)
			}
		}
		for {
			_, _, n, ok := e.Next(now, b)
			if !ok {
				break
			}
			client.Arrive(now, e.addr, b[:n], false)
		}
	}
	if len(client.peers) != 1 || len(list) < 2 {
		t.Fatalf("it sent %d datagrams and met %d", len(list), len(client.peers))
	}
	w.Remove(client.addr)
	return list
}

// flooder is a host that sends what a stranger makes, as fast as a third of its link takes it, until a time.
type flooder struct {
	*stranger
	to    netip.AddrPort
	until unit.Time
	free  unit.Time
	got   uint64 // bytes of answers
	sent  uint64
}

func (f *flooder) Arrive(_ unit.Time, _ netip.AddrPort, b []byte, _ bool) { f.got += uint64(len(b)) }

func (f *flooder) Next(now unit.Time, b []byte) (to netip.AddrPort, port, n int, ok bool) {
	if now >= f.until || now < f.free {
		return to, 0, 0, false
	}
	n = copy(b, f.make())
	f.sent += uint64(n)
	f.free = now + 3*testRate.Transmit(unit.Bytes(n+66))
	return f.to, 0, n, true
}

func (f *flooder) Wake(now unit.Time) unit.Time {
	if now >= f.until {
		return unit.Forever
	}
	return f.free
}

func (f *flooder) Expire(unit.Time) {}

// TestFlooded has a stranger send a third of what an endpoint's link takes while a peer connects and others send: all end well and soon.
func TestFlooded(t *testing.T) {
	for mode, set := range modes {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, 3, lan.Faults{}, set)
			p := w.connect(0, 1)
			f := &flooder{stranger: newStranger(w, 2, w.ends[1]), to: w.address(1), until: w.Now() + 20*unit.Millisecond}
			f.known = nil // without a secret, who sees sessions can end them
			w.Add(f, w.address(7))
			h := w.submit(0, p, body(1, 1_000_000))
			back := w.submit(1, w.ends[1].peers[0], body(2, 10_000_000)) // so that its link is busy
			w.Run(w.Now() + 2*unit.Millisecond)
			began := w.Now()
			w.connect(2, 1)
			if took := w.Now() - began; took > 15*unit.Millisecond {
				t.Errorf("a peer connects in %v", took)
			}
			w.Run(f.until)
			if err, done := w.ends[0].ended[h]; !done || err != nil {
				t.Errorf("a message of a peer ended %v: %v", done, err)
			}
			if err, done := w.ends[1].ended[back]; !done || err != nil {
				t.Errorf("a message to a peer ended %v: %v", done, err)
			}
			if f.got == 0 || f.got > f.sent {
				t.Errorf("strangers got %d B for %d B", f.got, f.sent)
			}
			if e := w.ends[1]; len(e.byID) != 2 {
				t.Errorf("it has %d peers", len(e.byID))
			}
		})
	}
}

// TestIdlePeersMakeRoom has more endpoints connect one after another than there can be peers at once: those that are silent are given
// up for new ones, and those that are not stay.
func TestIdlePeersMakeRoom(t *testing.T) {
	for mode, set := range modes {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t, 10, lan.Faults{}, set, func(c *Config) { c.Peers = 3 })
			for i := 1; i < 7; i++ {
				p := w.connect(i, 0)
				h := w.submit(i, p, body(uint64(i), 1000))
				w.Run(w.Now() + 3*unit.Second)
				if err, done := w.ends[i].ended[h]; !done || err != nil {
					t.Errorf("the message of %d ended %v: %v", i, done, err)
				}
			}
			if len(w.ends[0].byID) != 3 {
				t.Errorf("it has %d peers", len(w.ends[0].byID))
			}
			for i := range 3 {
				w.connect(7+i, 0)
			}
			met := len(w.ends[1].peers)
			w.ends[1].Dial(w.Now(), w.address(0))
			w.Stir(w.address(1))
			w.Run(w.Now() + unit.Second)
			for i := range 3 {
				if w.ends[0].byID[ID{byte(8 + i)}] == nil {
					t.Errorf("%d was given up at once", 7+i)
				}
			}
			if len(w.ends[1].peers) != met || w.ends[0].Counts.Full == 0 {
				t.Error("there is room for a fourth peer")
			}
		})
	}
}
