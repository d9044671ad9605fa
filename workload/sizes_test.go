package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/catalog"
	"weft/unit"
)

const dataFolder = "../scenarios/data"

var rules = []Rule{Step, Linear, Log}

// Every table that comes with the project has the means that its README says.
func TestPublishedTables(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(dataFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for line := range strings.Lines(string(readme)) {
		columns := strings.Split(line, "|")
		if len(columns) < 10 || !strings.Contains(columns[1], ".csv") {
			continue
		}
		listed++
		file := filepath.Join(dataFolder, strings.Trim(columns[1], " `"))
		for i, rule := range rules {
			sizes, err := SizeSpec{CDF: catalog.Path(file), Rule: rule}.Load()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprintf("%.1f", sizes.Mean()), strings.TrimSpace(columns[6+i]); got != want {
				t.Errorf("%s by rule %s has mean %s, the README says %s", file, rule, got, want)
			}
			if rows := strconv.Itoa(len(sizes.(*CDF).sizes)); rows != strings.TrimSpace(columns[5]) {
				t.Errorf("%s has %s rows, the README says %s", file, rows, columns[5])
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dataFolder, "*.csv"))
	if err != nil || len(files) != listed {
		t.Errorf("the README lists %d tables of %d, error %v", listed, len(files), err)
	}
}

// websearch20 has 20 equally likely sizes, which are the means of 20 parts of websearch, scaled to a
// mean of 1 MB.
func TestWebSearchIn20Sizes(t *testing.T) {
	load := func(name Published) *CDF {
		c, err := SizeSpec{Workload: name, Rule: Linear}.Table()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	got, of := load("websearch20"), load("websearch")
	if got.rule != Step || math.Abs(got.Mean()-1e6) > 1e-6 || len(got.sizes) != 21 {
		t.Fatalf("%d rows by %s have a mean of %v", len(got.sizes), got.rule, got.Mean())
	}
	before := 0.0
	for k := 1; k <= 20; k++ {
		_, bytes := of.Below(of.quantile(float64(k) / 20))
		if want := math.Round((bytes - before) * 20e6); got.sizes[k] != want || math.Abs(got.shares[k]-float64(k)/20) > 1e-12 {
			t.Errorf("size %d is %v up to %v, want %v", k, got.sizes[k], got.shares[k], want)
		}
		before = bytes
	}
}

// The sizes drawn have the mean that is promised.
func TestDrawnMean(t *testing.T) {
	for _, file := range []string{"websearch.csv", "wka.csv"} {
		for _, rule := range rules {
			sizes, err := SizeSpec{CDF: catalog.Path(filepath.Join(dataFolder, file)), Rule: rule}.Load()
			if err != nil {
				t.Fatal(err)
			}
			r := rand.NewPCG(1, 2)
			sum, squares := 0.0, 0.0
			const n = 200000
			for range n {
				v := float64(sizes.Draw(r))
				sum += v
				squares += v * v
			}
			mean := sum / n
			deviation := math.Sqrt((squares/n - mean*mean) / n)
			if math.Abs(mean-sizes.Mean()) > 4*deviation {
				t.Errorf("%s by rule %s: drew a mean of %.1f ± %.1f, promised is %.1f", file, rule, mean, deviation, sizes.Mean())
			}
		}
	}
}

func read(t testing.TB, text string, rule Rule) *CDF {
	t.Helper()
	c, err := ReadCDF(strings.NewReader(text), "t.csv", rule)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestQuantiles(t *testing.T) {
	const table = "size_bytes,cdf\n100,0.2\n100,0.4\n1000,0.6\n1000,0.8\n10000,1\n"
	for _, test := range []struct {
		rule Rule
		u    float64
		want float64
	}{
		{Step, 0x1p-53, 100}, {Step, 0.2, 100}, {Step, 0.4, 100}, {Step, 0.41, 1000}, {Step, 0.8, 1000}, {Step, 0.81, 10000}, {Step, 1, 10000},
		{Linear, 0x1p-53, 100}, {Linear, 0.4, 100}, {Linear, 0.5, 550}, {Linear, 0.6, 1000}, {Linear, 0.7, 1000}, {Linear, 0.9, 5500}, {Linear, 1, 10000},
		{Log, 0.3, 100}, {Log, 0.5, math.Sqrt(100 * 1000)}, {Log, 0.7, 1000}, {Log, 0.9, math.Sqrt(1000 * 10000)}, {Log, 1, 10000},
	} {
		if got := read(t, table, test.rule).quantile(test.u); math.Abs(got/test.want-1) > 1e-12 {
			t.Errorf("rule %s: quantile %g is %g, want %g", test.rule, test.u, got, test.want)
		}
	}
	// Up from 0 there is no logarithm.
	c := read(t, "0,0\n100,0.5\n10000,1\n", Log)
	if got := c.quantile(0.25); got != 50 {
		t.Errorf("quantile 0.25 is %g, want 50", got)
	}
	if want := 0.5*50 + 0.5*9900/math.Log(100); math.Abs(c.Mean()-want) > 1e-9 {
		t.Errorf("mean is %g, want %g", c.Mean(), want)
	}
}

// Equal tables in different dress are the same distribution.
func TestFormatsOfTables(t *testing.T) {
	want := read(t, "size_bytes,cdf\n10,0.5\n20,1\n", Linear)
	for _, text := range []string{
		"10 0.5\n20 1",
		"10\t50\r\n20\t100\r\n",
		"# HPCC\n\n  10 , 50 # half\n20,100\n",
		"\ufeffSize_Bytes,CDF\n10,0.5\n20,0.9999999\n",
		"1e1,5e-1\n2e1,1\n",
	} {
		if diff := cmp.Diff(want, read(t, text, Linear), cmp.AllowUnexported(CDF{}), cmp.Comparer(near)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

func TestErrorsOfTables(t *testing.T) {
	for _, test := range []struct {
		text string
		rule Rule
		want []string
	}{
		{"", Linear, []string{"t.csv: ", "no rows", "1460,0.5"}},
		{"size_bytes,cdf\n", Linear, []string{"no rows"}},
		{"size_kb,cdf\n1,1\n", Linear, []string{"t.csv:1:1: ", `"size_bytes,cdf"`}},
		{"10,0.5\nsize_bytes,cdf\n", Linear, []string{"t.csv:2:1: ", `"size_bytes" is not a number`}},
		{"10,0.5\n20,1,3\n", Linear, []string{"t.csv:2: ", "3 columns"}},
		{"10,0.5\n\n20\n", Linear, []string{"t.csv:3: ", "1 columns"}},
		{"10,\n", Linear, []string{"t.csv:1: ", "columns"}},
		{"10,0.5\n20, x\n", Linear, []string{"t.csv:2:5: ", `share "x" is not a number`, "0 to 1"}},
		{"10,0.5\nNaN,1\n", Linear, []string{"t.csv:2:1: ", "not a number"}},
		{"10,0.5\nInf,1\n", Linear, []string{"t.csv:2:1: ", "not a number"}},
		{"4KiB,1\n", Linear, []string{"t.csv:1:1: ", `"4KiB"`, "without a unit"}},
		{"-10,1\n", Linear, []string{"t.csv:1:1: ", "negative"}},
		{"10,-1\n", Linear, []string{"t.csv:1:4: ", "negative"}},
		{"1e300,1\n", Linear, []string{"t.csv:1:1: ", "too large"}},
		{"20,0.5\n10,1\n", Linear, []string{"t.csv:2:1: ", "10 comes after the larger 20", "order the rows"}},
		{"10,0.5\n20,0.4\n", Linear, []string{"t.csv:2:4: ", "0.4 comes after the larger 0.5", "cumulative"}},
		{"10,0.5\n20,0.98\n\n", Linear, []string{"t.csv:2: ", "the last share is 0.98", "rise to 1"}},
		{"10,50\n20,99\n", Linear, []string{"t.csv:2: ", "the last share is 99"}},
		{"10,0\n", Linear, []string{"the last share is 0"}},
		{"0,0.5\n20,1\n", Linear, []string{"size 0", "at least 1 byte"}},
		{"0,0\n0,0.5\n20,1\n", Log, []string{"size 0"}},
		{"10,0.5\n\xff\xfe,1\n", Linear, []string{"t.csv:2: ", "not text"}},
		{strings.Repeat("1", 100_000), Linear, []string{"t.csv:1: ", "too long"}},
		{"10,1\n", "lin", []string{`unknown rule "lin"`, `did you mean "linear"`}},
		{"10,1\n", "", []string{"unknown rule", "step, linear, log"}},
	} {
		_, err := ReadCDF(strings.NewReader(test.text), "t.csv", test.rule)
		if err == nil {
			t.Errorf("%.40q: no error, want one with %q", test.text, test.want)
			continue
		}
		for _, w := range test.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.40q: error %q lacks %q", test.text, err, w)
			}
		}
	}
}

// A table begins at a size of 0 only for sizes between.
func TestSizesNeverAreZero(t *testing.T) {
	for _, rule := range rules {
		c := read(t, "0,0\n3,1\n", rule)
		r := rand.NewPCG(1, 1)
		for range 1000 {
			if b := c.Draw(r); b < 1 || b > 3 {
				t.Fatalf("rule %s drew %d bytes", rule, b)
			}
		}
	}
}

func TestQuantilesRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "rows")
		sizes, shares := make([]float64, n), make([]float64, n)
		size, share := 0.0, 0.0
		for i := range n {
			size += float64(rapid.IntRange(0, 1000).Draw(t, "size"))
			share += float64(rapid.IntRange(0, 10).Draw(t, "share"))
			sizes[i], shares[i] = size+1, share
		}
		for i := range shares {
			shares[i] = (shares[i] + 1) / (share + 1)
		}
		c := newCDF(sizes, shares, rapid.SampledFrom(rules).Draw(t, "rule"))
		u := rapid.Float64Range(0x1p-53, 1).Draw(t, "u")
		v := rapid.Float64Range(u, 1).Draw(t, "v")
		low, high := c.quantile(u), c.quantile(v)
		if !(sizes[0] <= low && low <= high && high <= sizes[n-1]) {
			t.Fatalf("quantiles %g and %g are %g and %g", u, v, low, high)
		}
		if m := c.Mean(); m < sizes[0]*(1-1e-12) || m > sizes[n-1]*(1+1e-12) {
			t.Fatalf("mean %g lies outside %v", m, sizes)
		}
	})
}

func TestSizeSpec(t *testing.T) {
	var s SizeSpec
	if err := s.UnmarshalText([]byte("32MiB")); err != nil || s != (SizeSpec{Fixed: 32 * unit.MiB, Rule: Linear}) {
		t.Errorf("read %+v, error %v", s, err)
	}
	if text, err := s.MarshalText(); string(text) != "32MiB" || err != nil {
		t.Errorf("written %q, error %v", text, err)
	}
	sizes, err := s.Load()
	if err != nil || sizes != Fixed(32*unit.MiB) || sizes.Mean() != 32<<20 || sizes.Draw(nil) != 32*unit.MiB {
		t.Errorf("loaded %v, error %v", sizes, err)
	}
	for _, text := range []string{"32", "0B", "sizes.csv", "-1KiB", ""} {
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if s.Fixed != 32*unit.MiB {
		t.Errorf("a failed read changed the size to %v", s.Fixed)
	}
	mean := 2927.354
	table := SizeSpec{CDF: dataFolder + "/wka.csv", Rule: Log, Mean: &mean}
	if _, err := table.MarshalText(); err == nil {
		t.Error("a table was written as a word")
	}
	sizes, err = table.Load()
	if err != nil || sizes.Mean() != mean {
		t.Errorf("mean of %v, error %v", sizes, err)
	}
	if err := catalog.Check(catalogType[SizeSpec]()); err != nil {
		t.Error(err)
	}
}

func TestErrorsOfSizeSpec(t *testing.T) {
	small := 0.5
	for _, test := range []struct {
		spec SizeSpec
		want string
	}{
		{SizeSpec{}, "no size is given"},
		{SizeSpec{Fixed: -1}, "at least 1 byte"},
		{SizeSpec{Fixed: 1, CDF: "a.csv"}, "give one of them"},
		{SizeSpec{CDF: "missing.csv", Rule: Step}, "from the scenario"},
		{SizeSpec{CDF: "missing.csv", Rule: Step}, "missing.csv"},
		{SizeSpec{CDF: ".", Rule: Step}, "directory"},
		{SizeSpec{Fixed: 1, Mean: &small}, "at least 1"},
		{SizeSpec{CDF: dataFolder + "/wka.csv", Rule: "loog"}, `did you mean "log"`},
	} {
		sizes, err := test.spec.Load()
		if err == nil || sizes != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: loaded %v, error %v; want one with %q", test.spec, sizes, err, test.want)
		}
	}
}

// TestBelow holds shares below a size against those of sizes that are drawn, and of bytes
// against the mean.
func TestBelow(t *testing.T) {
	const table = "size_bytes,cdf\n100,0.2\n100,0.4\n1000,0.6\n1000,0.8\n10000,1\n"
	for _, rule := range []Rule{Step, Linear, Log} {
		c := read(t, table, rule)
		for _, size := range []float64{99, 100, 400, 999, 1000, 4000, 10000, 20000} {
			const n = 1_000_000
			var messages, bytes float64
			for i := range n {
				if x := c.quantile((float64(i) + 0.5) / n); x <= size {
					messages, bytes = messages+1, bytes+x
				}
			}
			m, b := c.Below(size)
			if math.Abs(m-messages/n) > 2e-6 || math.Abs(b-bytes/n/c.Mean()) > 2e-5 {
				t.Errorf("%s, %v: %v of messages and %v of bytes, want %v and %v", rule, size, m, b, messages/n, bytes/n/c.Mean())
			}
		}
	}
}

func FuzzCDF(f *testing.F) {
	for _, seed := range []string{
		"size_bytes,cdf\n0,0\n10000,0.15\n30000,1\n", "53 0.074\n53 10\n10000000 100\n", "3,0\n3,0.1\n40,1",
		"# x\n\n1,1\n", "1e15,1", "10,0.5\n20,0.98", "\ufeff1\t2", "0,0\n0,1", ",,\n", "1,nan", "1,1e-320\n2,1",
	} {
		for i := range rules {
			f.Add(seed, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, text string, rule uint8) {
		c, err := ReadCDF(strings.NewReader(text), "t.csv", rules[int(rule)%len(rules)])
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.csv:") || len(err.Error()) > 400 {
				t.Fatalf("error %q", err)
			}
			return
		}
		if m := c.Mean(); !(m >= 0 && m <= maxSize) {
			t.Fatalf("mean is %g", m)
		}
		r := rand.NewPCG(1, uint64(rule))
		for range 20 {
			if b := c.Draw(r); b < 1 || b > c.Max() || b > maxSize {
				t.Fatalf("drew %d bytes of at most %d", b, c.Max())
			}
		}
	})
}
