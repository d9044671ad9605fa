package topo

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/problem"
)

// ReadDOT reads an undirected graph in the DOT language of Graphviz. Messages begin with
// name, the line and the column.
//
// The attributes are those that ReadGraphML reads, with the same names and values. Others
// are ignored, as are ports of nodes. Defaults (node [kind=switch]) apply to nodes and
// edges that first appear after them; inside a subgraph they apply until its end. Nodes are
// numbered in the order in which they first appear. Edges between the same nodes are
// parallel links if they differ in an attribute key; otherwise they are refused as
// duplicates. Edges of whole subgraphs (a -- {b c}) are not supported.
//
// The parser is weft's own, because the parsers of libraries do not keep the places of what
// they read.
func ReadDOT(r io.Reader, name string, d Defaults) (*Graph, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &dotReader{
		assembly: newAssembly(d, inFile(name)),
		lexer:    newDotLexer(string(text)),
		index:    map[string]int{},
		scopes:   make([]dotScope, 1),
	}
	p.assembly.numbering = "give each edge its own attribute key"
	if err := p.read(); err != nil {
		return nil, err
	}
	return p.assemble()
}

type dotReader struct {
	assembly *assembly
	lexer    *dotLexer
	token    dotToken
	// Nodes and edges are added at the end, since later statements may add attributes.
	nodes  []dotNode
	index  map[string]int
	edges  []dotEdgeText
	scopes []dotScope
}

type dotNode struct {
	name       string
	at         place
	attributes attributes
}

type dotEdgeText struct {
	a, b       int
	at         place
	attributes attributes
}

// dotScope holds the defaults of a subgraph.
type dotScope struct{ node, edge attributes }

func (p *dotReader) advance() error {
	t, err := p.lexer.next()
	p.token = t
	if err != nil {
		return p.assembly.errorf(t.at, "%w", err)
	}
	return nil
}

func (p *dotReader) expected(what string) error {
	return p.assembly.errorf(p.token.at, "found %v instead of %s", p.token, what)
}

// read reads the whole file.
func (p *dotReader) read() error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.token.is("strict") {
		if err := p.advance(); err != nil {
			return err
		}
	}
	switch {
	case p.token.is("digraph"):
		return p.assembly.errorf(p.token.at, "%w", problem.New("the graph is directed, but links are full duplex").Mend("write graph, and each link once with --"))
	case !p.token.is("graph"):
		return p.expected("the word graph")
	}
	if err := p.named(); err != nil {
		return err
	}
	if err := p.advance(); err != nil {
		return err
	}
	for len(p.scopes) > 0 {
		if err := p.statement(); err != nil {
			return err
		}
	}
	if p.token.kind != dotEnd {
		return p.assembly.errorf(p.token.at, "%v follows the end of the graph; keep one graph per file", p.token)
	}
	return nil
}

// named skips the keyword of a graph or subgraph and its optional name, up to the opening
// brace.
func (p *dotReader) named() error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.token.id() {
		if err := p.advance(); err != nil {
			return err
		}
	}
	if !p.token.mark("{") {
		return p.expected("{")
	}
	return nil
}

// statement reads a statement, or the end of a graph or subgraph.
func (p *dotReader) statement() error {
	switch t := p.token; {
	case t.mark(";"):
		return p.advance()
	case t.mark("}"):
		return p.leave()
	case t.mark("{"):
		return p.enter()
	case t.is("subgraph"):
		if err := p.named(); err != nil {
			return err
		}
		return p.enter()
	case t.is("graph"), t.is("node"), t.is("edge"):
		return p.defaults(t)
	case t.id():
		return p.nodeOrEdge(t)
	}
	return p.expected("a node, an edge or }")
}

// dotDepth exceeds the depth of any real drawing. It keeps files from opening endless
// scopes.
const dotDepth = 100

func (p *dotReader) enter() error {
	if len(p.scopes) == dotDepth {
		return p.assembly.errorf(p.token.at, "subgraphs are nested deeper than %d", dotDepth-1)
	}
	outer := p.scopes[len(p.scopes)-1]
	p.scopes = append(p.scopes, dotScope{
		node: append(attributes(nil), outer.node...),
		edge: append(attributes(nil), outer.edge...),
	})
	return p.advance()
}

func (p *dotReader) leave() error {
	p.scopes = p.scopes[:len(p.scopes)-1]
	if err := p.advance(); err != nil {
		return err
	}
	if p.token.kind == dotEdge && len(p.scopes) > 0 {
		return p.subgraphEdge()
	}
	return nil
}

func (p *dotReader) subgraphEdge() error {
	return p.assembly.errorf(p.token.at, "%w", problem.New("edges of whole subgraphs are not supported").Mend("write an edge for each pair of nodes"))
}

// defaults reads the keyword graph, node or edge with attributes, or graph = value.
func (p *dotReader) defaults(of dotToken) error {
	if err := p.advance(); err != nil {
		return err
	}
	scope := &p.scopes[len(p.scopes)-1]
	switch {
	case !p.token.mark("["):
		return p.expected("[")
	case of.is("node"):
		return p.attributes(&scope.node)
	case of.is("edge"):
		return p.attributes(&scope.edge)
	}
	return p.attributes(new(attributes))
}

