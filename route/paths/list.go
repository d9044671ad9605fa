package paths

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/nearest"
	"weft/problem"
	"weft/route"
	"weft/topo"
)

// mostWeight is the largest weight of a path, as in the tables of switches.
const mostWeight = 64

// mostNamed is the most names that a message lists.
const mostNamed = 6

// pair is an ordered pair of edge switches, by number.
type pair struct{ from, to int32 }

// weighted is a path and its weight.
type weighted struct {
	ports  []topo.PortID
	weight int
	place  place
}

// place is the place of a path: in a file, or in the option list, where key names the item.
type place struct{ text, key string }

// wrong adds the place to an error.
func (p place) wrong(err error) error {
	err = fmt.Errorf("%s: %w", p.text, err)
	if p.key == "" {
		return err
	}
	return problem.At(p.key, "%w", err)
}

// list holds the paths of some pairs.
type list struct {
	graph *topo.Graph
	names map[string]topo.NodeID
	paths *route.Paths
	of    map[pair][]weighted
	// wrong holds the first mistakes, and more counts the others.
	wrong []error
	more  int
}

// mostMistakes is the most mistakes that are reported.
const mostMistakes = 10

// see records an error, unless it is nil.
func (l *list) see(err error) {
	switch {
	case err == nil:
	case len(l.wrong) < mostMistakes:
		l.wrong = append(l.wrong, err)
	default:
		l.more++
	}
}

// mistakes returns all mistakes as one error.
func (l *list) mistakes() error {
	if l.more > 0 {
		return errors.Join(append(l.wrong, fmt.Errorf("%d more lines are wrong", l.more))...)
	}
	return errors.Join(l.wrong...)
}

// add adds the path that a line describes.
func (l *list) add(line string, at place) error {
	names, weight, err := split(line)
	if err != nil {
		return at.wrong(err)
	}
	if len(names) == 0 {
		return nil
	}
	ports, passed, err := l.walk(names)
	if err != nil {
		return at.wrong(err)
	}
	from, to := passed[0], passed[len(passed)-1]
	for _, end := range []topo.NodeID{from, to} {
		if l.paths.Edge(end) < 0 {
			return at.wrong(problem.New("switch %s has no hosts, so that no packet begins or ends there", l.graph.Nodes[end].Name).Mend("begin and end with switches that have some"))
		}
	}
	return l.keep(from, to, weighted{ports, weight, at})
}

// split returns the names and the weight on a line.
func split(line string) (names []string, weight int, err error) {
	line, _, _ = strings.Cut(line, "# ")
	if strings.HasPrefix(strings.TrimSpace(line), "#") {
		return nil, 0, nil
	}
	weight = 1
	for _, word := range strings.Fields(strings.ReplaceAll(line, "->", " ")) {
		text, isWeight := strings.CutPrefix(word, "weight=")
		if key, value, ok := strings.Cut(word, "="); ok && !isWeight {
			if _, near := nearest.Name(key, []string{"weight"}); near {
				return nil, 0, fmt.Errorf("%q is no name of a switch; did you mean weight=%s?", word, value)
			}
		}
		if !isWeight {
			names = append(names, word)
			continue
		}
		if weight, err = strconv.Atoi(text); err != nil || weight < 1 || weight > mostWeight {
			return nil, 0, fmt.Errorf("weight is %q; write a whole number from 1 to %d", text, mostWeight)
		}
	}
	if len(names) == 1 {
		return nil, 0, fmt.Errorf("a path has at least two switches, and this has %s alone; write all switches that it passes, as in tor0 spine1 tor3", names[0])
	}
	return names, weight, nil
}

