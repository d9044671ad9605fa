package report

import (
	"slices"
	"testing"

	"weft/unit"
)

// TestUnitOfRates: the axis of rates has Mb/s where all of them are below 1 Gb/s, with the same ticks as if values were in it.
func TestUnitOfRates(t *testing.T) {
	for _, c := range []struct {
		rate        unit.Rate
		label, tick string
	}{
		{100 * unit.Mbps, "Rate (Mb/s)", "100"},
		{999 * unit.Mbps, "Rate (Mb/s)", "1000"},
		{unit.Gbps, "Rate (Gb/s)", "1.00"},
		{100 * unit.Gbps, "Rate (Gb/s)", "100"},
	} {
		const interval = 10 * unit.Millisecond
		bytes := int64(float64(c.rate) / 8 * 0.01)
		r := run{interval: interval, ports: map[string]*port{"a->b": {rate: c.rate, accepted: []int64{bytes, bytes / 2}, transmitted: []int64{bytes}}}}
		figures, _ := portFigures([]run{r}, paper{})
		var texts []string
		for _, x := range drawn(figures[0]) {
			texts = append(texts, x.text)
		}
		if !slices.Contains(texts, c.label) || !slices.Contains(texts, c.tick) {
			t.Errorf("a link of %v is drawn with %q, without %q or %q", c.rate, texts, c.label, c.tick)
		}
		checkTexts(t, figures[0])
	}
}
