package arcane

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// pair drives a sender and the listing side by side. Times are whole
// nanoseconds, as Table 1's 32 bits for the end of freezing hold them.
type pair struct {
	*Sender
	rand    *randSource
	list    *listing
	now     unit.Time
	fresh   uint16
	cached  []uint16 // entropies that unmarked acknowledgements returned
	reached *coverage
}

// coverage counts what was done by the preset fixed, which a random walk can miss
// by exploring all the time.
type coverage struct {
	pairs                                      int
	explorations, reuses, choices, frozenSends int
	walks, partWalks, endsBySend, idles        int
}

// check fails if something was not done often enough to be called tested. Few runs,
// as with -short, may miss what many do not.
func (c *coverage) check(t *testing.T) {
	t.Helper()
	const many = 30
	if c.pairs < many {
		return
	}
	for what, n := range map[string]int{
		"draws while exploring":                      c.explorations,
		"reuses of an entry":                         c.reuses,
		"reuses with a choice among several entries": c.choices,
		"sends while frozen":                         c.frozenSends,
		"walks":                                      c.walks,
		"walks over a buffer with cells that hold nothing": c.partWalks,
		"ends of freezing by a send":                       c.endsBySend,
		"resumptions that explored":                        c.idles,
	} {
		if n < c.pairs/20 {
			t.Errorf("%d %s in %d runs of the preset fixed, which is hardly a test", n, what, c.pairs)
		}
	}
}

func newPair(t *rapid.T, reached *coverage) *pair {
	o, err := Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{rand: newRand(rapid.Uint64().Draw(t, "seed")), reached: reached}
	env := testEnv(p.rand)
	// A sender that explores for long does little else.
	env.BDPPackets = rapid.IntRange(0, 2).Draw(t, "explore") // of the listing
	options := *o.(*Options)
	options.MaxRTT = false
	options.FreezingTimeout = 2 * env.RTO // of the listing
	options.Explore = &unit.Amount{Bytes: unit.Bytes(env.BDPPackets) * env.Packet}
	options.Preset = rapid.SampledFrom([]Preset{Fixed, AsPrinted}).Draw(t, "preset")
	options.Buffer = rapid.IntRange(1, 31).Draw(t, "buffer")
	b, err := options.Build()
	if err != nil {
		t.Fatal(err)
	}
	p.Sender = b.New(env).(*Sender)
	p.Start(0)
	p.list = newListing(options, env)
	if p.fixed {
		reached.pairs++
	}
	return p
}

func (p *pair) pass(t *rapid.T) {
	// Half of the steps stay within an instant; the others reach past the end of
	// freezing now and then.
	if rapid.Bool().Draw(t, "time passes") {
		p.now += unit.Time(rapid.IntRange(0, 100_000).Draw(t, "ns")) * unit.Nanosecond
	}
}

// actions are what can happen to a sender; check is called after each.
func (p *pair) actions(check func(*rapid.T)) map[string]func(*rapid.T) {
	// some does a thing once or several times at an instant: up to what the buffer
	// holds, and one more.
	some := func(do func(*rapid.T)) func(*rapid.T) {
		return func(t *rapid.T) {
			p.pass(t)
			for range rapid.IntRange(1, len(p.cells)+1).Draw(t, "times") {
				do(t)
			}
		}
	}
	return map[string]func(*rapid.T){
		"ack":  func(t *rapid.T) { p.pass(t); p.ack(t) },
		"acks": some(p.ack),
		"marked": func(t *rapid.T) {
			p.pass(t)
			before, valid := slices.Clone(p.cells), p.Valid()
			p.Acked(&protocol.Ack{Now: p.now, Entropy: 60000, Marked: true, Packets: 1, MarkedPackets: 1})
			p.list.onAck(true, 60000, p.now)
			if !slices.Equal(before, p.cells) || p.Valid() != valid {
				t.Fatal("a marked acknowledgement changed the buffer")
			}
		},
		"failure": func(t *rapid.T) { p.pass(t); p.failure() },
		// All that a sender has is used up while it is frozen, and more is sent.
		"outage": func(t *rapid.T) {
			p.pass(t)
			for p.Exploring() > 0 {
				p.send(t)
			}
			p.failure()
			for range p.Valid() + rapid.IntRange(1, len(p.cells)+1).Draw(t, "walks") {
				p.send(t)
			}
		},
		"new connection": func(*rapid.T) {
			p.Start(p.now)
			*p.list = *p.list.renewed()
			p.cached = nil
		},
		"idle": func(t *rapid.T) {
			p.pass(t)
			p.Resume(p.now)
			p.list.resume(p.now)
			if p.fixed && p.Exploring() > 0 {
				p.reached.idles++
			}
		},
		"wait": func(t *rapid.T) {
			if !p.Frozen() {
				t.Skip()
			}
			// What comes next comes at the last instant of freezing, or beyond.
			p.now = max(p.now, p.exit+unit.Time(rapid.IntRange(0, 1).Draw(t, "beyond"))*unit.Nanosecond)
			if rapid.Bool().Draw(t, "send") {
				p.send(t)
			} else {
				p.ack(t)
			}
		},
		"send":  func(t *rapid.T) { p.pass(t); p.send(t) },
		"sends": some(p.send),
		"":      check,
	}
}

