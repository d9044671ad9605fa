package report

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"weft/record"
	"weft/record/section/credits"
	"weft/unit"
)

// demo describes a made-up comparison that looks like those of real scenarios.
type demo struct {
	variants []string
	uplinks  int
	flows    int
	groups   []string
	marks    []record.Mark
	// interval is the length of a bucket; 0 means 20 µs.
	interval unit.Time
	// sizes makes messages differ in size, unfinished leaves some unfinished.
	sizes, unfinished, partial bool
	// drops makes ports drop frames, windows records so many connections.
	drops   bool
	windows int
	// credit is how many variants have recorded where it is.
	credit int
	// asked has the scenario ask for credit, whether there is any or not.
	asked bool
	// noSeries and noFinish leave out what figures are made of.
	noSeries, noFinish bool
	// offered has load offered until runs end.
	offered bool
}

// runs returns the comparison as it would be read back.
func (d demo) runs(t testing.TB) []run {
	t.Helper()
	runs := make([]run, len(d.variants))
	for i, name := range d.variants {
		var err error
		if runs[i], err = reduce(name, d.result(i, name)); err != nil {
			t.Fatal(err)
		}
	}
	return runs
}

// write writes the comparison below dir and returns its folder.
func (d demo) write(t testing.TB, dir string) string {
	t.Helper()
	dir = filepath.Join(dir, "run")
	c, err := record.NewComparison(dir, "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range d.variants {
		if err := record.WriteFolder(c.Variant(name), d.result(i, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Commit(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (d demo) result(variant int, name string) *record.Result {
	random := rand.New(rand.NewPCG(1, uint64(variant)))
	interval := max(d.interval, 1)
	if d.interval == 0 {
		interval = 20 * unit.Microsecond
	}
	// The first variant is the one that ends last.
	buckets := 70 - 32*min(variant, 1)
	// bytes in a bucket at 1 Gbps
	perGbps := float64(interval) / 8000
	end := unit.Time(buckets) * interval
	r := &record.Result{Marks: d.marks}
	r.Manifest = record.Manifest{Name: name, Interval: interval, Partial: d.partial}
	for u := range d.uplinks {
		rate := 400 * unit.Gbps
		if u == 0 {
			rate = 200 * unit.Gbps
		}
		p := record.Port{Name: fmt.Sprintf("tor0->spine%d", u), From: "tor0", To: fmt.Sprintf("spine%d", u), Rate: rate}
		r.Ports = append(r.Ports, p)
		if d.noSeries {
			continue
		}
		queue := 0.0
		for b := range buckets {
			mean := 200.0
			if variant > 0 {
				mean = 390 - 190*math.Exp(-float64(b)/2)
				if u == 0 {
					mean = 196
				}
			}
			gbps := mean * (1 + 0.05*random.NormFloat64())
			sent := min(gbps, float64(rate)/1e9)
			queue = max(0, min(queue+gbps-sent+30*random.NormFloat64(), 400))
			at := unit.Time(b) * interval
			row := func(kind string, v float64) {
				r.Series = append(r.Series, record.Series{Kind: kind, Entity: p.Name, Time: at, Value: int64(v)})
			}
			row(record.Accepted, gbps*perGbps)
			row(record.Transmitted, sent*perGbps)
			row(record.Queue, queue*1000)
			if d.drops && u == 0 && b%9 < 3 {
				row(record.Dropped, float64(10*(b%9+1)))
			}
		}
	}
	for c := range d.windows {
		window := 900.0
		for b := 2 * c % 7; b < buckets-c%5; b++ {
			if window += 12 * random.Float64(); random.Float64() < 0.06 {
				window *= 0.6
			}
			for kind, v := range map[string]float64{record.Window: window * 1000, record.InFlight: window * (1000 - 300*random.Float64())} {
				r.Series = append(r.Series, record.Series{
					Kind: kind, Entity: fmt.Sprintf("host%d->host%d", c, c+8), Time: unit.Time(b) * interval, Value: int64(v),
				})
			}
		}
	}
	if variant < d.credit {
		for b := 0; b < buckets; b += 1 + b%3 { // nothing happens between
			for i, kind := range []string{credits.AtReceivers, credits.AtSenders, credits.InFlight} {
				most := []float64{17e6, 5e5, 2e6}[i]
				r.Series = append(r.Series, record.Series{Kind: kind, Entity: credits.Entity, Time: unit.Time(b) * interval, Value: int64(most * random.Float64())})
			}
		}
	}
	for i := range d.flows {
		f := record.Flow{Group: "main", Measured: true, ID: uint64(i), Bytes: 32 * unit.MiB, Ideal: 10 * unit.Microsecond}
		if len(d.groups) > 0 {
			f.Group = d.groups[i%len(d.groups)]
		}
		f.End = end - unit.Time(random.Int64N(int64(end/10)))
		if d.sizes {
			size := math.Exp(random.Float64() * 8)
			f.Bytes = unit.Bytes(size * 1000)
			f.Ideal = unit.Time(size * float64(unit.Microsecond) / 10)
			f.End = f.Ideal + unit.Time(float64(f.Ideal)*random.ExpFloat64()*float64(2-min(variant, 1)))
		}
		f.SenderEnd, f.IdealBare = f.End, f.Ideal
		if d.noFinish || d.unfinished && i%7 == 3 {
			f.End, f.SenderEnd = record.Unfinished, record.Unfinished
		}
		r.Flows = append(r.Flows, f)
	}
	if d.asked {
		r.Manifest.Scenario = json.RawMessage(`{"record": {"credit": true}}`)
	}
	r.Summary = record.Summarize(r.Flows, r.Ports, record.Extent{})
	r.Summary.Name, r.Summary.Partial = name, d.partial
	if d.offered {
		r.Summary.Stability = &record.Stability{}
	}
	return r
}

func slowUplink() demo {
	return demo{variants: []string{"OPS", "ARCANE"}, uplinks: 8, flows: 8}
}
