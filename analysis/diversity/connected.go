package diversity

import (
	"context"
	"fmt"
	"slices"

	"weft/analysis"
	"weft/analysis/connectivity"
	"weft/analysis/routers"
)

// ConnectivityOptions configures Connectivity.
type ConnectivityOptions struct {
	// Threads is the number of maximum flows computed in parallel; 0 means one per processor. It
	// does not affect results.
	Threads int
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// Connectivity counts the edge-disjoint paths of any length for all pairs of routers with hosts,
// by an equivalent flow tree. For a random family it uses the first graph.
func Connectivity(ctx context.Context, fabrics []Fabric, o ConnectivityOptions) (*analysis.Result, error) {
	r := &analysis.Result{
		Model: "connectivity", Source: "FatPaths Appendix B-B; Gusfield 1990",
		Params: map[string]string{"fabrics": names(fabrics)},
		Plots:  []analysis.Plot{{X: "Disjoint paths of any length (% of k')", Y: "Share of pairs"}},
	}
	var classes []analysis.Row
	err := each(ctx, firstOf(fabrics), o.Progress, func(f *Fabric, _ int, g *routers.Graph, progress func(float64)) error {
		t, err := connectivity.New(ctx, g, connectivity.Options{Threads: o.Threads, Progress: progress})
		if err != nil {
			return err
		}
		_, radix := g.Radix()
		line := analysis.Line{Name: f.Name}
		all, sum := int64(0), int64(0)
		list := t.Classes(g.EdgeRouters())
		for _, c := range list {
			all += c.Pairs
			sum += int64(c.Connectivity) * c.Pairs
		}
		if all == 0 {
			return fmt.Errorf("only one router has hosts; paths lead from one to another")
		}
		for _, c := range slices.Backward(list) {
			share := float64(c.Pairs) / float64(all)
			line.X, line.Y = append(line.X, 100*float64(c.Connectivity)/float64(radix)), append(line.Y, share)
			if len(list) > 1 {
				classes = append(classes, analysis.Row{Name: fmt.Sprintf("%s, %d paths", f.Name, c.Connectivity), Of: "fabric and class", Numbers: []analysis.Number{
					analysis.Exact("pairs", float64(c.Pairs), "", "unordered pairs of routers with hosts and this number of disjoint paths"),
					analysis.Exact("share", 100*share, "%", "their share of all pairs"),
				}})
			}
		}
		r.Plots[0].Lines = append(r.Plots[0].Lines, line)
		least, most := list[len(list)-1].Connectivity, list[0].Connectivity
		r.Rows = append(r.Rows, analysis.Row{Name: f.Name, Of: "fabric", Numbers: append(shape(g),
			analysis.Exact("least", float64(least), "", "smallest edge connectivity of two routers with hosts"),
			analysis.Exact("mean", float64(sum)/float64(all), "", "mean edge connectivity"),
			analysis.Exact("most", float64(most), "", "most"),
		)})
		if least == 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s is not connected: pairs with 0 paths cannot reach each other.", f.Name))
		}
		return nil
	})
	if err != nil && !analysis.Stopped(err) {
		return nil, err
	}
	r.Rows = slices.Concat(r.Rows, classes)
	return r, err
}
