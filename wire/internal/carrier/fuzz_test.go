package carrier

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/lan"
)

// strange is a peer that has a session, and sends what it likes.
type strange struct {
	e      *end
	peer   *Peer
	remote uint64 // of the carrier
	from   netip.AddrPort
	now    unit.Time
}

func meetStrange(t testing.TB, transport string) *strange {
	w := newWorld(t, 2, lan.Faults{}, over(t, transport, ""), func(c *Config) {
		c.Largest, c.Incoming, c.Peers = unit.MB, 4*unit.MB, 4
	})
	p := w.connect(0, 1)
	e := w.ends[0]
	return &strange{e: e, peer: p, remote: p.session.own, from: w.address(1), now: w.Now()}
}

// say has a packet arrive.
func (s *strange) say(p *protocol.Packet, payload []byte) {
	b, err := codec.AppendPacket(codec.AppendHead(nil, codec.Head{Type: codec.Packet, Session: s.remote}), p, payload)
	if err != nil {
		return
	}
	s.e.Arrive(s.now, s.from, summed(b), p.Flags&protocol.Marked != 0)
}

// read makes packets, own messages and passing time of bytes. Small numbers are as likely as large ones.
func (s *strange) read(b []byte) {
	byteOf := func() byte {
		if len(b) == 0 {
			return 0
		}
		v := b[0]
		b = b[1:]
		return v
	}
	number := func() int64 {
		var v [8]byte
		for i := range int(byteOf()) % 9 {
			v[i] = byteOf()
		}
		return int64(binary.LittleEndian.Uint64(v[:]) & (1<<63 - 1))
	}
	buffer := make([]byte, 1<<16)
	for len(b) > 0 {
		switch op := byteOf(); op % 8 {
		case 0:
			s.now += unit.Time(number() % int64(20*unit.Millisecond))
			s.e.Expire(s.now)
		case 1:
			if !s.peer.Gone() && len(s.e.outgoing) < 20 {
				_, _ = s.e.Submit(s.now, s.peer, Kind(op>>3%3), uint64(byteOf()), make([]byte, number()%100_000))
				s.e.collect()
			}
		case 2:
			for range op >> 3 {
				if _, _, _, ok := s.e.Next(s.now, buffer); !ok {
					break
				}
				s.now += 100 * unit.Nanosecond
			}
		case 3: // what is no packet as a whole
			types := [...]codec.Type{codec.Piece, codec.Ping, codec.Pong, codec.Refusal, codec.Unawaited, codec.Closed}
			d := codec.AppendHead(nil, codec.Head{Type: types[int(op>>3)%len(types)], Session: s.remote})
			for range number() % 40 {
				d = append(d, byteOf())
			}
			s.e.Arrive(s.now, s.from, summed(d), op>>7 == 1)
		default:
			p := &protocol.Packet{
				Kind: byteOf() % protocol.HostKinds, Flags: protocol.PacketFlags(number()), Entropy: uint16(byteOf()),
				Echo: uint16(byteOf()), Message: uint32(number()), Tag: uint64(number()), Size: unit.Bytes(number()), Offset: unit.Bytes(number()),
				Amount: unit.Bytes(number()), Wire: 1 + unit.Bytes(number()%65_535), Number: uint32(number()), Extra: uint32(number()),
				SentAt: unit.Time(number()), EchoAt: unit.Time(number()),
			}
			if op>>7 == 0 { // data as it should be, but for its numbers
				p.Kind = op >> 3 % 8
			}
			n := number() % 1400
			if p.Size == 0 {
				p.Size = unit.Bytes(n)
			}
			if p.Kind == 0 && op>>6&1 == 0 { // whole packets, as those of connections are
				full := s.e.env.Payload
				p.Size, p.Number = p.Size%(2*unit.MB), p.Number%300
				p.Offset = p.Offset % (p.Size/full + 1) * full
				n = int64(max(0, min(full, p.Size-p.Offset)))
			}
			p.Flags &^= protocol.WasTrimmed
			p.Flags &= 1<<11 - 1
			p.Payload = unit.Bytes(n)
			s.say(p, make([]byte, n))
		}
	}
}

