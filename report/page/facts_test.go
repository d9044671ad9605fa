package page_test

import (
	"regexp"
	"strings"
	"testing"

	"weft/report/page"
	"weft/report/page/internal/pagetest"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// factsLine returns the line below the title of a page.
func factsLine(t *testing.T, r *page.Report) string {
	t.Helper()
	_, rest, ok := strings.Cut(write(t, r), `<p class="facts">`)
	if !ok {
		t.Fatal("the page has no line of facts")
	}
	line, _, _ := strings.Cut(rest, "</p>")
	return tags.ReplaceAllString(line, "")
}

// TestFactsNameEachFabric has the fabrics of all variants below the title, and not only that of
// the first.
func TestFactsNameEachFabric(t *testing.T) {
	large := pagetest.Large()
	several := &page.Report{Title: "several", Variants: large.Variants[:1:1]}
	for _, hosts := range []int{2, 3, 4} {
		run := pagetest.Run{Variant: "v", Seed: 1, Pace: 0.7, Messages: 50, Fabric: pagetest.LeafSpine(2, hosts, 2), Recorded: 2, Buckets: 20}
		several.Variants = append(several.Variants, page.Variant{Name: strings.Repeat("v", hosts), Runs: []*page.Reduced{page.Reduce(run.Result(), page.Options{})}})
	}
	for _, test := range []struct {
		name   string
		report *page.Report
		want   string
	}{
		{"one fabric", pagetest.Comparison(1), "3 runs · 16 hosts · 20 switches"},
		{"two fabrics", large, "2 runs · fat tree: 1024 hosts, 320 switches · dragonfly: 1056 hosts, 264 switches"},
		{"a study on two", pagetest.Study(1), "20 cells: 32 hosts, 8 switches · 20 cells: 16 hosts, 20 switches"},
		{"four fabrics", several, "4 runs · 4 fabrics of 4 to 1024 hosts"},
	} {
		if got := factsLine(t, test.report); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