// attributes reads optional lists of attributes into a.
func (p *dotReader) attributes(a *attributes) error {
	for p.token.mark("[") {
		if err := p.advance(); err != nil {
			return err
		}
		for !p.token.mark("]") {
			if err := p.attribute(a); err != nil {
				return err
			}
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

func (p *dotReader) attribute(a *attributes) error {
	if !p.token.id() {
		return p.expected("the name of an attribute or ]")
	}
	name, value := p.token.text, "true"
	if err := p.advance(); err != nil {
		return err
	}
	if p.token.mark("=") {
		if err := p.advance(); err != nil {
			return err
		}
		if !p.token.id() {
			return p.expected("the value of " + shorten(name))
		}
		value = p.token.text
		if err := p.advance(); err != nil {
			return err
		}
	}
	a.set(name, value)
	if p.token.mark(",") || p.token.mark(";") {
		return p.advance()
	}
	return nil
}

// nodeOrEdge reads a statement that begins with a name.
func (p *dotReader) nodeOrEdge(first dotToken) error {
	if err := p.advance(); err != nil {
		return err
	}
	if p.token.mark("=") {
		if err := p.advance(); err != nil {
			return err
		}
		if !p.token.id() {
			return p.expected("the value of " + shorten(first.text))
		}
		return p.advance()
	}
	n := p.node(first)
	if err := p.port(); err != nil {
		return err
	}
	if p.token.kind != dotEdge {
		return p.attributes(&p.nodes[n].attributes)
	}
	begin := len(p.edges)
	for p.token.kind == dotEdge {
		if p.token.text == "->" {
			return p.assembly.errorf(p.token.at, "%w", problem.New("-> is for directed graphs").Mend("write --"))
		}
		if err := p.advance(); err != nil {
			return err
		}
		switch {
		case p.token.mark("{"), p.token.is("subgraph"):
			return p.subgraphEdge()
		case !p.token.id():
			return p.expected("a node")
		}
		to := p.token
		if err := p.advance(); err != nil {
			return err
		}
		if err := p.port(); err != nil {
			return err
		}
		m := p.node(to)
		p.edges = append(p.edges, dotEdgeText{a: n, b: m, at: first.at})
		n = m
	}
	all := append(attributes(nil), p.scopes[len(p.scopes)-1].edge...)
	if err := p.attributes(&all); err != nil {
		return err
	}
	for i := begin; i < len(p.edges); i++ {
		p.edges[i].attributes = all
	}
	return nil
}

// port skips the port of a node, as in a:b:n.
func (p *dotReader) port() error {
	for range 2 {
		if !p.token.mark(":") {
			return nil
		}
		if err := p.advance(); err != nil {
			return err
		}
		if !p.token.id() {
			return p.expected("a port")
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// node returns the index of a node, and adds the node when it first appears.
func (p *dotReader) node(t dotToken) int {
	if i, known := p.index[t.text]; known {
		return i
	}
	i := len(p.nodes)
	name := strings.Clone(t.text)
	p.index[name] = i
	p.nodes = append(p.nodes, dotNode{name: name, at: t.at, attributes: append(attributes(nil), p.scopes[len(p.scopes)-1].node...)})
	return i
}

func (p *dotReader) assemble() (*Graph, error) {
	a := p.assembly
	for _, n := range p.nodes {
		text, err := n.attributes.node(n.name)
		if err != nil {
			return nil, a.errorf(n.at, "node %q: %w", shorten(n.name), err)
		}
		if _, err := a.node(n.at, text); err != nil {
			return nil, err
		}
	}
	for _, e := range p.edges {
		x, y := p.nodes[e.a].name, p.nodes[e.b].name
		text, err := e.attributes.link(x, y)
		if err != nil {
			return nil, a.errorf(e.at, "the edge of %q and %q: %w", x, y, err)
		}
		if err := a.link(e.at, text); err != nil {
			return nil, err
		}
	}
	return a.finish()
}

// WriteDOT writes g so that ReadDOT reads the same graph. It refuses names with a
// backslash, which Graphviz takes for the start of an escape sequence.
func (g *Graph) WriteDOT(w io.Writer) error {
	for i := range g.Nodes {
		if name := g.Nodes[i].Name; strings.Contains(name, `\`) {
			return fmt.Errorf("the name %q has a backslash, which has another meaning in DOT; rename the node, or use graphml", name)
		}
	}
	b := bufio.NewWriter(w)
	b.WriteString("graph weft {\n")
	numbers := g.hostNumbers()
	for i := range g.Nodes {
		fmt.Fprintf(b, "  \"%s\" [", g.Nodes[i].Name)
		for j, a := range g.nodeAttributes(NodeID(i), numbers) {
			if j > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(b, "%s=\"%s\"", a.name, a.value)
		}
		b.WriteString("];\n")
	}
	parallels := g.parallels()
	for i, l := range g.Links {
		fmt.Fprintf(b, "  \"%s\" -- \"%s\" [rate=\"%v\", delay=\"%v\"", g.Nodes[l.A].Name, g.Nodes[l.B].Name, l.Rate, l.Delay)
		if parallels[i] > 0 {
			fmt.Fprintf(b, ", key=%d", parallels[i])
		}
		b.WriteString("];\n")
	}
	b.WriteString("}\n")
	return b.Flush()
}
