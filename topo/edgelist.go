package topo

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/problem"
	"weft/unit"
)

// ReadEdgeList reads a plain list of edges, as TopoBench, SNAP and NetworkX
// (write_edgelist) write them: one line per link with the names of its two nodes, separated
// by blanks or a comma. Messages begin with name, the line and the column.
//
//	# comment
//	tor0 spine0
//	tor0 spine1 400Gbps 500ns
//	tor1 spine0 {'capacity': '400Gbps', 'weight': 2}
//
// The names may be followed by a rate and a delay with their units, or by a Python
// dictionary with the attributes that ReadGraphML reads. Numbers without a unit are
// weights, which weft does not use. Comments are lines and ends of lines that begin with #,
// and lines that begin with %. Nodes and hosts are numbered in the order in which they
// first appear.
//
// If every edge is given in both directions, the two are one link. Otherwise several edges
// between the same nodes are refused as duplicates, unless keys in their dictionaries
// distinguish them.
func ReadEdgeList(r io.Reader, name string, d Defaults) (*Graph, error) {
	reader := &edgeListReader{assembly: newAssembly(d, inFile(name)), lines: newFieldReader(r)}
	reader.lines.blanks += ",;"
	reader.assembly.numbering = "tell them apart with {'key': 1}"
	for reader.lines.next() {
		if err := reader.read(); err != nil {
			return nil, err
		}
	}
	if err := reader.lines.err(reader.assembly); err != nil {
		return nil, err
	}
	return reader.assemble()
}

type edgeListReader struct {
	assembly *assembly
	lines    *fieldReader
	edges    []listedEdge
	weights  int // edges with a weight
}

type listedEdge struct {
	a, b NodeID
	at   place
	text linkText
}

// words returns the fields of the line before a comment or dictionary, and the dictionary.
func (r *edgeListReader) words() (fields []field, dictionary string, at place) {
	text := r.lines.text
	for i, f := range r.lines.fields {
		if strings.HasPrefix(f.text, commentMark) || i == 0 && strings.HasPrefix(f.text, "%") {
			return r.lines.fields[:i], "", place{}
		}
		if n := strings.IndexByte(f.text, '{'); n == 0 {
			return r.lines.fields[:i], text[f.at.column-1:], f.at
		}
	}
	return r.lines.fields, "", place{}
}

func (r *edgeListReader) read() error {
	fields, dictionary, at := r.words()
	if len(fields) == 0 && dictionary == "" {
		return nil
	}
	if len(fields) < 2 {
		return r.assembly.errorf(r.lines.begin(), "%w", problem.New("the line names no two nodes").Mend("write A B, with a rate and a delay if needed, as in tor0 spine0 400Gbps 500ns"))
	}
	e := listedEdge{at: fields[0].at}
	for i, end := range []*NodeID{&e.a, &e.b} {
		id, err := r.node(fields[i])
		if err != nil {
			return err
		}
		*end = id
	}
	var given attributes
	weight := false
	for _, f := range fields[2:] {
		name := ""
		switch _, err := strconv.ParseFloat(f.text, 64); {
		case err == nil || errors.Is(err, strconv.ErrRange):
			weight = true
			continue
		case parses(unit.ParseRate, f.text):
			name = attributeRate
		case parses(unit.ParseTime, f.text):
			name = attributeDelay
		default:
			return r.assembly.errorf(f.at, "%w", problem.New("%q is neither a rate, as 400Gbps, nor a delay, as 500ns, nor a weight", shorten(f.text)).Mend("leave it out, or write its unit"))
		}
		before := len(given)
		if given.set(name, f.text); len(given) == before {
			return r.assembly.errorf(f.at, "the link has two values for its %s; leave one", name)
		}
	}
	if dictionary != "" {
		items, err := pythonDictionary(dictionary)
		if err != nil {
			return r.assembly.errorf(at, "%w", err)
		}
		for _, item := range items {
			weight = weight || item.name == "weight"
			given.set(item.name, item.value)
		}
	}
	var err error
	if e.text, err = given.link("", ""); err != nil {
		return r.assembly.errorf(e.at, "the edge of %q and %q: %w", shorten(fields[0].text), shorten(fields[1].text), err)
	}
	if weight {
		r.weights++
	}
	r.edges = append(r.edges, e)
	return nil
}

