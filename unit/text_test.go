package unit

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseTime(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Time
		wrong string
	}{
		{text: "500ns", want: 500 * Nanosecond},
		{text: "500 ns", want: 500 * Nanosecond},
		{text: " 2ms ", want: 2 * Millisecond},
		{text: "1.5us", want: 1500 * Nanosecond},
		{text: "1.5\u00b5s", want: 1500 * Nanosecond},
		{text: "1.5\u03bcs", want: 1500 * Nanosecond},
		{text: "1s", want: Second},
		{text: "10ps", want: 10},
		{text: "81.92ns", want: 81920},
		{text: "0.000000000001s", want: 1},
		{text: "1e-3s", want: Millisecond},
		{text: "0", want: 0},
		{text: "0us", want: 0},
		{text: "9223372036854775807ps", want: Forever},
		{text: "500", wrong: `time "500" has no unit; use ps, ns, us, ms or s, as in "500ns"`},
		{text: "", wrong: "does not begin with a number"},
		{text: "ns", wrong: "does not begin with a number"},
		{text: ".5us", wrong: "does not begin with a number"},
		{text: "1.us", wrong: "does not begin with a number"},
		{text: "-5ns", wrong: "is negative"},
		{text: "0.5ps", wrong: "not a whole number of ps"},
		{text: "1.0000000000005s", wrong: "not a whole number of ps"},
		{text: "9223372036854775808ps", wrong: "too large"},
		{text: "1e9s", wrong: "too large"},
		{text: "1e99999s", wrong: "exponent"},
		{text: "5usec", wrong: `unknown unit "usec"`},
		{text: "1m", wrong: `time "1m" has the unknown unit "m" (did you mean "1ms", or "60s" for minutes?); use ps, ns, us, ms or s`},
		{text: "1.5m", wrong: `"1.5ms", or "90s"`},
		{text: "5NS", wrong: `did you mean "ns"?`},
		{text: "5 n s", wrong: `unknown unit "n s"`},
		{text: "1_000ns", wrong: "unknown unit"},
		{text: "0x10ns", wrong: "unknown unit"},
		{text: "1/2s", wrong: "unknown unit"},
		{text: strings.Repeat("9", 1000) + "s", wrong: "too many digits"},
	} {
		got, err := ParseTime(test.text)
		check(t, "ParseTime", test.text, got, test.want, err, test.wrong)
	}
}

func TestParseRate(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Rate
		wrong string
	}{
		{text: "400Gbps", want: 400 * Gbps},
		{text: "400Gb/s", want: 400 * Gbps},
		{text: "400 Gbit/s", want: 400 * Gbps},
		{text: "25Mbps", want: 25 * Mbps},
		{text: "1.6Tbps", want: 1600 * Gbps},
		{text: "64kbps", want: 64 * Kbps},
		{text: "64Kb/s", want: 64 * Kbps},
		{text: "1bps", want: 1},
		{text: "400", wrong: `has no unit; use bps, kbps, Mbps, Gbps or Tbps`},
		{text: "400gbps", wrong: `did you mean "Gbps"?`},
		{text: "50GBps", wrong: `it counts bytes: 50GBps is 400Gbps; in bits write 50Gbps`},
		{text: "1MB/s", wrong: `it counts bytes: 1MB/s is 8Mbps; in bits write 1Mbps`},
		{text: "400G", wrong: `did you mean "Gbps"?`},
		{text: "400G", wrong: `unknown unit "G"`},
		{text: "50GB/s", wrong: `unknown unit "GB/s"`},
		{text: "0.5bps", wrong: "not a whole number of bps"},
	} {
		got, err := ParseRate(test.text)
		check(t, "ParseRate", test.text, got, test.want, err, test.wrong)
	}
}

