package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/record"
	"weft/report/page"
	"weft/report/page/internal/pagetest"
	"weft/study"
	"weft/unit"
)

func write(t *testing.T, r *page.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// payload returns the data block of a page.
func payload(t *testing.T, html string) map[string]any {
	t.Helper()
	_, rest, _ := strings.Cut(html, `<script type="application/json" id="data">`)
	text, _, ok := strings.Cut(rest, "</script>")
	if !ok {
		t.Fatal("there is no data block")
	}
	var data map[string]any
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPagesAreTheSameEachTime(t *testing.T) {
	first, second := write(t, pagetest.Comparison(2)), write(t, pagetest.Comparison(2))
	if first != second {
		t.Error("the same results made two different pages")
	}
}

func TestNamesAreEscaped(t *testing.T) {
	html := write(t, pagetest.Hostile())
	for _, bad := range []string{`<img src=x`, `<script>alert`} {
		if strings.Contains(html, bad) {
			at := strings.Index(html, bad)
			t.Errorf("the page has %q from a name: …%.80q…", bad, html[max(at-40, 0):])
		}
	}
	if !strings.Contains(html, "&lt;/script&gt;") {
		t.Error("the name is not on the page at all")
	}
	name := payload(t, html)["rows"].([]any)[0].(map[string]any)["name"].(string)
	if !strings.HasPrefix(name, "</script><script>alert(") {
		t.Errorf("the data has the name %q", name)
	}
}

func TestNothingIsFetched(t *testing.T) {
	html := write(t, pagetest.Comparison(1))
	for _, pattern := range []string{`<link`, `\ssrc=["'h]`, `@import`, `url\(["']?(http|data|/)`, `sourceMappingURL`} {
		if at := regexp.MustCompile(pattern).FindStringIndex(html); at != nil {
			t.Errorf("the page has %s: …%q…", pattern, html[max(at[0]-60, 0):min(at[1]+60, len(html))])
		}
	}
	if !strings.Contains(html, `default-src 'none'`) {
		t.Error("the page has no content security policy")
	}
}

func TestVendoredFilesAreAsPublished(t *testing.T) {
	sums, err := os.ReadFile("assets/vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
	}
	err = fs.WalkDir(os.DirFS("assets/vendor"), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".js") && !strings.HasSuffix(path, ".css") {
			return err
		}
		text, err := os.ReadFile("assets/vendor/" + path)
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != listed[path] {
			t.Errorf("%s has the checksum %s, and SHA256SUMS lists %q", path, got, listed[path])
		}
		if strings.Contains(strings.ToLower(string(text)), "</script") {
			t.Errorf("%s would end the element that holds it", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(listed) != 4 {
		t.Errorf("SHA256SUMS lists %d files, want 4", len(listed))
	}
}

func TestShortcomingsAreShown(t *testing.T) {
	html := write(t, pagetest.Hostile())
	for _, want := range []string{
		"It did not finish.", "12 of 60 messages did not finish", "partial: the run was cut short", "it made no progress: no route from tor0 to host3", ">unfinished<",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	html = write(t, pagetest.Study(3))
	for _, want := range []string{"ECMP did not finish in 2 of 10 and OPS in 2.", "1 of 120 runs failed", "partial: every run was cut short", "1 of 3 runs failed"} {
		if !strings.Contains(html, want) {
			t.Errorf("the study's page does not say %q", want)
		}
	}
}

// Intervals have one name on a page: few seeds give no more than their extremes. In one cell a run failed.
func TestIntervalsHaveOneName(t *testing.T) {
	for seeds, want := range map[int][]any{3: {"lowest seed", "highest seed"}, 5: {"interval, low", "interval, high"}, 6: {"95 % low", "95 % high"}} {
		html := write(t, pagetest.Study(seeds))
		if diff := cmp.Diff(want, payload(t, html)["ends"]); diff != "" {
			t.Errorf("%d seeds (-want +got):\n%s", seeds, diff)
		}
		if said := strings.Contains(html, "the extremes of its seeds"); said != (seeds < 6) {
			t.Errorf("%d seeds: the page speaks of extremes: %v", seeds, said)
		}
	}
}

// Runs that end while load is offered have slowdowns in the place of runtimes, unless some
// run drains.
func TestRunsThatLoadIsOfferedTo(t *testing.T) {
	for _, drains := range []bool{false, true} {
		r := &page.Report{Title: "load"}
		for _, name := range []string{"a", "b"} {
			run := pagetest.Run{Variant: name, Pace: 1, Messages: 9}.Result()
			if name == "a" || !drains {
				run.Summary.Stability = &record.Stability{Offered: 1}
			}
			r.Variants = append(r.Variants, page.Variant{Name: name, Runs: []*page.Reduced{page.Reduce(run, page.Options{})}})
		}
		html := write(t, r)
		if got := payload(t, html)["offered"]; got != !drains || strings.Contains(html, ">Slowdown and goodput</h2>") == drains {
			t.Errorf("one drains: %v, offered: %v", drains, got)
		}
	}
}

func TestStudyWithoutResults(t *testing.T) {
	nan := math.NaN()
	none := study.Estimate{Mean: nan, Low: nan, High: nan, Min: nan, Max: nan}
	r := &page.Report{Title: "nothing yet", Table: &study.Table{
		Axes:    []study.Axis{{Name: "load", Levels: []string{"1", "2"}}},
		Metrics: []study.Column{{Name: "runtime_us", Title: "runtime", Unit: "µs"}},
		Cells: []study.Cell{
			{Name: "load 1", Levels: []int{0}, Runs: 2, Estimates: []study.Estimate{none}},
			{Name: "load 2", Levels: []int{1}, Runs: 2, Failed: 1, Estimates: []study.Estimate{none}},
		},
	}}
	html := write(t, r)
	for _, want := range []string{"Incomplete: 3 of 4 runs are missing", "1 of 4 runs failed", "2 of 2 runs missing"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	run := page.Reduce(pagetest.Run{Variant: "a", Messages: 3}.Result(), page.Options{})
	table := &study.Table{Axes: []study.Axis{{Name: "load", Levels: []string{"1"}}}}
	for want, r := range map[string]*page.Report{
		`two variants are called "a"`: {Variants: []page.Variant{{Name: "a", Runs: []*page.Reduced{run}}, {Name: "a"}}},
		"is nil":                      {Variants: []page.Variant{{Name: "a", Runs: []*page.Reduced{nil}}}},
		"has level 1":                 {Table: &study.Table{Axes: table.Axes, Cells: []study.Cell{{Name: "c", Levels: []int{1}}}}},
		"0 levels":                    {Table: &study.Table{Axes: table.Axes, Cells: []study.Cell{{Name: "c"}}}},
	} {
		if err := page.Write(&bytes.Buffer{}, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// A page of very much is thinned until it is small enough, and says so.
func TestLargePagesFit(t *testing.T) {
	fabric := pagetest.FatTree(8)
	r := &page.Report{Title: "many"}
	for i := range 150 {
		run := pagetest.Run{
			Variant: fmt.Sprintf("variant %d", i), Seed: uint64(i), Pace: 0.9, Messages: 300, Groups: []string{"a", "b", "c"},
			Fabric: fabric, Recorded: 20, Buckets: 300, Snapshots: 5,
		}
		r.Variants = append(r.Variants, page.Variant{Name: run.Variant, Runs: []*page.Reduced{page.Reduce(run.Result(), page.Options{})}})
	}
	html := write(t, r)
	if len(html) >= 3_000_000 {
		t.Errorf("the page has %d bytes", len(html))
	}
	if left := payload(t, html)["left_out"].([]any); len(left) == 0 {
		t.Error("the page does not say what it leaves out")
	}
}

// Reduced runs keep nothing of the result, which the caller may fill anew.
func TestReduceKeepsNothing(t *testing.T) {
	result := pagetest.Run{Variant: "a", Messages: 50, Fabric: pagetest.LeafSpine(2, 2, 2), Recorded: 2, Buckets: 20, Marks: []record.Mark{{At: unit.Microsecond, What: "fault"}}}.Result()
	r := &page.Report{Title: "t", Variants: []page.Variant{{Name: "a", Runs: []*page.Reduced{page.Reduce(result, page.Options{})}}}}
	before := write(t, r)
	for i := range result.Flows {
		result.Flows[i] = record.Flow{}
	}
	for i := range result.Series {
		result.Series[i].Value = 7
	}
	for i := range result.Ports {
		result.Ports[i].SentBytes = 7
	}
	clear(result.Manifest.Scenario)
	result.Marks[0].What = "other"
	if write(t, r) != before {
		t.Error("the page changed with the result")
	}
}

// Runs that were cut short count only where a variant has no whole one, everywhere alike.
func TestPartialRunsAreLeftOut(t *testing.T) {
	reduce := func(messages int, partial bool) *page.Reduced {
		return page.Reduce(pagetest.Run{Variant: "a", Messages: messages, Partial: partial}.Result(), page.Options{})
	}
	for _, c := range []struct {
		runs          []*page.Reduced
		messages      float64
		cut           bool
		whole, broken float64
	}{
		{[]*page.Reduced{reduce(30, false), reduce(7, true)}, 30, false, 1, 1},
		{[]*page.Reduced{reduce(7, true), reduce(8, true)}, 15, true, 0, 2},
	} {
		data := payload(t, write(t, &page.Report{Title: "t", Variants: []page.Variant{{Name: "a", Runs: c.runs}}}))
		row := data["rows"].([]any)[0].(map[string]any)
		if row["cut"] != c.cut || row["done"] != c.whole || row["partial"] != c.broken {
			t.Errorf("the row says %v", row)
		}
		if got := row["unfinished"].(map[string]any)[""].([]any)[0]; got != c.messages {
			t.Errorf("the summary is over %v messages, want %v", got, c.messages)
		}
		group := data["groups"].([]any)[0].(map[string]any)["rows"].([]any)[0].(map[string]any)
		if group["messages"] != c.messages {
			t.Errorf("distributions are over %v messages, want %v", group["messages"], c.messages)
		}
	}
}
