package diversity

import (
	"fmt"
	"math"

	"weft/analysis"
)

// Instance is the size of one topology of a family.
type Instance struct {
	// Routers is N_r. Links is k', the links of each router to others. PerRouter is p, the hosts
	// of each router, or of each edge router of a fat tree. Hosts is N, the number of all hosts.
	Routers, Links, PerRouter, Hosts int
	// Cables counts all cables, between routers and to hosts.
	Cables int
}

// Radix returns k, the number of ports of a router.
func (i Instance) Radix() int { return i.Links + i.PerRouter }

// Density returns the number of cables per host (FatPaths Appendix D-1).
func (i Instance) Density() float64 { return float64(i.Cables) / float64(i.Hosts) }

// Family is a family of topologies, given by closed forms.
type Family struct {
	Name string
	// Member returns the i-th member, in order of size. ok is false if there is none.
	Member func(i int) (m Instance, ok bool)
}

// regular returns a topology with the same number of hosts on every router.
func regular(routers, links, hosts int) Instance {
	return Instance{
		Routers: routers, Links: links, PerRouter: hosts, Hosts: routers * hosts,
		Cables: routers*links/2 + routers*hosts,
	}
}

// Families lists the families of FatPaths' Figure 19 with the concentrations of its Table V: p =
// k'/2 for diameter 2 and k'/3 for a HyperX, rounded up.
func Families() []Family {
	return []Family{
		{"Slim Fly", func(q int) (Instance, bool) {
			if !primePower(q) || q < 3 || q%4 == 2 {
				return Instance{}, false
			}
			delta := [4]int{0, 1, 0, -1}[q%4]
			links := (3*q - delta) / 2
			return regular(2*q*q, links, (links+1)/2), true
		}},
		{"Xpander", func(l int) (Instance, bool) { return regular(l*(l+1), l, (l+1)/2), l >= 2 }},
		{"HyperX, 2D", func(s int) (Instance, bool) { return regular(s*s, 2*(s-1), s-1), s >= 2 }},
		{"HyperX, 3D", func(s int) (Instance, bool) { return regular(s*s*s, 3*(s-1), s-1), s >= 2 }},
		{"Dragonfly", func(p int) (Instance, bool) { return regular(4*p*p*p+2*p, 3*p-1, p), p >= 1 }},
		{"fat tree", func(half int) (Instance, bool) {
			k := 2 * half
			return Instance{
				Routers: 5 * k * k / 4, Links: half, PerRouter: half, Hosts: k * k * k / 4, Cables: 3 * k * k * k / 4,
			}, half >= 1
		}},
		{"clique", func(k int) (Instance, bool) { return regular(k+1, k, k), k >= 1 }},
	}
}

func primePower(q int) bool {
	for p := 2; p <= q; p++ {
		if q%p != 0 {
			continue
		}
		for q%p == 0 {
			q /= p
		}
		return q == 1
	}
	return false
}

// Density computes FatPaths' Figure 19: cables per host and radix over the number of hosts, for
// all members of the families with a radix of at most most.
func Density(most int) (*analysis.Result, error) {
	if most < 3 || most > 4096 {
		return nil, fmt.Errorf("a radix of at most %d; use 3 to 4096", most)
	}
	r := &analysis.Result{
		Model: "density", Source: "FatPaths Appendix D-1, Figure 19; Table V",
		Params: map[string]string{"radix": fmt.Sprint(most)},
		Plots: []analysis.Plot{
			{Title: "Edge density", X: "Hosts", Y: "Cables per host", LogX: true},
			{Title: "Radix", X: "Hosts", Y: "Ports of a router", LogX: true},
		},
	}
	for _, f := range Families() {
		density, radix := analysis.Line{Name: f.Name}, analysis.Line{Name: f.Name}
		var largest Instance
		for i := range most + 1 {
			m, ok := f.Member(i)
			if !ok || m.Radix() > most {
				continue
			}
			hosts := float64(m.Hosts)
			density.X, density.Y = append(density.X, hosts), append(density.Y, m.Density())
			radix.X, radix.Y = append(radix.X, hosts), append(radix.Y, float64(m.Radix()))
			largest = m
		}
		r.Plots[0].Lines = append(r.Plots[0].Lines, density)
		r.Plots[1].Lines = append(r.Plots[1].Lines, radix)
		if largest.Hosts == 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s has no member with %d ports or fewer.", f.Name, most))
			continue
		}
		least, highest := math.Inf(1), 0.0
		for _, y := range density.Y {
			least, highest = min(least, y), max(highest, y)
		}
		r.Rows = append(r.Rows, analysis.Row{Name: f.Name, Of: "family", Numbers: []analysis.Number{
			analysis.Exact("N", float64(largest.Hosts), "", "hosts of the largest member"),
			analysis.Exact("N_r", float64(largest.Routers), "", "its routers"),
			analysis.Exact("k'", float64(largest.Links), "", "links of a router to others"),
			analysis.Exact("k", float64(largest.Radix()), "", "ports of a router"),
			analysis.Exact("density", largest.Density(), "", "its cables per host, including the host's own"),
			analysis.Exact("least", least, "", "smallest density of all members"),
			analysis.Exact("most", highest, "", "largest"),
		}})
	}
	return r, nil
}