func TestParseBytes(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Bytes
		wrong string
	}{
		{text: "4096B", want: 4096},
		{text: "4KiB", want: 4096},
		{text: "64MiB", want: 64 << 20},
		{text: "1.5MB", want: 1_500_000},
		{text: "9KB", want: 9000},
		{text: "9kB", want: 9000},
		{text: "1GiB", want: 1 << 30},
		{text: "2TiB", want: 2 << 40},
		{text: "2TB", want: 2_000_000_000_000},
		{text: "0.5KiB", want: 512},
		{text: "0", want: 0},
		{text: "4096", wrong: "has no unit; use B, KB, KiB, MB, MiB, GB, GiB, TB or TiB"},
		{text: "4K", wrong: `unknown unit "K"`},
		{text: "4Kib", wrong: `it counts bits: 4Kib is 512B; in bytes write 4KiB`},
		{text: "8Mb", wrong: `it counts bits: 8Mb is 1MB; in bytes write 8MB`},
		{text: "1.5Gbit", wrong: `it counts bits: 1.5Gbit is 187500KB; in bytes write 1.5GB`},
		{text: "3b", wrong: `it counts bits; in bytes write 3B`},
		{text: "64M", wrong: `did you mean "MB"?`},
		{text: "1EB", wrong: `unknown unit "EB"`},
		{text: "0.3KiB", wrong: "not a whole number of B"},
		{text: "-0B", wrong: "is negative"},
	} {
		got, err := ParseBytes(test.text)
		check(t, "ParseBytes", test.text, got, test.want, err, test.wrong)
	}
}

func TestParseRatio(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Ratio
		wrong string
	}{
		{text: "20%", want: 0.2},
		{text: "0.2", want: 0.2},
		{text: "29 %", want: 0.29},
		{text: "1e-6", want: 1e-6},
		{text: "0.0001%", want: 1e-6},
		{text: "1", want: 1},
		{text: "250%", want: 2.5},
		{text: "0", want: 0},
		{text: "-20%", wrong: "is negative"},
		{text: "20‰", wrong: `unknown unit "‰"`},
		{text: "1e400", wrong: "too large"},
		{text: "NaN", wrong: "does not begin with a number"},
		{text: "Inf", wrong: "does not begin with a number"},
		{text: "", wrong: "does not begin with a number"},
	} {
		got, err := ParseRatio(test.text)
		check(t, "ParseRatio", test.text, got, test.want, err, test.wrong)
	}
}

func TestString(t *testing.T) {
	for _, test := range []struct {
		value interface{ String() string }
		want  string
	}{
		{Time(0), "0s"},
		{500 * Nanosecond, "500ns"},
		{1500 * Nanosecond, "1500ns"},
		{3 * Microsecond, "3us"},
		{Time(81920), "81920ps"},
		{-2 * Millisecond, "-2ms"},
		{Rate(0), "0bps"},
		{400 * Gbps, "400Gbps"},
		{1600 * Gbps, "1600Gbps"},
		{Bytes(0), "0B"},
		{Bytes(4096), "4KiB"},
		{Bytes(9000), "9KB"},
		{Bytes(4160), "4160B"},
		{64 * MiB, "64MiB"},
		{Ratio(0), "0%"},
		{Ratio(0.2), "20%"},
		{Ratio(0.125), "12.5%"},
		{Ratio(1), "100%"},
		{Ratio(0.07), "7%"},
		{Ratio(1e-6), "0.0001%"},
		{Ratio(4), "400%"},
		{Ratio(1e-30), "1e-28%"},
		{Ratio(-0.5), "-50%"},
		{Amount{}, "0B"},
		{Amount{Bytes: 64 * KiB}, "64KiB"},
		{Amount{BDPs: 1.5}, "1.5BDP"},
		{Amount{Share: 0.2}, "20%"},
	} {
		if got := test.value.String(); got != test.want {
			t.Errorf("%T: got %q, want %q", test.value, got, test.want)
		}
	}
}

func TestParseAmount(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Amount
		wrong string
	}{
		{text: "64KiB", want: Amount{Bytes: 64 * KiB}},
		{text: "1BDP", want: Amount{BDPs: 1}},
		{text: "1.5 BDP", want: Amount{BDPs: 1.5}},
		{text: "20%", want: Amount{Share: 0.2}},
		{text: "0", want: Amount{}},
		{text: "5", wrong: "has no unit"},
		{text: "0.3B", wrong: "not a whole number of B"},
		{text: "-1BDP", wrong: "is negative"},
		{text: "-1B", wrong: `amount "-1B" is negative; write a number with its unit, as in "64KiB" or "1.5BDP"`},
		{text: "-20%", wrong: `amount "-20%" is negative`},
		{text: "BDP", wrong: "does not begin with a number"},
		{text: "1bdp", wrong: `unknown unit "bdp" (did you mean "BDP"?); use B,`},
		{text: "12kb", wrong: `unknown unit "kb" (it counts bits: 12kb is 1500B; in bytes write 12KB); use B,`},
		{text: "1e399BDP", wrong: "too large"},
		{text: "x", wrong: "does not begin with a number"},
	} {
		got, err := ParseAmount(test.text)
		check(t, "ParseAmount", test.text, got, test.want, err, test.wrong)
	}
}

