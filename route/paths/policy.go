package paths

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"weft/catalog"
	"weft/internal/userfile"
	"weft/problem"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// Entries returns the policy of this package for the catalog of a scenario.
func Entries() []catalog.Entry[route.Policy] {
	return []catalog.Entry[route.Policy]{
		catalog.Define("paths",
			"explicit paths from a file or a list, with weights; the sender chooses one by entropy, and pairs without any take minimal paths",
			"weft", Policy.Build).Keeping("what ksp keeps").Needing(route.ExplicitNeeds()...),
	}
}

// Policy routes packets along paths that a user lists.
type Policy struct {
	File    *catalog.Path `yaml:"file" doc:"File of paths: on each line the switches of one, and weight=N if it is to count N times."`
	List    []string      `yaml:"list" default:"[]" doc:"Paths in place of a file, as in tor0 spine1 tor3 weight=2."`
	Reverse bool          `yaml:"reverse" default:"false" doc:"Whether each path is also one back."`
}

// maxFile is the size of the largest file of paths, which holds some million paths.
const maxFile = 256 * unit.MiB

// Build returns the policy.
func (o Policy) Build() (route.Policy, error) {
	switch {
	case o.File != nil && len(o.List) > 0:
		return route.Policy{}, problem.At("file", "file and list both name paths").Mend("remove one")
	case o.File == nil && len(o.List) == 0:
		return route.Policy{}, errors.New("there are no paths; write file: NAME, or list: [tor0 spine1 tor3]")
	}
	return route.Policy{
		Bytes: func(g *topo.Graph) unit.Bytes { return route.PathBytes(g, 0, 0) },
		Prepare: func(g *topo.Graph, _ uint64) (route.Router, error) {
			l, err := o.read(g)
			if err != nil {
				return nil, err
			}
			return l.tables, nil
		},
	}, nil
}

// read reads all paths.
func (o Policy) read(g *topo.Graph) (*list, error) {
	p, err := route.NewPaths(g)
	if err != nil {
		return nil, err
	}
	l := &list{graph: g, names: make(map[string]topo.NodeID, len(g.Nodes)), paths: p, of: map[pair][]weighted{}}
	for i := range g.Nodes {
		l.names[g.Nodes[i].Name] = topo.NodeID(i)
	}
	for i, line := range o.List {
		item := fmt.Sprintf("list[%d]", i)
		l.see(l.add(line, place{item, item}))
	}
	if o.File != nil {
		if err := l.readFile(string(*o.File)); err != nil {
			l.see(err)
		}
	}
	if err := l.mistakes(); err != nil {
		return nil, err
	}
	if o.Reverse {
		return l, l.reverse()
	}
	return l, nil
}

func (l *list) readFile(name string) error {
	f, err := userfile.Open(name, maxFile)
	if err != nil {
		return problem.At("file", "the file of paths cannot be read: %w", err).Mend("a relative path starts from the scenario's folder")
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for n++; lines.Scan(); n++ {
		l.see(l.add(lines.Text(), place{text: fmt.Sprintf("%s:%d", name, n)}))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w; write the names of switches, a path on each line", name, n, err)
	}
	if len(l.of) == 0 && len(l.wrong) == 0 {
		return fmt.Errorf("%s has no paths; write the switches of one on each line, as in tor0 spine1 tor3", name)
	}
	return nil
}

// reverse adds the reverse of each path, unless it is listed itself.
func (l *list) reverse() error {
	for _, p := range l.pairs() {
		for _, w := range l.of[p] {
			back := weighted{weight: w.weight, place: w.place}
			for _, id := range slices.Backward(w.ports) {
				back.ports = append(back.ports, id.Reverse())
			}
			listed := slices.ContainsFunc(l.of[pair{p.to, p.from}], func(other weighted) bool { return slices.Equal(other.ports, back.ports) })
			if listed {
				continue
			}
			if err := l.keep(l.paths.EdgeSwitch(p.to), l.paths.EdgeSwitch(p.from), back); err != nil {
				return err
			}
		}
	}
	return nil
}

// pairs returns the pairs with paths, in order.
func (l *list) pairs() (all []pair) {
	for p := range l.of {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b pair) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		return int(a.to - b.to)
	})
	return all
}

// tables returns the listed paths whose links are all up. Pairs without any such path take
// minimal ones.
func (l *list) tables(o route.Options) (*route.Tables, error) {
	o.Weighted = false
	t, err := route.Minimal(l.graph, o)
	if err != nil {
		return nil, err
	}
	p := l.paths.Share()
	for to := range int32(p.Edges()) {
		p.SetTo(to, func(from int32, add func([]topo.PortID, int)) {
			for _, w := range l.of[pair{from, to}] {
				if o.Down == nil || !slices.ContainsFunc(w.ports, func(id topo.PortID) bool { return o.Down(id.Link()) }) {
					add(w.ports, w.weight)
				}
			}
		})
	}
	t.Prefer(p)
	return t, nil
}
