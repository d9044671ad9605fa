package topo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"weft/problem"
)

// ReadNodeLink reads an undirected graph as node-link JSON: an object with a list of nodes,
// each with an id, and a list edges (or links) of objects with source and target. Messages
// begin with name, the line and the column.
//
// In addition to id, or source and target, the attributes are those that ReadGraphML reads,
// with the same names and values; others are ignored. Ids are texts or numbers. Edges
// between the same nodes are parallel links if they differ in key, as NetworkX writes it
// for multigraphs; otherwise they are refused as duplicates.
//
// ReadNodeLink also reads the other JSON of NetworkX, which has a list adjacency with the
// neighbours of each node instead of edges.
func ReadNodeLink(r io.Reader, name string, d Defaults) (*Graph, error) {
	text := bufio.NewReader(r)
	if head, err := text.Peek(len(byteOrderMark)); err == nil && string(head) == byteOrderMark {
		_, _ = text.Discard(len(head))
	}
	lines := &lineCounter{r: text}
	reader := &nodeLinkReader{
		assembly: newAssembly(d, inFile(name)),
		lines:    lines,
		json:     json.NewDecoder(lines),
	}
	reader.assembly.numbering = "give each edge its own key"
	if err := reader.read(); err != nil {
		return nil, err
	}
	for _, e := range reader.edges {
		if err := reader.assembly.link(e.at, e.text); err != nil {
			return nil, err
		}
	}
	return reader.assembly.finish()
}

// lineCounter records the beginnings of lines in the text that it passes on.
type lineCounter struct {
	r      io.Reader
	read   int64
	breaks []int64
}

func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.breaks = append(c.breaks, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// place returns the line and the column of an offset.
func (c *lineCounter) place(offset int64) place {
	line := sort.Search(len(c.breaks), func(i int) bool { return c.breaks[i] >= offset })
	start := int64(0)
	if line > 0 {
		start = c.breaks[line-1] + 1
	}
	return place{line + 1, int(offset-start) + 1}
}

type nodeLinkReader struct {
	assembly *assembly
	lines    *lineCounter
	json     *json.Decoder
	// edges holds the edges until all nodes are known, since edges may come before nodes.
	edges []nodeLinkEdge
	// For a graph with adjacency: neighbours holds the neighbours of each node, and ids its
	// id.
	neighbours [][]neighbour
	ids        []string
}

type nodeLinkEdge struct {
	text linkText
	at   place
}

// at returns the place where the last token or value ended.
func (r *nodeLinkReader) at() place { return r.lines.place(r.json.InputOffset()) }

func (r *nodeLinkReader) broken(err error) error {
	at := r.at()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		at, err = r.lines.place(r.lines.read), io.ErrUnexpectedEOF
	case errors.As(err, &syntax):
		// The decoder's own offset does not count everything read before. But the text that
		// it could not parse is still in its buffer.
		rest, _ := io.ReadAll(r.json.Buffered())
		var value json.RawMessage
		if again := json.Unmarshal(bytes.TrimLeft(rest, ", \t\r\n"), &value); errors.As(again, &syntax) {
			skipped := len(rest) - len(bytes.TrimLeft(rest, ", \t\r\n"))
			at = r.lines.place(r.json.InputOffset() + int64(skipped) + syntax.Offset - 1)
		}
	}
	return r.assembly.errorf(at, "this is not well-formed JSON: %w", err)
}

func (r *nodeLinkReader) read() error {
	if t, err := r.json.Token(); err != nil {
		return r.broken(err)
	} else if t != json.Delim('{') {
		return r.assembly.errorf(r.at(), "the file is not a JSON object; node-link JSON is {\"nodes\": […], \"edges\": […]}")
	}
	var nodes, edges, adjacency bool
	for r.json.More() {
		key, err := r.json.Token()
		if err != nil {
			return r.broken(err)
		}
		switch key {
		case "nodes":
			err = r.list(&nodes, "nodes", r.node)
		case "edges", "links":
			err = r.list(&edges, "edges or links", r.edge)
		case "adjacency":
			err = r.adjacency(&adjacency)
		case "directed":
			err = r.undirected()
		default:
			var skipped json.RawMessage
			if err = r.json.Decode(&skipped); err != nil {
				err = r.broken(err)
			}
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.json.Token(); err != nil {
		return r.broken(err)
	}
	end := r.at()
	if _, err := r.json.Token(); !errors.Is(err, io.EOF) {
		return r.assembly.errorf(end, "something follows the end of the graph; keep one graph per file")
	}
	if !nodes {
		return r.assembly.errorf(place{}, "there is no list \"nodes\"; node-link JSON is {\"nodes\": […], \"edges\": […]}")
	}
	switch {
	case adjacency && edges:
		return r.assembly.errorf(end, "the graph has edges and adjacency; leave one of them")
	case adjacency:
		return r.join()
	}
	return nil
}

func (r *nodeLinkReader) undirected() error {
	var directed any
	if err := r.json.Decode(&directed); err != nil {
		return r.broken(err)
	}
	if directed == true {
		return r.assembly.errorf(r.at(), "%w", problem.New("the graph is directed, but links are full duplex").Mend("write each link once and \"directed\": false"))
	}
	return nil
}

// list reads a list of objects, which may appear only once.
func (r *nodeLinkReader) list(seen *bool, name string, item func(place, map[string]json.RawMessage) error) error {
	begin := r.at()
	if *seen {
		return r.assembly.errorf(begin, "the list of %s is given twice", name)
	}
	*seen = true
	return r.array(begin, name, func() error {
		at, object, err := r.object(name)
		if err != nil {
			return err
		}
		return item(at, object)
	})
}

// array reads a list.
func (r *nodeLinkReader) array(begin place, name string, item func() error) error {
	if t, err := r.json.Token(); err != nil {
		return r.broken(err)
	} else if t != json.Delim('[') {
		return r.assembly.errorf(begin, "%s is not a list", name)
	}
	for r.json.More() {
		if err := item(); err != nil {
			return err
		}
	}
	if _, err := r.json.Token(); err != nil {
		return r.broken(err)
	}
	return nil
}

// object reads an object, and returns the place of its end, where messages about it point.
func (r *nodeLinkReader) object(list string) (place, map[string]json.RawMessage, error) {
	var object map[string]json.RawMessage
	err := r.json.Decode(&object)
	at := r.at()
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType):
		err = r.assembly.errorf(at, "an item of %s must be an object, not a %s", list, wrongType.Value)
	case err != nil:
		err = r.broken(err)
	}
	return at, object, err
}