func parses[T any](parse func(string) (T, error), text string) bool {
	_, err := parse(text)
	return err == nil
}

// node returns a node, and adds it when it first appears.
func (r *edgeListReader) node(f field) (NodeID, error) {
	if id, known := r.assembly.index[f.text]; known {
		return id, nil
	}
	// Clone, since the name is kept and the line is not.
	return r.assembly.node(f.at, nodeText{name: strings.Clone(f.text)})
}

// bothWays reports whether every edge is given in both directions.
func (r *edgeListReader) bothWays() bool {
	count := make(map[[2]NodeID]int, len(r.edges))
	for _, e := range r.edges {
		count[[2]NodeID{e.a, e.b}]++
	}
	for pair, n := range count {
		if pair[0] == pair[1] || count[[2]NodeID{pair[1], pair[0]}] != n {
			return false
		}
	}
	return len(count) > 0
}

func (r *edgeListReader) assemble() (*Graph, error) {
	a := r.assembly
	both := r.bothWays()
	open := map[[2]NodeID][]*linkText{}
	for i := range r.edges {
		e := &r.edges[i]
		back := [2]NodeID{e.b, e.a}
		if waiting := open[back]; both && len(waiting) > 0 {
			if other := waiting[0]; !same(e.text.rate, other.rate) || !same(e.text.delay, other.delay) {
				nodes := a.graph.Nodes
				return nil, a.errorf(e.at, "the edge of %q and %q: %w", nodes[e.a].Name, nodes[e.b].Name, unlikeDirections())
			}
			open[back] = waiting[1:]
			continue
		}
		open[[2]NodeID{e.a, e.b}] = append(open[[2]NodeID{e.a, e.b}], &e.text)
		a.keep(e.text.key)
		if err := a.join(e.at, e.a, e.b, e.text.rate, e.text.delay); err != nil {
			return nil, err
		}
	}
	if both {
		a.note("every edge is there in both directions; each two of them are one full-duplex link here")
	}
	if r.weights > 0 {
		a.note("%d edges have a weight, which nothing here uses; a rate is written with its unit, as in 400Gbps", r.weights)
	}
	return a.finish()
}

// pythonDictionary parses a dictionary of plain values, as NetworkX writes it after an
// edge: {'weight': 3.5, 'capacity': '400Gbps'}.
func pythonDictionary(text string) ([]attribute, error) {
	rest := strings.TrimSpace(text)
	wrong := func(what string) error {
		return problem.New("this is no dictionary of Python: %s", what).Mend("write as in {'capacity': '400Gbps', 'weight': 2}")
	}
	rest, _ = strings.CutPrefix(rest, "{")
	var items []attribute
	for {
		rest = strings.TrimLeft(rest, " \t")
		if after, done := strings.CutPrefix(rest, "}"); done && strings.TrimSpace(after) == "" {
			return items, nil
		}
		if len(items) > 0 {
			after, ok := strings.CutPrefix(rest, ",")
			if !ok {
				return nil, wrong(fmt.Sprintf("%q stands where a comma or } is due", shorten(rest)))
			}
			rest = strings.TrimLeft(after, " \t")
		}
		var item attribute
		var ok bool
		if item.name, rest, ok = pythonWord(rest); !ok {
			return nil, wrong(fmt.Sprintf("%q is no name in quotation marks", shorten(rest)))
		}
		after, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t"), ":")
		if !ok {
			return nil, wrong(fmt.Sprintf("no colon follows %q", shorten(item.name)))
		}
		rest = strings.TrimLeft(after, " \t")
		if item.value, after, ok = pythonWord(rest); !ok {
			end := strings.IndexAny(rest, ",}[({'\"")
			if end < 1 || strings.IndexByte(",}", rest[end]) < 0 {
				return nil, wrong(fmt.Sprintf("the value of %q is neither a text nor a number", shorten(item.name)))
			}
			item.value, after = strings.TrimSpace(rest[:end]), rest[end:]
		}
		rest = after
		items = append(items, item)
	}
}

// pythonWord reads a text in quotation marks without escapes, and returns the rest.
func pythonWord(text string) (word, rest string, ok bool) {
	if text == "" || text[0] != '\'' && text[0] != '"' {
		return "", text, false
	}
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 {
		return "", text, false
	}
	return text[1 : 1+end], text[2+end:], true
}
