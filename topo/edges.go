package topo

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/csvfile"
	"weft/internal/nearest"
	"weft/problem"
	"weft/unit"
)

// The columns of an edge list.
const (
	columnA        = "a"
	columnB        = "b"
	columnRate     = "rate"
	columnDelay    = "delay"
	columnAKind    = "a_kind"
	columnBKind    = "b_kind"
	columnALatency = "a_latency"
	columnBLatency = "b_latency"
	columnATier    = "a_tier"
	columnBTier    = "b_tier"
	columnAGroup   = "a_group"
	columnBGroup   = "b_group"
	columnKey      = "key"
)

func edgeColumns() []string {
	return []string{columnA, columnB, columnRate, columnDelay, columnAKind, columnBKind, columnALatency, columnBLatency, columnATier, columnBTier, columnAGroup, columnBGroup, columnKey}
}

// endColumns names the columns about one end of a link.
type endColumns struct{ name, kind, latency, tier, group string }

func bothEnds() [2]endColumns {
	return [2]endColumns{
		{columnA, columnAKind, columnALatency, columnATier, columnAGroup},
		{columnB, columnBKind, columnBLatency, columnBTier, columnBGroup},
	}
}

// ReadEdges reads a list of links as comma-separated values. Messages begin with name, the
// line and the column.
//
// The first row names the columns, in any order:
//
//	a, b                  the names of the two nodes
//	rate                  rate with its unit, such as 400Gbps
//	delay                 time with its unit, such as 500ns
//	a_kind, b_kind        host or switch; when empty or absent, a node is a host
//	                      if its name begins with "host"
//	a_latency, b_latency  time with its unit, for switches
//	a_tier, b_tier        whole number from 1, for switches; when empty or
//	                      absent, 1 with hosts and one more with each hop away
//	a_group, b_group      group, pod or rack of a switch, a whole number from 1
//	key                   distinguishes parallel links, such as 1
//
// Only a and b are required. Nodes and hosts are numbered in the order in which they first
// appear. The values of a node need to be given only once. Rows with the same nodes are
// parallel links if their keys differ; otherwise they are refused as duplicates. Lines that
// begin with # are comments.
func ReadEdges(r io.Reader, name string, d Defaults) (*Graph, error) {
	reader := &edgeReader{assembly: newAssembly(d, inFile(name)), csv: csv.NewReader(r)}
	reader.assembly.numbering = "number them in the column key"
	reader.csv.Comment = '#'
	reader.csv.TrimLeadingSpace = true
	reader.csv.ReuseRecord = true
	if err := reader.header(); err != nil {
		return nil, err
	}
	for {
		row, err := reader.csv.Read()
		if errors.Is(err, io.EOF) {
			return reader.assembly.finish()
		}
		if err != nil {
			return nil, reader.broken(row, err)
		}
		if err := reader.row(row); err != nil {
			return nil, err
		}
	}
}

type edgeReader struct {
	assembly *assembly
	csv      *csv.Reader
	// columns holds the index of each column of the file.
	columns map[string]int
	// said holds, for each node, the places where its values were given.
	said []edgeSaid
}

type edgeSaid struct{ kind, latency, tier, group place }

func (r *edgeReader) at(field int) place {
	line, column := r.csv.FieldPos(field)
	return place{line, column}
}

// broken explains what is wrong with a row that is not CSV or has the wrong number of
// fields.
func (r *edgeReader) broken(row []string, err error) error {
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse) && errors.Is(err, csv.ErrFieldCount):
		return r.assembly.errorf(place{parse.Line, parse.Column}, "%w", problem.New("the row has %d fields, but there are %d columns", len(row), len(r.columns)).Mend("use as many commas, and leave a field empty if it has no value"))
	case parse != nil:
		return r.assembly.errorf(place{parse.Line, parse.Column}, "%w", parse.Err)
	}
	return r.assembly.errorf(place{}, "%w", err)
}

func (r *edgeReader) header() error {
	row, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		return r.assembly.errorf(place{}, "%w", problem.New("the file is empty").Mend("begin with a row of column names such as a,b,rate,delay"))
	}
	if err != nil {
		return r.broken(row, err)
	}
	r.columns = make(map[string]int, len(row))
	for i, field := range row {
		// Spreadsheets write a byte order mark first.
		name := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(field, byteOrderMark)))
		if !slices.Contains(edgeColumns(), name) {
			hint := ""
			if near, ok := nearest.Name(name, edgeColumns()); ok {
				hint = fmt.Sprintf(" (did you mean %q?)", near)
			}
			return r.assembly.errorf(r.at(i), "unknown column %q%s; the first row names the columns: %s", shorten(name), hint, strings.Join(edgeColumns(), ","))
		}
		if _, twice := r.columns[name]; twice {
			return r.assembly.errorf(r.at(i), "column %q is given twice", name)
		}
		r.columns[name] = i
	}
	for _, name := range []string{columnA, columnB} {
		if _, ok := r.columns[name]; !ok {
			return r.assembly.errorf(place{1, 1}, "column %q is missing; the first row names the columns: %s", name, strings.Join(edgeColumns(), ","))
		}
	}
	return nil
}

// field returns a row's value in a column, and its place. The value is "" if the column
// does not exist.
func (r *edgeReader) field(row []string, column string) (string, place) {
	i, ok := r.columns[column]
	if !ok {
		return "", place{}
	}
	return csvfile.Text(strings.TrimSpace(row[i])), r.at(i)
}

