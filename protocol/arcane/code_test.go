package arcane

import (
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// element is a cell of the simulator's buffer.
type element struct {
	value   uint16
	isValid bool
}

// simulator is what the authors' simulator does with a buffer, statement by
// statement, where it does not read beyond it.
type simulator struct {
	buffer        []element
	head, count   int
	headFrozen    int
	numberFresh   int
	frozen        bool
	canExit       unit.Time
	explore       int
	bdp           int
	freezeTimeout unit.Time
}

func (m *simulator) feedback(now unit.Time) {
	if m.frozen && now > m.canExit {
		*m = simulator{buffer: make([]element, len(m.buffer)), explore: m.bdp, bdp: m.bdp, freezeTimeout: m.freezeTimeout}
	}
}

func (m *simulator) timeout(now unit.Time) {
	if !m.frozen && m.explore == 0 {
		m.frozen, m.canExit = true, now+m.freezeTimeout
	}
}

func (m *simulator) ack(now unit.Time, ev uint16, good bool) {
	m.feedback(now)
	if !good {
		return
	}
	if !m.buffer[m.head].isValid {
		m.numberFresh++
	}
	m.buffer[m.head] = element{ev, true}
	m.head = (m.head + 1) % len(m.buffer)
	m.numberFresh = min(m.numberFresh, len(m.buffer))
	m.count = min(m.count+1, len(m.buffer))
}

// next returns an entropy, or false for a random one.
func (m *simulator) next() (uint16, bool) {
	if m.explore > 0 {
		m.explore--
		return 0, false
	}
	if m.frozen {
		if m.count == 0 {
			return 0, false
		}
		e := &m.buffer[m.headFrozen]
		if e.isValid {
			m.numberFresh = max(m.numberFresh-1, 0)
		}
		e.isValid = false
		m.headFrozen = (m.headFrozen + 1) % m.count
		return e.value, true
	}
	if m.count == 0 || m.numberFresh == 0 {
		return 0, false
	}
	offset := m.head - m.numberFresh
	if offset < 0 {
		offset += len(m.buffer)
	}
	m.buffer[offset].isValid = false
	m.numberFresh--
	return m.buffer[offset].value, true
}

func TestCodeAgreesWithSimulator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, err := Entries()[0].Defaults()
		if err != nil {
			t.Fatal(err)
		}
		options := *o.(*Options)
		options.Preset, options.MaxRTT = Code, false
		options.FreezingTimeout = 2 * testEnv(newRand(0)).RTO
		options.Buffer = rapid.IntRange(1, 10).Draw(t, "buffer")
		b, err := options.Build()
		if err != nil {
			t.Fatal(err)
		}
		rng := newRand(rapid.Uint64().Draw(t, "seed"))
		env := testEnv(rng)
		s := b.New(env).(*Sender)
		s.Start(0)
		m := &simulator{buffer: make([]element, options.Buffer), bdp: 12, freezeTimeout: 2 * env.RTO}
		now, fresh := unit.Time(0), uint16(0)
		pass := func() { now += unit.Time(rapid.IntRange(0, 100_000).Draw(t, "ns")) * unit.Nanosecond }
		ack := func(good bool) func(*rapid.T) {
			return func(t *rapid.T) {
				pass()
				fresh++
				s.Acked(&protocol.Ack{Now: now, Entropy: fresh, Packets: 1, Marked: !good})
				m.ack(now, fresh, good)
			}
		}
		send := func(t *rapid.T) {
			pass()
			rng.drawn()
			want := rng.next()
			ev, known := m.next()
			if known {
				want = ev
			}
			if got, draws := s.Next(now), rng.drawn(); got != want || (draws == 1) == known {
				t.Fatalf("sent entropy %d with %d draws, want %d (of the buffer: %v)", got, draws, want, known)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"ack": ack(true), "ack again": ack(true), "marked": ack(false), "send": send, "send again": send,
			"failure": func(*rapid.T) { pass(); s.Lost(&protocol.Loss{Now: now, Cause: protocol.Timeout}); m.timeout(now) },
			"trimmed": func(*rapid.T) { pass(); s.Lost(&protocol.Loss{Now: now, Cause: protocol.Trimmed}); m.feedback(now) },
			"idle":    func(*rapid.T) { s.Resume(now) },
			"": func(t *rapid.T) {
				for i, e := range m.buffer {
					if s.cells[i] != e.value || s.fresh[i] != e.isValid {
						t.Fatalf("cells %v, fresh %v; want %v", s.cells, s.fresh, m.buffer)
					}
				}
				if s.head != m.head || s.Valid() != m.numberFresh || s.written != m.count || s.cursor != m.headFrozen || s.Frozen() != m.frozen || s.Exploring() != m.explore {
					t.Fatalf("state %s, want %+v", s.show(), *m)
				}
			},
		})
	})
}

func TestCodeExitsOnAnyFeedback(t *testing.T) {
	for name, feedback := range map[string]func(*Sender){
		"marked":  func(s *Sender) { marked(5, 200*us)(s) },
		"trimmed": func(s *Sender) { lost(protocol.Trimmed, 200*us)(s) },
	} {
		s := build(t, defaults(t, Code), newRand(1))
		ack(7, us)(s)
		failure(us)(s)
		send(200 * us)(s)
		failure(200 * us)(s)
		if !s.Frozen() || s.Empty() {
			t.Errorf("%s: a send or a timeout ended freezing", name)
		}
		feedback(s)
		if s.Frozen() || !s.Empty() || s.Exploring() != 12 {
			t.Errorf("%s: frozen %v, empty %v, explores %d; want an end with nothing cached", name, s.Frozen(), s.Empty(), s.Exploring())
		}
	}
}

// A frozen sender that hears of nothing uses every entropy that it cached equally
// often, and nothing else: no cell that was not written, and no random one.
func TestFreezingCyclesOverWrittenCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, err := Entries()[0].Defaults()
		if err != nil {
			t.Fatal(err)
		}
		options := *o.(*Options)
		options.Preset = rapid.SampledFrom([]Preset{Fixed, Code}).Draw(t, "preset")
		options.MaxRTT, options.Buffer = false, rapid.IntRange(1, 12).Draw(t, "buffer")
		b, err := options.Build()
		if err != nil {
			t.Fatal(err)
		}
		rng := newRand(1)
		s := b.New(testEnv(rng)).(*Sender)
		s.Start(0)
		for s.Exploring() > 0 {
			s.Next(0)
		}
		written := rapid.IntRange(1, 20).Draw(t, "acknowledgements")
		cached := map[uint16]int{}
		for i := range written {
			s.Acked(&protocol.Ack{Now: 1, Entropy: uint16(100 + i), Packets: 1})
			if i >= written-options.Buffer {
				cached[uint16(100+i)] = 0
			}
		}
		for range rapid.IntRange(0, min(written, options.Buffer)).Draw(t, "sends before") {
			s.Next(1)
		}
		s.Lost(&protocol.Loss{Now: 1})
		for s.Valid() > 0 && options.Preset == Fixed {
			s.Next(2) // the valid ones go first
		}
		rng.drawn()
		for range 3 * len(cached) {
			ev := s.Next(2)
			if _, ok := cached[ev]; !ok {
				t.Fatalf("sent entropy %d, which is not cached", ev)
			}
			cached[ev]++
		}
		for ev, n := range cached {
			if n != 3 {
				t.Fatalf("in three turns entropy %d was sent %d times", ev, n)
			}
		}
		if rng.drawn() != 0 {
			t.Fatal("drew an entropy while frozen")
		}
	})
}
