package topo

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"weft/problem"
)

// ReadGML reads a graph in GML, the Graph Modelling Language, as NetworkX, igraph, Gephi,
// yEd and the Internet Topology Zoo write it. Messages begin with name, the line and the
// column.
//
//	graph [
//	  node [ id 0 label "host0" kind "host" ]
//	  node [ id 1 label "tor0" ]
//	  edge [ source 0 target 1 rate "400Gbps" ]
//	]
//
// Nodes are named by their labels. If a label is missing, repeated or unusable as a name,
// all nodes are named by their ids. The attributes are those that ReadGraphML reads, with
// the same names and values; others are ignored. Edges are links, whether the graph is
// directed or not. Edges between the same nodes are parallel links if each has its own key
// or id; otherwise they are refused as duplicates.
//
// The parser is weft's own: gonum reads no GML, and a list of keys, values and lists needs
// no more.
func ReadGML(r io.Reader, name string, d Defaults) (*Graph, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &gmlReader{assembly: newAssembly(d, inFile(name)), lexer: newGMLLexer(string(text)), index: map[string]int{}}
	p.assembly.numbering = "give each edge its own key"
	if err := p.read(); err != nil {
		return nil, err
	}
	return p.assemble()
}

type gmlReader struct {
	assembly *assembly
	lexer    *gmlLexer
	graphs   int
	directed bool
	// Nodes and edges are added at the end, since edges may come before their nodes.
	nodes []gmlNode
	index map[string]int // by id
	edges []gmlEdge
}

type gmlNode struct {
	id, label  string
	labelled   bool
	at         place
	attributes attributes
}

type gmlEdge struct {
	id, source, target string
	at                 place
	attributes         attributes
}

// token reads the next token.
func (p *gmlReader) token() (gmlToken, error) {
	t, err := p.lexer.token()
	if err != nil {
		return t, p.assembly.errorf(t.at, "%w", err)
	}
	return t, nil
}

// read reads the whole file.
func (p *gmlReader) read() error {
	err := p.entries(gmlEnd, func(key, value gmlToken) error {
		if key.text != "graph" {
			return p.skipValue(value)
		}
		if p.graphs++; p.graphs > 1 {
			return p.assembly.errorf(key.at, "this is the second graph of the file; keep one graph per file")
		}
		return p.list(key, value, p.entry)
	})
	if err != nil {
		return err
	}
	if p.graphs == 0 {
		return p.assembly.errorf(place{}, "there is no graph; a GML file has graph [ node [ id 0 ] … edge [ source 0 target 1 ] … ]")
	}
	return nil
}

// entries reads keys with their values up to the end of their list. If a value is a list,
// only its opening bracket has been read.
func (p *gmlReader) entries(end gmlKind, entry func(key, value gmlToken) error) error {
	for {
		key, err := p.token()
		if err != nil {
			return err
		}
		switch key.kind {
		case end:
			return nil
		case gmlKey:
		default:
			return p.assembly.errorf(key.at, "found %v instead of a key", key)
		}
		value, err := p.token()
		if err != nil {
			return err
		}
		if !value.scalar() && value.kind != gmlOpen {
			return p.assembly.errorf(value.at, "found %v instead of the value of %s", value, shorten(key.text))
		}
		if err := entry(key, value); err != nil {
			return err
		}
	}
}

// list reads the entries of a value, which must be a list.
func (p *gmlReader) list(key, value gmlToken, entry func(key, value gmlToken) error) error {
	if value.kind != gmlOpen {
		return p.assembly.errorf(value.at, "%w", problem.New("%s is %v, not a list", key.text, value).Mend("write %s [ … ]", key.text))
	}
	return p.entries(gmlClose, entry)
}

// skipValue skips the rest of a value.
func (p *gmlReader) skipValue(value gmlToken) error {
	for depth := 0; ; {
		switch value.kind {
		case gmlOpen:
			depth++
		case gmlClose:
			depth--
		case gmlEnd:
			return p.assembly.errorf(value.at, "found %v instead of ]", value)
		}
		if depth == 0 {
			return nil
		}
		var err error
		if value, err = p.token(); err != nil {
			return err
		}
	}
}

// entry reads an entry of the graph.
func (p *gmlReader) entry(key, value gmlToken) error {
	switch key.text {
	case "directed":
		p.directed = value.text == "1"
	case "node":
		return p.node(key, value)
	case "edge":
		return p.edge(key, value)
	}
	return p.skipValue(value)
}

