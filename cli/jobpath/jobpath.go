// Package jobpath writes what decided when the trace of an application ended, for weft explain --job.
package jobpath

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/tabular"
	"weft/scenario"
	"weft/trace/timeline"
	"weft/unit"
)

func micros(t unit.Time) string {
	return strconv.FormatFloat(float64(t)/float64(unit.Microsecond), 'f', 3, 64)
}

// Write writes the critical path for people: its parts, the calls that it goes through, and the messages that took
// the longest, at most top of each.
func Write(w io.Writer, x *scenario.JobExplanation, top int) error {
	for _, reason := range x.Left {
		if _, err := fmt.Fprintln(w, reason); err != nil {
			return err
		}
	}
	if len(x.Steps) == 0 {
		_, err := fmt.Fprintf(w, "job %q: nothing happened\n", x.Group)
		return err
	}
	last := x.Steps[len(x.Steps)-1]
	ended := ""
	if len(x.Left) > 0 {
		ended = " that ended"
	}
	rank, host := last.Rank, last.From
	if last.To >= 0 {
		rank, host = last.To, last.At
	}
	if _, err := fmt.Fprintf(w, "job %q: %s µs, until the last operation%s, of rank %d on %s\n", x.Group, micros(x.Time), ended, rank, host); err != nil {
		return err
	}
	if x.Start > 0 {
		if _, err := fmt.Fprintf(w, "it starts at %s µs of the run; times count from there\n", micros(x.Start)); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	share := func(t unit.Time) string {
		return strconv.FormatFloat(100*float64(t)/float64(max(1, x.Time)), 'f', 1, 64)
	}
	computing, network, inner, other := x.Sums()
	rows := [][]string{{"critical path", "µs", "%"}}
	for _, part := range []struct {
		name string
		time unit.Time
	}{{"computation", computing}, {"messages in the network", network}, {"messages on inner links", inner}, {"waiting for a processor, and other", other}} {
		if part.time > 0 {
			rows = append(rows, []string{part.name, micros(part.time), share(part.time)})
		}
	}
	if err := tabular.Write(w, append(rows, []string{"in all", micros(x.Time), "100.0"}), 1, 0); err != nil {
		return err
	}
	rows = [][]string{{"of it, by collective", "µs", "%"}}
	for _, c := range calls(x, top) {
		rows = append(rows, []string{c.name, micros(c.time), share(c.time)})
	}
	if len(rows) > 1 {
		fmt.Fprintln(w)
		if err := tabular.Write(w, rows, 1, 0); err != nil {
			return err
		}
	}
	return messages(w, x, top)
}

// call is how long the path is in messages of a class of collectives.
type call struct {
	name string
	time unit.Time
}

func calls(x *scenario.JobExplanation, top int) []call {
	sums := map[string]unit.Time{}
	for i := range x.Steps {
		if s := &x.Steps[i]; s.To >= 0 && s.Call != "" {
			sums[timeline.GroupClass(s.Call)] += s.End - s.Begin
		}
	}
	var list []call
	for name, time := range sums {
		list = append(list, call{name, time})
	}
	slices.SortFunc(list, func(a, b call) int { return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.name, b.name)) })
	return list[:min(top, len(list))]
}

func messages(w io.Writer, x *scenario.JobExplanation, top int) error {
	longest := x.Longest(top)
	if len(longest) == 0 {
		return nil
	}
	rows := [][]string{{"longest messages", "from rank", "operation", "to rank", "size", "starts, µs of job", "takes, µs", "collective"}}
	for _, s := range longest {
		rows = append(rows, []string{
			s.Name, strconv.Itoa(int(s.Rank)), operation(s), place(s.To, s.At), s.Size.String(), micros(s.Begin), micros(s.End - s.Begin), s.Call,
		})
	}
	fmt.Fprintln(w)
	if err := tabular.Write(w, rows, 4, 0); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// operation is the name of a step's operation in its rank.
func operation(s *scenario.JobStep) string {
	name, _, _ := strings.Cut(s.Operation, ":")
	return name
}

func place(rank int32, host string) string { return fmt.Sprintf("%d (%s)", rank, host) }

// job is an explanation as JSON. Times are integers in picoseconds after the start of the job.
type job struct {
	Group string `json:"group"`
	// Start is that of the job after the start of the run.
	Start int64  `json:"start_ps"`
	Time  int64  `json:"total_ps"`
	Path  []step `json:"path"`
	// Left says what keeps the job from its end.
	Left []string `json:"left,omitempty"`
}

// step is a step of the path as JSON.
type step struct {
	Begin     int64  `json:"begin_ps"`
	End       int64  `json:"end_ps"`
	Class     string `json:"class"`
	Rank      int32  `json:"rank"`
	Host      string `json:"host"`
	Operation string `json:"operation"`
	Call      string `json:"collective,omitempty"`
	// Of messages.
	To      *int32  `json:"to_rank,omitempty"`
	At      string  `json:"to_host,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`
	Message *uint64 `json:"message,omitempty"`
	Name    string  `json:"name,omitempty"`
}

// JSON returns an explanation for encoding/json.
func JSON(x *scenario.JobExplanation) any {
	j := job{Group: x.Group, Start: int64(x.Start), Time: int64(x.Time), Path: []step{}, Left: x.Left}
	for i := range x.Steps {
		s := &x.Steps[i]
		one := step{Begin: int64(s.Begin), End: int64(s.End), Class: s.Class.String(), Rank: s.Rank, Host: s.From, Operation: s.Operation, Call: s.Call}
		if s.To >= 0 {
			one.To, one.At, one.Bytes = &s.To, s.At, int64(s.Size)
		}
		if s.InNetwork {
			one.Message, one.Name = &s.Message, s.Name
		}
		j.Path = append(j.Path, one)
	}
	return j
}