func (p *pair) ack(*rapid.T) {
	p.fresh++
	p.cached = append(p.cached, p.fresh)
	p.Acked(&protocol.Ack{Now: p.now, Entropy: p.fresh, Packets: 1})
	p.list.onAck(false, p.fresh, p.now)
}

func (p *pair) failure() {
	p.Lost(&protocol.Loss{Now: p.now})
	p.list.onFailureDetection(p.now)
}

func (p *pair) send(t *rapid.T) {
	next := p.rand.next()
	p.rand.drawn()
	oldest, walks := p.oldest()
	frozen, explores, valid := p.Frozen(), p.Exploring() > 0, p.Valid()
	got := p.Next(p.now)
	drawn := p.rand.drawn()
	want, random := p.list.onSend(p.now)
	if random {
		want = next
	}
	if got != want || (drawn == 1) != random {
		t.Fatalf("sent entropy %d with %d draws, want %d (random: %v)", got, drawn, want, random)
	}
	if p.Frozen() && !p.Empty() && drawn > 0 {
		t.Fatal("drew a random entropy while frozen")
	}
	if drawn == 0 && !walks && got != oldest {
		t.Fatalf("sent entropy %d, but the oldest valid one is %d", got, oldest)
	}
	if !p.fixed {
		return
	}
	if drawn == 0 && !slices.Contains(p.cached, got) {
		t.Fatalf("sent entropy %d, which nothing confirmed", got)
	}
	r := p.reached
	count := func(n *int, happened bool) {
		if happened {
			*n++
		}
	}
	count(&r.explorations, explores && drawn > 0)
	count(&r.reuses, drawn == 0 && !walks)
	count(&r.choices, drawn == 0 && valid > 1)
	count(&r.frozenSends, p.Frozen())
	count(&r.walks, drawn == 0 && walks)
	count(&r.partWalks, drawn == 0 && walks && len(p.cached) < len(p.cells))
	count(&r.endsBySend, frozen && !p.Frozen())
}

// oldest returns the valid entry that was inserted first; entropies are inserted
// in rising order. Without one, a send walks.
func (p *pair) oldest() (ev uint16, walks bool) {
	walks = true
	for _, c := range p.list.buffer {
		if c.isValid && (walks || c.cachedEV < ev) {
			ev, walks = c.cachedEV, false
		}
	}
	return ev, walks
}

func (p *pair) agree(t *rapid.T) {
	want := slices.Clone(p.list.buffer)
	valid := 0
	for i := range want {
		if want[i].isValid {
			valid++
		}
		want[i].written = false
	}
	if got := p.listed(); !slices.Equal(got, want) {
		t.Fatalf("buffer %v, want %v", got, want)
	}
	if p.Valid() != valid {
		t.Fatalf("%d valid entries counted, there are %d", p.Valid(), valid)
	}
	if p.head != p.list.head || p.Exploring() != p.list.exploreCounter ||
		p.Frozen() != p.list.isFreezingMode || p.exit != p.list.exitFreezingMode || p.Empty() != p.list.isEmpty() {
		t.Fatalf("state %s, want %+v", p.show(), *p.list)
	}
}

func TestAgreesWithListing(t *testing.T) {
	var reached coverage
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t, &reached)
		t.Repeat(p.actions(p.agree))
	})
	reached.check(t)
}

