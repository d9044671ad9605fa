// Package perfetto writes what a replay recorded as trace events, which Perfetto (ui.perfetto.dev) and Chrome show.
//
// Each rank is a process. Its rows are its states, calls of collectives, sends, receives and processors. The
// critical path is a process of its own.
package perfetto

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"

	"weft/trace"
	"weft/trace/timeline"
	"weft/unit"
)

// Options choose what is written.
type Options struct {
	// Operations has each operation written, which takes about 200 B. States, calls and the critical path are
	// written in any case.
	Operations bool
	// Arrows is for how many messages an arrow leads from the send to the receive: the longest ones.
	Arrows int
	// Start is the time that is written as 0.
	Start unit.Time
}

// mostOperations is how many operations are written each on its own. Browsers show no more. And mostArrows is how many
// messages have an arrow.
const (
	mostOperations = 1_000_000
	mostArrows     = 2000
)

// Fitting returns options with which a browser can show a trace.
func Fitting(t *trace.Trace) Options {
	return Options{Operations: t.Operations() <= mostOperations, Arrows: mostArrows}
}

// Rows of a rank, by their numbers. Several rows of one kind follow each other.
const (
	stateRow = 1
	callRow  = 100
	sendRow  = 200
	recvRow  = 300
	cpuRow   = 1000
)

// Write writes the log of a trace as JSON. It returns how many sends and receives have no place: more than 64 of a
// rank last at the same time.
func Write(w io.Writer, t *trace.Trace, l *timeline.Log, o Options) (left int, err error) {
	defer runtime.KeepAlive(l)
	x := exporter{events: newEvents(w, o.Start), trace: t, log: l, rows: map[row]bool{}}
	x.begin, x.end = l.Bounds()
	x.critical()
	if o.Operations {
		x.arrows = longest(l, o.Arrows)
	}
	states := timeline.Intervals(t, l, x.begin, x.end)
	for r := range int32(len(t.Ranks)) {
		x.process(r, fmt.Sprintf("rank %d", r), int(r)+1)
		states(r, func(i timeline.Interval) { x.slice(row{r, stateRow}, "state", i.State.String(), i.Begin, i.End) })
		x.calls(r)
		if o.Operations {
			x.operations(r)
		}
	}
	return x.left, x.close()
}

// exporter writes one rank after another.
type exporter struct {
	events
	trace      *trace.Trace
	log        *timeline.Log
	begin, end unit.Time
	rows       map[row]bool         // those that have a name
	arrows     map[timeline.Ref]int // numbers of arrows, by the send
	tracks     tracks
	left       int
}

// row is a row of a rank. There it is a thread of a process.
type row struct {
	rank int32
	kind int
}

// slice writes a span of time in a row, which is named when its first span comes.
func (x *exporter) slice(in row, of, name string, begin, end unit.Time, args ...arg) {
	if !x.rows[in] {
		x.rows[in] = true
		x.thread(in, of)
	}
	x.span(in, name, begin, end, args)
}

// critical writes the critical path.
func (x *exporter) critical() {
	at := row{int32(len(x.trace.Ranks)), stateRow}
	x.process(at.rank, "critical path", 0)
	for _, s := range timeline.Critical(x.trace, x.log) {
		sched := &x.trace.Ranks[s.Op.Rank]
		name := fmt.Sprintf("%v, rank %d", s.Class, s.Op.Rank)
		if s.Class == timeline.Transfer {
			name += fmt.Sprintf(" to %d", sched.At(s.Op.Op).Peer)
		}
		args := []arg{words("why", s.Why.String()), number("rank", int64(s.Op.Rank)), words("operation", sched.Describe(s.Op.Op))}
		x.slice(at, "segments", name, s.Begin, s.End, args...)
	}
}

// calls writes the calls of collectives, in rows in which no two last at the same time.
func (x *exporter) calls(rank int32) {
	type call struct {
		begin, end unit.Time
		of         trace.Call
	}
	var list []call
	for _, s := range x.trace.Ranks[rank].Spans() {
		begin, end, whole := x.log.Ranks[rank].Span(s)
		if begin < end {
			if !whole {
				end = x.end
			}
			list = append(list, call{begin, end, x.trace.Calls[s.Call]})
		}
	}
	slices.SortStableFunc(list, func(a, b call) int { return cmp.Compare(a.begin, b.begin) })
	x.tracks.reset()
	for _, c := range list {
		track := x.tracks.take(c.begin, c.end)
		if track == mostTracks {
			x.left++
			continue
		}
		x.slice(row{rank, callRow + track}, "calls", c.of.Name, c.begin, c.end, words("group", c.of.Group), number("ranks", int64(c.of.Ranks)), number("bytes", c.of.Size))
	}
}