// walk returns the ports along named switches, and the switches.
func (l *list) walk(names []string) (ports []topo.PortID, at []topo.NodeID, err error) {
	for i, name := range names {
		name, cable, err := l.node(name, i)
		if err != nil {
			return nil, nil, err
		}
		n, ok := l.names[name]
		switch {
		case !ok:
			return nil, nil, fmt.Errorf("there is no switch %q; %s", name, l.like(name))
		case l.graph.Nodes[n].Kind != topo.Switch:
			return nil, nil, fmt.Errorf("%s is a host; a path begins and ends at the switches that hosts hang on", name)
		case slices.Contains(at, n):
			return nil, nil, fmt.Errorf("the path passes %s twice; leave the loop out", name)
		}
		if i > 0 {
			id, err := l.port(at[i-1], n, cable)
			if err != nil {
				return nil, nil, err
			}
			ports = append(ports, id)
		}
		at = append(at, n)
	}
	return ports, at, nil
}

// node splits a word into a name and the number of a cable.
func (l *list) node(word string, i int) (name string, cable int, err error) {
	if _, ok := l.names[word]; ok {
		return word, 0, nil
	}
	name, number, numbered := strings.Cut(word, "#")
	if !numbered {
		return word, 0, nil
	}
	cable, err = strconv.Atoi(number)
	if err != nil || cable < 0 || i == 0 {
		return "", 0, fmt.Errorf("%q is no name of a switch; behind #, and not at the first switch, stands the number of a cable from the one before, as in spine1#1 for the second", word)
	}
	return name, cable, nil
}

// port returns the port that leads from one switch to another over a cable.
func (l *list) port(from, to topo.NodeID, cable int) (topo.PortID, error) {
	cables := 0
	for _, id := range l.paths.Ports(from) {
		if _, next := l.graph.Ends(id); next == to {
			if cables == cable {
				return id, nil
			}
			cables++
		}
	}
	a, b := l.graph.Nodes[from].Name, l.graph.Nodes[to].Name
	if cables > 0 {
		return 0, fmt.Errorf("%d cables lead from %s to %s, numbered from 0, and not one of number %d; write a number below %[1]d, or none", cables, a, b, cable)
	}
	return 0, fmt.Errorf("no link leads from %s to %s; %s", a, b, l.neighbours(from))
}

// neighbours lists some neighbours of a switch, for messages.
func (l *list) neighbours(sw topo.NodeID) string {
	var names []string
	for _, id := range l.paths.Ports(sw) {
		_, next := l.graph.Ends(id)
		if name := l.graph.Nodes[next].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], "…")
	}
	if len(names) == 0 {
		return "no other switch is beside it"
	}
	return "beside it are " + strings.Join(names, ", ")
}

// like suggests the switch that a name may have meant, or else lists a few.
func (l *list) like(name string) string {
	var names []string
	for i := range l.graph.Nodes {
		if l.graph.Nodes[i].Kind == topo.Switch {
			names = append(names, l.graph.Nodes[i].Name)
		}
	}
	if near, ok := nearest.Name(name, names); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return l.some()
}

// some lists a few switches.
func (l *list) some() string {
	text := "switches are"
	sep, n := " ", 0
	for i := range l.graph.Nodes {
		if l.graph.Nodes[i].Kind != topo.Switch {
			continue
		}
		if n++; n > mostNamed {
			return text + sep + "…"
		}
		text, sep = text+sep+l.graph.Nodes[i].Name, ", "
	}
	return text
}

// keep adds a path to its pair.
func (l *list) keep(from, to topo.NodeID, w weighted) error {
	p := pair{l.paths.Edge(from), l.paths.Edge(to)}
	places := w.weight
	for _, other := range l.of[p] {
		if slices.Equal(other.ports, w.ports) {
			return w.place.wrong(problem.New("this path from %s to %s stands at %s already", l.graph.Nodes[from].Name, l.graph.Nodes[to].Name, other.place.text).
				Mend("write it once, with a weight= if it is to count more"))
		}
		places += other.weight
	}
	if places > route.MostPaths {
		return w.place.wrong(problem.New("the paths from %s to %s weigh %d together, and entropies tell %d apart", l.graph.Nodes[from].Name, l.graph.Nodes[to].Name, places, route.MostPaths).
			Mend("write smaller weights"))
	}
	l.of[p] = append(l.of[p], w)
	return nil
}
