package record

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/unit"
)

// Difference is the first difference between two results.
type Difference struct {
	// Row names the flow, port or class of pauses that differs.
	Row string
	// At is when the flow ended, in the result where it ended earlier. It is Unfinished if the
	// flow ended in neither, and for ports.
	At unit.Time
	// OnlyIn is "A" or "B" if the other result has no such row.
	OnlyIn string
	// Values lists the columns that differ, in the order of the table.
	Values []ValueDifference
	// Flows and Ports are the numbers of rows that differ.
	Flows, Ports int
	// Pauses is the number of classes of ports whose pauses differ.
	Pauses int
}

// ValueDifference is a column that differs between two results.
type ValueDifference struct {
	Column, A, B string
}

// String returns the difference as lines for a terminal.
func (d *Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "first difference: %s", d.Row)
	if d.At != Unfinished {
		fmt.Fprintf(&b, ", which ends at %v", d.At)
	}
	b.WriteByte('\n')
	if d.OnlyIn != "" {
		fmt.Fprintf(&b, "  only in %s\n", d.OnlyIn)
	}
	if len(d.Values) > 0 {
		rows := "  column\tA\tB\n"
		for _, v := range d.Values {
			rows += fmt.Sprintf("  %s\t%s\t%s\n", v.Column, v.A, v.B)
		}
		b.WriteString(tabular.Tabbed(rows))
	}
	if d.Pauses > 0 {
		fmt.Fprintf(&b, "in all, %s, %s and pauses of %s differ\n", readable.Count(d.Flows, "flow"), readable.Count(d.Ports, "port"), classes(d.Pauses))
		return b.String()
	}
	fmt.Fprintf(&b, "in all, %s and %s differ\n", readable.Count(d.Flows, "flow"), readable.Count(d.Ports, "port"))
	return b.String()
}

func classes(n int) string {
	if n == 1 {
		return "1 class of a port"
	}
	return fmt.Sprintf("%d classes of ports", n)
}

// Diff returns the first difference between a and b, or nil if their recorded rows and their
// hashes are the same. Flows come first, in the order in which they end (in whichever result that
// is earlier, then by ID), because the earliest flow to differ is nearest the cause. Ports follow
// by name, then pauses.
func Diff(a, b *Result) *Difference {
	flows := diffRows(a.Flows, b.Flows, flowColumns(), func(f *Flow) uint64 { return f.ID })
	ports := diffRows(a.Ports, b.Ports, portColumns(), func(p *Port) string { return p.Name })
	pauses := diffRows(a.Pauses, b.Pauses, pauseColumns(), pauseName)
	d := &Difference{At: Unfinished, Flows: len(flows), Ports: len(ports), Pauses: len(pauses)}
	switch {
	case len(flows) > 0:
		first := slices.MinFunc(flows, func(x, y pair[Flow]) int {
			return cmp.Or(cmp.Compare(firstEnd(x), firstEnd(y)), cmp.Compare(x.any().ID, y.any().ID))
		})
		f := first.any()
		d.Row = fmt.Sprintf("flow %s (%d), %s -> %s", f.Name(), f.ID, f.Src, f.Dst)
		d.OnlyIn = first.onlyIn()
		d.Values = differing(first, flowColumns())
		if end := firstEnd(first); end != unit.Forever {
			d.At = end
		}
	case len(ports) > 0:
		first := slices.MinFunc(ports, func(x, y pair[Port]) int { return cmp.Compare(x.any().Name, y.any().Name) })
		d.Row = "port " + first.any().Name
		d.OnlyIn = first.onlyIn()
		d.Values = differing(first, portColumns())
	case len(pauses) > 0:
		first := slices.MinFunc(pauses, func(x, y pair[Pause]) int { return comparePauses(x.any(), y.any()) })
		d.Row = pauseName(first.any())
		d.OnlyIn = first.onlyIn()
		d.Values = differing(first, pauseColumns())
	case a.Manifest.Hashes.Result != b.Manifest.Hashes.Result:
		d.Row = "something that was not recorded (the recorded rows are the same, but the hashes of all rows are not)"
		d.Values = []ValueDifference{{"result_hash", a.Manifest.Hashes.Result, b.Manifest.Hashes.Result}}
	default:
		return nil
	}
	return d
}

// pair is the same row in both results. One of the two may be absent.
type pair[T any] struct{ a, b *T }

func (p pair[T]) any() *T {
	if p.a != nil {
		return p.a
	}
	return p.b
}

func (p pair[T]) onlyIn() string {
	switch {
	case p.b == nil:
		return "A"
	case p.a == nil:
		return "B"
	}
	return ""
}