func (p *gmlReader) node(key, value gmlToken) error {
	n := gmlNode{at: key.at}
	err := p.list(key, value, func(key, value gmlToken) error {
		switch {
		case !value.scalar():
			return p.skipValue(value)
		case key.text == "id":
			n.id = value.text
		case key.text == "label":
			n.label, n.labelled = value.text, true
		default:
			n.attributes.set(key.text, value.text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n.id == "" {
		return p.assembly.errorf(n.at, "%w", problem.New("the node has no id").Mend("write node [ id NUMBER ]"))
	}
	if before, twice := p.index[n.id]; twice {
		return p.assembly.errorf(n.at, "%w", problem.New("there is a node with the id %s already (%s)", shorten(n.id), p.assembly.show(p.nodes[before].at)).Mend("give each node its own id"))
	}
	p.index[n.id] = len(p.nodes)
	p.nodes = append(p.nodes, n)
	return nil
}

func (p *gmlReader) edge(key, value gmlToken) error {
	e := gmlEdge{at: key.at}
	err := p.list(key, value, func(key, value gmlToken) error {
		switch {
		case !value.scalar():
			return p.skipValue(value)
		case key.text == "id":
			e.id = value.text
		case key.text == "source":
			e.source = value.text
		case key.text == "target":
			e.target = value.text
		default:
			e.attributes.set(key.text, value.text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if e.source == "" || e.target == "" {
		return p.assembly.errorf(e.at, "%w", problem.New("the edge has no source or no target").Mend("write edge [ source ID target ID ]"))
	}
	p.edges = append(p.edges, e)
	return nil
}

func (p *gmlReader) assemble() (*Graph, error) {
	a := p.assembly
	names := p.names()
	for i, n := range p.nodes {
		text, err := n.attributes.node(names[i])
		if err != nil {
			return nil, a.errorf(n.at, "node %q: %w", shorten(names[i]), err)
		}
		if _, err := a.node(n.at, text); err != nil {
			return nil, err
		}
	}
	arrows := newArrows(a)
	for _, e := range p.edges {
		var ends [2]string
		for i, id := range []string{e.source, e.target} {
			n, known := p.index[id]
			if !known {
				return nil, a.errorf(e.at, "%w", problem.New("the edge of %s and %s: no node has the id %s", shorten(e.source), shorten(e.target), shorten(id)).Mend("add node [ id %s ], or correct the edge", shorten(id)))
			}
			ends[i] = names[n]
		}
		text, err := e.attributes.link(ends[0], ends[1])
		if err != nil {
			return nil, a.errorf(e.at, "the edge of %q and %q: %w", shorten(ends[0]), shorten(ends[1]), err)
		}
		if p.directed {
			if there, err := arrows.isOpposite(text); err != nil {
				return nil, a.errorf(e.at, "the edge of %q and %q: %w", shorten(ends[0]), shorten(ends[1]), err)
			} else if there {
				continue
			}
		}
		if text.key == "" {
			text.key = e.id
		}
		if err := a.link(e.at, text); err != nil {
			return nil, err
		}
	}
	arrows.note()
	return a.finish()
}

// names returns the names of the nodes: their labels if all can be names, or else their
// ids.
func (p *gmlReader) names() []string {
	ids, labels := make([]string, len(p.nodes)), make([]string, len(p.nodes))
	seen := make(map[string]bool, len(p.nodes))
	good, any := true, false
	for i, n := range p.nodes {
		ids[i], labels[i] = n.id, n.label
		plain := strings.Join(strings.Fields(n.label), "_")
		good = good && !seen[plain] && nameProblem(plain) == ""
		any = any || n.labelled
		seen[plain] = true
	}
	switch {
	case good:
		return labels
	case any:
		p.assembly.note("nodes are named by their ids, since not every node has a label of its own that can be a name")
	}
	return ids
}

// WriteGML writes g so that ReadGML reads the same graph.
func (g *Graph) WriteGML(w io.Writer) error {
	b := bufio.NewWriter(w)
	parallels := g.parallels()
	b.WriteString("graph [\n")
	for _, n := range parallels {
		if n > 0 {
			b.WriteString("  multigraph 1\n")
			break
		}
	}
	numbers := g.hostNumbers()
	for i := range g.Nodes {
		fmt.Fprintf(b, "  node [\n    id %d\n    label %s\n", i, quoteGML(g.Nodes[i].Name))
		for _, a := range g.nodeAttributes(NodeID(i), numbers) {
			value := quoteGML(a.value)
			switch a.name {
			case attributeTier, attributeGroup, attributeHostNumber:
				value = a.value
			}
			fmt.Fprintf(b, "    %s %s\n", a.name, value)
		}
		b.WriteString("  ]\n")
	}
	for i, l := range g.Links {
		fmt.Fprintf(b, "  edge [\n    source %d\n    target %d\n", l.A, l.B)
		if parallels[i] > 0 {
			fmt.Fprintf(b, "    key %d\n", parallels[i])
		}
		fmt.Fprintf(b, "    rate %s\n    delay %s\n  ]\n", quoteGML(l.Rate.String()), quoteGML(l.Delay.String()))
	}
	b.WriteString("]\n")
	return b.Flush()
}

// quoteGML quotes a text. GML is ASCII, so other characters are written as numbers.
func quoteGML(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range html.EscapeString(text) {
		if r < 128 {
			b.WriteRune(r)
		} else {
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		}
	}
	b.WriteByte('"')
	return b.String()
}
