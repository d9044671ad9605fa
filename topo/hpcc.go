package topo

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/unit"
)

// ReadHPCC reads a topology file of HPCC's ns-3 simulator, which ConWeave's has
// too. The name stands for the source in messages, which begin with it, the line
// and the column.
//
//	NODES SWITCHES LINKS
//	ID ID …                     the switches; all other nodes are hosts
//	A B RATE DELAY ERROR        LINKS times
//
// Rates are as 100Gbps, or plain bits per second; delays as 1000ns or 0.001ms, or
// plain seconds. Nodes are named host0 or switch16 by their number. Links between
// the same nodes are parallel, as the count confirms them. The probability of
// errors must be 0. Latencies of switches are not in such files; those that weft
// writes have them, and names, in comments after the links, where the simulators
// read no further. Text after the links is ignored, with a note, unless it looks like a
// link.
func ReadHPCC(r io.Reader, name string, d Defaults) (*Graph, error) {
	reader := &hpccReader{assembly: newAssembly(d, inFile(name)), lines: newFieldReader(r)}
	reader.assembly.parallel = true
	for _, step := range []func() error{reader.header, reader.readSwitches, reader.readLinks, reader.readRemarks, reader.assemble} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return reader.assembly.finish()
}

type hpccReader struct {
	assembly *assembly
	lines    *fieldReader
	// The counts of the header, and where they are said.
	nodes, switches, links       int
	nodesAt, switchesAt, linksAt place
	ids                          []field // of switches
	list                         []hpccLink
	remarks                      []remark
}

type hpccLink struct {
	a, b  int
	rate  unit.Rate
	delay unit.Time
	at    place
}

// line goes to the next line, which must be there.
func (r *hpccReader) line(what string) error {
	if r.lines.next() {
		return nil
	}
	if err := r.lines.err(r.assembly); err != nil {
		return err
	}
	return r.assembly.errorf(place{r.lines.line + 1, 1}, "the file ends where %s is expected", what)
}

func (r *hpccReader) header() error {
	const what = "the first line, NODES SWITCHES LINKS,"
	if err := r.line(what); err != nil {
		return err
	}
	fields := r.lines.fields
	if len(fields) == 6 || len(fields) == 7 {
		return r.assembly.errorf(r.lines.begin(), "the first line has %d fields, as in SimAI's topologies: their GPUs have several links each, but a host of weft has one; use only the network between servers", len(fields))
	}
	if len(fields) != 3 {
		return r.assembly.errorf(r.lines.begin(), "the first line has %d fields; write NODES SWITCHES LINKS", len(fields))
	}
	for i, to := range []*int{&r.nodes, &r.switches, &r.links} {
		n, err := whole(fields[i].text, 0)
		if err != nil {
			return r.assembly.errorf(fields[i].at, "%w", err)
		}
		*to = n
	}
	r.nodesAt, r.switchesAt, r.linksAt = fields[0].at, fields[1].at, fields[2].at
	switch {
	case r.switches > r.nodes:
		return r.assembly.errorf(r.switchesAt, "%d of %d nodes are switches; the first number counts hosts and switches", r.switches, r.nodes)
	case r.nodes > r.links+1:
		return r.assembly.errorf(r.linksAt, "%d links cannot connect %d nodes; correct the counts", r.links, r.nodes)
	}
	return nil
}

func (r *hpccReader) readSwitches() error {
	for len(r.ids) < r.switches {
		if err := r.line(fmt.Sprintf("the number of switch %d of %d", len(r.ids)+1, r.switches)); err != nil {
			return err
		}
		r.ids = append(r.ids, r.lines.fields...)
	}
	if len(r.ids) > r.switches {
		return r.assembly.errorf(r.ids[r.switches].at, "more switches are listed than the %d of the first line", r.switches)
	}
	return nil
}

func (r *hpccReader) readLinks() error {
	for len(r.list) < r.links {
		if err := r.line(fmt.Sprintf("link %d of %d", len(r.list)+1, r.links)); err != nil {
			return err
		}
		l, err := r.link()
		if err != nil {
			return err
		}
		r.list = append(r.list, l)
	}
	return nil
}

func (r *hpccReader) link() (hpccLink, error) {
	l := hpccLink{at: r.lines.begin()}
	fields := r.lines.fields
	if len(fields) != 5 {
		return l, r.assembly.errorf(l.at, "the link has %d fields; write A B RATE DELAY ERROR", len(fields))
	}
	for i, to := range []*int{&l.a, &l.b} {
		n, err := whole(fields[i].text, 0)
		if err == nil && n >= r.nodes {
			err = fmt.Errorf("there is no node %d; the %d nodes are numbered from 0 to %d", n, r.nodes, r.nodes-1)
		}
		if err != nil {
			return l, r.assembly.errorf(fields[i].at, "%w", err)
		}
		*to = n
	}
	var err error
	if l.rate, err = unit.ParseRate(withUnit(fields[2].text, "bps")); err != nil {
		return l, r.assembly.errorf(fields[2].at, "%w", err)
	}
	if l.delay, err = unit.ParseTime(withUnit(fields[3].text, "s")); err != nil {
		return l, r.assembly.errorf(fields[3].at, "%w", err)
	}
	if e, err := strconv.ParseFloat(fields[4].text, 64); err != nil || e != 0 {
		return l, r.assembly.errorf(fields[4].at, "the link has an error probability of %q; write 0, and in the scenario a fault of the kind loss", shorten(fields[4].text))
	}
	return l, nil
}

