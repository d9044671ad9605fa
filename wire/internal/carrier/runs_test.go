package carrier

import (
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/catalog"
	"weft/protocol"
	"weft/protocol/congestion"
	"weft/protocol/homa"
	"weft/protocol/sird"
	"weft/unit"
	"weft/wire/internal/burst"
	"weft/wire/internal/codec"
	"weft/wire/internal/transports"
)

// counting is a balancer whose choosers never choose an entropy twice, and which notes the runs that end early.
type counting struct {
	chosen   uint16
	cut      map[uint16]bool
	choosers []*chooser
}

// end notes the runs that are not over.
func (c *counting) end() {
	for _, one := range c.choosers {
		c.cut[one.last] = true
	}
}

// balancer returns the balancer.
func (c *counting) balancer(oblivious bool, run int) protocol.Balancer {
	c.cut = map[uint16]bool{}
	return protocol.Balancer{Oblivious: oblivious, Run: run, New: func(protocol.Env) protocol.Entropy {
		one := &chooser{counting: c}
		c.choosers = append(c.choosers, one)
		return one
	}}
}

// chooser chooses for one peer or connection.
type chooser struct {
	*counting
	last uint16
}

func (c *chooser) Start(unit.Time)     { c.cut[c.last] = true }
func (c *chooser) Resume(unit.Time)    { c.cut[c.last] = true }
func (c *chooser) Acked(*protocol.Ack) {}
func (c *chooser) Lost(*protocol.Loss) {}
func (c *chooser) Next(unit.Time) uint16 {
	c.chosen++
	c.last = c.chosen
	return c.last
}

// sent is a datagram with a packet of the transport, or a piece of one.
type sent struct {
	at      unit.Time
	entropy uint16
	burst   uint32
	data    bool
	piece   bool // not the first
}

// sprayer is an endpoint whose datagrams leave by a burst.Sender.
type sprayer struct {
	*Carrier
	t      *rapid.T
	now    unit.Time
	addr   netip.AddrPort
	other  *sprayer
	chosen counting
	peer   *Peer
	open   int // messages that have not ended
	out    *burst.Sender
	path   *burst.Path
	log    []sent
	of     map[string]sent // by the head of its datagram
	bursts [][]sent        // that left
	mail   [][]byte        // that arrives next
	lose   int             // one datagram in so many is lost, none if 0
	left   int
}

func (s *sprayer) Send(_ int, _ netip.AddrPort, data []byte) error {
	if s.left++; s.lose == 0 || s.left%s.lose != 0 {
		s.other.mail = append(s.other.mail, slices.Clone(data))
	}
	return nil
}

func (s *sprayer) SendBurst(port int, to netip.AddrPort, datagrams [][]byte) error {
	var list []sent
	for _, data := range datagrams {
		list = append(list, s.of[string(data[:codec.HeadSize])])
		_ = s.Send(port, to, data)
	}
	s.bursts = append(s.bursts, list)
	return nil
}

func (s *sprayer) Probe(unit.Time, int, []byte) (int, netip.AddrPort, int, bool) {
	return 0, netip.AddrPort{}, 0, false // no path is checked
}

func (s *sprayer) Answers() uint64  { return 0 }
func (s *sprayer) Heard() unit.Time { return s.now }

// turn lets the endpoint do all that it can at an instant.
func (s *sprayer) turn(now unit.Time) {
	s.now = now
	mail := s.mail
	s.mail = nil
	for _, data := range mail {
		s.Arrive(now, s.other.addr, data, false)
	}
	s.Expire(now)
	for s.gather(now) {
	}
	for _, v := range s.Events() {
		switch v.Kind {
		case Connected:
			s.peer = v.Peer
		case Arrived:
			s.Read(len(v.Message.Body))
		case Ended:
			if s.open--; v.Err != nil {
				s.t.Fatal(v.Err)
			}
		}
	}
	if err := s.Err(); err != nil {
		s.t.Fatal(err)
	}
}

