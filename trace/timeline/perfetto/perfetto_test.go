package perfetto

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/trace"
	"weft/trace/internal/draw"
	"weft/trace/loggops"
	"weft/trace/timeline"
	"weft/unit"
)

// traced is an event as a reader of the file sees it.
type traced struct {
	Phase string         `json:"ph"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	Name  string         `json:"name"`
	At    json.Number    `json:"ts"`
	Lasts json.Number    `json:"dur"`
	ID    int            `json:"id"`
	Args  map[string]any `json:"args"`
}

// picoseconds reads a time in microseconds exactly.
func picoseconds(t *testing.T, n json.Number) unit.Time {
	t.Helper()
	whole, part, _ := strings.Cut(string(n), ".")
	v, err := strconv.ParseInt(whole+(part + "000000")[:6], 10, 64)
	if err != nil || len(part) > 6 {
		t.Fatalf("%q is no time: %v", n, err)
	}
	return unit.Time(v)
}

func written(t *testing.T, tr *trace.Trace, l *timeline.Log, o Options) ([]traced, int) {
	t.Helper()
	var b bytes.Buffer
	left, err := Write(&b, tr, l, o)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Events []traced `json:"traceEvents"`
		Unit   string   `json:"displayTimeUnit"`
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil || file.Unit != "ns" {
		t.Fatal(err, file.Unit)
	}
	return file.Events, left
}

// TestWrite: random replays are written such that no two spans of a row overlap, each row has a name, the states are
// those of the account, and each operation is there or counted as left out. Arrows lead from sends to receives.
func TestWrite(t *testing.T) {
	arrows := 0
	for seed := range uint64(60) {
		p := loggops.Parameters{Latency: 700 * unit.Nanosecond, Overhead: 40, GapPerByte: 3000, Eager: 150, Log: true}
		tr := draw.Trace(seed, draw.Shape{Ranks: 4, Messages: 120, Calcs: 60, CPUs: 2, NICs: 1, Eager: 150, Distinct: seed%3 > 0, Wildcards: seed%3 == 0})
		r, err := loggops.Run(context.Background(), tr, p)
		if err != nil {
			t.Fatal(err)
		}
		events, left := written(t, tr, r.Log, Options{Operations: true, Arrows: 20})
		type place struct{ pid, tid int }
		rows, named := map[place][]traced{}, map[place]bool{}
		ends := map[int][]traced{}
		operations := left
		for _, e := range events {
			at := place{e.PID, e.TID}
			switch e.Phase {
			case "X":
				if !named[at] {
					t.Fatalf("seed %d: row %v has no name", seed, at)
				}
				rows[at] = append(rows[at], e)
				if e.TID >= sendRow {
					operations++
				}
			case "M":
				named[at] = named[at] || e.Name == "thread_name"
			case "s", "f":
				ends[e.ID] = append(ends[e.ID], e)
			default:
				t.Errorf("seed %d: an event of phase %q", seed, e.Phase)
			}
		}
		begun := 0
		for i := range r.Log.Ranks {
			for _, b := range r.Log.Ranks[i].Begin {
				if b != timeline.Never {
					begun++
				}
			}
		}
		if operations != begun {
			t.Errorf("seed %d: %d operations are there, and %d began", seed, operations, begun)
		}
		begin, end := r.Log.Bounds()
		account := timeline.Account(tr, r.Log, begin, end)
		for at, list := range rows {
			slices.SortStableFunc(list, func(a, b traced) int { return cmp.Compare(picoseconds(t, a.At), picoseconds(t, b.At)) })
			free := unit.Time(0)
			var states [timeline.States]unit.Time
			for _, e := range list {
				from, lasts := picoseconds(t, e.At), picoseconds(t, e.Lasts)
				if from < free {
					t.Errorf("seed %d, row %v: %v begins before %v", seed, at, e, free)
				}
				free = from + lasts
				for s := range states {
					if e.Name == timeline.State(s).String() {
						states[s] += lasts
					}
				}
			}
			if at.tid == stateRow && at.pid <= len(account) && timeline.Times(states) != account[at.pid-1] {
				t.Errorf("seed %d, rank %d: states %v, want %v", seed, at.pid-1, states, account[at.pid-1])
			}
		}
		for id, list := range ends {
			if len(list) == 1 && left > 0 {
				continue // its other side has no place
			}
			slices.SortFunc(list, func(a, b traced) int { return cmp.Compare(b.Phase, a.Phase) })
			if len(list) != 2 || list[0].Phase != "s" || list[1].Phase != "f" || list[0].TID/100 != sendRow/100 || list[1].TID/100 != recvRow/100 {
				t.Errorf("seed %d: arrow %d is %v", seed, id, list)
			}
			for _, e := range list {
				if !slices.ContainsFunc(rows[place{e.PID, e.TID}], func(o traced) bool {
					from := picoseconds(t, o.At)
					return picoseconds(t, e.At) >= from && picoseconds(t, e.At) <= from+picoseconds(t, o.Lasts)
				}) {
					t.Errorf("seed %d: %v is in no span", seed, e)
				}
			}
			arrows++
		}
		if len(ends) > 20 {
			t.Errorf("seed %d: %d arrows", seed, len(ends))
		}
		few, _ := written(t, tr, r.Log, Options{})
		for _, e := range few {
			if e.TID >= sendRow || e.Phase == "s" {
				t.Fatalf("seed %d: %v is an operation", seed, e)
			}
		}
	}
	if arrows < 500 {
		t.Errorf("%d arrows", arrows)
	}
}

// TestCalls: collectives are spans with their group and size, whatever characters names have.
func TestCalls(t *testing.T) {
	var b trace.Builder
	b.Add(trace.Operation{Kind: trace.Calc, Size: 5})
	b.Add(trace.Operation{Kind: trace.Calc, Size: 7})
	b.Span(0, 2, 0)
	tr := &trace.Trace{Ranks: []trace.Schedule{b.Schedule()}, Calls: []trace.Call{{Name: "all-\"reduce\"\n\xff", Group: "tp0 µ", Ranks: 1, Size: 64}}}
	r, err := loggops.Run(context.Background(), tr, loggops.Parameters{Log: true})
	if err != nil {
		t.Fatal(err)
	}
	events, _ := written(t, tr, r.Log, Options{})
	i := slices.IndexFunc(events, func(e traced) bool { return e.TID == callRow && e.Phase == "X" })
	if i < 0 {
		t.Fatal(events)
	}
	e := events[i]
	if e.Name != "all-\"reduce\"\n\ufffd" || e.Args["group"] != "tp0 µ" || e.Args["bytes"] != 64.0 || e.At != "0" || e.Lasts != "0.012" {
		t.Errorf("%+v", e)
	}
}

// TestTracks: rows are reused, and their number is bounded.
func TestTracks(t *testing.T) {
	var l tracks
	for i, c := range []struct {
		from, to unit.Time
		want     int
	}{{0, 10, 0}, {0, 5, 1}, {5, 6, 1}, {7, 20, 1}, {8, 9, 2}, {10, 11, 0}} {
		if got := l.take(c.from, c.to); got != c.want {
			t.Errorf("%d: row %d, want %d", i, got, c.want)
		}
	}
	l.reset()
	for i := range mostTracks + 3 {
		if got := l.take(1, 2); got != min(i, mostTracks) {
			t.Errorf("%d: row %d", i, got)
		}
	}
}

// TestMicros: times are exact.
func TestMicros(t *testing.T) {
	for at, want := range map[unit.Time]string{0: "0", 1: "0.000001", 1_500_000: "1.5", 12_000_034: "12.000034", math.MaxInt64: "9223372036854.775807"} {
		if got := string(micros(nil, at)); got != want {
			t.Errorf("%d: %s, want %s", at, got, want)
		}
	}
}

// failing is a disk that is full.
type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

// TestWriteFails: an error of the writer is returned, and an empty trace is a file.
func TestWriteFails(t *testing.T) {
	tr := &trace.Trace{}
	if _, err := Write(failing{}, tr, timeline.New(tr), Options{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if events, _ := written(t, tr, timeline.New(tr), Options{Operations: true}); len(events) != 2 {
		t.Error(events)
	}
}
