package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
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

// besides compares the groups of two runs. One of them may be nil: then the other one's groups have nothing beside them.
func besides(run string, first, second *record.Result) (list []beside) {
	void := isVoid(first) || isVoid(second)
	for _, g := range distance.Of(flowsOf(first), flowsOf(second)) {
		list = append(list, beside{run, g, void})
	}
	return list
}

// isVoid tells whether a run shows nothing: it did not come to its end, or followed the clock too late.
func isVoid(r *record.Result) bool {
	return r != nil && (r.Summary.Partial || r.Summary.Void() != "")
}

func flowsOf(r *record.Result) []record.Flow {
	if r == nil {
		return nil
	}
	return r.Flows
}

func (b *beside) verdict() distance.Verdict { return b.Verdict(distance.Wire(), b.void) }

// lone tells that one of the runs has no messages of the group.
func (b *beside) lone() bool { return !b.First.There() || !b.Second.There() }

// timesJSON is the completion times of a group in a run.
type timesJSON struct {
	Messages   int `json:"messages"`
	Unfinished int `json:"unfinished"`
	// Median and P99 are nil if no message finished.
	Median *float64 `json:"fct_p50_us"`
	P99    *float64 `json:"fct_p99_us"`
}

// newTimesJSON returns nil for a run without messages of the group.
func newTimesJSON(t *distance.Times) *timesJSON {
	if !t.There() {
		return nil
	}
	j := &timesJSON{Messages: t.Messages, Unfinished: t.Unfinished}
	if t.Messages > 0 {
		median, p99 := float64(t.Median)/float64(unit.Microsecond), float64(t.P99)/float64(unit.Microsecond)
		j.Median, j.P99 = &median, &p99
	}
	return j
}

// MarshalJSON writes times in microseconds.
func (b beside) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Run     string           `json:"run"`
		Group   string           `json:"group"`
		First   *timesJSON       `json:"first"`
		Second  *timesJSON       `json:"second"`
		Median  *float64         `json:"median_differs,omitempty"`
		P99     *float64         `json:"p99_differs,omitempty"`
		Verdict distance.Verdict `json:"verdict"`
		Void    bool             `json:"void"`
		Within  bool             `json:"within_tolerance"`
	}{
		b.run, b.Name, newTimesJSON(&b.First), newTimesJSON(&b.Second), finite(b.Median()), finite(b.P99()),
		b.verdict(), b.void, b.verdict() == distance.Within,
	})
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
	lone := 0
	for i := range list {
		b := &list[i]
		verdict := string(b.verdict())
		switch b.verdict() {
		case distance.OnlyFirst:
			verdict = "only " + strings.ToLower(first)
		case distance.OnlySecond:
			verdict = "only " + strings.ToLower(second)
		}
		if b.lone() {
			lone++
		}
		rows = append(rows, []string{
			b.run, b.Name, messages(b), completion(b.Second.Median), completion(b.First.Median), differs(b.Median()),
			completion(b.Second.P99), completion(b.First.P99), differs(b.P99()), verdict,
		})
	}
	if err := tabular.Write(to, rows, 2, 0); err != nil || lone == 0 {
		return err
	}
	_, err := fmt.Fprintf(to, "%d of %s cannot be compared: only one of the two has measured messages there.\n", lone, readable.Count(len(list), "row"))
	return err
}

// tolerated says how far apart times may be.
func tolerated(to io.Writer) error {
	t := distance.Wire()
	_, err := fmt.Fprintf(to, "Completion times. Tolerance: %.0f %% at the median, %.0f %% at the 99th percentile.\n", 100*t.Median, 100*t.P99)
	return err
}

// messages has one number where both runs have it.
func messages(b *beside) string {
	number := func(t *distance.Times) string {
		if !t.There() {
			return "-"
		}
		return strconv.Itoa(t.Messages)
	}
	first, second := number(&b.First), number(&b.Second)
	if first == second {
		return second
	}
	return second + ", " + first
}

// completion is a time to four figures, if there is one.
func completion(t unit.Time) string {
	if t <= 0 {
		return "-"
	}
	return readable.Duration(time.Duration(t/unit.Nanosecond), 4).String()
}

func differs(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*share)
}