// gather sends what leaves at an instant, and reports whether there may be more.
func (s *sprayer) gather(now unit.Time) (more bool) {
	for {
		room := s.out.Room()
		if room == nil {
			more = true
			break
		}
		piece := s.parts.left()
		d, ok := s.Next(now, room)
		if !ok {
			break
		}
		by := burst.Way{Port: d.Port, To: d.To, Burst: d.Burst}
		if d.Alone {
			s.out.Add(now, by, d.Size, nil, d.Repairs)
			continue
		}
		one := sent{at: now, entropy: s.packet.Entropy, burst: d.Burst, data: s.packet.Payload > 0, piece: piece}
		if d.Port != int(one.entropy)%s.cfg.Ports {
			s.t.Fatalf("entropy %d leaves by port %d of %d", one.entropy, d.Port, s.cfg.Ports)
		}
		s.log = append(s.log, one)
		s.of[string(room[:codec.HeadSize])] = one
		s.out.Add(now, by, d.Size, s.path, d.Repairs)
	}
	s.out.Flush(now)
	return more
}

// drawn is what a case is about.
type drawn struct {
	run, most, ports int
	oblivious, small bool
	control          string
}

// controls are transports of hosts, which leave entropies to the carrier, and connections, which do not.
var controls = []string{"sird", "homa", "dctcp", "swift"}

// shares reports whether what has no payload may leave with data.
func (c *drawn) shares() bool {
	return c.oblivious && c.most > 1 && (c.control == "sird" || c.control == "homa")
}

// draw draws a case with least to most packets in a run.
func draw(t *rapid.T, least, most int) (c drawn) {
	return drawn{
		run: rapid.IntRange(least, most).Draw(t, "run"), most: rapid.IntRange(1, 64).Draw(t, "burst"), ports: rapid.IntRange(1, 4).Draw(t, "ports"),
		oblivious: rapid.Bool().Draw(t, "oblivious"), small: rapid.IntRange(0, 3).Draw(t, "paths") == 0, control: rapid.SampledFrom(controls).Draw(t, "control"),
	}
}

// controlNamed builds a control.
func controlNamed(name string) (protocol.CongestionControl, error) {
	return catalog.BuildDefault(slices.Concat(sird.Entries(), homa.Entries(), congestion.Entries()), name)
}

// pair returns two endpoints under a balancer that counts.
func pair(t *rapid.T, c *drawn) (ends [2]*sprayer) {
	control, err := controlNamed(c.control)
	if err != nil {
		t.Fatal(err)
	}
	lose := rapid.SampledFrom([]int{0, 0, 97}).Draw(t, "lose one in")
	for i := range ends {
		s := &sprayer{t: t, addr: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 4000), of: map[string]sent{}, lose: lose}
		built, err := transports.Custom(c.control, control, s.chosen.balancer(c.oblivious, c.run))
		if err != nil {
			t.Fatal(err)
		}
		s.Carrier, err = New(Config{
			ID: ID{byte(i + 1)}, Life: 1, Seed: [32]byte{byte(i)}, Rate: testRate, RTT: testRTT, Datagram: 1472, Carried: true, Overhead: 66, Burst: unit.MB,
			Peers: 2, Largest: unit.MB, Incoming: unit.GB, Listens: true, Silence: 2 * unit.Second, Ports: c.ports, Run: c.most,
			Transport: built.Transport, Balancer: built.Balancer, Name: built.Name, TransportHash: built.Hash,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.path, s.out = burst.NewPath(s), burst.NewSender(s, 1472, testRTT, c.most == 1)
		ends[i] = s
	}
	ends[0].other, ends[1].other = ends[1], ends[0]
	return ends
}

// trade has two endpoints send each other drawn messages, until all have ended.
func trade(t *rapid.T, c *drawn) (ends [2]*sprayer) {
	ends = pair(t, c)
	tick := unit.Time(rapid.IntRange(5, 50).Draw(t, "tick")) * unit.Microsecond
	ends[0].Dial(0, ends[1].addr)
	now := unit.Time(0)
	turn := func() {
		for _, s := range ends {
			s.turn(now)
		}
		now += tick
	}
	for ends[0].peer == nil || ends[1].peer == nil {
		turn()
	}
	for _, s := range ends {
		if c.small {
			s.peer.path.size = base / 2 // so that full packets go in pieces
		}
	}
	for range rapid.IntRange(1, 6).Draw(t, "messages") {
		s := ends[rapid.IntRange(0, 1).Draw(t, "from")]
		if _, err := s.Submit(now, s.peer, OneWay, 0, make([]byte, rapid.IntRange(0, 200_000).Draw(t, "size"))); err != nil {
			t.Fatal(err)
		}
		s.open++
		for range rapid.IntRange(0, 40).Draw(t, "gap") {
			turn()
		}
	}
	for ends[0].open+ends[1].open > 0 {
		if turn(); now > unit.Second {
			t.Fatalf("%d and %d messages have not ended", ends[0].open, ends[1].open)
		}
	}
	return ends
}

// seen counts what all cases have met, so that the test cannot pass by having met nothing.
type seen struct{ runs, joined, cut, pieces, bursts int }

// TestRuns has endpoints send drawn messages with bursts of up to Config.Run packets, under a balancer with runs. A run has
// exactly as many data packets as the balancer says, unless the balancer began anew; a burst has one entropy, leaves at one
// instant and is as long as it can be.
func TestRuns(t *testing.T) {
	var met seen
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, 2, protocol.MaxRun)
		for _, s := range trade(t, &c) {
			s.mustRun(&c, &met)
			s.mustBurst(&c, &met)
		}
	})
	t.Logf("%+v", met)
	if !testing.Short() && min(met.runs, met.joined, met.cut, met.pieces, met.bursts) == 0 { // short ones draw a fifth of the cases
		t.Errorf("too little was met: %+v", met)
	}
}

