package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"weft/record"
	"weft/record/distance"
)

// timesDiff is what diff --times --json prints.
type timesDiff struct {
	First     string        `json:"first"`
	Second    string        `json:"second"`
	Tolerance toleranceJSON `json:"tolerance"`
	// Within tells that all rows are.
	Within bool     `json:"within_tolerance"`
	Rows   []beside `json:"rows"`
}

// toleranceJSON has shares of the first run's times.
type toleranceJSON struct {
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
}

// newTimesDiff compares the completion times of two runs, or of two comparisons by variant. What only one of them has is a difference.
func newTimesDiff(first, second string) (*timesDiff, error) {
	pairs, err := pairRuns(first, second)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(pairs, func(one runPair) bool { return !one.lone() }) {
		return nil, unpaired(pairs, first, second)
	}
	t := distance.Wire()
	out := &timesDiff{First: first, Second: second, Tolerance: toleranceJSON{t.Median, t.P99}}
	for _, pair := range pairs {
		rows, err := timesOf(pair)
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, rows...)
	}
	out.Within = !slices.ContainsFunc(out.Rows, func(b beside) bool { return b.verdict() != distance.Within })
	return out, nil
}

// write prints a table.
func (d *timesDiff) write(to io.Writer) error {
	return cmp.Or(writeBeside(to, d.Rows, "FIRST", "SECOND"), tolerated(to))
}

// timesOf compares the completion times of a pair, or of a run that is alone.
func timesOf(pair runPair) ([]beside, error) {
	read := func(dir string) (*record.Result, error) {
		if dir == "" {
			return nil, nil
		}
		return record.ReadFolder(dir)
	}
	a, err := read(pair.a)
	if err != nil {
		return nil, err
	}
	b, err := read(pair.b)
	if err != nil {
		return nil, err
	}
	rows := besides(cmp.Or(pair.name, filepath.Base(pair.b)), a, b)
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no message was measured and kept; record.sample and measure decide which are", cmp.Or(pair.a, pair.b))
	}
	return rows, nil
}
