package topo

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/problem"
)

// ReadGraphML reads a GraphML graph. Edges are links, whether they are directed or not; two
// directed edges in opposite directions are one link. Messages begin with name, the line
// and the column.
//
// Nodes are named by their id. Attributes are recognised by attr.name, ignoring case:
//
//	node  kind or role         host (or server) or switch (or router); when
//	                           absent, a node is a host if its name begins
//	                           with "host"
//	node  latency or           time with its unit, for switches
//	      switch_latency
//	node  tier                 whole number from 1, for switches; when absent, 1
//	                           for switches with hosts and one more with each
//	                           hop away from them
//	edge  rate, capacity or    rate with its unit, such as 400Gbps
//	      bandwidth
//	edge  delay or latency     time with its unit, such as 500ns
//	node  group                the group, pod or rack of a switch, from 1;
//	                           ignored if it is not a whole number
//	node  host_number          index among the hosts, from 0; when absent, hosts
//	                           are numbered in the order of the file
//
// All others are ignored. Edges between the same nodes are parallel links if each has its
// own id or attribute key; otherwise they are refused as duplicates.
func ReadGraphML(r io.Reader, name string, d Defaults) (*Graph, error) {
	reader := &graphmlReader{assembly: newAssembly(d, inFile(name)), xml: xml.NewDecoder(r)}
	reader.arrows = newArrows(reader.assembly)
	reader.assembly.numbering = "give each edge its own id"
	reader.xml.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("the encoding %q is not supported; save the file as UTF-8", shorten(charset))
	}
	if err := reader.read(); err != nil {
		return nil, err
	}
	return reader.assembly.finish()
}

type graphmlReader struct {
	assembly *assembly
	xml      *xml.Decoder
	// keys are in the order of their declarations.
	keys []graphmlKey
	// edges holds the edges until all nodes are known, since edges may come before nodes.
	edges   []graphmlEdge
	started bool
	graphs  int
	// directed is the default for edges.
	directed bool
	arrows   *arrows
	// at is the place of the current element.
	at place
}

type graphmlKey struct {
	ID      string `xml:"id,attr"`
	For     string `xml:"for,attr"`
	Name    string `xml:"attr.name,attr"`
	Default string `xml:"default"`
}

type graphmlData struct {
	Key   string `xml:"key,attr"`
	Value string `xml:",chardata"`
}

type graphmlNode struct {
	ID     string        `xml:"id,attr"`
	Data   []graphmlData `xml:"data"`
	Nested *struct{}     `xml:"graph"`
}

type graphmlEdge struct {
	ID       string        `xml:"id,attr"`
	Source   string        `xml:"source,attr"`
	Target   string        `xml:"target,attr"`
	Directed string        `xml:"directed,attr"`
	Data     []graphmlData `xml:"data"`

	at place
}

func (r *graphmlReader) read() error {
	for {
		r.at.line, r.at.column = r.xml.InputPos()
		token, err := r.xml.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return r.broken(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := r.element(start); err != nil {
				return err
			}
		}
	}
	if r.graphs == 0 {
		return r.assembly.errorf(place{}, "there is no graph element; a GraphML file has <graphml><graph>…</graph></graphml>")
	}
	for _, e := range r.edges {
		if err := r.edge(e); err != nil {
			return err
		}
	}
	r.arrows.note()
	return nil
}

// broken adds the place where the decoder stopped to an error.
func (r *graphmlReader) broken(err error) error {
	var at place
	at.line, at.column = r.xml.InputPos()
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		at.line = syntax.Line
		err = errors.New(syntax.Msg)
	}
	return r.assembly.errorf(at, "this is not well-formed XML: %w", err)
}

func (r *graphmlReader) element(start xml.StartElement) error {
	if !r.started && start.Name.Local != "graphml" {
		return r.assembly.errorf(r.at, "the file begins with <%s> and not with <graphml>", shorten(start.Name.Local))
	}
	r.started = true
	switch start.Name.Local {
	case "graphml":
	case "graph":
		r.graphs++
		if r.graphs > 1 {
			return r.assembly.errorf(r.at, "this is the second graph of the file; keep one graph per file")
		}
		for _, a := range start.Attr {
			if a.Name.Local == "edgedefault" && a.Value == "directed" {
				r.directed = true
			}
		}
	case "key":
		var k graphmlKey
		if err := r.xml.DecodeElement(&k, &start); err != nil {
			return r.broken(err)
		}
		r.keys = append(r.keys, k)
	case "node":
		var n graphmlNode
		if err := r.xml.DecodeElement(&n, &start); err != nil {
			return r.broken(err)
		}
		return r.node(n)
	case "edge":
		e := graphmlEdge{at: r.at}
		if err := r.xml.DecodeElement(&e, &start); err != nil {
			return r.broken(err)
		}
		r.edges = append(r.edges, e)
	case "hyperedge":
		return r.assembly.errorf(r.at, "%w", problem.New("hyperedges are not supported").Mend("write a link for each pair of nodes"))
	default:
		if err := r.xml.Skip(); err != nil {
			return r.broken(err)
		}
	}
	return nil
}

