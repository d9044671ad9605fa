package report

import (
	"fmt"
	"slices"
	"testing"

	"weft/record"
	"weft/unit"
)

// TestLinkLoads takes how long links between switches were sending, whatever their rates: 1 MB takes
// 800 µs at 10 Gb/s, and 80 µs at 100 Gb/s, and 800 µs where a fault slows it down to 10 Gb/s. Links of hosts, which
// have one each, are left out.
func TestLinkLoads(t *testing.T) {
	port := func(from, to string, rate unit.Rate, sent int64) record.Port {
		return record.Port{Name: fmt.Sprint(from, to, rate), From: from, To: to, Rate: rate * unit.Gbps, SentBytes: sent}
	}
	r := &record.Result{Summary: record.Summary{Stats: record.Stats{Runtime: unit.Millisecond}}}
	r.Ports = []record.Port{
		port("host0", "sw0", 10, 5e6), port("sw0", "host0", 10, 5e6),
		port("host1", "sw1", 10, 5e6), port("sw1", "host1", 10, 5e6),
		port("sw0", "sw1", 100, 1e6), port("sw1", "sw0", 100, 0),
		port("sw0", "sw1", 10, 1e6), port("sw1", "sw0", 10, 0),
	}
	links := linkLoads(r)
	want := []linkLoad{{"sw0", "sw1", 800}, {"sw0", "sw1", 80}, {"sw1", "sw0", 0}, {"sw1", "sw0", 0}}
	if !slices.Equal(links, want) {
		t.Errorf("links %v, want %v", links, want)
	}
	r.Faults = []record.Fault{{Port: r.Ports[4].Name, Kind: record.FaultRate, To: record.Unfinished, Rate: 10 * unit.Gbps}}
	if slow := linkLoads(r); slow[0].busy != 800 || slow[1].busy != 800 {
		t.Errorf("with a slow link %v", slow)
	}
	var x, y []float64
	for _, p := range descent(links, 10) {
		x, y = append(x, p.X), append(y, p.Y)
	}
	if !slices.Equal(x, []float64{0, 25, 50, 75, 100}) || !slices.Equal(y, []float64{80, 80, 8, 0, 0}) {
		t.Errorf("steps at %v of %v", x, y)
	}
}

// TestLinkFigures draws all runs in one plot, and none without links between switches or traffic on them.
func TestLinkFigures(t *testing.T) {
	loaded, idle := []linkLoad{{"a", "b", 800}, {"b", "a", 80}}, []linkLoad{{"a", "b", 0}, {"b", "a", 0}}
	for _, test := range []struct {
		runs          []run
		figures       int
		drawn, notice bool
	}{
		{[]run{{name: "one", links: loaded}, {name: "other", links: idle}}, 1, true, false},
		{[]run{{name: "one", links: idle}}, 0, false, true},
		{[]run{{name: "one", links: loaded[:1]}, {name: "other"}}, 0, false, true},
	} {
		figures, notices := linkFigures(test.runs, paper{})
		if len(figures) != test.figures || len(notices) > 0 != test.notice || (kind{name: "links"}).suits(test.runs) != test.drawn {
			t.Errorf("%v: %d figures, notices %v", test.runs, len(figures), notices)
		}
		for _, f := range figures {
			if err := f.save(t.TempDir()+"/links.png", "png"); err != nil {
				t.Error(err)
			}
		}
	}
}
