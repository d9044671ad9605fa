package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// facts are the size of what was run, in few words.
func facts(r *Report, t *table) []string {
	runs, seeds := 0, 0
	for i := range t.rows {
		runs += t.rows[i].Runs
		seeds = max(seeds, t.rows[i].Runs)
	}
	one, many := "variant", "variants"
	if r.Table != nil {
		one, many = "cell", "cells"
	}
	list := []string{count(len(t.rows), one, many), count(seeds, "seed", "seeds"), count(runs, "run", "runs")}
	fabrics := fabricsOf(r.Variants)
	if len(fabrics) == 1 {
		return append(list, count(fabrics[0].hosts, "host", "hosts"), count(fabrics[0].switches, "switch", "switches"))
	}
	if len(fabrics) > mostFabrics {
		by := func(a, b fabric) int { return cmp.Compare(a.hosts, b.hosts) }
		return append(list, fmt.Sprintf("%d fabrics of %d to %d hosts", len(fabrics), slices.MinFunc(fabrics, by).hosts, slices.MaxFunc(fabrics, by).hosts))
	}
	for _, f := range fabrics {
		names := strings.Join(f.variants, ", ")
		if len(f.variants) > mostFabrics {
			names = count(len(f.variants), one, many)
		}
		list = append(list, fmt.Sprintf("%s: %s, %s", names, count(f.hosts, "host", "hosts"), count(f.switches, "switch", "switches")))
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

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
