package analysis_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/analysis"
	"weft/catalog"
)

func run(t *testing.T, model string, params map[string]string) *analysis.Result {
	t.Helper()
	r, err := analysis.Run(context.Background(), model, params)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func number(t *testing.T, r *analysis.Result, name, at string) float64 {
	t.Helper()
	n, err := r.Number(name, at)
	if err != nil {
		t.Fatal(err)
	}
	return n.Value
}

type params = map[string]string

func TestEntriesSuitACatalog(t *testing.T) {
	var s catalog.Set[analysis.Calculation]
	if err := s.Add(analysis.Entries()...); err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Entries() {
		if _, err := e.Defaults(); err != nil {
			t.Error(err)
		}
	}
}

// TestEveryModel runs each with small parameters: numbers have names of their own
// and a description, plots have points, and JSON can be written.
func TestEveryModel(t *testing.T) {
	small := map[string]params{
		"balls-into-bins": {"bins": "4, 8", "rounds": "50", "trials": "3", "rate": "0.9"},
		"coupons":         {"bins": "[4]", "trials": "10"},
		"imbalance":       {"entropies": "32,64", "trials": "10"},
		"spray-bound":     {"tors": "2", "hosts": "4", "uplinks": "4", "trials": "2", "reference": "128"},
	}
	for _, m := range analysis.Models() {
		r, err := m.Run(context.Background(), small[m.Name], func(share float64) {
			if share < 0 || share > 1 {
				t.Errorf("%s: progress of %v", m.Name, share)
			}
		})
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		for _, row := range r.Rows {
			seen := map[string]bool{}
			for _, n := range row.Numbers {
				if n.Name == "" || n.About == "" || seen[n.Name] || n.Low > n.Value || n.High < n.Value {
					t.Errorf("%s, row %q: %+v", m.Name, row.Name, n)
				}
				seen[n.Name] = true
			}
		}
		for _, p := range r.Plots {
			for _, l := range p.Lines {
				if len(l.X) == 0 || len(l.X) != len(l.Y) || p.X == "" || p.Y == "" {
					t.Errorf("%s: line %q of %q over %q has %d and %d values", m.Name, l.Name, p.Y, p.X, len(l.X), len(l.Y))
				}
			}
		}
		if len(r.Plots) == 0 || len(r.Rows) == 0 || r.Source == "" || m.About == "" {
			t.Errorf("%s lacks plots, rows, source or description", m.Name)
		}
		again, err := m.Run(context.Background(), small[m.Name], nil)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(r)
		b, _ := json.Marshal(again)
		if string(a) != string(b) {
			t.Errorf("%s computed something else the second time", m.Name)
		}
	}
}

// TestNumbersOfThePaper evaluates claims as a ledger does.
func TestNumbersOfThePaper(t *testing.T) {
	for _, tt := range []struct {
		model       string
		params      params
		measure, at string
		low, high   float64
	}{
		{"memory", nil, "bits", "ARCANE", 193, 193},
		{"memory", nil, "bytes", "arcane", 25, 25},
		{"memory", params{"buffer": "1"}, "bits", "ARCANE", 74, 74},
		{"memory", nil, "bits", "bitmap", 65536, 65536},
		{"memory", nil, "bytes", "MPTCP", 368, 368},
		{"memory", params{"connections": "256"}, "all_bytes", "ARCANE, entropies", 4096, 4096},
		{"loss", nil, "packets", "", 122070, 122071},
		{"loss", nil, "bytes", "", 0.5e9, 0.5e9},
		{"loss", nil, "packets_frozen", "", 800, 1000},
		{"capacity", nil, "adaptive", "", 715, 717},
		{"capacity", params{"uplinks": "4"}, "adaptive", "", 766, 768},
		{"capacity", params{"uplinks": "4,8"}, "uniform", "8", 1342, 1343},
		{"acks", nil, "overhead", "4KiB", 0.0156, 0.0157},
		{"theorem", nil, "covered", "32", 0, 0},
		{"theorem", nil, "covered", "28", 1, 1},
		{"theorem", nil, "most_bins", "5", 28, 28},
		{"imbalance", params{"uplinks": "1,8", "entropies": "32,64", "trials": "50"}, "mean", "1/64", 0, 0},
		{"imbalance", params{"uplinks": "1,8", "entropies": "32,64", "trials": "50"}, "mean", "8/64", 0.01, 0.2},
		{"imbalance", params{"entropies": "65536", "trials": "100"}, "mean", "", 0.005, 0.01},
		{"balls-into-bins", params{"recycled": "true"}, "converged", "", 1, 1},
		{"balls-into-bins", params{"recycled": "true"}, "convergence_order", "", 0, 4},
		{"balls-into-bins", params{"recycled": "true"}, "covered", "", 1, 1},
		{"balls-into-bins", params{"recycled": "true", "colors": "8"}, "covered", "", 0, 0},
		{"balls-into-bins", params{"recycled": "true", "coalescing": "2"}, "covered", "", 0, 0},
		{"balls-into-bins", params{"recycled": "true", "reading": "as-printed"}, "converged", "", 0, 0.2},
		// No bound where no trial converged; of those that did where some did not.
		{"balls-into-bins", params{"recycled": "true", "rounds": "10"}, "converged", "", 0, 0},
		{"balls-into-bins", params{"recycled": "true", "rounds": "10"}, "convergence", "", math.Inf(1), math.Inf(1)},
		{"balls-into-bins", params{"recycled": "true", "rounds": "10"}, "convergence_order", "", math.Inf(1), math.Inf(1)},
		{"balls-into-bins", params{"recycled": "true", "rounds": "60"}, "converged", "", 0.1, 0.9},
		{"balls-into-bins", params{"recycled": "true", "rounds": "60"}, "convergence_order", "", 0, 60 / (32 * math.Ln2 * 5)},
		{"balls-into-bins", params{"rounds": "4000"}, "growth", "", 1.2, 1.7},
	} {
		got := number(t, run(t, tt.model, tt.params), tt.measure, tt.at)
		if !(got >= tt.low && got <= tt.high) {
			t.Errorf("%s %v: %s is %v, want %v to %v", tt.model, tt.params, tt.measure, got, tt.low, tt.high)
		}
	}
}

func TestNotesSayWhatIsNotCovered(t *testing.T) {
	for _, tt := range []struct {
		model  string
		params params
		want   string
	}{
		{"balls-into-bins", params{"bins": "5", "recycled": "true", "rounds": "200"}, "n = 5 is below 16"},
		{"balls-into-bins", params{"recycled": "true", "colors": "8", "rounds": "10"}, "b = 8 is below 2.4 ln n = 8.32"},
		{"balls-into-bins", params{"recycled": "true", "rate": "0.9", "rounds": "10"}, "the rate is below 1"},
		{"balls-into-bins", params{"recycled": "true", "reading": "as-printed", "rounds": "10"}, "does not converge in general"},
		{"balls-into-bins", params{"recycled": "true", "rounds": "60"}, "of 20 trials converged within 60 rounds"},
		{"theorem", params{"bins": "32"}, "32 ports with a buffer of 8"},
		{"capacity", params{"slow_rate": "0bps"}, "has no bound"},
		{"memory", params{"width": "8"}, "save 8 B with 8 entries"},
	} {
		notes := strings.Join(run(t, tt.model, tt.params).Notes, "\n")
		if !strings.Contains(notes, tt.want) {
			t.Errorf("%s %v notes %q, want %q", tt.model, tt.params, notes, tt.want)
		}
	}
	if r := run(t, "balls-into-bins", params{"recycled": "true", "rounds": "10"}); len(r.Notes) > 0 {
		t.Errorf("a setting that is covered has notes: %v", r.Notes)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		model  string
		params params
		want   string
	}{
		{"imbalanc", nil, `did you mean "imbalance"`},
		{"imbalance", params{"uplink": "8"}, `did you mean "uplinks"`},
		{"imbalance", params{"entropies": "32,many"}, "entropies"},
		{"imbalance", params{"entropies": ""}, "empty"},
		{"imbalance", params{"uplinks": "8,0"}, "out of bounds"},
		{"balls-into-bins", params{"bins": "4,8", "coalescing": "1,2", "recycled": "true"}, "only one of them"},
		{"balls-into-bins", params{"coalescing": "2"}, "set recycled"},
		{"balls-into-bins", params{"recycled": "true", "unreported": "keep"}, "as-printed"},
		{"balls-into-bins", params{"reading": "fixd"}, `did you mean "fixed"`},
		{"capacity", params{"rate": "400"}, "unit"},
		{"capacity", params{"slow": "9"}, "slow uplinks"},
		{"spray-bound", params{"tors": "3", "hosts": "3", "pattern": "tornado"}, "even number of hosts"},
	} {
		_, err := analysis.Run(context.Background(), tt.model, tt.params)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v gave %v, want an error with %q", tt.model, tt.params, err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range []string{"imbalance", "spray-bound", "coupons"} {
		if _, err := analysis.Run(ctx, m, nil); err == nil {
			t.Errorf("%s ended well though its context had ended", m)
		}
	}
}

func TestNumberSaysWhatIsThere(t *testing.T) {
	r := run(t, "capacity", params{"uplinks": "4,8"})
	for _, tt := range []struct{ name, at, want string }{
		{"adaptiv", "8", `did you mean "adaptive"`},
		{"adaptive", "9", "there are 4, 8"},
		{"adaptive", "", "for each of 4, 8"},
	} {
		if _, err := r.Number(tt.name, tt.at); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Number(%q, %q) gave %v, want an error with %q", tt.name, tt.at, err, tt.want)
		}
	}
}

func TestParamsAreShownAsResolved(t *testing.T) {
	r := run(t, "loss", params{"rto": "29us"})
	want := params{"rate": "400Gbps", "share": "100%", "mtu": "4KiB", "outage": "10ms", "rto": "29us", "rtt": "7.34us"}
	if diff := cmp.Diff(want, r.Params); diff != "" {
		t.Error(diff)
	}
}

func TestUnboundedIsNullInJSON(t *testing.T) {
	text, err := json.Marshal(analysis.Number{Name: "a", Value: math.Inf(1), Low: math.Inf(1), High: math.Inf(1), About: "b"})
	if err != nil || string(text) != `{"name":"a","value":null,"about":"b"}` {
		t.Errorf("%s, %v", text, err)
	}
}
