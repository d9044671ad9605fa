package diversity

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weft/analysis"
	"weft/analysis/paths"
	"weft/analysis/routers"
)

// Fabric is one item of a comparison: a graph, or several graphs of a random family.
type Fabric struct {
	// Name is its name in rows and plots.
	Name string
	// Instances is the number of graphs, at least 1.
	Instances int
	// Graph returns the i-th graph.
	Graph func(i int) (*routers.Graph, error)
	// Lengths, if not empty, replaces the requested lengths.
	Lengths []int
}

// each calls do with every graph of every fabric. Each graph has an equal part of the progress.
// If ctx ends, the error is an *analysis.Interrupted. The earlier fabrics are then complete. If
// do stores results only after a fabric's last graph, nothing of the interrupted fabric remains.
func each(ctx context.Context, fabrics []Fabric, progress func(float64), do func(f *Fabric, instance int, g *routers.Graph, progress func(float64)) error) error {
	all, done := 0, 0
	for i := range fabrics {
		all += fabrics[i].Instances
	}
	stopped := func(finished int) error {
		e := &analysis.Interrupted{Of: "fabrics", Done: finished, All: len(fabrics), Cause: ctx.Err()}
		for _, f := range fabrics[finished:] {
			e.Missing = append(e.Missing, f.Name)
		}
		return e
	}
	for i := range fabrics {
		f := &fabrics[i]
		for instance := range f.Instances {
			if ctx.Err() != nil {
				return stopped(i)
			}
			g, err := f.Graph(instance)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			before := done
			part := func(share float64) {
				if progress != nil {
					progress((float64(before) + share) / float64(all))
				}
			}
			if err := do(f, instance, g, part); err != nil {
				if ctx.Err() != nil {
					return stopped(i)
				}
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			done++
		}
	}
	return nil
}

// shape returns the numbers that describe a graph.
func shape(g *routers.Graph) []analysis.Number {
	_, radix := g.Radix()
	return []analysis.Number{
		analysis.Exact("N_r", float64(g.Len()), "", "routers"),
		analysis.Exact("k'", float64(radix), "", "network radix: most links of a router with hosts to other routers"),
		analysis.Exact("N", float64(g.Endpoints()), "", "hosts"),
	}
}

// irregular explains what percentages of k' refer to if routers differ.
func irregular(f *Fabric, g *routers.Graph) []string {
	least, most := g.Radix()
	if least == most {
		return nil
	}
	return []string{fmt.Sprintf("%s: routers with hosts have %d to %d links to others; percentages are of %d.", f.Name, least, most, most)}
}

// surveyed is the number of sources from which the diameter and the mean length of minimal paths
// are found, where these are only additional information.
const surveyed = 4096

// lengths returns the numbers about lengths of minimal paths.
func lengths(s *paths.Survey) []analysis.Number {
	about := ""
	if !s.Exact {
		about = fmt.Sprintf(" from %d routers drawn at random", s.Sources)
	}
	return []analysis.Number{
		analysis.Exact("D", float64(s.Longest()), "", "longest minimal path between routers with hosts"+about+", hops"),
		analysis.Exact("d", s.MeanHops(), "", "mean length of minimal paths"+about+", hops"),
		analysis.Exact("TNL", s.Load, "", "total network load, directed links over d (k'·N_r/d if every router has hosts): the flows that links allow on minimal paths"),
	}
}

func names(fabrics []Fabric) string {
	var list []string
	for i := range fabrics {
		name := fabrics[i].Name
		if n := fabrics[i].Instances; n > 1 {
			name += fmt.Sprintf(" (%d graphs)", n)
		}
		list = append(list, name)
	}
	return strings.Join(list, "; ")
}

func numbers(list []int) string {
	var words []string
	for _, v := range list {
		words = append(words, strconv.Itoa(v))
	}
	return strings.Join(words, ",")
}
