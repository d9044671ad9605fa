package pagetest

import (
	"fmt"
	"math"

	"weft/record"
	"weft/report/page"
	"weft/study"
	"weft/unit"
)

// Comparison makes up a comparison of three variants over seeds: of everything there is.
func Comparison(seeds int) *page.Report {
	fabric := FatTree(4)
	r := &page.Report{
		Title: "failing-uplink", About: "Poisson traffic over a fat tree of which one uplink fails for 200 µs; three balancers.",
		Commands: []string{"weft run scenarios/failing-uplink.yaml --seeds 5 --out out/failing-uplink", "weft report out/failing-uplink"}, Generated: When(),
	}
	for i, name := range []string{"ECMP", "OPS", "ARCANE"} {
		v := page.Variant{Name: name}
		for seed := range seeds {
			run := Run{
				Variant: name, Seed: uint64(seed + 1), Pace: 0.5 + 0.3*float64(i), Messages: 3000, Groups: []string{"web", "storage"},
				Fabric: fabric, Recorded: 8, Buckets: 400, Snapshots: 40,
				Marks: []record.Mark{{At: 300 * unit.Microsecond, What: "link-down agg0->core0"}, {At: 500 * unit.Microsecond, What: "link-up agg0->core0"}},
			}
			if i == 0 {
				run.Unfinished = 40
			}
			v.Runs = append(v.Runs, page.Reduce(run.Result(), page.Options{NumbersOnly: seed > 0}))
		}
		r.Variants = append(r.Variants, v)
	}
	return r
}

// Hostile makes up a single partial run whose names do what they can to break a page.
func Hostile() *page.Report {
	name := `</script><script>alert("1")</script><img src=x onerror=alert(2)>` + "\u2028" + ` & "quotes' ]]> <!--`
	run := Run{
		Variant: name, Seed: 1, Pace: 0.7, Messages: 60, Sizes: 1, Unfinished: 5, Partial: true,
		Groups: []string{name + " a", "b.c"}, Fabric: LeafSpine(2, 4, 2), Recorded: 2, Buckets: 50, Marks: []record.Mark{{At: unit.Microsecond, What: name}},
		Set: map[string]any{name: name, "list": []any{name, 1}},
	}
	for i := range run.Fabric.Ports {
		run.Fabric.Ports[i].Name += name
	}
	return &page.Report{
		Title: name, About: name, Commands: []string{"weft run '" + name + "'"}, Notices: []string{name},
		Variants: []page.Variant{{Name: name, Runs: []*page.Reduced{page.Reduce(run.Result(), page.Options{})}}},
	}
}

// Large makes up a comparison over a fabric of thousands of hosts, and one without trees.
func Large() *page.Report {
	r := &page.Report{Title: "large fabrics", About: "A fat tree of 1024 hosts and a dragonfly of 1056.", Generated: When()}
	for i, f := range []*Fabric{FatTree(16), Dragonfly(33, 8, 4)} {
		name := []string{"fat tree", "dragonfly"}[i]
		run := Run{Variant: name, Seed: 1, Pace: 0.9, Messages: 20000, Fabric: f, Recorded: 100, Buckets: 2000, Snapshots: 20}
		r.Variants = append(r.Variants, page.Variant{Name: name, Runs: []*page.Reduced{page.Reduce(run.Result(), page.Options{})}})
	}
	return r
}

// Study makes up a study of 40 cells with timelines and maps: four balancers, five loads,
// two topologies; one cell has no whole run, and one lost some.
func Study(seeds int) *page.Report {
	balancers, loads, topologies := []string{"ECMP", "OPS", "REPS", "ARCANE"}, []string{"20%", "40%", "60%", "80%", "95%"}, []string{"leaf-spine", "fat-tree"}
	t := &study.Table{Name: "balancers-under-load", Axes: []study.Axis{
		{Name: "variant", Path: "transport.balancer", Levels: balancers},
		{Name: "load", Path: "traffic.flows.arrival.load", Levels: loads, Numbers: []float64{20, 40, 60, 80, 95}, Unit: "%"},
		{Name: "topology", Path: "topology", Levels: topologies},
	}}
	r := &page.Report{
		Title: "balancers-under-load", About: "Four balancers under rising load, on two topologies.", Table: t,
		Commands: []string{"weft study run studies/balancers-under-load.yaml"}, Generated: When(),
	}
	fabrics := []*Fabric{LeafSpine(4, 8, 4), FatTree(4)}
	for b := range balancers {
		for l := range loads {
			for k := range topologies {
				addCell(r, [3]int{b, l, k}, fabrics[k], seeds)
			}
		}
	}
	return r
}

// addCell adds a cell with its runs to a study.
func addCell(r *page.Report, at [3]int, fabric *Fabric, seeds int) {
	t := r.Table
	var labels []string
	for a, level := range at {
		labels = append(labels, t.Axes[a].Levels[level])
	}
	load := t.Axes[1].Numbers[at[1]] / 100
	cell := study.Cell{Name: fmt.Sprintf("%s, load %s, topology %s", labels[0], labels[1], labels[2]), Levels: at[:], Runs: seeds}
	v := page.Variant{Name: cell.Name}
	var values [][]float64
	for seed := range seeds {
		run := Run{
			Variant: labels[0], Seed: uint64(seed*100 + at[1]*10 + at[2] + 1), Pace: (0.4 + 0.2*float64(at[0])) * (1.05 - load), Messages: 400,
			Fabric: fabric, Recorded: 8, Buckets: 300, Snapshots: 30,
			Set: map[string]any{"load": labels[1], "topology": map[string]any{"kind": labels[2], "rate": "400Gbps"}},
		}
		switch {
		case at == [3]int{0, 4, 0}:
			run.Partial = true
			cell.Partial++
		case at == [3]int{1, 4, 1} && seed == 1:
			cell.Failed++
			continue
		default:
			cell.Done++
		}
		if at[1] == 4 && at[0] < 2 {
			run.Unfinished = 30
		}
		result := run.Result()
		v.Runs = append(v.Runs, page.Reduce(result, page.Options{NumbersOnly: seed > 0}))
		metrics := result.Summary.Metrics()
		if len(t.Metrics) == 0 {
			for _, m := range metrics {
				t.Metrics = append(t.Metrics, study.NewColumn(&m))
			}
		}
		if values == nil {
			values = make([][]float64, len(metrics))
		}
		for i, m := range metrics {
			if !run.Partial && !math.IsNaN(m.Value) {
				values[i] = append(values[i], m.Value)
			}
		}
	}
	for _, of := range values {
		cell.Estimates = append(cell.Estimates, meanOf(of))
	}
	t.Cells = append(t.Cells, cell)
	r.Variants = append(r.Variants, v)
}

// meanOf is close enough to what studies estimate.
func meanOf(values []float64) study.Estimate {
	nan := math.NaN()
	e := study.Estimate{N: len(values), Mean: nan, Low: nan, High: nan, Min: nan, Max: nan}
	if e.N == 0 {
		return e
	}
	sum, squares := 0.0, 0.0
	e.Min, e.Max = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		sum += v
		e.Min, e.Max = min(e.Min, v), max(e.Max, v)
	}
	e.Mean = sum / float64(e.N)
	for _, v := range values {
		squares += (v - e.Mean) * (v - e.Mean)
	}
	if e.N > 1 {
		half := 2.8 * math.Sqrt(squares/float64(e.N-1)/float64(e.N))
		e.Low, e.High = e.Mean-half, e.Mean+half
	}
	return e
}