// withUnit adds the unit that numbers without one have.
func withUnit(text, u string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text + u
	}
	return text
}

func (r *hpccReader) readRemarks() error {
	ignored, first := 0, place{}
	for r.lines.next() {
		comment, ours := r.lines.isComment()
		switch {
		case !comment && r.lines.numbered():
			return r.assembly.errorf(r.lines.begin(), "another link follows the %d that the first line counts; correct that number, or remove this line", r.links)
		case !comment: // files of the simulators explain their format there
			if ignored++; ignored == 1 {
				first = r.lines.begin()
			}
			continue
		case !ours:
			continue
		}
		m, err := r.lines.remark(r.assembly)
		if err != nil {
			return err
		}
		if m.about == aboutLinks {
			return r.assembly.errorf(m.at, "links have their rates and delays in their lines; leave the comment out")
		}
		r.remarks = append(r.remarks, m)
	}
	if ignored > 0 {
		r.assembly.note("line %d: text follows the %d links that the first line counts, as in files of the simulators; it is ignored (lines with text: %d)", first.line, r.links, ignored)
	}
	return r.lines.err(r.assembly)
}

// assemble makes the graph. There are about as many links as nodes at least, so
// that the counts of the header cannot ask for more memory than the file has.
func (r *hpccReader) assemble() error {
	nodes := make([]numberedNode, r.nodes)
	for i := range nodes {
		nodes[i].kind = Host
		nodes[i].at = r.nodesAt
	}
	for _, f := range r.ids {
		id, err := whole(f.text, 0)
		switch {
		case err != nil:
			return r.assembly.errorf(f.at, "%w", err)
		case id >= r.nodes:
			return r.assembly.errorf(f.at, "there is no node %d; the %d nodes are numbered from 0 to %d", id, r.nodes, r.nodes-1)
		case nodes[id].kind == Switch:
			return r.assembly.errorf(f.at, "switch %d is listed twice", id)
		}
		nodes[id].kind, nodes[id].at = Switch, f.at
	}
	for i := range nodes {
		nodes[i].name = numberedName(nodes[i].kind, i)
	}
	if err := r.assembly.addNumbered(nodes, r.remarks); err != nil {
		return err
	}
	for _, l := range r.list {
		if err := r.assembly.join(l.at, NodeID(l.a), NodeID(l.b), &l.rate, &l.delay); err != nil {
			return err
		}
	}
	return nil
}

// WriteHPCC writes g so that ReadHPCC reads the same graph. Latencies and names of
// switches are in comments after the links.
func (g *Graph) WriteHPCC(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d %d %d\n", len(g.Nodes), len(g.Nodes)-len(g.Hosts), len(g.Links))
	separator := ""
	for i := range g.Nodes {
		if g.Nodes[i].Kind == Switch {
			fmt.Fprintf(b, "%s%d", separator, i)
			separator = " "
		}
	}
	b.WriteByte('\n')
	for _, l := range g.Links {
		fmt.Fprintf(b, "%d %d %s %v 0\n", l.A, l.B, rateOfNS3(l.Rate), l.Delay)
	}
	fmt.Fprintf(b, "%s What follows is for weft; the simulators stop reading after the links.\n", commentMark)
	g.writeRemarks(b, func(n NodeID) string { return numberedName(g.Nodes[n].Kind, int(n)) })
	return b.Flush()
}

// rateOfNS3 writes a rate for ns-3, whose largest unit is Gbps.
func rateOfNS3(r unit.Rate) string {
	if text, ok := strings.CutSuffix(r.String(), "Tbps"); ok {
		return text + "000Gbps"
	}
	return r.String()
}

func (g *Graph) lostToHPCC() []Loss {
	lost := g.lostSwitches("HPCC")
	if n := g.notWhole(unit.Nanosecond); n > 0 {
		lost = append(lost, Loss{
			What:   fmt.Sprintf("ns-3 counts whole nanoseconds, but the delays of %d links are not whole", n),
			Remedy: "round them before exporting if it matters there",
			Kept:   true,
		})
	}
	pairs := 0
	for _, n := range g.parallels() {
		if n > 0 {
			pairs++
		}
	}
	if pairs > 0 {
		lost = append(lost, Loss{
			What:   fmt.Sprintf("HPCC uses only one of several cables between two nodes, and %d are parallel to others", pairs),
			Remedy: "combine them into one link with the sum of their rates",
			Kept:   true,
		})
	}
	return lost
}
