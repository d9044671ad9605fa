package unit

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestTransmit(t *testing.T) {
	for _, test := range []struct {
		rate Rate
		n    Bytes
		want Time
	}{
		{400 * Gbps, 4160, 83200},
		{100 * Gbps, 64, 5120},
		{300 * Gbps, 1, 27}, // 26⅔ ps
		{1, 1, 8 * Second},
		{1, 1 << 62, Forever},
		{400 * Gbps, 0, 0},
	} {
		if got := test.rate.Transmit(test.n); got != test.want {
			t.Errorf("%v.Transmit(%d) = %v, want %v", test.rate, test.n, got, test.want)
		}
	}
}

func TestTransmitRoundsUpExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Int64Range(1, int64(10*Tbps)).Draw(t, "rate")
		n := rapid.Int64Range(0, 1<<40).Draw(t, "bytes")
		want := new(big.Int).Mul(big.NewInt(n), big.NewInt(8*int64(Second)))
		want.Add(want, big.NewInt(r-1)).Div(want, big.NewInt(r))
		if !want.IsInt64() {
			want.SetInt64(int64(Forever))
		}
		if got := Rate(r).Transmit(Bytes(n)); int64(got) != want.Int64() {
			t.Fatalf("Transmit = %d, want %v", int64(got), want)
		}
	})
}

func TestPerByte(t *testing.T) {
	for _, test := range []struct {
		rate  Rate
		want  Time
		exact bool
	}{
		{400 * Gbps, 20, true}, {100 * Gbps, 80, true}, {300 * Gbps, 26, false}, {0, 0, false},
	} {
		if got, exact := test.rate.PerByte(); got != test.want || exact != test.exact {
			t.Errorf("%v.PerByte() = %v, %v; want %v, %v", test.rate, got, exact, test.want, test.exact)
		}
	}
}

func TestIn(t *testing.T) {
	for _, test := range []struct {
		rate Rate
		t    Time
		want Bytes
	}{
		{400 * Gbps, Microsecond, 50_000}, {8, Second - 1, 0}, {8, Second, 1},
		{Rate(1<<63 - 1), Forever, 1<<63 - 1},
		{Rate(1 << 62), 32 * Second, 1<<63 - 1},
		{Rate(1 << 62), 8 * Second, 1 << 62},
	} {
		if got := test.rate.In(test.t); got != test.want {
			t.Errorf("%v.In(%v) = %d, want %d", test.rate, test.t, got, test.want)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for _, c := range []struct{ at, step, want Time }{
		{0, Microsecond, 0}, {1, Microsecond, Microsecond}, {Microsecond, Microsecond, Microsecond},
		{24_497_600, Microsecond, 25 * Microsecond}, {7, 0, 7}, {Forever, Microsecond, Forever},
	} {
		if got := c.at.RoundUp(c.step); got != c.want {
			t.Errorf("%v in steps of %v is %v, want %v", c.at, c.step, got, c.want)
		}
	}
}
