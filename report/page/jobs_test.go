package page

import (
	"bytes"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section"
	"weft/record/section/jobs"
	"weft/unit"
)

// twoJobs is a report of two variants with two jobs. Each variant is best for one of them. Messages would say otherwise.
func twoJobs() *Report {
	r := &Report{Title: "jobs"}
	for v, name := range []string{"a", "b"} {
		fast, slow := unit.Time(1+v)*unit.Millisecond, unit.Time(9-v)*unit.Millisecond
		res := &record.Result{}
		s := &res.Summary
		s.Name, s.Ended = name, record.Drained
		stats := record.Stats{Messages: 8, Runtime: 10*unit.Millisecond - fast, FCT: record.Times{Mean: 1, P50: 1, P99: 10*unit.Millisecond - fast, Max: 1}}
		s.Stats = stats
		s.Groups = []record.Group{{Name: "train", Stats: stats}, {Name: "solve", Stats: stats}}
		s.Sections = section.Set{&jobs.Jobs{
			{Group: "train", Ranks: 4, Time: fast, Exposed: fast / 4}, {Group: "solve", Ranks: 4, Time: slow, Waiting: slow / 4},
		}}
		r.Variants = append(r.Variants, Variant{name, []*Reduced{Reduce(res, Options{})}})
	}
	return r
}

// TestJobsHaveHeadlines: what counts of a job is its time, and each job has its own.
func TestJobsHaveHeadlines(t *testing.T) {
	tab := newTable(twoJobs())
	result := tab.result()
	want := "train: a has the lowest job time: 1000 µs, 50 % below b (2000 µs).|solve: b has the lowest job time: 8000 µs, 11 % below a (9000 µs).|" + saidOneSeed
	if got := strings.Join(result.Said, "|"); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := result.Metrics[0].Title; got != "train: job time" {
		t.Errorf("the first table is of %q", got)
	}
	for group, want := range map[string]string{"": "train: job|×|solve: job|×|runtime", "train": "job|×|exposed|runtime", "solve": "job|×|runtime"} {
		var heads []string
		for _, c := range tab.summary(group).Columns {
			heads = append(heads, c.Heading)
		}
		if got := strings.Join(heads, "|"); !strings.HasPrefix(got, want+"|") {
			t.Errorf("the table of %q has %s, want %s first", group, got, want)
		}
	}
}

// TestCollectives: bytes are bytes, and bandwidths in GB/s, as in weft trace loggops --calls.
func TestCollectives(t *testing.T) {
	res := &record.Result{}
	res.Summary.Sections = section.Set{&jobs.Jobs{{Group: "train", Ranks: 2, Time: unit.Millisecond}}}
	res.Jobs.Collectives = []record.Collective{
		{Group: "train", Name: "all-reduce", Of: "dp", Ranks: 2, Calls: 1, Bytes: 2_000_000, Time: unit.Millisecond, AlgorithmRate: 16e9, BusRate: 24e9},
		{Group: "train", Name: "activations", Of: "pp", Ranks: 2, Calls: 1, Bytes: 2_000_000, Time: unit.Millisecond, AlgorithmRate: 16e9},
	}
	var b bytes.Buffer
	if err := Write(&b, &Report{Title: "jobs", Variants: []Variant{{"a", []*Reduced{Reduce(res, Options{})}}}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<td class="n">2000000</td><td class="n">1000.0</td><td class="n">2</td><td class="n">3</td>`,
		`<td class="n">2000000</td><td class="n">1000.0</td><td class="n">2</td><td class="n">-</td>`, "bus bandwidth <small>GB/s</small>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestJobWithoutEnd: a job with operations left has no time that could be best.
func TestJobWithoutEnd(t *testing.T) {
	r := twoJobs()
	list := jobs.Of(r.Variants[0].Runs[0].summary.Sections)
	(*list)[0].Left = 3
	if got := newTable(r).result().Said[0]; strings.Contains(got, "a has the lowest job time") {
		t.Errorf("said %q", got)
	}
}