func (r *edgeReader) row(row []string) error {
	var ends [2]NodeID
	for i, columns := range bothEnds() {
		var err error
		if ends[i], err = r.end(row, columns); err != nil {
			return err
		}
	}
	rate, err := optional(r, row, columnRate, unit.ParseRate)
	if err != nil {
		return err
	}
	delay, err := optional(r, row, columnDelay, unit.ParseTime)
	if err != nil {
		return err
	}
	key, _ := r.field(row, columnKey)
	r.assembly.keep(key)
	return r.assembly.join(r.at(0), ends[0], ends[1], rate, delay)
}

// optional parses a row's value in a column. It returns nil if there is none.
func optional[T any](r *edgeReader, row []string, column string, parse func(string) (T, error)) (*T, error) {
	text, at := r.field(row, column)
	if text == "" {
		return nil, nil
	}
	v, err := parse(text)
	if err != nil {
		return nil, r.assembly.errorf(at, "%s: %w", column, err)
	}
	return &v, nil
}

// end returns one node of a row's link. It adds the node when it first appears, and later
// checks that its values agree.
func (r *edgeReader) end(row []string, columns endColumns) (NodeID, error) {
	name, at := r.field(row, columns.name)
	name = r.assembly.spaceless(name)
	kind, err := optional(r, row, columns.kind, parseKind)
	if err != nil {
		return 0, err
	}
	latency, err := optional(r, row, columns.latency, unit.ParseTime)
	if err != nil {
		return 0, err
	}
	tier, err := optional(r, row, columns.tier, parseTier)
	if err != nil {
		return 0, err
	}
	group, err := optional(r, row, columns.group, parseGroup)
	if err != nil {
		return 0, err
	}
	id, known := r.assembly.index[name]
	if !known {
		if id, err = r.assembly.node(at, nodeText{name: name, kind: kind}); err != nil {
			return 0, err
		}
		r.said = append(r.said, edgeSaid{})
	}
	node, said := &r.assembly.graph.Nodes[id], &r.said[id]
	if kind != nil && node.Kind != *kind {
		if said.kind == (place{}) {
			return 0, r.assembly.errorf(at, "%w", problem.New("node %q is called a %v only here", name, *kind).Mend("write it where the node first appears (%s)", r.assembly.show(r.assembly.nodeAt[id])))
		}
		return 0, r.assembly.errorf(at, "node %q is called a %v here but a %v before (%s)", name, *kind, node.Kind, r.assembly.show(said.kind))
	}
	if kind != nil && said.kind == (place{}) {
		said.kind = at
	}
	if latency != nil {
		r.assembly.open[id] = false
	}
	err = agree(r.assembly, at, name, "latency", latency, &node.Latency, &said.latency)
	if err == nil && node.Kind == Switch {
		err = agree(r.assembly, at, name, "tier", tier, &node.Tier, &said.tier)
	}
	if err == nil && node.Kind == Switch {
		err = agree(r.assembly, at, name, "group", group, &node.Group, &said.group)
	}
	return id, err
}

// agree sets a value of a node, or checks it against the value in an earlier row.
func agree[T comparable](a *assembly, at place, name, what string, now, kept *T, said *place) error {
	switch {
	case now == nil:
	case *said == place{}:
		*kept, *said = *now, at
	case *kept != *now:
		return a.errorf(at, "node %q has the %s %v here but %v before (%s)", name, what, *now, *kept, a.show(*said))
	}
	return nil
}

// WriteEdges writes g as an edge list. The links of hosts come first, in the order of the
// hosts, so that ReadEdges numbers the hosts in the same way. Other nodes and links may get
// other numbers.
func (g *Graph) WriteEdges(w io.Writer) error {
	c := csvfile.NewWriter(w)
	c.Write(edgeColumns())
	parallels := g.parallels()
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	for _, l := range g.hostLinksFirst() {
		k := &g.Links[l]
		a, b := &g.Nodes[k.A], &g.Nodes[k.B]
		c.Write([]string{
			a.Name, b.Name, k.Rate.String(), k.Delay.String(),
			a.Kind.String(), b.Kind.String(), a.Latency.String(), b.Latency.String(), number(a.Tier), number(b.Tier), number(int(a.Group)), number(int(b.Group)), number(int(parallels[l])),
		})
	}
	return c.Flush()
}

// lostToEdges reports whether nodes or links get other numbers.
func (g *Graph) lostToEdges() []Loss {
	next := NodeID(0)
	seen := make([]bool, len(g.Nodes))
	nodes, links := false, false
	for i, l := range g.hostLinksFirst() {
		links = links || l != LinkID(i)
		for _, n := range []NodeID{g.Links[l].A, g.Links[l].B} {
			if !seen[n] {
				seen[n] = true
				nodes = nodes || n != next
				next++
			}
		}
	}
	switch {
	case links:
		return []Loss{{
			What:   "links and nodes change their numbers, since links of hosts come first",
			Remedy: "names, hosts and cables stay, but hashing may choose other ports; graphml, dot and node-link keep the numbers",
		}}
	case nodes:
		return []Loss{{
			What:   "nodes change their numbers to the order of their links",
			Remedy: "names, hosts and cables stay, and so do results; graphml, dot and node-link keep the numbers",
		}}
	}
	return nil
}

// hostLinksFirst returns the links of hosts in the order of the hosts, followed by the
// other links.
func (g *Graph) hostLinksFirst() []LinkID {
	place := make([]int, len(g.Nodes))
	for i, h := range g.Hosts {
		place[h] = i
	}
	const last = maxNodes
	key := func(l LinkID) int {
		first := last
		for _, n := range g.pair(l) {
			if g.Nodes[n].Kind == Host {
				first = min(first, place[n])
			}
		}
		return first
	}
	links := make([]LinkID, len(g.Links))
	for l := range links {
		links[l] = LinkID(l)
	}
	slices.SortStableFunc(links, func(x, y LinkID) int { return key(x) - key(y) })
	return links
}
