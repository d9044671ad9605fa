package hosted

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// victim is a host that strangers send to, beside an honest one with which it exchanges messages.
type victim struct {
	t      testing.TB
	rest   []byte
	now    unit.Time
	hosts  [2]protocol.HostTransport // the victim, and the honest one
	outs   [2]protocol.HostOutput
	mail   [2][]protocol.Packet // to them
	tag    uint64
	open   map[protocol.HostMessage]bool // that the victim submitted
	began  map[[2]uint64]bool            // peer and number of messages that came in part
	expect protocol.Packet               // that is being received
}

const (
	theVictim = iota
	theHonest
	strangers = 4 // hosts in all
)

func newVictim(t testing.TB, c protocol.CongestionControl) *victim {
	v := &victim{t: t, open: map[protocol.HostMessage]bool{}, began: map[[2]uint64]bool{}}
	for i := range v.hosts {
		v.hosts[i] = c.NewHost(env(strangers, int32(i), 1, &v.outs[i]))
	}
	return v
}

func (v *victim) byte() byte {
	if len(v.rest) == 0 {
		return 0
	}
	b := v.rest[0]
	v.rest = v.rest[1:]
	return b
}

// number reads a number of any length.
func (v *victim) number() int64 {
	var b [8]byte
	for i := range int(v.byte()) % 9 {
		b[i] = v.byte()
	}
	return int64(binary.LittleEndian.Uint64(b[:]) & (1<<63 - 1))
}

// next asks a host for a packet.
func (v *victim) next(i int) (p protocol.Packet, ok bool) {
	ok = v.hosts[i].Next(v.now, &p)
	if ok && p.More != nil {
		more := *p.More
		p.More = &more
	}
	v.heed(i)
	return p, ok
}

// receive hands a packet to the victim.
func (v *victim) receive(p protocol.Packet) {
	v.expect = p
	switch fresh := v.hosts[theVictim].Receive(v.now, &p); {
	case fresh < 0 || fresh > max(0, v.expect.Payload):
		v.t.Fatalf("%v of %v are fresh", fresh, v.expect.Payload)
	case fresh > 0:
		v.began[[2]uint64{uint64(v.expect.Peer), uint64(v.expect.Message)}] = true
	}
	v.heed(theVictim)
}

// heed checks what a host reports.
func (v *victim) heed(i int) {
	for _, e := range v.outs[i].Events {
		m := protocol.HostMessage{Peer: e.Peer, Tag: e.Tag, Bytes: e.Bytes}
		switch {
		case i == theHonest:
		case e.Kind == protocol.MessageCompleted:
			if !v.open[m] {
				v.t.Fatalf("%+v is completed", m)
			}
			delete(v.open, m)
		case e.Kind == protocol.MessageDelivered:
			v.ends(e.Peer, uint64(v.expect.Message))
			if e.Peer != v.expect.Peer || e.Tag != v.expect.Tag || e.Bytes != v.expect.Size || e.Bytes > largest {
				v.t.Fatalf("%+v is delivered by %+v", e, v.expect)
			}
		case e.Kind == protocol.MessageWithdrawn:
			v.ends(e.Peer, e.Tag)
		}
	}
	v.outs[i].Events = v.outs[i].Events[:0]
}

// ends notes that a message ends that comes to the victim.
func (v *victim) ends(peer int32, number uint64) {
	key := [2]uint64{uint64(peer), number}
	if !v.began[key] {
		v.t.Fatalf("message %d of host %d ends, which is not there", number, peer)
	}
	delete(v.began, key)
}

// change makes something else of a packet.
func (v *victim) change(p *protocol.Packet) {
	switch v.byte() % 15 {
	case 0:
		p.Kind = v.byte() % protocol.HostKinds
	case 1:
		p.Peer = int32(1 + v.byte()%(strangers-1))
	case 2:
		p.Flags = protocol.PacketFlags(v.number())
	case 3:
		p.Entropy = uint16(v.number())
	case 4:
		p.Message += uint32(v.byte()) - 3
	case 5:
		p.Tag += uint64(v.byte()) - 3
	case 6:
		p.Size = unit.Bytes(v.number())
	case 7:
		p.Offset = unit.Bytes(v.number())
	case 8:
		p.Payload = unit.Bytes(v.number() % 2000)
	case 9:
		p.Number = uint32(v.byte())
	case 10:
		p.Extra = uint32(v.number())
	case 12:
		p.SentAt = unit.Time(v.number())
	case 11:
		p.Offset += unit.Bytes(int8(v.byte())) * 1460
	default:
		if p.More != nil && p.More.Length > 0 {
			p.More.Bytes[v.byte()%p.More.Length] ^= v.byte()
			p.More.Length -= v.byte() % 3 % p.More.Length
		}
	}
}

