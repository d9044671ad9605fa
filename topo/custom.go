package topo

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"weft/catalog"
	"weft/problem"
	"weft/unit"
)

// Custom is any graph, given as lists of nodes and links or as a file.
type Custom struct {
	File           *catalog.Path `yaml:"file" doc:"Graph file to read instead of the lists: GraphML, DOT, GML, node-link or adjacency JSON, a list of edges, a list of links in CSV, or a topology of htsim, HPCC or netbench, as docs/graph-files.md describes them."`
	Format         *string       `yaml:"format" enum:"graphml,dot,node-link,adjacency,gml,edges,csv,htsim,hpcc,netbench" doc:"Format of the file (default: by its extension: .graphml or .xml, .dot or .gv, .json, .gml, .edges or .edgelist, .csv, .topo, .hpcc, .topology, and .properties of a run of netbench)."`
	ParallelLinks  bool          `yaml:"parallel_links" default:"false" doc:"Whether links that a graph file names twice are parallel cables. Otherwise they are refused, unless the file numbers them or the format counts links."`
	Nodes          []CustomNode  `yaml:"nodes" default:"[]" doc:"Nodes, in the order of their numbers."`
	Links          []CustomLink  `yaml:"links" default:"[]" doc:"Links; both ends must be among the nodes."`
	HostsPerSwitch int           `yaml:"hosts_per_switch" default:"0" doc:"Hosts to put on every switch of a graph that has none." min:"0"`
	Rate           unit.Rate     `yaml:"rate" default:"400Gbps" doc:"Rate of links without a rate of their own." source:"ARCANE §4.1"`
	UplinkRate     *unit.Rate    `yaml:"uplink_rate" doc:"Rate of links between switches without a rate of their own (default: rate)."`
	Delay          unit.Time     `yaml:"delay" default:"500ns" doc:"Propagation delay of links without a delay of their own." source:"ARCANE §4.1"`
	SwitchLatency  unit.Time     `yaml:"switch_latency" default:"500ns" doc:"Traversal time of switches without a latency of their own." source:"ARCANE §4.1"`
}

// CustomNode is a node of a Custom graph, or a range of equal ones.
type CustomNode struct {
	Name    string     `yaml:"name" doc:"Name, such as tor0, or a range of them, such as host0..host7."`
	Kind    *Kind      `yaml:"kind" enum:"host,switch" doc:"Whether it is a host or a switch (default: a host if the name begins with host)."`
	Latency *unit.Time `yaml:"latency" doc:"Traversal time of a switch (default: switch_latency)."`
	Group   int32      `yaml:"group" default:"0" doc:"Group, pod or rack of a switch, from 1; 0 for none." min:"0"`
	Tier    *int       `yaml:"tier" doc:"Tier of a switch (default: 1 with hosts, and one more per hop away from them)." min:"1"`
}

// CustomLink is a link of a Custom graph, or one for every pair of two ranges.
type CustomLink struct {
	A     string     `yaml:"a" doc:"Node at one end, or a range such as host0..host7 for a link from each."`
	B     string     `yaml:"b" doc:"Node at the other end, or a range such as spine0..spine3 for a link to each."`
	Rate  *unit.Rate `yaml:"rate" doc:"Rate (default: that of the graph)."`
	Delay *unit.Time `yaml:"delay" doc:"Propagation delay (default: that of the graph)."`
	Count int        `yaml:"count" default:"1" doc:"Number of parallel links." min:"1"`
}

// Build builds the graph.
func (o Custom) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return g, nil
}

func (o Custom) build() (*Graph, error) {
	c, err := newCabling(o.Rate, o.UplinkRate, o.Delay, o.SwitchLatency)
	if err != nil {
		return nil, err
	}
	d := Defaults{Rate: c.rate, UplinkRate: c.uplink, Delay: c.delay, SwitchLatency: c.latency, HostsPerSwitch: o.HostsPerSwitch, ParallelLinks: o.ParallelLinks}
	switch inline := len(o.Nodes) > 0 || len(o.Links) > 0; {
	case o.File != nil && inline:
		return nil, errors.New("give either file or nodes and links, not both")
	case o.File != nil && o.Format != nil:
		f, err := FindFormat(*o.Format)
		if err != nil {
			return nil, err
		}
		return ofFile(f.ReadFile(string(*o.File), d))
	case o.File != nil:
		return ofFile(ReadFile(string(*o.File), d))
	case !inline:
		return nil, errors.New("give file, or nodes and links")
	case o.Format != nil:
		return nil, problem.At("format", "format describes a file").Mend("give file, or leave format out")
	}
	return o.assemble(d)
}

// ofFile adds the key of the file to an error about it.
func ofFile(g *Graph, err error) (*Graph, error) {
	switch found := (*fs.PathError)(nil); {
	case err == nil:
		return g, nil
	case errors.As(err, &found):
		return nil, problem.At("file", "%w", err).Mend("a relative path starts from the scenario's folder")
	}
	return nil, problem.At("file", "%w", err)
}

// Places in inline lists are indices. Nodes are on the first of these lines, links on the
// second.
const (
	nodesLine = 1
	linksLine = 2
)

func inLists(p place) string {
	switch p.line {
	case nodesLine:
		return fmt.Sprintf("nodes[%d]", p.column)
	case linksLine:
		return fmt.Sprintf("links[%d]", p.column)
	}
	return "nodes and links"
}

func (o Custom) assemble(d Defaults) (*Graph, error) {
	a := newAssembly(d, inLists)
	a.parallel, a.inline = true, true
	for i, n := range o.Nodes {
		at := place{nodesLine, i}
		names, err := expand(n.Name)
		if err != nil {
			return nil, a.errorf(at, "%w", err)
		}
		text := nodeText{kind: n.Kind, group: n.Group, latency: n.Latency}
		if n.Tier != nil {
			text.tier = *n.Tier
		}
		for _, text.name = range names {
			if _, err := a.node(at, text); err != nil {
				return nil, err
			}
		}
	}
	for i, l := range o.Links {
		if err := l.add(a, place{linksLine, i}); err != nil {
			return nil, err
		}
	}
	return a.finish()
}

// add adds the links that l describes. A count of 0 means one.
func (l CustomLink) add(a *assembly, at place) error {
	if l.Count == 0 {
		l.Count = 1
	}
	if err := positive(count{"count", l.Count}); err != nil {
		return a.errorf(at, "%w", err)
	}
	from, err := expand(l.A)
	if err != nil {
		return a.errorf(at, "%w", err)
	}
	to, err := expand(l.B)
	if err != nil {
		return a.errorf(at, "%w", err)
	}
	if len(from)*len(to) > maxLinks/l.Count {
		return a.errorf(at, "%d × %d × %d links are too many", len(from), len(to), l.Count)
	}
	for _, x := range from {
		for _, y := range to {
			for range l.Count {
				if err := a.link(at, linkText{a: x, b: y, rate: l.Rate, delay: l.Delay}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// expand returns the names of a range, or the name itself if it is not a range.
func expand(name string) ([]string, error) {
	first, last, ok := strings.Cut(name, "..")
	if !ok {
		return []string{name}, nil
	}
	prefix, from, to, err := bounds(first, last)
	if err != nil || to-from >= maxNodes {
		return nil, rangeError(name)
	}
	names := make([]string, 0, to-from+1)
	for i := from; i <= to; i++ {
		names = append(names, prefix+strconv.Itoa(i))
	}
	return names, nil
}
