package arcane

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// frozenProber returns a sender that explores no more, has cached 7 and froze at
// 100 µs over the loss of entropy 99.
func frozenProber(t *testing.T, change func(*Options)) (protocol.Prober, *Sender) {
	t.Helper()
	o := defaults(t, Fixed)
	o.Exit = ByProbe
	if change != nil {
		change(&o)
	}
	b, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := b.New(testEnv(newRand(1))).(prober)
	p.Start(0)
	if _, send, again := p.Probe(0); send || again != unit.Forever {
		t.Fatal("probes although nothing failed")
	}
	for p.Exploring() > 0 {
		p.Next(0)
	}
	ack(7, us)(p.Sender)
	failure(100 * us)(p.Sender)
	return p, p.Sender
}

func wantProbe(t *testing.T, p protocol.Prober, now unit.Time, send bool, again unit.Time) {
	t.Helper()
	ev, gotSend, gotAgain := p.Probe(now)
	if gotSend != send || gotAgain != again || send && ev != 99 {
		t.Errorf("at %v: probe of entropy %d: %v, again at %v; want %v, again at %v", now, ev, gotSend, gotAgain, send, again)
	}
}

func TestEchoEndsFreezing(t *testing.T) {
	for _, preset := range []Preset{Fixed, AsPrinted, Code} {
		p, s := frozenProber(t, func(o *Options) { o.Preset = preset })
		wantProbe(t, p, 100*us, true, 170*us)
		wantProbe(t, p, 120*us, false, 170*us)
		wantProbe(t, p, 170*us, true, 240*us)
		// 2 RTO pass, which end freezing by time.
		if send(300 * us)(s); !s.Frozen() {
			t.Errorf("%s: freezing ended by time", preset)
		}
		ack(8, 300*us)(s)
		wantProbe(t, p, 300*us, true, 370*us)
		p.Probed(310*us, 98, false)
		if !s.Frozen() {
			t.Errorf("%s: the echo of another entropy ended freezing", preset)
		}
		p.Probed(311*us, 99, true)
		if s.Frozen() || s.Exploring() != 12 {
			t.Errorf("%s: frozen %v, explores %d after the echo", preset, s.Frozen(), s.Exploring())
		}
		wantProbe(t, p, 370*us, false, unit.Forever)
		p.Probed(371*us, 99, false)
		if send(371 * us)(s); s.Exploring() != 11 {
			t.Errorf("%s: an echo that came later explores anew", preset)
		}
	}
}

func TestPatienceEndsFreezing(t *testing.T) {
	for _, tt := range []struct {
		patience *unit.Time
		end      unit.Time
	}{{nil, 100*us + 10*unit.Millisecond}, {ptr(300 * us), 400 * us}} {
		p, s := frozenProber(t, func(o *Options) { o.ProbePatience = tt.patience; o.ProbeInterval = ptr(unit.Millisecond) })
		wantProbe(t, p, 100*us, true, 1100*us)
		if send(tt.end)(s); !s.Frozen() {
			t.Error("thawed before its patience was over")
		}
		if _, send, again := p.Probe(tt.end + 1); send || again != unit.Forever {
			t.Error("probes although its patience is over")
		}
		if s.Frozen() {
			t.Error("frozen beyond its patience")
		}
	}
	p, s := frozenProber(t, func(o *Options) { o.ProbePatience = ptr(unit.Forever) })
	wantProbe(t, p, 100*us, true, 170*us)
	p.Probed(200*us, 99, false)
	if s.Frozen() {
		t.Error("with patience without end, an echo does not end freezing")
	}
}

// A transport that knows no probes leaves the end by time.
func TestTimeEndsFreezingWithoutProbes(t *testing.T) {
	_, s := frozenProber(t, nil)
	if send(240 * us)(s); !s.Frozen() {
		t.Error("not frozen for 2 RTO")
	}
	if send(240*us + 1)(s); s.Frozen() {
		t.Error("frozen beyond 2 RTO, without probes")
	}
}

// The next failure is probed with its own entropy.
func TestProbesTestTheLastFailure(t *testing.T) {
	p, s := frozenProber(t, nil)
	wantProbe(t, p, 100*us, true, 170*us)
	s.Lost(&protocol.Loss{Now: 110 * us, Entropy: 55})
	wantProbe(t, p, 110*us, false, 170*us)
	p.Probed(120*us, 99, false)
	for s.Exploring() > 0 {
		s.Next(130 * us)
	}
	s.Lost(&protocol.Loss{Now: 140 * us, Entropy: 55})
	if ev, send, again := p.Probe(140 * us); ev != 55 || !send || again != 210*us {
		t.Errorf("probes entropy %d: %v, again at %v", ev, send, again)
	}
}

func TestFrozenForGoodProbesNothing(t *testing.T) {
	p, s := frozenProber(t, func(o *Options) { o.FreezeAt = ptr(150 * us) })
	wantProbe(t, p, 100*us, true, 170*us)
	wantProbe(t, p, 170*us, false, unit.Forever)
	p.Probed(171*us, 99, false)
	if !s.Frozen() {
		t.Error("an echo thawed a sender that is frozen for good")
	}
}

func TestExitIsOptional(t *testing.T) {
	b, err := defaults(t, Fixed).Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := b.New(testEnv(newRand(1))).(protocol.Prober); ok {
		t.Error("a sender that ends freezing by time asks for probes")
	}
	o := defaults(t, Fixed)
	o.Exit = ByProbe
	if b, err := o.Build(); err != nil || b.StateBits != 193+48 {
		t.Errorf("%d bits of state with probes, %v; want 241", b.StateBits, err)
	}
	o = defaults(t, Code)
	if b, err := o.Build(); err != nil || b.StateBits != 193+8 {
		t.Errorf("%d bits of state in the preset code, %v; want 201", b.StateBits, err)
	}
}