func TestResolve(t *testing.T) {
	for _, test := range []struct {
		amount Amount
		want   Bytes
	}{
		{Amount{}, 0},
		{Amount{Bytes: 100}, 100},
		{Amount{BDPs: 1.5}, 150_000},
		{Amount{Share: 0.29}, 29},
		{Amount{BDPs: 1e300}, math.MaxInt64},
	} {
		if got := test.amount.Resolve(100_000, 100); got != test.want {
			t.Errorf("%v.Resolve = %d, want %d", test.amount, got, test.want)
		}
	}
}

func TestAmountOfTwoKindsIsNotWritten(t *testing.T) {
	if text, err := (Amount{Bytes: 1, BDPs: 1}).MarshalText(); err == nil {
		t.Errorf("wrote %q", text)
	}
}

// A failed read leaves the value as it was, and quantities are strings in JSON.
func TestText(t *testing.T) {
	type all struct {
		T Time
		R Rate
		B Bytes
		S Ratio
		A Amount
	}
	value := all{1500, 25 * Gbps, 9000, 0.2, Amount{BDPs: 1}}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"T":"1500ps","R":"25Gbps","B":"9KB","S":"20%","A":"1BDP"}`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	var back all
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(value, back); diff != "" {
		t.Error(diff)
	}
	if err := back.T.UnmarshalText([]byte("7")); err == nil || back.T != 1500 {
		t.Errorf("after a failed read T = %v (error %v)", back.T, err)
	}
}

func TestTextRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, math.MaxInt64).Draw(t, "n")
		if rapid.Bool().Draw(t, "round") {
			n -= n % int64(Gbps)
		}
		back(t, Time(n), ParseTime)
		back(t, Rate(n), ParseRate)
		back(t, Bytes(n), ParseBytes)
		back(t, Amount{Bytes: Bytes(n)}, ParseAmount)
		f := rapid.Float64Range(0, math.MaxFloat64).Draw(t, "f")
		back(t, Ratio(f), ParseRatio)
		back(t, Amount{Share: Ratio(f)}, ParseAmount)
		back(t, Amount{BDPs: f}, ParseAmount)
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		back(t, Ratio(share), ParseRatio)
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"500ns", "1.5us", "400Gb/s", "4KiB", "20%", "1 BDP", "1e-6", "1e999999999s", "-0", "٣ns"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		again(t, s, ParseTime)
		again(t, s, ParseRate)
		again(t, s, ParseBytes)
		again(t, s, ParseRatio)
		again(t, s, ParseAmount)
	})
}

func check[T comparable](t *testing.T, name, text string, got, want T, err error, wrong string) {
	t.Helper()
	if wrong != "" {
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s(%.40q) = %v, error %v; want an error with %q", name, text, got, err, wrong)
		}
		return
	}
	if err != nil || got != want {
		t.Errorf("%s(%q) = %v, error %v; want %v", name, text, got, err, want)
	}
}

type stringer interface {
	comparable
	String() string
}

func back[T stringer](t *rapid.T, v T, parse func(string) (T, error)) {
	if got, err := parse(v.String()); err != nil || got != v {
		t.Fatalf("%T %v: read back as %v, error %v", v, v, got, err)
	}
}

func again[T stringer](t *testing.T, s string, parse func(string) (T, error)) {
	v, err := parse(s)
	if err != nil {
		if len(err.Error()) > 500 {
			t.Errorf("the message does not fit on a screen: %v", err)
		}
		return
	}
	if got, err := parse(v.String()); err != nil || got != v {
		t.Errorf("%q is %v, which reads as %v, error %v", s, v, got, err)
	}
}

// TestScaleOfRates: below 1 Gb/s rates are in Mb/s; where there is none, as ever, in Gb/s.
func TestScaleOfRates(t *testing.T) {
	for largest, want := range map[float64]string{0: "0.00 Gb/s", 93.4e6: "93.40 Mb/s", 999_999_999: "1000.00 Mb/s", 1e9: "1.00 Gb/s", 400e9: "400.00 Gb/s"} {
		s := ScaleOfRates(largest)
		if got := s.Text(largest) + " " + s.Name; got != want {
			t.Errorf("%v bit/s are %s, want %s", largest, got, want)
		}
	}
}
