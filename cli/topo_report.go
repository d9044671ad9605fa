package cli

import (
	"fmt"
	"io"
	"strings"

	"weft/config"
	"weft/internal/tabular"
	"weft/topo"
)

// topoReport is what weft topo tells of a network.
type topoReport struct {
	Name string `json:"name"`
	// Topology has every option with its value.
	Topology     *config.Node  `json:"topology"`
	Switches     int           `json:"switches"`
	EdgeSwitches int           `json:"edge_switches"`
	Hosts        int           `json:"hosts"`
	PerSwitch    topo.Range    `json:"hosts_per_switch"`
	Degree       topo.Range    `json:"degree"`
	Radix        topo.Range    `json:"radix"`
	Groups       int           `json:"groups"`
	Distances    topoDistances `json:"distances"`
	Cables       topoCables    `json:"cables"`
	Density      float64       `json:"density"`
	Jellyfish    *topoLike     `json:"equivalent_jellyfish,omitempty"`
	Cost         *topoCost     `json:"cost,omitempty"`

	noCost error // why there is none
}

type topoDistances struct {
	Diameter int     `json:"diameter"`
	Mean     float64 `json:"mean"`
	// Pairs counts ordered pairs of edge switches by distance.
	Pairs     []int64 `json:"pairs"`
	Unreached int64   `json:"unreached"`
	Sources   int     `json:"sources"`
	Of        int     `json:"of"`
}

type topoCables struct {
	Hosts   int `json:"hosts"`
	Inside  int `json:"inside_groups"`
	Between int `json:"between"`
	Total   int `json:"total"`
}

type topoLike struct {
	Switches  int `json:"switches"`
	Degree    int `json:"degree"`
	PerSwitch int `json:"hosts_per_switch"`
}

// distanceWork bounds the steps along links that distances may take: seconds.
const distanceWork = 2e9

func newTopoReport(t topology, g *topo.Graph, exact bool) (*topoReport, error) {
	resolved, err := config.Encoder{}.Encode(topologyOnly{t.choice})
	if err != nil {
		return nil, err
	}
	f := topo.Survey(g)
	links := f.GroupLinks + f.GlobalLinks
	most := 0
	if !exact {
		// 64 sources together pass over both directions of the links for each unit
		// of distance, of which there are few.
		const together, units = 64, 4
		most = max(together, int(distanceWork/float64(2*units*max(links, 1)))*together)
	}
	d := topo.MeasureDistances(g, most)
	r := &topoReport{
		Name: t.name, Topology: resolved.Get(topologyKey),
		Switches: f.Switches, EdgeSwitches: f.EdgeSwitches, Hosts: f.Hosts, PerSwitch: f.HostsPerSwitch,
		Degree: f.Degree, Radix: f.Radix, Groups: f.Groups,
		Distances: topoDistances{d.Diameter, d.Mean, d.Pairs, d.Unreached, d.Sources, d.Of},
		Cables:    topoCables{f.HostLinks, f.GroupLinks, f.GlobalLinks, f.HostLinks + links},
		Density:   f.Density(),
	}
	r.Cost, r.noCost = newTopoCost(g)
	if like, err := topo.Equivalent(g); err == nil && t.choice.Kind != "jellyfish" && *like.Degree > 1 && *like.Degree < f.Switches {
		r.Jellyfish = &topoLike{*like.Switches, *like.Degree, *like.HostsPerSwitch}
	}
	return r, nil
}

func (r *topoReport) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Name)
	var rows [][]string
	line := func(what, symbol, value, more string) {
		rows = append(rows, []string{what, symbol, value, more})
	}
	some := ""
	if r.EdgeSwitches < r.Switches {
		some = fmt.Sprintf("%d of them with hosts", r.EdgeSwitches)
	}
	line("switches", "N_r", fmt.Sprint(r.Switches), some)
	line("hosts", "N", fmt.Sprint(r.Hosts), "")
	line("hosts per switch", "p", r.PerSwitch.String(), "")
	line("links to switches", "k'", r.Degree.String(), "")
	line("radix", "k", r.Radix.String(), "")
	d := r.Distances
	least, of := "", ""
	if d.Sources < d.Of {
		least = "≥ "
		of = fmt.Sprintf("from %d of %d switches; --exact uses all", d.Sources, d.Of)
	}
	line("diameter", "D", fmt.Sprint(least, d.Diameter), of)
	line("mean distance", "d", fmt.Sprintf("%.3f", d.Mean), shares(d.Pairs))
	if d.Unreached > 0 {
		line("pairs without a path", "", fmt.Sprint(d.Unreached), "")
	}
	where := fmt.Sprintf("%d to hosts, %d between switches", r.Cables.Hosts, r.Cables.Between)
	if r.Groups > 1 {
		where = fmt.Sprintf("%d to hosts, %d inside %d groups, %d between", r.Cables.Hosts, r.Cables.Inside, r.Groups, r.Cables.Between)
	}
	line("cables", "", fmt.Sprint(r.Cables.Total), where)
	line("cables per host", "", fmt.Sprintf("%.2f", r.Density), "")
	switch {
	case r.Cost != nil:
		price, parts := r.Cost.line()
		line("cost per host", "", price, parts)
	case r.noCost != nil:
		line("cost per host", "", "none", r.noCost.Error()+"; weft analyze cost takes other prices")
	}
	if j := r.Jellyfish; j != nil {
		line("equivalent", "X-JF", "jellyfish", fmt.Sprintf("switches=%d degree=%d hosts_per_switch=%d", j.Switches, j.Degree, j.PerSwitch))
	}
	for _, line := range (tabular.Table{Rows: rows, Left: 4}).Lines() {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shares writes which share of pairs is how far apart.
func shares(pairs []int64) string {
	var all int64
	for _, n := range pairs {
		all += n
	}
	var parts []string
	for distance, n := range pairs {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d: %.1f %%", distance, 100*float64(n)/float64(all)))
		}
	}
	return strings.Join(parts, ", ")
}