func (v *victim) step() {
	switch op := v.byte(); op % 10 {
	case 0:
		v.now += unit.Time(v.number() % int64(20*unit.Millisecond))
		for i, h := range v.hosts {
			h.Expire(v.now)
			v.heed(i)
			if at, ok := h.Deadline(); ok && at <= v.now {
				v.t.Fatalf("at %v the deadline is %v", v.now, at)
			}
		}
	case 1:
		if len(v.open) < 600 {
			v.tag++
			m := protocol.HostMessage{Peer: int32(1 + op/10%(strangers-1)), Tag: v.tag, Bytes: 1 + unit.Bytes(v.number()%300_000)}
			v.open[m] = true
			v.hosts[theVictim].Submit(v.now, &m)
			v.heed(theVictim)
		}
	case 2:
		v.tag++
		v.hosts[theHonest].Submit(v.now, &protocol.HostMessage{Peer: theVictim, Tag: v.tag, Bytes: 1 + unit.Bytes(v.number()%300_000)})
	case 3, 4:
		for range op / 10 {
			v.now += 150 * unit.Nanosecond
			p, ok := v.next(theVictim)
			if !ok {
				break
			}
			if p.Peer == theHonest && len(v.mail[theHonest]) < 1000 {
				p.Peer = theVictim
				v.mail[theHonest] = append(v.mail[theHonest], p)
			}
		}
	case 5:
		for _, p := range v.mail[theHonest] {
			v.hosts[theHonest].Receive(v.now, &p)
			v.heed(theHonest)
		}
		v.mail[theHonest] = v.mail[theHonest][:0]
	case 6, 7:
		for range op / 10 {
			v.now += 150 * unit.Nanosecond
			p, ok := v.next(theHonest)
			if !ok {
				break
			}
			p.Peer = theHonest
			if v.byte()%4 == 0 {
				v.change(&p)
			}
			v.receive(p)
		}
	case 8:
		p := protocol.Packet{
			Peer: int32(1 + op/10%(strangers-1)), Kind: v.byte() % 8, Flags: protocol.PacketFlags(v.number()), Entropy: uint16(v.number()),
			Message: uint32(v.number()), Tag: uint64(v.number()), Size: unit.Bytes(v.number()), Number: uint32(v.number()), Extra: uint32(v.number()),
		}
		if p.Kind == kindData {
			p.Size = 1 + p.Size%20_000
			p.Offset = p.Size / 1460 * unit.Bytes(v.byte()%14) / 13 * 1460
			p.Payload = max(0, min(1460, p.Size-p.Offset))
		} else {
			p.Offset, p.SentAt = unit.Bytes(v.number()), unit.Time(v.number())
		}
		if n := v.byte(); n%3 == 0 {
			p.More = &protocol.More{Length: n % (protocol.MostMore + 1)}
			for i := range p.More.Bytes {
				p.More.Bytes[i] = v.byte()
			}
		}
		v.receive(p)
	case 9:
		m, ok := v.oldest()
		switch {
		case !ok:
		case op/10%4 == 0:
			v.hosts[theVictim].(protocol.Forgetter).Forget(v.now, m.Peer)
			maps.DeleteFunc(v.open, func(o protocol.HostMessage, _ bool) bool { return o.Peer == m.Peer })
			maps.DeleteFunc(v.began, func(key [2]uint64, _ bool) bool { return key[0] == uint64(m.Peer) })
		case v.hosts[theVictim].(protocol.Canceler).Cancel(v.now, &m):
			delete(v.open, m)
		default:
			v.t.Fatalf("%+v is not there", m)
		}
		v.heed(theVictim)
	}
}

// oldest returns the message that was submitted first of those that are open.
func (v *victim) oldest() (first protocol.HostMessage, ok bool) {
	for m := range v.open {
		if !ok || m.Tag < first.Tag {
			first, ok = m, true
		}
	}
	return first, ok
}

// FuzzHost has an honest host and strangers send what they like: the host neither panics nor keeps more than it may, its
// books are in order, and each message ends once.
func FuzzHost(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 30 {
		b := make([]byte, 600)
		for i := range b {
			b[i] = byte(r.Uint32())
			if r.IntN(4) == 0 {
				b[i] %= 10
			}
		}
		b[0], b[1] = byte(i), byte(i/3)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 2 {
			return
		}
		v := newVictim(t, control(t, carried[int(b[0])%len(carried)], spreads[int(b[1])%len(spreads)]))
		v.rest = b[2:]
		for len(v.rest) > 0 {
			v.step()
			for _, h := range v.hosts {
				if err := h.Check(); err != nil {
					t.Fatal(err)
				}
			}
		}
		h := v.hosts[theVictim].(*host)
		for _, p := range h.peers {
			if p != nil && (len(p.incoming) > mostNumbers || len(p.outgoing) > mostNumbers) {
				t.Errorf("%d messages come from a host, and %d go to it", len(p.incoming), len(p.outgoing))
			}
		}
		if n, most := h.connections.Receiving.Open(), mostNumbers*(strangers-1); n > most {
			t.Errorf("%d messages have come in part", n)
		}
		if n := h.outbox().Len(); n > 2*mostAnswers {
			t.Errorf("%d packets wait", n)
		}
	})
}