// mustRun checks that each entropy that the balancer chose has a whole run, but for those that were cut.
func (s *sprayer) mustRun(c *drawn, met *seen) {
	have := map[uint16]int{}
	for _, one := range s.log {
		if one.data && !one.piece {
			have[one.entropy]++
		}
	}
	for _, n := range have {
		if n == c.run {
			met.runs++
		}
	}
	s.chosen.end()
	for e := uint16(1); e <= s.chosen.chosen; e++ {
		if n := have[e]; n > c.run || n == 0 || n < c.run && !s.chosen.cut[e] {
			s.t.Errorf("entropy %d of %d has %d data packets, and a run has %d", e, s.chosen.chosen, n, c.run)
		}
	}
	if len(have) != int(s.chosen.chosen) {
		s.t.Errorf("data has %d entropies, and %d were chosen", len(have), s.chosen.chosen)
	}
}

// mustBurst checks which packets can leave as one burst, and which did.
func (s *sprayer) mustBurst(c *drawn, met *seen) {
	last, count := [2]sent{}, [2]int{} // of data, and of what has no payload
	for _, one := range s.log {
		if one.piece {
			met.pieces++
			continue
		}
		k := 1
		if one.data {
			k = 0
		}
		room := count[k] > 0 && count[k] < c.most && last[k].at == one.at
		switch joins := room && one.entropy == last[k].entropy; {
		case joins != (count[k] > 0 && one.burst == last[k].burst):
			s.t.Errorf("%+v after %+v, the %dth of its burst", one, last[k], count[k])
		case joins:
			count[k]++
			met.joined++
		default:
			if room && one.data && one.entropy%uint16(c.ports) == last[k].entropy%uint16(c.ports) {
				met.cut++
			}
			count[k] = 1
		}
		last[k] = one
	}
	met.bursts += len(s.bursts)
	for _, list := range s.bursts {
		for _, one := range list {
			if one.burst == 0 || one.burst != list[0].burst || one.entropy != list[0].entropy || one.at != list[0].at {
				s.t.Errorf("a burst has %+v and %+v", list[0], one)
			}
		}
	}
}

// TestBurstsWithoutRuns: where each packet may have its own entropy, packets to a peer that leave at one instant share one, up to
// Config.Run of them, and what leaves from one port may leave as one burst.
func TestBurstsWithoutRuns(t *testing.T) {
	var met seen
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, 0, 1)
		for _, s := range trade(t, &c) {
			s.mustShare(&c, &met)
		}
	})
	t.Logf("%+v", met)
	if min(met.runs, met.joined) == 0 {
		t.Errorf("too little was met: %+v", met)
	}
}

// mustShare checks which packets share an entropy that the transport left to the carrier.
func (s *sprayer) mustShare(c *drawn, met *seen) {
	last, count := [2]sent{}, [2]int{}
	for _, one := range s.log {
		if one.burst != 0 {
			s.t.Errorf("%+v is kept apart", one)
		}
		if one.piece || c.control != "sird" && c.control != "homa" {
			continue
		}
		k := 1
		if one.data || c.shares() {
			k = 0
		}
		joins := count[k] > 0 && count[k] < c.most && last[k].at == one.at
		switch {
		case joins != (count[k] > 0 && one.entropy == last[k].entropy) && k == 0, joins && one.entropy != last[k].entropy:
			s.t.Errorf("%+v after %+v, of which %d share", one, last[k], count[k])
		case joins:
			met.joined++
			count[k]++
		default:
			met.runs++
			count[k] = 1
		}
		last[k] = one
	}
}
