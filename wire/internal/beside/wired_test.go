package beside

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/netip"
	"testing"

	"weft/catalog"
	"weft/protocol"
	"weft/protocol/entropy"
	"weft/protocol/sird"
	"weft/transport/solo"
	"weft/unit"
	"weft/wire/internal/carrier"
	"weft/wire/internal/lan"
	"weft/wire/internal/tape"
)

// The network of scenarios/sird/incast-eight.yaml, and what weft wire's datagrams have beside them on Ethernet.
const (
	hosts    = 8
	rate     = unit.Gbps
	delay    = 67 * unit.Microsecond
	limit    = 250 * unit.KB
	mark     = 46 * unit.KB
	overhead = 86 * unit.Byte
	datagram = 1452 * unit.Byte
	payload  = 1382 * unit.Byte
	header   = 156 * unit.Byte
	packet   = payload + header
	bdp      = 24 * packet
)

// rtt is that by which a carrier reckons one bandwidth-delay product.
var rtt = rate.Transmit(bdp)

// message is one to be sent.
type message struct {
	from, to int
	start    unit.Time
	bytes    unit.Bytes
	end      unit.Time // when its last byte was delivered; 0 before
}

// outcome is what came of messages.
type outcome struct {
	messages []message
	sent     [hosts][]decision
	queue    unit.Bytes // the longest at the port to host 0
	credit   unit.Bytes // the most that host 0 had outstanding
	marks    uint64
}

// decision is a packet that a transport decided to send.
type decision struct {
	at     unit.Time
	packet protocol.Packet
}

// watched is a transport whose decisions are noted.
type watched struct {
	protocol.HostTransport
	sent   []decision
	credit unit.Bytes // the most that was outstanding
}

func (w *watched) Next(now unit.Time, p *protocol.Packet) bool {
	ok := w.HostTransport.Next(now, p)
	if ok {
		w.sent = append(w.sent, decision{now, *p})
		w.credit = max(w.credit, w.HostTransport.(protocol.CreditKeeper).Credit().Outstanding)
	}
	return ok
}

func (w *watched) Cancel(now unit.Time, m *protocol.HostMessage) bool {
	return w.HostTransport.(protocol.Canceler).Cancel(now, m)
}

func (w *watched) Forget(now unit.Time, peer int32) {
	w.HostTransport.(protocol.Forgetter).Forget(now, peer)
}

// station is a carrier on the network.
type station struct {
	*carrier.Carrier
	t       testing.TB
	core    *watched
	tape    bytes.Buffer
	padded  bool
	peers   []*carrier.Peer
	arrived func(now unit.Time, m *carrier.Message)
	sizes   []unit.Bytes // of datagrams, with all that the link adds
}

func (s *station) Arrive(now unit.Time, from netip.AddrPort, b []byte, marked bool) {
	if s.padded {
		b = b[:binary.BigEndian.Uint16(b[len(b)-2:])]
	}
	s.Carrier.Arrive(now, from, b, marked)
	s.heed(now)
}

// Next pads each packet of the transport to the size that the transport reckons with, if the station does that. The last two bytes
// say where the datagram ends.
func (s *station) Next(now unit.Time, b []byte) (to netip.AddrPort, port, n int, ok bool) {
	before := len(s.core.sent)
	d, ok := s.Carrier.Next(now, b)
	s.heed(now)
	n = d.Size
	if s.padded && ok {
		if n += 2; len(s.core.sent) > before {
			n = int(s.core.sent[before].packet.Wire - overhead)
		}
		clear(b[d.Size:n])
		binary.BigEndian.PutUint16(b[n-2:], uint16(d.Size))
	}
	if ok {
		s.sizes = append(s.sizes, unit.Bytes(n)+overhead)
	}
	return d.To, d.Port, n, ok
}

func (s *station) Expire(now unit.Time) {
	s.Carrier.Expire(now)
	s.heed(now)
}

func (s *station) heed(now unit.Time) {
	for _, v := range append([]carrier.Event(nil), s.Events()...) {
		switch v.Kind {
		case carrier.Connected:
			s.peers = append(s.peers, v.Peer)
		case carrier.Arrived:
			s.Read(len(v.Message.Body))
			s.arrived(now, &v.Message)
		case carrier.Ended:
			if v.Err != nil {
				s.t.Errorf("a message ended: %v", v.Err)
			}
		}
	}
	if err := s.Err(); err != nil {
		s.t.Fatal(err)
	}
}

// oneClass returns SIRD for networks of one class, as in the scenario.
func oneClass(t testing.TB) protocol.CongestionControl {
	t.Helper()
	entry := sird.Entries()[0]
	o, err := entry.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	o.(*sird.Options).Priority = "none"
	c, err := entry.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func address(host int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(host)}), 4000)
}