// values returns those attributes of an element that weft knows.
func (r *graphmlReader) values(at place, element string, data []graphmlData) (attributes, error) {
	var values attributes
	for _, k := range r.keys {
		if (k.For == element || k.For == "all" || k.For == "") && strings.TrimSpace(k.Default) != "" {
			values.set(k.Name, k.Default)
		}
	}
	for _, d := range data {
		i := slices.IndexFunc(r.keys, func(k graphmlKey) bool { return k.ID == d.Key })
		if i < 0 {
			return nil, r.assembly.errorf(at, "%w", problem.New("the %s has data for the key %q, which is not declared", element, shorten(d.Key)).Mend("add <key id=%q for=%q attr.name=…/>", shorten(d.Key), element))
		}
		values.set(r.keys[i].Name, d.Value)
	}
	return values, nil
}

func (r *graphmlReader) node(n graphmlNode) error {
	if n.Nested != nil {
		return r.assembly.errorf(r.at, "node %q holds a graph; nested graphs are not supported", shorten(n.ID))
	}
	values, err := r.values(r.at, "node", n.Data)
	if err != nil {
		return err
	}
	text, err := values.node(n.ID)
	if err != nil {
		return r.assembly.errorf(r.at, "node %q: %w", shorten(n.ID), err)
	}
	_, err = r.assembly.node(r.at, text)
	return err
}

func (r *graphmlReader) edge(e graphmlEdge) error {
	values, err := r.values(e.at, "edge", e.Data)
	if err != nil {
		return err
	}
	text, err := values.link(e.Source, e.Target)
	if err != nil {
		return r.assembly.errorf(e.at, "the edge of %q and %q: %w", shorten(e.Source), shorten(e.Target), err)
	}
	if e.Directed == "true" || r.directed && e.Directed != "false" {
		there, err := r.arrows.isOpposite(text)
		if err != nil {
			return r.assembly.errorf(e.at, "the edge of %q and %q: %w", shorten(e.Source), shorten(e.Target), err)
		}
		if there {
			return nil
		}
	}
	if text.key == "" {
		text.key = e.ID
	}
	return r.assembly.link(e.at, text)
}

// WriteGraphML writes g so that ReadGraphML reads the same graph.
func (g *Graph) WriteGraphML(w io.Writer) error {
	// Names may contain characters with a special meaning in XML.
	escape := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
		return b.String()
	}
	b := bufio.NewWriter(w)
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="kind" for="node" attr.name="kind" attr.type="string"/>
  <key id="tier" for="node" attr.name="tier" attr.type="int"/>
  <key id="latency" for="node" attr.name="latency" attr.type="string"/>
  <key id="group" for="node" attr.name="group" attr.type="int"/>
  <key id="host_number" for="node" attr.name="host_number" attr.type="int"/>
  <key id="rate" for="edge" attr.name="rate" attr.type="string"/>
  <key id="delay" for="edge" attr.name="delay" attr.type="string"/>
  <graph edgedefault="undirected">
`)
	numbers := g.hostNumbers()
	for i := range g.Nodes {
		fmt.Fprintf(b, "    <node id=\"%s\">", escape(g.Nodes[i].Name))
		for _, a := range g.nodeAttributes(NodeID(i), numbers) {
			fmt.Fprintf(b, "<data key=\"%s\">%s</data>", a.name, a.value)
		}
		b.WriteString("</node>\n")
	}
	parallels := g.parallels()
	for i, l := range g.Links {
		id := ""
		if parallels[i] > 0 {
			id = fmt.Sprintf(" id=\"e%d\"", i)
		}
		fmt.Fprintf(b, "    <edge%s source=\"%s\" target=\"%s\"><data key=\"rate\">%v</data><data key=\"delay\">%v</data></edge>\n",
			id, escape(g.Nodes[l.A].Name), escape(g.Nodes[l.B].Name), l.Rate, l.Delay)
	}
	b.WriteString("  </graph>\n</graphml>\n")
	return b.Flush()
}
