package fabric

import (
	"testing"

	"pgregory.net/rapid"

	"weft/topo"
)

// TestHeader writes and reads the fields of frames that share words, which do not touch each other.
func TestHeader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.Int32Range(0, topo.MaxHosts-1)
		src, dst, group := host.Draw(t, "source"), host.Draw(t, "destination"), rapid.Uint8().Draw(t, "group")
		tokens, p := rapid.IntRange(0, MostTokens).Draw(t, "tokens"), phase(rapid.IntRange(0, int(turning)).Draw(t, "phase"))
		class, spray := rapid.Uint8Range(0, 7).Draw(t, "class"), rapid.Uint8Range(0, MaxSprays-1).Draw(t, "spray")
		d := &Domain{hooks: domainHooks{diverter: &deflecting{DeflectConfig: DeflectConfig{Tokens: tokens}}}}
		d.Packets = make([]Frame, 1)
		f := &d.Packets[0]
		f.Address(src, dst, group)
		f.SetClass(class, spray)
		if left, had := f.Tokens(); left != 0 || had || phaseOf(f) != direct {
			t.Fatalf("a new frame has %d tokens (%v) in phase %d", left, had, phaseOf(f))
		}
		setPhase(f, p)
		f.SetTokens(d.Tokens())
		f.SetPriority(7 - class)
		left, had := f.Tokens()
		if f.Src() != src || f.Dst() != dst || f.Group() != group || left != tokens || !had || phaseOf(f) != p || f.Priority() != 7-class || f.Spray() != spray || f.Sprayed() != (spray > 0) {
			t.Fatalf("%+v goes from %d to %d in group %d, with %d tokens in phase %d, class %d, sprayed by %d", f, f.Src(), f.Dst(), f.Group(), left, phaseOf(f), f.Priority(), f.Spray())
		}
		f.TurnBack()
		if _, had = f.Tokens(); f.Src() != dst || f.Dst() != src || f.Group() != group || had || phaseOf(f) != direct {
			t.Fatalf("%+v turned back goes from %d to %d in group %d", f, f.Src(), f.Dst(), f.Group())
		}
	})
}
