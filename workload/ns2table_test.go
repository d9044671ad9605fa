package workload

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/catalog"
	"weft/unit"
)

// TestTablesOfNs2 reads tables of three columns, whose sizes are packets or bytes.
func TestTablesOfNs2(t *testing.T) {
	want := read(t, "size_bytes,cdf\n0,0\n8760,0.15\n29200,1\n", Linear)
	for text, bytes := range map[string]unit.Bytes{
		"0 1 0\n6 1 0.15\n20 1 1\n":                  1460,
		"0\t1\t0\n8760\t1\t0.15\n29200\t1\t1":        1,
		"# packets\n0, 1, 0\n6, 2, 15\n20, 3, 100\n": 1460,
		"0 0\n6 0.15\n20 1\n":                        1460, // two columns may have a unit, too
	} {
		got, err := ReadTable(strings.NewReader(text), "x.tcl", Linear, bytes)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(CDF{}), cmp.Comparer(near)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestErrorsOfTablesOfNs2(t *testing.T) {
	for _, test := range []struct {
		text  string
		bytes unit.Bytes
		want  string
	}{
		{"\n0 1 0\n6 1 1\n", 0, "x.tcl:2: the row has three columns, as in ns-2's tables: a size, a number that is not used, and the cumulative share; such sizes are packets or bytes; write unit: 1460B for packets of 1460 bytes, or unit: 1B for bytes"},
		{"0 1 0\n6 1\n", 1460, "x.tcl:2: the row has 2 columns, but those before have 3; write all rows alike"},
		{"0 0\n6 1 1\n", 1460, "x.tcl:2: the row has 3 columns, but those before have 2"},
		{"0 x 0\n6 1 1\n", 1460, `x.tcl:1:3: the unused column "x" is not a number`},
		{"0 1 0\n9 1 0.5\n6 1 1\n", 1460, "x.tcl:3:1: size 6 comes after the larger 9"},
		{"0 1 0\n9 1 0.5\n10 1 0.4\n", 1460, "x.tcl:3:6: share 0.4 comes after the larger 0.5"},
		{"0 1 0\n1e12 1 1\n", 1460, "x.tcl:2:1: size 1e12 is too large"},
		{"0 1 0 0\n", 1460, "this one has 4 columns"},
	} {
		_, err := ReadTable(strings.NewReader(test.text), "x.tcl", Linear, test.bytes)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %q", test.text, err, test.want)
		}
	}
}

func TestSizeSpecUnit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "CDF_search.tcl")
	if err := os.WriteFile(path, []byte("1 1 0\n6 1 0.5\n20 1 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	packet, none := unit.Bytes(1460), unit.Bytes(0)
	s := SizeSpec{CDF: catalog.Path(path), Rule: Step, Unit: &packet}
	sizes, err := s.Load()
	if err != nil || sizes.Mean() != 13*1460 {
		t.Errorf("%v, %v", sizes, err)
	}
	if _, err := s.MarshalText(); err == nil {
		t.Error("a unit fits into one word")
	}
	for _, test := range []struct {
		spec SizeSpec
		want string
	}{
		{SizeSpec{CDF: catalog.Path(path), Rule: Step}, "write unit: 1460B"},
		{SizeSpec{CDF: catalog.Path(path), Rule: Step, Unit: &none}, "unit is 0B"},
		{SizeSpec{Fixed: 1, Unit: &packet}, "unit says what a table counts, but there is no table; give cdf, or leave unit out"},
		{SizeSpec{Workload: "websearch", Unit: &packet}, "there is no table"},
	} {
		if _, err := test.spec.Load(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %v, want %q", test.spec, err, test.want)
		}
	}
}

func FuzzTable(f *testing.F) {
	for _, seed := range []string{"0 1 0\n6 1 0.15\n20 1 1\n", "0,1,0\n,1,1", "3 0\n4 1", "1 1e400 1", "9 1 100\n", "12e14." + strings.Repeat("0", 600) + " 0"} {
		f.Add(seed, uint16(1460))
		f.Add(seed, uint16(0))
	}
	f.Fuzz(func(t *testing.T, text string, bytes uint16) {
		c, err := ReadTable(strings.NewReader(text), "t.tcl", Linear, unit.Bytes(bytes))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t.tcl:") || len(err.Error()) > 500 {
				t.Fatalf("error %q", err)
			}
			return
		}
		if m := c.Mean(); !(m >= 0 && m <= maxSize) {
			t.Fatalf("mean is %g", m)
		}
		r := rand.NewPCG(1, 1)
		if b := c.Draw(r); b < 1 || b > c.Max() {
			t.Fatalf("drew %d bytes of at most %d", b, c.Max())
		}
	})
}
