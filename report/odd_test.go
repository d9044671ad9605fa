package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"weft/unit"
)

// eightPorts are eight ports that are all alike.
func eightPorts() (run, []string) {
	r := run{interval: unit.Microsecond, ports: map[string]*port{}, faulted: map[string]bool{}}
	var names []string
	for i := range 8 {
		name := fmt.Sprintf("tor0->spine%d", i)
		names = append(names, name)
		r.ports[name] = &port{rate: 400 * unit.Gbps, accepted: []int64{1000, int64(1000 + 10*i)}, queue: []int64{0, 5}, dropped: []int64{0, 1}}
	}
	return r, names
}

func TestOddPorts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*run)
		want   map[string]string
	}{
		{"all alike", func(*run) {}, nil},
		{"a slow link", func(r *run) { r.ports["tor0->spine3"].rate = 200 * unit.Gbps }, map[string]string{"tor0->spine3": "200Gbps"}},
		{"a fault", func(r *run) { r.faulted["tor0->spine0"], r.faulted["spine0->tor0"] = true, true }, map[string]string{"tor0->spine0": "fault"}},
		{"a fault before drops", func(r *run) {
			r.faulted["tor0->spine0"] = true
			r.ports["tor0->spine5"].dropped[0] = 1000
		}, map[string]string{"tor0->spine0": "fault"}},
		{"most drops", func(r *run) { r.ports["tor0->spine5"].dropped[0] = 9 }, map[string]string{"tor0->spine5": "most drops"}},
		{"fewest bytes", func(r *run) { r.ports["tor0->spine6"].accepted[0] = 100 }, map[string]string{"tor0->spine6": "fewest bytes"}},
		{"half of them", func(r *run) {
			for i := range 4 {
				r.faulted[fmt.Sprintf("tor0->spine%d", i)] = true
			}
		}, nil},
	} {
		r, names := eightPorts()
		c.change(&r)
		if got := oddPorts([]run{r}, names); !maps.Equal(got, c.want) {
			t.Errorf("%s: odd are %v, want %v", c.name, got, c.want)
		}
		figures, _ := portFigures([]run{r}, paper{})
		var texts []string
		for _, x := range drawn(figures[0]) {
			texts = append(texts, x.text)
		}
		for name, why := range c.want {
			if !slices.Contains(texts, name+" ("+why+")") || !slices.Contains(texts, "the 7 other ports") {
				t.Errorf("%s: the legend does not say so: %q", c.name, texts)
			}
		}
		if len(c.want) == 0 && strings.Contains(strings.Join(texts, " "), "other ports") {
			t.Errorf("%s: ports are grey: %q", c.name, texts)
		}
		checkTexts(t, figures[0])
	}
	r, names := eightPorts()
	r.faulted[names[0]] = true
	if got := oddPorts([]run{r}, names[:3]); len(got) > 0 {
		t.Errorf("of three ports, %v are odd", got)
	}
}
