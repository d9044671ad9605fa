package arcane

import (
	"testing"

	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// testEnv is ARCANE's default network (§4.1): 4 KiB packets, an RTO of 70 µs.
func testEnv(rand *randSource) protocol.Env {
	return protocol.Env{
		Rand:       &rand.PCG,
		Payload:    4096,
		Packet:     4160,
		BDP:        12 * 4160,
		BDPPackets: 12,
		BaseRTT:    10 * unit.Microsecond,
		RTO:        70 * unit.Microsecond,
		LineRate:   400 * unit.Gbps,
	}
}

// defaults returns the options as a scenario that sets none has them, without
// the heuristic of Appendix A, so that each loss is a failure.
func defaults(t testing.TB, p Preset) Options {
	t.Helper()
	o, err := Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	options := *o.(*Options)
	options.Preset = p
	options.MaxRTT = false
	options.FreezingTimeout = 2 * testEnv(newRand(0)).RTO
	return options
}

// build makes a sender in the way that a transport does.
func build(t testing.TB, o Options, rand *randSource) *Sender {
	t.Helper()
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	s := b.New(testEnv(rand)).(*Sender)
	s.Start(0)
	return s
}

// listing is Algorithms 1 and 2 word by word: with validity bits and remainders,
// and for the preset fixed with the three changes that the package documents.
type listing struct {
	fixed   bool
	bdp     int
	timeout unit.Time

	buffer           []cell
	isFreezingMode   bool
	head             int
	numberOfValidEVs int
	exploreCounter   int
	exitFreezingMode unit.Time
}

type cell struct {
	cachedEV uint16
	isValid  bool
	written  bool
}

func newListing(o Options, env protocol.Env) *listing {
	l := &listing{
		fixed: o.Preset == Fixed, bdp: env.BDPPackets, timeout: 2 * env.RTO,
		buffer: make([]cell, o.Buffer),
	}
	return l.renewed()
}

// renewed returns the listing of a new connection.
func (l *listing) renewed() *listing {
	n := &listing{fixed: l.fixed, bdp: l.bdp, timeout: l.timeout, buffer: make([]cell, len(l.buffer))}
	if n.fixed {
		n.exploreCounter = n.bdp
	}
	return n
}

func (l *listing) onAck(ecn bool, ev uint16, now unit.Time) {
	if ecn {
		return
	}
	if !l.buffer[l.head].isValid {
		l.numberOfValidEVs++
	}
	l.buffer[l.head] = cell{ev, true, true}
	l.head = (l.head + 1) % len(l.buffer)
	l.checkExit(now)
}

func (l *listing) checkExit(now unit.Time) {
	if l.isFreezingMode && now > l.exitFreezingMode {
		l.isFreezingMode = false
		l.exploreCounter = l.bdp
	}
}

func (l *listing) onFailureDetection(now unit.Time) {
	if !l.isFreezingMode && l.exploreCounter == 0 {
		l.isFreezingMode = true
		l.exitFreezingMode = now + l.timeout
	}
}

func (l *listing) getNextEV() uint16 {
	var offset int
	n := len(l.buffer)
	if l.numberOfValidEVs > 0 {
		offset = ((l.head-l.numberOfValidEVs)%n + n) % n
		l.buffer[offset].isValid = false
		l.numberOfValidEVs--
	} else {
		offset = l.head
		for l.fixed && !l.buffer[offset].written {
			offset = (offset + 1) % n
		}
		l.head = (offset + 1) % n
	}
	return l.buffer[offset].cachedEV
}

// onSend returns the entropy and whether it is a random one, which it does not
// draw.
func (l *listing) onSend(now unit.Time) (ev uint16, random bool) {
	if l.fixed {
		l.checkExit(now)
	}
	if l.isEmpty() || (l.numberOfValidEVs == 0 && !l.isFreezingMode) || l.exploreCounter != 0 {
		l.exploreCounter = max(l.exploreCounter-1, 0)
		return 0, true
	}
	return l.getNextEV(), false
}

func (l *listing) resume(now unit.Time) {
	if !l.fixed {
		return
	}
	l.checkExit(now)
	if !l.isFreezingMode {
		l.exploreCounter = l.bdp
	}
}

func (l *listing) isEmpty() bool {
	for _, c := range l.buffer {
		if c.written {
			return false
		}
	}
	return true
}

// listed returns a sender's buffer with the validity bits that it implies.
func (s *Sender) listed() []cell {
	cells := make([]cell, len(s.cells))
	for i, ev := range s.cells {
		behind := (s.head - 1 - i + 2*len(cells)) % len(cells)
		cells[i] = cell{cachedEV: ev, isValid: behind < s.valid}
	}
	return cells
}

func TestEntryIsSound(t *testing.T) {
	var set catalog.Set[protocol.Balancer]
	if err := set.Add(Entries()...); err != nil {
		t.Fatal(err)
	}
	o, err := Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Entries()[0].Build(o)
	if err != nil {
		t.Fatal(err)
	}
	if b.Spray.Way != protocol.ByHash || b.StateBits != 193 {
		t.Errorf("spray %d with %d bits of state, want by hash with 193 (Table 1)", b.Spray.Way, b.StateBits)
	}
	if got := StateBits(1); got != 74 {
		t.Errorf("state for one entry is %d bits, want 74 (Table 1)", got)
	}
}
