package sending

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestGapInClosedForm: n frames of s bytes at a rate end n·s·8/rate after the first began, and a
// change of the rate leaves the rest of a wait, times old/new.
func TestGapInClosedForm(t *testing.T) {
	for _, c := range []struct {
		rate unit.Rate
		wire unit.Bytes
		n    int64
		want unit.Time
	}{
		{100 * unit.Gbps, 1538, 1, 123_040},
		{100 * unit.Gbps, 1538, 1000, 123_040_000},
		{3 * unit.Gbps, 1538, 1, 4_101_333},
		{3 * unit.Gbps, 1538, 2, 8_202_666},
		{3 * unit.Gbps, 1538, 3, 12_304_000},
		{7, 1, 1, 1_142_857_142_857},
		{7, 1, 7, 8 * unit.Second},
		{1, 65535, 1, 524_280 * unit.Second},
		{800 * unit.Gbps, 64, 1, 640},
		{3 * unit.Tbps, 64, 3, 512},
	} {
		var g gap
		now := unit.Time(0)
		for range c.n {
			g.send(now, c.wire, c.rate)
			now = g.until
		}
		if now != c.want {
			t.Errorf("%d frames of %d B at %v take %d ps, want %d", c.n, c.wire, c.rate, now, c.want)
		}
	}

	// 1250 B at 10 Gb/s take 1 µs. A quarter of that is left after 750 ns.
	for _, c := range []struct {
		rate unit.Rate
		want unit.Time
	}{
		{10 * unit.Gbps, 1_000_000}, {20 * unit.Gbps, 875_000}, {5 * unit.Gbps, 1_250_000},
		{100 * unit.Gbps, 775_000}, {unit.Gbps, 3_250_000}, {3 * unit.Gbps, 1_583_333},
	} {
		var g gap
		g.send(0, 1250, 10*unit.Gbps)
		g.change(750_000, c.rate)
		if g.until != c.want {
			t.Errorf("changed to %v the gap ends at %d, want %d", c.rate, g.until, c.want)
		}
	}
}

// TestGapLosesNothing compares gaps with rational arithmetic: whatever the rates and whenever
// they change, the wait ends when the work is done, rounded down.
func TestGapLosesNothing(t *testing.T) {
	rate := rapid.Custom(func(t *rapid.T) unit.Rate {
		return unit.Rate(rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1_000_000, 800_000_000_000)).Draw(t, "rate"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var g gap
		now := unit.Time(rapid.Int64Range(0, 1<<50).Draw(t, "begin"))
		done := new(big.Rat).SetInt64(int64(now)) // when the work is done, exactly
		at := rate.Draw(t, "rate")
		spend := func(work *big.Rat) { // from now on
			done.Add(new(big.Rat).SetInt64(int64(now)), work.Quo(work, new(big.Rat).SetInt64(int64(at))))
		}
		g.rate = at
		g.until = now
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "send") {
				now = max(now, g.until) + unit.Time(rapid.Int64Range(0, 1).Draw(t, "late"))
				wire := unit.Bytes(rapid.Int64Range(1, 65535).Draw(t, "wire"))
				work := new(big.Rat).SetInt64(int64(wire) * 8 * bitWork)
				if left := new(big.Rat).Sub(done, new(big.Rat).SetInt64(int64(now))); left.Sign() > 0 {
					work.Add(work, left.Mul(left, new(big.Rat).SetInt64(int64(at))))
				}
				spend(work)
				g.send(now, wire, at)
			} else {
				now += unit.Time(rapid.Int64Range(0, max(1, int64(g.until-now)+1)).Draw(t, "after"))
				left := new(big.Rat).Sub(done, new(big.Rat).SetInt64(int64(now)))
				work := left.Mul(left, new(big.Rat).SetInt64(int64(at)))
				at = rate.Draw(t, "rate")
				if work.Sign() > 0 {
					spend(work)
				}
				g.change(now, at)
			}
			if want := new(big.Int).Quo(done.Num(), done.Denom()); g.until >= now && want.Cmp(big.NewInt(int64(g.until))) != 0 {
				t.Fatalf("the gap ends at %d, the work at %v", g.until, done)
			}
		}
	})
}