// firstEnd returns when a flow ended, in the result where that was earlier.
func firstEnd(p pair[Flow]) unit.Time {
	end := unit.Forever
	for _, f := range []*Flow{p.a, p.b} {
		if f != nil && f.Finished() {
			end = min(end, f.End)
		}
	}
	return end
}

// column is an integer or a name in a row, with its format for people.
type column[T any] struct {
	name string
	show func(*T) string
}

func differing[T any](p pair[T], columns []column[T]) []ValueDifference {
	if p.a == nil || p.b == nil {
		return nil
	}
	var d []ValueDifference
	for _, c := range columns {
		if x, y := c.show(p.a), c.show(p.b); x != y {
			d = append(d, ValueDifference{c.name, x, y})
		}
	}
	return d
}

func diffRows[T, K comparable](a, b []T, columns []column[T], key func(*T) K) []pair[T] {
	other := make(map[K]*T, len(b))
	for i := range b {
		other[key(&b[i])] = &b[i]
	}
	var pairs []pair[T]
	for i := range a {
		p := pair[T]{&a[i], other[key(&a[i])]}
		delete(other, key(&a[i]))
		if p.b == nil || *p.a != *p.b && len(differing(p, columns)) > 0 {
			pairs = append(pairs, p)
		}
	}
	for i := range b {
		if k := key(&b[i]); other[k] == &b[i] {
			pairs = append(pairs, pair[T]{nil, &b[i]})
		}
	}
	return pairs
}

func flowColumns() []column[Flow] {
	instant := func(t unit.Time) string {
		if t == Unfinished {
			return "unfinished"
		}
		return t.String()
	}
	return []column[Flow]{
		{"group", func(f *Flow) string { return f.Group }},
		{"src", func(f *Flow) string { return f.Src }},
		{"dst", func(f *Flow) string { return f.Dst }},
		{"bytes", func(f *Flow) string { return f.Bytes.String() }},
		{"packets", func(f *Flow) string { return decimal(f.Packets) }},
		{"start", func(f *Flow) string { return instant(f.Start) }},
		{"end", func(f *Flow) string { return instant(f.End) }},
		{"sender_end", func(f *Flow) string { return instant(f.SenderEnd) }},
		{"retransmits", func(f *Flow) string { return CountText(f.Retransmits) }},
		{"timeouts", func(f *Flow) string { return CountText(f.Timeouts) }},
		{"trims", func(f *Flow) string { return decimal(f.Trims) }},
	}
}

func portColumns() []column[Port] {
	columns := []column[Port]{
		{"rate", func(p *Port) string { return p.Rate.String() }},
		{"accepted_frames", func(p *Port) string { return decimal(p.Frames) }},
		{"accepted_bytes", func(p *Port) string { return decimal(p.Bytes) }},
		{"transmitted_frames", func(p *Port) string { return decimal(p.SentFrames) }},
		{"transmitted_bytes", func(p *Port) string { return decimal(p.SentBytes) }},
	}
	for i := range reasons {
		r := &reasons[i]
		columns = append(columns, column[Port]{r.column(), func(p *Port) string { return decimal(*r.count(&p.Drops)) }})
	}
	return append(columns, []column[Port]{
		{"dropped_bytes", func(p *Port) string { return decimal(p.DroppedBytes) }},
		{"flushed_frames", func(p *Port) string { return decimal(p.FlushedFrames) }},
		{"flushed_bytes", func(p *Port) string { return decimal(p.FlushedBytes) }},
		{"ecn_marks", func(p *Port) string { return decimal(p.Marks) }},
		{"trims", func(p *Port) string { return decimal(p.Trims) }},
		{"trimmed_bytes", func(p *Port) string { return decimal(p.TrimmedBytes) }},
		{"queue_max", func(p *Port) string { return p.QueueMax.String() }},
	}...)
}

// CountText formats a count for people: a dash if it is unknown.
func CountText(n int64) string {
	if n == Unknown {
		return "–"
	}
	return decimal(n)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func pauseColumns() []column[Pause] {
	return []column[Pause]{
		{"pauses", func(p *Pause) string { return decimal(p.Pauses) }},
		{"paused", func(p *Pause) string { return p.Time.String() }},
		{"pauses_sent", func(p *Pause) string { return decimal(p.Sent) }},
		{"resumes_sent", func(p *Pause) string { return decimal(p.Resumes) }},
		{"held_max", func(p *Pause) string { return p.HeldMax.String() }},
	}
}

// pauseName names a row of pauses.
func pauseName(p *Pause) string { return fmt.Sprintf("pauses of port %s, class %d", p.Port, p.Class) }