// Table 1 counts 193 bits for 8 entries. A sender that is put into as many bits
// and taken out again after every call goes on as if nothing had happened.
func TestStateFitsTable1(t *testing.T) {
	var reached coverage
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(t, &reached)
		t.Repeat(p.actions(func(t *rapid.T) {
			p.agree(t)
			p.unpack(p.pack(t))
		}))
	})
	reached.check(t)
}

// TestFullStateFitsTable1 packs the largest numbers that the fields have to hold.
func TestFullStateFitsTable1(t *testing.T) {
	for buffer := 1; buffer <= 31; buffer++ {
		o := defaults(t, Fixed)
		o.Buffer = buffer
		o.Explore = &unit.Amount{Bytes: 255 * 4160}
		s := build(t, o, newRand(1))
		for ev := range 2*buffer - 1 { // the head is at the last cell
			ack(uint16(ev), us)(s)
		}
		s.unpack(s.pack(t))
		if s.written != buffer || s.valid != buffer || s.head != buffer-1 || s.explore != 255 {
			t.Errorf("%d entries: state %s after packing", buffer, s.show())
		}
	}
}

// pack writes the state into the fields of Table 1, of which head and number of
// valid entries together hold a third number, that of written cells. It fails if
// one does not hold what it should.
func (s *Sender) pack(t interface{ Fatalf(string, ...any) }) *big.Int {
	bits, width := new(big.Int), 0
	push := func(name string, v uint64, w int) {
		if v >= 1<<w {
			t.Fatalf("%s is %d, which %d bits do not hold", name, v, w)
		}
		width += w
		bits.Lsh(bits, uint(w))
		bits.Or(bits, new(big.Int).SetUint64(v))
	}
	flag := map[bool]uint64{true: 1}
	n := uint64(len(s.cells))
	push("the freezing flag", flag[s.frozen], 1)
	push("the end of freezing", uint64(s.exit/unit.Nanosecond), 32)
	push("the explore counter", uint64(s.explore), 8)
	push("head, valid and written", (uint64(s.written)*(n+1)+uint64(s.valid))*n+uint64(s.head), 16)
	for _, c := range s.listed() {
		push("an entry", uint64(c.cachedEV)<<1|flag[c.isValid], 17)
	}
	if want := StateBits(len(s.cells)); width != want {
		t.Fatalf("%d bits of state, Table 1 has %d", width, want)
	}
	return bits
}

func (s *Sender) unpack(bits *big.Int) {
	pop := func(width uint) uint64 {
		v := new(big.Int).And(bits, big.NewInt(1<<width-1)).Uint64()
		bits.Rsh(bits, width)
		return v
	}
	n := len(s.cells)
	for i := n - 1; i >= 0; i-- {
		s.cells[i] = uint16(pop(17) >> 1)
	}
	counts := int(pop(16))
	s.head, s.valid, s.written = counts%n, counts/n%(n+1), counts/n/(n+1)
	s.explore = int(pop(8))
	s.exit = unit.Time(pop(32)) * unit.Nanosecond
	s.frozen = pop(1) == 1
	s.due = s.freezeAt
	if s.frozen && s.fixed {
		s.due = s.exit
	}
}

// The maximum covers the last period and reaches back no further than two.
func TestMaxRTTCoversPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const period = 100
		type sample struct{ at, rtt unit.Time }
		var samples []sample
		m := maxRTT{period: period}
		m.restart(0)
		now := unit.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += unit.Time(rapid.IntRange(0, 80).Draw(t, "pause"))
			if rapid.IntRange(0, 9).Draw(t, "gap") == 0 {
				now += 300
			}
			if rapid.Bool().Draw(t, "ask") {
				var last, twice unit.Time
				for _, s := range samples {
					if now-s.at < period {
						last = max(last, s.rtt)
					}
					if now-s.at <= 2*period {
						twice = max(twice, s.rtt)
					}
				}
				if got := m.max(now); got < last || got > twice {
					t.Fatalf("maximum at %d is %d, want %d (one period) to %d (two) of %v", now, got, last, twice, samples)
				}
				continue
			}
			s := sample{now, unit.Time(rapid.IntRange(0, 1000).Draw(t, "rtt"))}
			samples = append(samples, s)
			m.observe(s.at, s.rtt)
		}
	})
}
