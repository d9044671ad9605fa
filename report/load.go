package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"weft/internal/natural"
	"weft/record"
	"weft/record/section/credits"
	"weft/report/internal/bysize"
	"weft/unit"
)

// run holds the data of one run that figures need.
type run struct {
	record.Summary
	// name is the variant's name.
	name     string
	interval unit.Time
	marks    []record.Mark
	ports    map[string]*port
	// faulted are the ports that faults touch.
	faulted map[string]bool
	windows map[string]*connection
	// credit is in bytes by credits.Place.
	credit map[string][]int64
	// asked tells that the scenario asks for credit to be recorded, which not every
	// transport has.
	asked  bool
	groups []group
	// sizes counts distinct message sizes, up to 2.
	sizes int
	// bySize are the messages by size, of all groups and then of each if there are several.
	bySize []*bysize.Group
	// links are those between switches, the most loaded first.
	links []linkLoad
	// activities are what ranks of traces did.
	activities []record.Activity
}

// group is the messages of one group of traffic, or of all.
type group struct {
	name string
	// fcts and slowdowns are those of finished messages, ascending.
	fcts, slowdowns []float64
	// messages are those of which there are rows, and such a share of those that did not
	// start as there are rows of the others.
	messages float64
}

// port is the series of one recorded port, in buckets of the run's interval.
type port struct {
	rate unit.Rate
	// accepted and transmitted are in bytes a bucket, queue in bytes, dropped in
	// frames a bucket.
	accepted, transmitted, queue, dropped []int64
	// paused is in picoseconds a bucket.
	paused []int64
}

// connection is the series of one recorded connection in bytes; absent where it
// carried nothing.
type connection struct {
	window, inFlight []int64 // bytes; a window that limits nothing is absent
	pace             []int64 // bit/s
}

// absent stands in the series of a connection for a bucket without a value.
const absent = -1

// load reads the runs in a folder one by one and keeps only what is drawn.
func load(dir string) ([]run, error) {
	variants, err := record.Variants(dir)
	if err != nil {
		return nil, err
	}
	runs := make([]run, len(variants))
	for i, v := range variants {
		r, err := record.ReadFolder(v.Folder)
		if err != nil {
			return nil, err
		}
		if runs[i], err = reduce(v.Name, r); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Folder, err)
		}
	}
	return runs, nil
}

// asksForCredit tells whether a scenario records where credit is. One that cannot be read
// asks for nothing.
func asksForCredit(scenario json.RawMessage) bool {
	var s struct {
		Record struct {
			Credit bool `json:"credit"`
		} `json:"record"`
	}
	return json.Unmarshal(scenario, &s) == nil && s.Record.Credit
}

func reduce(name string, r *record.Result) (run, error) {
	out := run{Summary: r.Summary, name: name, interval: r.Manifest.Interval, marks: r.Marks,
		asked: asksForCredit(r.Manifest.Scenario), bySize: bysize.Count(r), links: linkLoads(r), activities: r.Jobs.Activities}
	if err := out.series(r); err != nil {
		return out, err
	}
	names := []string{""}
	if len(r.Summary.Groups) > 0 {
		names = names[:0]
		for _, g := range r.Summary.Groups {
			names = append(names, g.Name)
		}
	}
	index := map[string]int{}
	for i, name := range names {
		index[name] = i
		out.groups = append(out.groups, group{name: name})
	}
	sizes := map[unit.Bytes]bool{}
	for i := range r.Flows {
		f := &r.Flows[i]
		if !f.Measured {
			continue
		}
		if len(sizes) < 2 {
			sizes[f.Bytes] = true
		}
		g := &out.groups[0]
		if len(names) > 1 {
			at, ok := index[f.Group]
			if !ok {
				return out, fmt.Errorf("flow %d is of group %q, which the summary does not have; run the scenario again", f.ID, f.Group)
			}
			g = &out.groups[at]
		}
		g.messages++
		if !f.Finished() {
			continue
		}
		g.fcts = append(g.fcts, float64(f.FCT())/float64(unit.Microsecond))
		if f.IdealBare > 0 {
			g.slowdowns = append(g.slowdowns, f.SlowdownBare())
		}
	}
	for i := range out.groups {
		g := &out.groups[i]
		if s, ok := out.Summary.Of(g.name); ok && s.Messages > 0 {
			g.messages *= float64(s.All()) / float64(s.Messages)
		}
	}
	out.sizes = len(sizes)
	for i := range out.groups {
		slices.Sort(out.groups[i].fcts)
		slices.Sort(out.groups[i].slowdowns)
	}
	return out, nil
}

