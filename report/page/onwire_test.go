package page

import (
	"strings"
	"testing"

	"weft/record"
	"weft/record/section"
	"weft/record/section/lateness"
	"weft/unit"
)

// A run on wire stands beside the simulation of the same scenario and seed, group by group, with what the simulation has otherwise.
// No other run does.
func TestOnWireBesideItsSimulation(t *testing.T) {
	ms := unit.Millisecond
	run := func(hash string, seed uint64, late *lateness.Late, notice string, times ...unit.Time) *Reduced {
		r := &record.Result{}
		r.Manifest.Hashes.Scenario, r.Manifest.Seed = hash, seed
		if notice != "" {
			r.Manifest.Notices = []string{notice}
		}
		for i, group := range []string{"<small>", "large"} {
			r.Flows = append(r.Flows, record.Flow{Group: group, Measured: true, Start: ms, End: ms + times[i]})
		}
		if late != nil {
			r.Summary.Sections = section.Set{late}
			if late.Void() != "" {
				r.Summary.Noted = []record.Notice{{Kind: record.NoticeVoid, Text: late.Void()}}
			}
		}
		return Reduce(r, Options{})
	}
	good, bad := &lateness.Late{Packets: 1}, &lateness.Late{Packets: 1, Lost: 3}
	report := &Report{Title: "both", Variants: []Variant{
		{"a", []*Reduced{run("1", 7, nil, "told of both", 2*ms, 10*ms)}},
		{"a on wire", []*Reduced{run("1", 7, good, "acknowledgements of 4 packets", 3*ms, 11*ms)}},
		{"b on wire", []*Reduced{run("2", 7, bad, "told of both", 2*ms, 10*ms)}},
		{"b", []*Reduced{run("2", 7, nil, "told of both", 2*ms, 10*ms)}},
		{"another seed on wire", []*Reduced{run("1", 8, good, "", 2*ms, 10*ms)}},
	}}
	var text strings.Builder
	if err := Write(&text, report); err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(text.String(), `<section id="wire"`)
	part, _, _ = strings.Cut(part, "</section>")
	last := 0
	for _, want := range []string{
		"10 % at the median, 25 % at the 99th percentile",
		"a on wire</th><td>&lt;small&gt;", ">1<", ">3ms<", ">2ms<", ">&#43;50.0 %<", `class="amiss">outside<`,
		"a on wire</th><td>large", ">11ms<", ">10ms<", ">&#43;10.0 %<", ">within<",
		"b on wire</th><td>&lt;small&gt;", `class="barred">void<`, "b on wire</th><td>large", `class="barred">void<`,
		"shows nothing", "<li>acknowledgements of 4 packets</li>",
	} {
		at := strings.Index(part[last:], want)
		if !found || at < 0 {
			t.Fatalf("there is no %q after %d characters: %s", want, last, part)
		}
		last += at
	}
	if strings.Contains(part, "another seed") || strings.Contains(part, "told of both") {
		t.Errorf("it compares what has no simulation, or tells what both have: %s", part)
	}
	text.Reset()
	report.Variants = report.Variants[:1]
	if err := Write(&text, report); err != nil || strings.Contains(text.String(), `id="wire"`) {
		t.Errorf("without a run on wire: %v", err)
	}
}