// scalar returns a JSON string or number as text.
func scalar(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "", false
	}
	switch c := raw[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	case c == '-' || '0' <= c && c <= '9':
		return string(raw), true
	}
	return "", false
}

// known returns those attributes of an object that weft knows. Null values count as absent.
func (r *nodeLinkReader) known(at place, object map[string]json.RawMessage) (attributes, error) {
	var known attributes
	// The order only decides which of several mistakes is reported.
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if _, ours := knownAttribute(name); !ours || string(object[name]) == "null" {
			continue
		}
		value, ok := scalar(object[name])
		if !ok {
			return nil, r.assembly.errorf(at, "%s is neither a text nor a number", shorten(name))
		}
		known.set(name, value)
	}
	return known, nil
}

func (r *nodeLinkReader) node(at place, object map[string]json.RawMessage) error {
	id, ok := scalar(object["id"])
	if !ok {
		return r.assembly.errorf(at, "%w", problem.New("a node has no id").Mend("write a text or a number"))
	}
	known, err := r.known(at, object)
	if err != nil {
		return err
	}
	text, err := known.node(id)
	if err != nil {
		return r.assembly.errorf(at, "node %q: %w", shorten(id), err)
	}
	r.ids = append(r.ids, id)
	_, err = r.assembly.node(at, text)
	return err
}

func (r *nodeLinkReader) edge(at place, object map[string]json.RawMessage) error {
	source, ok := scalar(object["source"])
	target, also := scalar(object["target"])
	if !ok || !also {
		return r.assembly.errorf(at, "%w", problem.New("an edge has no source or no target").Mend("write the ids of two nodes"))
	}
	known, err := r.known(at, object)
	if err != nil {
		return err
	}
	text, err := known.link(source, target)
	if err != nil {
		return r.assembly.errorf(at, "the edge of %q and %q: %w", shorten(source), shorten(target), err)
	}
	r.edges = append(r.edges, nodeLinkEdge{text, at})
	return nil
}

// WriteNodeLink writes g so that ReadNodeLink reads the same graph, with one node or edge
// per line. The list of edges is called edges, as in NetworkX from 3.6 on. Older versions
// need edges="edges" or link="edges".
func (g *Graph) WriteNodeLink(w io.Writer) error {
	parallels := g.parallels()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "{\"directed\": false, \"multigraph\": %t, \"graph\": {},\n\"nodes\": [", slices.ContainsFunc(parallels, func(n int32) bool { return n > 0 }))
	numbers := g.hostNumbers()
	for i := range g.Nodes {
		separate(b, i)
		fmt.Fprintf(b, "{\"id\": %s", quoteJSON(g.Nodes[i].Name))
		for _, a := range g.nodeAttributes(NodeID(i), numbers) {
			format := ", %q: %q"
			switch a.name {
			case attributeTier, attributeGroup, attributeHostNumber:
				format = ", %q: %s"
			}
			fmt.Fprintf(b, format, a.name, a.value)
		}
		b.WriteByte('}')
	}
	b.WriteString("\n],\n\"edges\": [")
	for i, l := range g.Links {
		separate(b, i)
		fmt.Fprintf(b, "{\"source\": %s, \"target\": %s, \"rate\": %q, \"delay\": %q",
			quoteJSON(g.Nodes[l.A].Name), quoteJSON(g.Nodes[l.B].Name), l.Rate.String(), l.Delay.String())
		if parallels[i] > 0 {
			fmt.Fprintf(b, ", \"key\": %d", parallels[i])
		}
		b.WriteByte('}')
	}
	b.WriteString("\n]}\n")
	return b.Flush()
}

// separate writes what precedes item i of a list.
func separate(b *bufio.Writer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
	b.WriteString("\n  ")
}

// quoteJSON writes a name, which is printable text, as JSON.
func quoteJSON(name string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(name) // JSON can hold any text
	return string(bytes.TrimSpace(b.Bytes()))
}
