package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/record"
	"weft/record/distance"
	"weft/unit"
)

// beside is how far completion times of a group of traffic in a run are from those in another one.
type beside struct {
	run string // the second one
	distance.Group
	// void tells that one of them shows nothing, so that nothing follows.
	void bool
}

// besides compares the groups of two runs.
func besides(run string, first, second *record.Result) (list []beside) {
	void := isVoid(first) || isVoid(second)
	for _, g := range distance.Of(first.Flows, second.Flows) {
		list = append(list, beside{run, g, void})
	}
	return list
}

// isVoid tells whether a run shows nothing: it did not come to its end, or followed the clock too late.
func isVoid(r *record.Result) bool {
	return r.Summary.Partial || r.Summary.Void() != ""
}

// within tells whether both are as good as the same.
func (b *beside) within() bool { return !b.void && b.Within(distance.Wire()) }

// MarshalJSON writes times in microseconds.
func (b beside) MarshalJSON() ([]byte, error) {
	type times struct {
		Messages int     `json:"messages"`
		Median   float64 `json:"fct_p50_us"`
		P99      float64 `json:"fct_p99_us"`
	}
	of := func(t distance.Times) times {
		return times{t.Messages, float64(t.Median) / float64(unit.Microsecond), float64(t.P99) / float64(unit.Microsecond)}
	}
	return json.Marshal(struct {
		Run    string   `json:"run"`
		Group  string   `json:"group"`
		First  times    `json:"first"`
		Second times    `json:"second"`
		Median *float64 `json:"median_differs,omitempty"`
		P99    *float64 `json:"p99_differs,omitempty"`
		Void   bool     `json:"void"`
		Within bool     `json:"within_tolerance"`
	}{b.run, b.Name, of(b.First), of(b.Second), finite(b.Median()), finite(b.P99()), b.void, b.within()})
}

func finite(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// writeBeside prints a row for each group of traffic. First and second are what stands above their times.
func writeBeside(to io.Writer, list []beside, first, second string) error {
	rows := [][]string{{"RUN", "GROUP", "MESSAGES", "MEDIAN " + second, first, "DIFFERS", "P99 " + second, first, "DIFFERS", "TOLERANCE"}}
	for i := range list {
		b := &list[i]
		verdict := "outside"
		switch {
		case b.void:
			verdict = "void"
		case b.within():
			verdict = "within"
		}
		rows = append(rows, []string{
			b.run, b.Name, messages(b), completion(b.Second.Median), completion(b.First.Median), differs(b.Median()),
			completion(b.Second.P99), completion(b.First.P99), differs(b.P99()), verdict,
		})
	}
	return tabular.Write(to, rows, 2, 0)
}

// tolerated says how far apart times may be.
func tolerated(to io.Writer) error {
	t := distance.Wire()
	_, err := fmt.Fprintf(to, "Completion times. Tolerance: %.0f %% at the median, %.0f %% at the 99th percentile.\n", 100*t.Median, 100*t.P99)
	return err
}

func messages(b *beside) string {
	if b.First.Messages == b.Second.Messages {
		return strconv.Itoa(b.Second.Messages)
	}
	return fmt.Sprintf("%d, %d", b.Second.Messages, b.First.Messages)
}

// completion is a time to four figures.
func completion(t unit.Time) string {
	return readable.Duration(time.Duration(t/unit.Nanosecond), 4).String()
}

func differs(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*share)
}