// begin is when messages start to count on the wire, after all have connected.
const begin = unit.Second

// setting is what carriers of the wire stand on.
type setting struct {
	padded      bool // see station
	rate        unit.Rate
	limit, mark unit.Bytes
}

// wired sends messages by carriers of the wire on the scenario's network.
func wired(t testing.TB, padded bool, messages []message) (outcome, []*station) {
	t.Helper()
	return setting{padded, rate, limit, mark}.send(t, messages)
}

// send sends messages. Carriers record unless they pad, and what they decided must be what the simulator's carrier decides from the
// same.
func (c setting) send(t testing.TB, messages []message) (o outcome, stations []*station) {
	t.Helper()
	link := lan.Link{Rate: rate, Delay: delay, Queue: c.limit, Mark: c.mark}
	n := lan.New(lan.Config{Seed: 1, Up: link, Down: link, Overhead: overhead})
	control := oneClass(t)
	for i := range hosts {
		s := &station{t: t, padded: c.padded}
		var to io.Writer
		if !c.padded {
			to = &s.tape
		}
		spied := control
		spied.NewHost = func(env protocol.HostEnv) protocol.HostTransport {
			s.core = &watched{HostTransport: control.NewHost(env)}
			return s.core
		}
		balancer, err := catalog.BuildDefault(entropy.Entries(), "ops")
		if err != nil {
			t.Fatal(err)
		}
		s.Carrier, err = carrier.New(carrier.Config{
			ID: carrier.ID{byte(i + 1)}, Life: uint64(i), Seed: [32]byte{byte(i)}, Rate: c.rate, RTT: rtt, Datagram: datagram, Carried: true, Overhead: overhead,
			Burst: 64 * unit.KB, Peers: hosts, Largest: unit.GB, Incoming: unit.GB, Listens: true, Silence: 5 * unit.Second,
			Transport: spied, Balancer: balancer, Ports: 16, Record: to, Name: tape.Name{Transport: "sird"},
		})
		if err != nil {
			t.Fatal(err)
		}
		stations = append(stations, s)
		n.Add(s, address(i))
	}
	for i := 1; i < hosts; i++ { // so that host i is peer i of host 0
		stations[i].Dial(n.Now(), address(0))
		n.Stir(address(i))
		n.Run(n.Now() + unit.Second/20)
	}
	for i, s := range stations {
		if i > 0 && len(s.peers) != 1 {
			t.Fatalf("host %d has %d peers", i, len(s.peers))
		}
		s.core.sent, s.sizes = nil, nil
	}
	type name struct {
		peer   *carrier.Peer
		number uint64
	}
	o.messages = append(o.messages, messages...)
	under := map[name]*message{}
	stations[0].arrived = func(now unit.Time, m *carrier.Message) {
		of := under[name{m.Peer, m.Number}]
		if of == nil || of.end != 0 || unit.Bytes(len(m.Body)) != of.bytes {
			t.Fatalf("message %d of %d B came, which nobody sent", m.Number, len(m.Body))
		}
		of.end = now - begin
	}
	for i := range o.messages {
		m := &o.messages[i]
		if m.to != 0 {
			t.Fatalf("a message to host %d", m.to)
		}
		n.At(begin+m.start, func() {
			s := stations[m.from]
			h, err := s.Submit(n.Now(), s.peers[0], carrier.OneWay, 0, make([]byte, m.bytes))
			if err != nil {
				t.Fatal(err)
			}
			under[name{stations[0].peers[m.from-1], h}] = m
			s.heed(n.Now())
			n.Stir(address(m.from))
		})
	}
	n.Run(begin + 5*unit.Second)
	for i, s := range stations {
		for _, d := range s.core.sent {
			d.at -= begin
			d.packet.Tag = 0 // it is the carrier's
			if i > 0 {
				d.packet.Peer = 0 // as in the simulator
			}
			o.sent[i] = append(o.sent[i], d)
		}
		if err := s.core.Check(); err != nil {
			t.Errorf("host %d: %v", i, err)
		}
		if !c.padded {
			replay(t, i, control, &s.tape)
		}
	}
	o.queue, o.credit, o.marks = n.LongestQueue(address(0)), stations[0].core.credit, n.Counts().Marked
	return o, stations
}

// replay feeds the tape of a host to the simulator's carrier.
func replay(t testing.TB, host int, control protocol.CongestionControl, tapes *bytes.Buffer) {
	t.Helper()
	calls, err := tape.Replay(tapes, func(tape.Name) (protocol.CongestionControl, error) { return solo.Carry(control), nil })
	if err != nil || calls == 0 {
		t.Errorf("host %d, after %d calls: %v", host, calls, err)
	}
}
