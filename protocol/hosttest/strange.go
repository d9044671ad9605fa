package hosttest

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"

	"weft/protocol"
	"weft/unit"
)

// This file has a host that is let in and says what it likes.

// Misuse has the first of three hosts exchange messages with the second one, while a script tells what the third one says to
// it. Whatever that is, no host's books break, and once the third is forgotten nothing is left of it, and all that is
// between the others is settled. Payload is that of a full packet. The hosts must be protocol.Cancelers and Forgetters.
func (l *LAN) Misuse(script []byte, payload unit.Bytes) {
	l.T.Helper()
	s := &stranger{LAN: l, payload: payload, script: script}
	s.begin()
	for len(s.script) > 0 && len(s.tags) < 100 {
		s.step()
	}
	s.begin()
	l.Finish(l.Now + 10*unit.Second)
}

// CheckAnnouncements has another host announce messages without end, all as large as HostEnv.Largest, and one that is larger:
// the latter is not heeded, and the others take no memory for their size, and from some number on none at all. Announce
// makes the packet that announces a message to the host, which waits for nothing yet.
func CheckAnnouncements(t Failer, h protocol.HostTransport, largest unit.Bytes, announce func(number uint32, size unit.Bytes) protocol.Packet) {
	t.Helper()
	p := announce(0, largest+1)
	h.Receive(0, &p)
	if at, ok := h.Deadline(); ok {
		t.Fatalf("after a message of %v, where %v are allowed, the host waits until %v", largest+1, largest, at)
	}
	const announced, each, most = 200_000, 4 * unit.KB, 64 * unit.MB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for number := range uint32(announced) {
		p = announce(number, largest)
		h.Receive(0, &p)
		for p = (protocol.Packet{}); h.Next(0, &p); p = (protocol.Packet{}) {
		}
		if number != 1000 && number != announced-1 {
			continue
		}
		runtime.ReadMemStats(&after)
		if took, allowed := unit.Bytes(after.TotalAlloc-before.TotalAlloc), min(most, unit.Bytes(number)*each); took > allowed {
			t.Fatalf("%d messages of which nothing came take %v, more than %v", number+1, took, allowed)
		}
	}
	_, waits := h.Deadline()
	if _, ready := h.Ready(); !waits && !ready {
		t.Fatalf("no message was heeded")
	}
	Check(t, h)
}

// Scripts returns some that a search may begin with.
func Scripts() (list [][]byte) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(r.Uint32())
			if r.IntN(3) > 0 {
				b[i] %= 12
			}
		}
		list = append(list, b)
	}
	return list
}

// Numbers of the hosts.
const (
	victim int32 = iota
	honest
	strange
)

// stranger is what the third host is.
type stranger struct {
	*LAN
	payload unit.Bytes
	script  []byte
	tags    []uint64 // of messages of the first host
	last    protocol.Packet
}

// begin begins a new life of the stranger.
func (s *stranger) begin() {
	s.Replace(strange, func(*protocol.HostOutput) protocol.HostTransport { return &mute{last: &s.last} })
}

// step does what the script says next.
func (s *stranger) step() {
	switch op := s.byte(); op % 16 {
	case 0, 1:
		s.Run(s.Now + unit.Time(s.byte())*unit.Time(1+s.byte()%8)*100*unit.Nanosecond)
	case 2:
		s.tags = append(s.tags, s.Send(victim, strange, s.size(), 0))
	case 3:
		s.tags = append(s.tags, s.Send(victim, honest, s.size(), 0))
	case 4:
		s.tags = append(s.tags, s.Send(honest, victim, s.size(), 0))
	case 5:
		if n := len(s.tags); n > 0 {
			tag := s.tags[int(s.byte())%n]
			if s.sent[[2]uint64{uint64(victim), tag}] != nil {
				s.Cancel(victim, tag)
			}
		}
	case 6:
		if op>>4 == 0 {
			s.begin()
		}
	default:
		s.say(op>>4&1 != 0, op>>5&1 != 0)
	}
}

// say has a packet arrive: one that is made up, or the latest to the stranger with some fields changed; with payload where a
// packet may begin, or anywhere.
func (s *stranger) say(known, aligned bool) {
	p := protocol.Packet{Size: s.payload, Payload: s.payload}
	if known {
		p = s.last
	}
	p.Peer, p.Class, p.Wire = strange, 0, 84
	p.Kind = s.byte() % protocol.HostKinds
	which := uint16(s.byte()) | uint16(s.byte())<<8
	for k, set := range [...]func(int64){
		func(v int64) { p.Message = uint32(v) }, func(v int64) { p.Size = unit.Bytes(v) }, func(v int64) { p.Offset = unit.Bytes(v) },
		func(v int64) { p.Amount = unit.Bytes(v) }, func(v int64) { p.Number = uint32(v) }, func(v int64) { p.Extra = uint32(v) },
		func(v int64) { p.Flags = protocol.PacketFlags(v) }, func(v int64) { p.Payload = unit.Bytes(v) }, func(v int64) { p.Tag = uint64(v) },
		func(v int64) { p.EchoAt = unit.Time(v) }, func(v int64) { p.SentAt = unit.Time(v) }, func(v int64) { p.Entropy = uint16(v) },
		func(v int64) { p.Echo = uint16(v) }, func(v int64) { p.Group = uint8(v) % 4 }, func(v int64) { p.Wire = 1 + unit.Bytes(uint16(v)) },
	} {
		if which>>k&1 != 0 {
			set(s.number())
		}
	}
	if aligned {
		p.Offset = unit.Bytes(s.byte()%64) * s.payload
		p.Payload = min(s.payload, p.Size-p.Offset)
	}
	if p.Payload < 0 || p.Payload > s.payload { // which carriers do not let through
		p.Payload = 0
	}
	before := p.Payload
	fresh := s.Hosts[victim].Receive(s.Now, &p)
	if fresh < 0 || fresh > before {
		s.T.Fatalf("at %v: %v of %v is new in %+v", s.Now, fresh, before, p)
	}
	s.heed(victim)
}

func (s *stranger) byte() byte {
	if len(s.script) == 0 {
		return 0
	}
	v := s.script[0]
	s.script = s.script[1:]
	return v
}

// size is that of a message.
func (s *stranger) size() unit.Bytes { return 1 + unit.Bytes(s.byte())*unit.Bytes(1+s.byte())*4 }

// number returns one of any size, or one as packets have it.
func (s *stranger) number() int64 {
	switch n := s.byte() % 12; n {
	case 9:
		return int64(s.byte() % 8)
	case 10:
		return int64(s.byte()) * int64(s.payload)
	case 11:
		return -int64(s.byte())
	default:
		var v [8]byte
		for i := range n {
			v[i] = s.byte()
		}
		return int64(binary.LittleEndian.Uint64(v[:]))
	}
}

// mute is a host that hears and says nothing by itself.
type mute struct{ last *protocol.Packet }

func (m *mute) Receive(_ unit.Time, p *protocol.Packet) unit.Bytes {
	*m.last = *p
	return 0
}

func (*mute) Submit(unit.Time, *protocol.HostMessage)      {}
func (*mute) Next(unit.Time, *protocol.Packet) bool        { return false }
func (*mute) Ready() (unit.Time, bool)                     { return 0, false }
func (*mute) Deadline() (unit.Time, bool)                  { return 0, false }
func (*mute) Expire(unit.Time)                             {}
func (*mute) Check() error                                 { return nil }
func (*mute) Cancel(unit.Time, *protocol.HostMessage) bool { return false }
func (*mute) Forget(unit.Time, int32)                      {}
