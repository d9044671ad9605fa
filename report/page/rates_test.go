package page

import (
	"encoding/json"
	"strings"
	"testing"

	"weft/record"
	"weft/unit"
)

// TestUnitOfRates: a page has Mb/s in timelines, maps, charts and tables where all rates are below 1 Gb/s, and Gb/s in all elsewhere.
func TestUnitOfRates(t *testing.T) {
	slow := map[string]unit.Rate{"slow": 100 * unit.Mbps}
	for _, c := range []struct {
		name                      string
		rates                     map[string]unit.Rate
		unit, link, sent, goodput string // of the slow run
	}{
		{"slow alone", slow, "Mb/s", `"rate":100}`, `"values":[80,40]`, "50"},
		{"beside a fast one", map[string]unit.Rate{"slow": 100 * unit.Mbps, "fast": 10 * unit.Gbps}, "Gb/s", `"rate":0.1}`, `"values":[0.08,0.04]`, "0.05000"},
	} {
		r := &Report{Title: "rates"}
		for _, name := range []string{"slow", "fast"} {
			rate, ok := c.rates[name]
			if !ok {
				continue
			}
			const interval = 10 * unit.Millisecond
			bytes := int64(float64(rate) / 8 * 0.01 * 0.8)
			port := record.Port{Name: "host0->host1", From: "host0", To: "host1", Rate: rate}
			res := &record.Result{
				Manifest: record.Manifest{Interval: interval, Name: name},
				Ports:    []record.Port{port}, Nodes: []record.Node{{Name: "host0", Kind: "host"}, {Name: "host1", Kind: "host"}},
				Series: []record.Series{
					{Kind: record.Transmitted, Entity: port.Name, Value: bytes},
					{Kind: record.Transmitted, Entity: port.Name, Time: interval, Value: bytes / 2},
				},
			}
			res.Summary = record.Summary{Name: name, Stats: record.Stats{Messages: 1, Runtime: unit.Second, Goodput: rate / 2}}
			r.Variants = append(r.Variants, Variant{Name: name, Runs: []*Reduced{Reduce(res, Options{})}})
		}
		tab := newTable(r)
		data, err := json.Marshal(newPayload(r, tab, fullBudget()))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"rate_unit":"` + c.unit + `"`, c.link, c.sent} {
			if !strings.Contains(string(data), want) {
				t.Errorf("%s: no %s in %s", c.name, want, data)
			}
		}
		goodput := tab.metric("goodput_gbps")
		if goodput < 0 || tab.metrics[goodput].Unit != c.unit {
			t.Fatalf("%s: goodput is metric %d of %+v", c.name, goodput, tab.metrics)
		}
		summary := tab.summary("")
		for i, column := range summary.Columns {
			if column.Heading != "goodput" {
				continue
			}
			if got := summary.Rows[0].Cells[i].Text; column.Unit != c.unit || got != c.goodput {
				t.Errorf("%s: the summary has a goodput of %s %s, want %s %s", c.name, got, column.Unit, c.goodput, c.unit)
			}
		}
	}
}
