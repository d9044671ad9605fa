package achievable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/analysis"
	"weft/analysis/throughput"
)

// Two draws by hand: T of 2 and 4 beside 1 and 3, so that ratios are 1/2 and 3/4.
func TestDrawsByHand(t *testing.T) {
	made := func(first, second, gap float64) *analysis.Result {
		row := func(fabric, scheme string, value float64) analysis.Row {
			return analysis.Row{Name: fabric + " " + scheme + " at 1", Of: "scheme", Among: fabric + " at 1", Numbers: []analysis.Number{analysis.Exact("T", value, "", ""), analysis.Exact("gap", gap, "%", "")}}
		}
		return &analysis.Result{
			Rows: []analysis.Row{
				{Name: "a at 1", Of: "fabric", Numbers: []analysis.Number{analysis.Exact("pairs", 7, "", "")}},
				{Name: "a b at 1", Of: "fabric", Numbers: []analysis.Number{analysis.Exact("pairs", 7, "", "")}},
				row("a", "x", first), row("a", "y", second), row("a b", "x", 5), row("a b", "y", 10),
			},
			Plots: []analysis.Plot{{Lines: []analysis.Line{{Name: "a x", X: []float64{1}, Y: []float64{first}}}}},
			Notes: []string{"T is a share", fmt.Sprintf("a, x: %v pairs", first)},
		}
	}
	draws := []*analysis.Result{made(2, 1, 0.5), made(4, 3, 1.5)}
	draws[1].Notes = append(draws[1].Notes, "a, y: 5 pairs")
	last := 0.0
	r, err := Draws(context.Background(), 2, func(share float64) { last = share }, func(_ context.Context, draw int, progress func(float64)) (*analysis.Result, error) {
		progress(1)
		return draws[draw], nil
	})
	if err != nil || last != 1 {
		t.Fatal(err, last)
	}
	number := func(name, at string) analysis.Number {
		n, err := r.Number(name, at)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	// Of two values a and b the interval is (a+b)/2 ± 12.706·|a-b|/2.
	const student = 12.7062
	for _, c := range []struct {
		name, at    string
		mean, width float64
	}{
		{"T", "a x at 1", 3, student}, {"T", "a y at 1", 2, student},
		{"of first", "a y at 1", 0.625, student / 8}, {"of first", "a b y at 1", 2, 0},
		{"pairs", "a at 1", 7, 0}, {"gap", "a y at 1", 1.5, 0},
	} {
		n := number(c.name, c.at)
		if math.Abs(n.Value-c.mean) > 1e-9 || math.Abs(n.High-n.Value-c.width) > 1e-4 || math.Abs(n.Value-n.Low-c.width) > 1e-4 {
			t.Errorf("%s of %s: %+v, want %v ± %v", c.name, c.at, n, c.mean, c.width)
		}
	}
	if _, err := r.Number("of first", "a x at 1"); err == nil {
		t.Error("the first scheme is compared with itself")
	}
	if y := r.Plots[0].Lines[0].Y; !slices.Equal(y, []float64{3}) {
		t.Errorf("the plot has %v", y)
	}
	if want := []string{
		"T is a share",
		"a, x: 2 pairs (draw 1; 2 of 2 draws have such a note)",
		"a, y: 5 pairs (draw 2; 1 of 2 draws have such a note)",
	}; !slices.Equal(r.Notes[:len(r.Notes)-1], want) {
		t.Errorf("notes %q", r.Notes)
	}
	if draws[0].Rows[2].Numbers[0].Value != 2 || draws[0].Plots[0].Lines[0].Y[0] != 2 {
		t.Error("joining changed a draw")
	}
}

// One draw is the comparison itself, and traffic changes between draws.
func TestDrawsOfARing(t *testing.T) {
	compare := func(ctx context.Context, draw int, progress func(float64)) (*analysis.Result, error) {
		o := Options{Traffic: throughput.Traffic{Pattern: throughput.Permutation, Seed: uint64(draw), Intensity: 1}, Gap: 0.01, Progress: progress}
		return Compare(ctx, []Fabric{ring(8)}, []Scheme{around(8, true)}, o)
	}
	one, err := Draws(context.Background(), 1, nil, compare)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := one.Number("T", "ring around"); err != nil || !n.Exact() {
		t.Errorf("one draw: %+v (%v)", n, err)
	}
	five, err := Draws(context.Background(), 5, nil, compare)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := five.Number("T", "ring around"); err != nil || n.Exact() || !(n.Low < n.Value && n.Value < n.High) {
		t.Errorf("five draws: %+v (%v)", n, err)
	}
}

func TestDrawsEnd(t *testing.T) {
	for _, n := range []int{0, -1, MaxDraws + 1} {
		if _, err := Draws(context.Background(), n, nil, nil); err == nil {
			t.Errorf("%d draws were made", n)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Draws(ctx, 3, nil, func(ctx context.Context, draw int, _ func(float64)) (*analysis.Result, error) {
		if draw == 1 {
			cancel()
			return nil, ctx.Err()
		}
		return &analysis.Result{Rows: []analysis.Row{{Name: "a x", Of: "scheme", Numbers: []analysis.Number{analysis.Exact("T", 2, "", "")}}}}, nil
	})
	var cut *analysis.Interrupted
	if !errors.As(err, &cut) || cut.Done != 1 || cut.All != 3 || !slices.Equal(cut.Missing, []string{"2", "3"}) {
		t.Fatalf("%+v: %v", cut, err)
	}
	if n, err := r.Number("T", "a x"); err != nil || n.Value != 2 {
		t.Errorf("the draw before is %v (%v)", n, err)
	}
	broken := errors.New("no trees")
	if _, err := Draws(context.Background(), 2, nil, func(context.Context, int, func(float64)) (*analysis.Result, error) { return nil, broken }); !errors.Is(err, broken) || err.Error() != "draw 1: no trees" {
		t.Errorf("a draw that fails: %v", err)
	}
	if _, err := Draws(context.Background(), 1, nil, func(context.Context, int, func(float64)) (*analysis.Result, error) { return nil, broken }); !errors.Is(err, broken) || err.Error() != "no trees" {
		t.Errorf("the only draw fails: %v", err)
	}
}
