package achievable

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/analysis"
)

// MaxDraws is the largest number of draws.
const MaxDraws = 1000

// Draws repeats a comparison of the same fabrics, each time with its own traffic and layers. It
// returns means over the draws with their 95 % intervals (Student's t). Which hosts communicate,
// and which of them are elephants, changes T of a small fabric by a quarter, which is more than
// schemes differ.
//
// compare makes the comparison for a draw, counted from 0. All schemes except the first get a
// further number, "of first": their T as a share of the first scheme's in the same draw. Its
// interval is narrower than their own, since they carry the same traffic. "T" and "at most"
// are certified in each draw. The number "gap" is the widest gap of any draw.
//
// If ctx ends, the error is an *analysis.Interrupted, and the result has the complete draws.
func Draws(ctx context.Context, n int, progress func(share float64), compare func(ctx context.Context, draw int, progress func(float64)) (*analysis.Result, error)) (*analysis.Result, error) {
	if n < 1 || n > MaxDraws {
		return nil, fmt.Errorf("%d draws; use 1 to %d", n, MaxDraws)
	}
	var results []*analysis.Result
	for draw := range n {
		r, err := compare(ctx, draw, func(share float64) {
			if progress != nil {
				progress((float64(draw) + share) / float64(n))
			}
		})
		if err != nil && ctx.Err() != nil {
			e := &analysis.Interrupted{Of: "draws", Done: draw, All: n, Cause: ctx.Err()}
			for i := draw; i < n; i++ {
				e.Missing = append(e.Missing, fmt.Sprint(i+1))
			}
			if draw == 0 {
				return r, e
			}
			return over(results), e
		}
		if err != nil && n > 1 {
			return nil, fmt.Errorf("draw %d: %w", draw+1, err)
		}
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return over(results), nil
}

// over joins the results of draws, which have the same rows and numbers.
func over(draws []*analysis.Result) *analysis.Result {
	out := *draws[0]
	if len(draws) == 1 {
		return &out
	}
	out.Rows, out.Plots = nil, slices.Clone(out.Plots)
	// Within a fabric and an intensity, rows are compared with the first scheme's.
	first := map[string]int{}
	for i, row := range draws[0].Rows {
		joined := analysis.Row{Name: row.Name, Of: row.Of, Among: row.Among}
		for j, number := range row.Numbers {
			values := make([]float64, len(draws))
			for k, r := range draws {
				values[k] = r.Rows[i].Numbers[j].Value
			}
			joined.Numbers = append(joined.Numbers, joinedNumber(number, values))
		}
		if row.Of == "scheme" {
			if leader, ok := first[row.Among]; ok {
				joined.Numbers = append(joined.Numbers, ofFirst(draws, i, leader))
			} else {
				first[row.Among] = i
			}
		}
		out.Rows = append(out.Rows, joined)
	}
	for p := range out.Plots {
		out.Plots[p].Lines = meanLines(draws, p)
	}
	out.Notes = append(joinedNotes(draws), fmt.Sprintf("numbers are means over %d draws of traffic and layers, with the 95 %% interval of the mean", len(draws)))
	return &out
}

func joinedNumber(n analysis.Number, values []float64) analysis.Number {
	if n.Name == "gap" {
		widest := slices.Max(values)
		return analysis.Exact(n.Name, widest, n.Unit, n.About+", where it is widest")
	}
	return analysis.Mean(n.Name, values, n.Unit, n.About)
}

// joinedNotes returns each note once. Notes that begin alike up to a colon are about the same
// thing; of these it returns the first, and says in how many draws there is one if they differ.
func joinedNotes(draws []*analysis.Result) []string {
	type note struct {
		text        string
		draw, count int
		differs     bool
	}
	var notes []note
	index := map[string]int{}
	for k, r := range draws {
		for _, text := range r.Notes {
			about, _, _ := strings.Cut(text, ": ")
			i, there := index[about]
			if !there {
				i = len(notes)
				index[about] = i
				notes = append(notes, note{text: text, draw: k + 1})
			}
			notes[i].count++
			notes[i].differs = notes[i].differs || notes[i].text != text
		}
	}
	var out []string
	for _, n := range notes {
		if n.differs || n.count < len(draws) {
			n.text += fmt.Sprintf(" (draw %d; %d of %d draws have such a note)", n.draw, n.count, len(draws))
		}
		out = append(out, n.text)
	}
	return out
}

// ofFirst returns the mean paired ratio of T.
func ofFirst(draws []*analysis.Result, row, leader int) analysis.Number {
	ratios := make([]float64, len(draws))
	for k, r := range draws {
		ratios[k] = throughputOf(r.Rows[row]) / throughputOf(r.Rows[leader])
	}
	return analysis.Mean("of first", ratios, "", "T as a share of the first scheme's, mean over the draws")
}

func throughputOf(r analysis.Row) float64 {
	for _, n := range r.Numbers {
		if n.Name == "T" {
			return n.Value
		}
	}
	return 0
}

// meanLines averages the lines of a plot over the draws.
func meanLines(draws []*analysis.Result, plot int) []analysis.Line {
	lines := slices.Clone(draws[0].Plots[plot].Lines)
	for l := range lines {
		lines[l].Y = slices.Clone(lines[l].Y)
		for i := range lines[l].Y {
			sum := 0.0
			for _, r := range draws {
				sum += r.Plots[plot].Lines[l].Y[i]
			}
			lines[l].Y[i] = sum / float64(len(draws))
		}
	}
	return lines
}
