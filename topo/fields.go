package topo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/problem"
	"weft/unit"
)

// fieldReader reads a text line by line, and splits lines at blanks.
type fieldReader struct {
	scanner *bufio.Scanner
	line    int
	fields  []field
	// text is the whole line.
	text string
	// blanks holds the characters that separate fields.
	blanks string
}

// field is a word of a line.
type field struct {
	text string
	at   place
}

// byteOrderMark is written by some editors at the beginning of a text in UTF-8.
const byteOrderMark = "\ufeff"

// longestLine allows lines that list all switches of a large network.
const longestLine = 1 << 28

func newFieldReader(r io.Reader) *fieldReader {
	s := bufio.NewScanner(r)
	s.Buffer(nil, longestLine)
	return &fieldReader{scanner: s, blanks: " \t\r\v\f"}
}

// next advances to the next line that is not blank, and reports whether there is one.
func (r *fieldReader) next() bool {
	for r.scanner.Scan() {
		r.line++
		r.text = r.scanner.Text()
		if r.line == 1 {
			r.text = strings.TrimPrefix(r.text, byteOrderMark)
		}
		r.fields = r.fields[:0]
		for i := 0; i < len(r.text); {
			n := strings.IndexAny(r.text[i:], r.blanks)
			switch {
			case n == 0:
				i++
				continue
			case n < 0:
				n = len(r.text) - i
			}
			r.fields = append(r.fields, field{r.text[i : i+n], place{r.line, i + 1}})
			i += n
		}
		if len(r.fields) > 0 {
			return true
		}
	}
	return false
}

// begin returns the place of the line's first field.
func (r *fieldReader) begin() place { return r.fields[0].at }

// err returns the reason why lines ended, unless it is the end of the text.
func (r *fieldReader) err(a *assembly) error {
	err := r.scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return a.errorf(place{r.line + 1, 1}, "the line is longer than %d bytes", longestLine)
	}
	if err != nil {
		return a.errorf(place{}, "%w", err)
	}
	return nil
}

// numbered reports whether the line begins with two numbers, as the line of a link does.
func (r *fieldReader) numbered() bool {
	if len(r.fields) < 2 {
		return false
	}
	for _, f := range r.fields[:2] {
		if _, err := strconv.Atoi(f.text); err != nil {
			return false
		}
	}
	return true
}

// whole parses a whole number from least to maxLinks.
func whole(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > maxLinks {
		return 0, fmt.Errorf("%q is not a whole number from %d to %d", shorten(text), least, maxLinks)
	}
	return n, nil
}

// weft writes what a format has no place for into comments that begin with this mark. Other
// programs ignore comments.
const (
	commentMark = "#"
	weftMark    = "weft"
)

// isComment reports whether a line is a comment, and whether weft wrote it.
func (r *fieldReader) isComment() (comment, ours bool) {
	if !strings.HasPrefix(r.fields[0].text, commentMark) {
		return false, false
	}
	return true, r.fields[0].text == commentMark && len(r.fields) > 1 && r.fields[1].text == weftMark
}

// remark is the content of a comment that weft wrote: its subject and its attributes.
type remark struct {
	at    place
	about string
	// id is the number of the node in question.
	id         int
	attributes attributes
	name       string
}

// The subjects of remarks.
const (
	aboutNode  = "node"
	aboutLinks = "links"
)

// remark reads a line such as
//
//	# weft node 16 name=tor0 tier=1 latency=500ns
//	# weft links rate=400Gbps delay=500ns
//
// The second line applies to all links that follow.
func (r *fieldReader) remark(a *assembly) (remark, error) {
	m := remark{at: r.begin()}
	fields := r.fields[2:]
	if len(fields) > 0 {
		m.about = fields[0].text
		fields = fields[1:]
	}
	switch m.about {
	case aboutLinks:
	case aboutNode:
		if len(fields) == 0 {
			return m, a.errorf(m.at, "%w", problem.New("the comment names no node").Mend("write # weft node NUMBER"))
		}
		id, err := whole(fields[0].text, 0)
		if err != nil {
			return m, a.errorf(fields[0].at, "%w", err)
		}
		m.id = id
		fields = fields[1:]
	default:
		return m, a.errorf(m.at, "%w", problem.New("comments that begin with # weft describe a node or links").Mend("write any other without the word weft"))
	}
	for _, f := range fields {
		name, value, ok := strings.Cut(f.text, "=")
		before := len(m.attributes)
		switch {
		case ok && name == "name" && m.about == aboutNode:
			m.name = value
			continue
		case ok:
			m.attributes.set(name, value)
		}
		if len(m.attributes) == before {
			return m, a.errorf(f.at, "%w", problem.New("%q is unknown here, or is given twice", shorten(f.text)).Mend("write NAME=VALUE"))
		}
	}
	return m, nil
}

