package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/internal/readable"
)

// facts are the size of what was run, in few words.
func facts(r *Report, t *table) []string {
	runs, seeds := 0, 0
	for i := range t.rows {
		runs += t.rows[i].Runs
		seeds = max(seeds, t.rows[i].Runs)
	}
	what := "variant"
	if r.Table != nil {
		what = "cell"
	}
	list := []string{readable.Count(len(t.rows), what), readable.Count(seeds, "seed"), readable.Count(runs, "run")}
	fabrics := fabricsOf(r.Variants)
	if len(fabrics) == 1 {
		return append(list, readable.Count(fabrics[0].hosts, "host"), readable.Count(fabrics[0].switches, "switch"))
	}
	if len(fabrics) > mostFabrics {
		by := func(a, b fabric) int { return cmp.Compare(a.hosts, b.hosts) }
		return append(list, fmt.Sprintf("%d fabrics of %d to %d hosts", len(fabrics), slices.MinFunc(fabrics, by).hosts, slices.MaxFunc(fabrics, by).hosts))
	}
	for _, f := range fabrics {
		names := strings.Join(f.variants, ", ")
		if len(f.variants) > mostFabrics {
			names = readable.Count(len(f.variants), what)
		}
		list = append(list, fmt.Sprintf("%s: %s, %s", names, readable.Count(f.hosts, "host"), readable.Count(f.switches, "switch")))
	}
	return list
}

// mostFabrics is how many fabrics, and variants of one, are named.
const mostFabrics = 3

// fabric is the size of a topology, and which variants have one of that size.
type fabric struct {
	hosts, switches, ports int
	variants               []string
}

// fabricsOf returns the fabrics of different sizes that variants ran on.
func fabricsOf(variants []Variant) (list []fabric) {
	for _, v := range variants {
		at := slices.IndexFunc(v.Runs, func(r *Reduced) bool { return r.network != nil })
		if at < 0 {
			continue
		}
		n := v.Runs[at].network
		same := slices.IndexFunc(list, func(f fabric) bool {
			return f.hosts == n.hosts && f.switches == n.switches && f.ports == n.ports
		})
		if same < 0 {
			same = len(list)
			list = append(list, fabric{hosts: n.hosts, switches: n.switches, ports: n.ports})
		}
		list[same].variants = append(list[same].variants, v.Name)
	}
	return list
}