// FuzzPackets has a peer send what it likes: the endpoint neither panics nor holds more than it may, and still exchanges
// messages with that peer or has given it up.
func FuzzPackets(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		b := make([]byte, 401)
		for i := range b {
			b[i] = byte(r.Uint32())
			if r.IntN(3) > 0 {
				b[i] %= 10
			}
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		all := slices.Concat(carried, others)
		s := meetStrange(t, all[int(b[0])%len(all)])
		s.read(b[1:])
		if s.e.held > s.e.cfg.Incoming || s.e.held < 0 || len(s.e.outgoing) != len(s.e.byHandle) {
			t.Errorf("%v of messages that arrive, and %d of others are held, %d by handles", s.e.held, len(s.e.outgoing), len(s.e.byHandle))
		}
		if p := s.peer; len(p.pieces) > mostGathered || p.gathered > gatheredBytes || p.path.size < least || p.path.size > s.e.cfg.Datagram {
			t.Errorf("%d packets and %d B of pieces are held; datagrams have %v", len(p.pieces), p.gathered, p.path.size)
		}
	})
}

// FuzzHandshakes has strangers and a host that is asked say what they like in handshakes: the endpoint neither panics nor keeps more than
// it may.
func FuzzHandshakes(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 12 {
		b := make([]byte, 600)
		for i := range b {
			b[i] = byte(r.Uint32()) >> (r.IntN(2) * 5)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		take := func(n int) []byte {
			v := make([]byte, n)
			b = b[copy(v, b):]
			return v
		}
		w := newWorld(t, 2, lan.Faults{}, func(c *Config) {
			c.Peers = 4
			if len(b)%2 == 1 {
				c.Secret = []byte("what both know")
			}
		})
		w.connect(0, 1)
		e, now, buffer := w.ends[0], w.Now(), make([]byte, 1<<16)
		known := []uint64{}
		for number, s := range e.sessions {
			known = append(known, number, s.remote)
		}
		e.Dial(now, w.address(5))
		known = append(known, e.dials[0].own)
		cookie := [24]byte(take(24))
		for len(b) > 0 {
			op := take(2)
			from := w.address(int(op[1]) % 6)
			session := known[int(op[1]>>4)%len(known)]
			if op[0]>>7 == 1 {
				session = uint64(op[0])
			}
			d := codec.AppendHead(nil, codec.Head{Type: codec.Type(op[0]%16) + 1, Session: session, Number: uint64(op[1])})
			switch op[0] % 16 {
			case 0, 1, 2:
				g := codec.Greeting{
					Session: session, ID: ID{take(1)[0] % 8}, Life: uint64(op[1] >> 3), Epoch: uint32(op[1] >> 5), Cookie: cookie, MTU: uint16(e.cfg.Datagram), Sealed: e.sealed,
				}
				if op[0]>>6 > 0 {
					g.Cookie = e.jar.Make(now, place(from), session)
				}
				greeting := codec.AppendGreeting(nil, &g)
				if op[0]%16 == 2 {
					d = append(d, greeting...)
					break
				}
				d[0] = d[0]&0xf0 | byte(codec.Hello)
				var offer []byte
				if g.Offers() {
					if offer = take(codec.OfferSize); op[0]>>5&1 == 1 {
						var err error
						if _, offer, err = codec.NewOffer(e.secret, greeting, e.rng); err != nil {
							t.Fatal(err)
						}
					}
				}
				d = codec.AppendHello(d, greeting, offer)
			case 15:
				now += unit.Time(op[1]) * 20 * unit.Millisecond
				e.Expire(now)
			default:
				d = append(d, take(int(op[1]>>2))...)
			}
			e.Arrive(now, from, summed(d), false)
			for range 5 {
				if _, _, _, ok := e.Next(now, buffer); !ok {
					break
				}
			}
		}
		if most := e.cfg.Peers * (mostSessions + 1); len(e.byID) > e.cfg.Peers || len(e.sessions) > most+len(e.dials) || len(e.dials) > 1+e.cfg.Peers {
			t.Errorf("%d peers, %d sessions, %d dials", len(e.byID), len(e.sessions), len(e.dials))
		}
	})
}