// numberedNode is a node in a format that numbers nodes.
type numberedNode struct {
	name string
	at   place
	text attributes
	kind Kind
}

// addNumbered adds nodes to a graph, as described by the format and by remarks.
func (a *assembly) addNumbered(nodes []numberedNode, remarks []remark) error {
	for _, m := range remarks {
		if m.about != aboutNode {
			continue
		}
		if m.id >= len(nodes) {
			return a.errorf(m.at, "there is no node %d; the last is %d", m.id, len(nodes)-1)
		}
		n := &nodes[m.id]
		if n.text != nil {
			return a.errorf(m.at, "there are two comments about node %d", m.id)
		}
		n.text = m.attributes
		if m.name != "" {
			n.name = m.name
		}
		n.at = m.at
	}
	for i := range nodes {
		n := &nodes[i]
		text, err := n.text.node(n.name)
		if err != nil {
			return a.errorf(n.at, "node %d: %w", i, err)
		}
		text.kind = &n.kind
		if _, err := a.node(n.at, text); err != nil {
			return err
		}
	}
	return nil
}

// numberedName names a node by its kind and number, for formats that number nodes.
func numberedName(k Kind, id int) string { return k.String() + strconv.Itoa(id) }

// writeRemarks writes remarks for everything that the numbers of the nodes do not convey.
func (g *Graph) writeRemarks(b *bufio.Writer, name func(NodeID) string) {
	numbers := g.hostNumbers()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		attributes := g.nodeAttributes(NodeID(i), numbers)[1:]
		given := n.Name == name(NodeID(i))
		if given && len(attributes) == 0 {
			continue
		}
		fmt.Fprintf(b, "%s %s %s %d", commentMark, weftMark, aboutNode, i)
		if !given {
			fmt.Fprintf(b, " name=%s", n.Name)
		}
		for _, a := range attributes {
			fmt.Fprintf(b, " %s=%s", a.name, a.value)
		}
		b.WriteByte('\n')
	}
}

// lostSwitches returns the losses in formats without switch latencies and names, which weft
// writes into comments.
func (g *Graph) lostSwitches(program string) []Loss {
	var lost []Loss
	slow := 0
	for i := range g.Nodes {
		if g.Nodes[i].Latency > 0 {
			slow++
		}
	}
	if slow > 0 {
		lost = append(lost, Loss{
			What:   fmt.Sprintf("%s has no latencies of switches, but %d switches have one", program, slow),
			Remedy: "add them to the delays of links if they matter there",
			Kept:   true,
		})
	}
	return append(lost, Loss{
		What:   program + " numbers nodes and has neither names nor tiers",
		Remedy: "comments in the file list them",
		Kept:   true,
	})
}

// notWhole counts the links whose delays are not a multiple of a unit.
func (g *Graph) notWhole(u unit.Time) (broken int) {
	for _, l := range g.Links {
		if l.Delay%u != 0 {
			broken++
		}
	}
	return broken
}

// inThousands writes n as a decimal number of units. A unit is a power of 1000.
func inThousands[U ~int64](n int64, u U) string {
	whole, rest := n/int64(u), n%int64(u)
	if rest == 0 {
		return strconv.FormatInt(whole, 10)
	}
	digits := strconv.FormatInt(int64(u)+rest, 10)[1:]
	return strconv.FormatInt(whole, 10) + "." + strings.TrimRight(digits, "0")
}