// label names a run, with what makes its numbers less than they seem, in a
// legend of the given width.
func (r *run) label(width vg.Length) string {
	but := r.note()
	if but != "" {
		but = " (" + but + ")"
	}
	return shorten(r.name, keyText(), width-keyText().Width(but)) + but
}

// inBrackets are the words for what qualifies a run's numbers, beside one of them; of
// numbers that something else stands in the place of there are none.
func (r *run) inBrackets() string {
	kinds := slices.DeleteFunc(r.Kinds(), record.NoticeKind.Replaces)
	if len(kinds) == 0 {
		return ""
	}
	return " (" + record.Marks(kinds) + ")"
}

// note is what makes a run's numbers less than they seem, as far as it shows.
func (r *run) note() string {
	but := []string{}
	if marks := record.Marks(r.Kinds()); marks != "" {
		but = append(but, marks)
	}
	if r.Missing() > 0 && (r.Partial || !r.FewMissing()) {
		but = append(but, fmt.Sprintf("%d of %d unfinished", r.Missing(), r.All()))
	}
	return strings.Join(but, ", ")
}

// mostBuckets bounds the memory that one series takes.
const mostBuckets = 1 << 24

// series sorts the rows of series by port, by connection and by place.
func (out *run) series(r *record.Result) error {
	interval := r.Manifest.Interval
	ports, windows, credit := map[string]*port{}, map[string]*connection{}, map[string]*[]int64{}
	for _, row := range r.Series {
		var values *[]int64
		blank := int64(0)
		switch row.Kind {
		case record.Accepted:
			values = &entry(ports, row.Entity).accepted
		case record.Transmitted:
			values = &entry(ports, row.Entity).transmitted
		case record.Queue:
			values = &entry(ports, row.Entity).queue
		case record.Dropped:
			values = &entry(ports, row.Entity).dropped
		case record.Paused:
			values = &entry(ports, row.Entity).paused
		case record.Window:
			if row.Value >= record.Unlimited {
				continue
			}
			values, blank = &entry(windows, row.Entity).window, absent
		case record.InFlight:
			values, blank = &entry(windows, row.Entity).inFlight, absent
		case record.Pace:
			values, blank = &entry(windows, row.Entity).pace, absent
		default:
			place, ok := credits.Place(row.Kind)
			if !ok {
				continue
			}
			values = entry(credit, place)
			if n := len(*values); n > 0 { // it stays where it is until there is a row
				blank = (*values)[n-1]
			}
		}
		if interval <= 0 || row.Time < 0 || row.Time%interval != 0 {
			return fmt.Errorf("series.parquet: %s of %s at %v is not at a multiple of the manifest's interval, %v; run the scenario again",
				row.Kind, row.Entity, row.Time, interval)
		}
		if row.Time/interval >= mostBuckets {
			return fmt.Errorf("series.parquet: %s of %s reaches %v, more than %d buckets of %v; record with a longer interval",
				row.Kind, row.Entity, row.Time, mostBuckets, interval)
		}
		bucket := int(row.Time / interval)
		for len(*values) <= bucket {
			*values = append(*values, blank)
		}
		(*values)[bucket] = row.Value
	}
	for i := range r.Ports {
		if p := ports[r.Ports[i].Name]; p != nil {
			p.rate = r.Ports[i].Rate
		}
	}
	out.faulted = map[string]bool{}
	for i := range r.Faults {
		out.faulted[r.Faults[i].Port] = true
	}
	out.ports, out.windows, out.credit = ports, windows, map[string][]int64{}
	for place, values := range credit {
		out.credit[place] = *values
	}
	return nil
}

// entry returns the entry of a name, a new one if there is none.
func entry[T any](of map[string]*T, name string) *T {
	if of[name] == nil {
		of[name] = new(T)
	}
	return of[name]
}

// names returns what was recorded in any of the runs, in natural order.
func names[T any](runs []run, of func(run) map[string]T) []string {
	all := map[string]bool{}
	for _, r := range runs {
		for name := range of(r) {
			all[name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), natural.Compare)
}
