package topo

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/problem"
	"weft/unit"
)

// ReadHPCC reads a topology file of HPCC's ns-3 simulator; ConWeave's uses the same format.
// Messages begin with name, the line and the column.
//
//	NODES SWITCHES LINKS
//	ID ID …                     the switches; all other nodes are hosts
//	A B RATE DELAY ERROR        LINKS times
//
// The simulators of PowerTCP and Reverie write NODES SWITCHES TORS LINKS, where the first
// TORS switches have the hosts. They may add the rates of hosts' links and of links between
// switches. ReadHPCC ignores these, since each link has its own rate.
//
// Rates are as in 100Gbps, or plain bits per second. Delays are as in 1000ns or 0.001ms, or
// plain seconds. Nodes are named by their number, as in host0 or switch16. Several links
// between the same nodes are parallel, since the header counts them. The probability of
// errors must be 0. The format has no latencies of switches. Files that weft writes have
// latencies and names in comments after the links, where the simulators stop reading. Like
// the simulators, ReadHPCC ignores links beyond the counted ones, and other text there;
// Notes report it.
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
	// The counts of the header, and their places. tors is -1 if it is missing.
	nodes, switches, tors, links         int
	nodesAt, switchesAt, torsAt, linksAt place
	ids                                  []field // of switches
	list                                 []hpccLink
	remarks                              []remark
}

type hpccLink struct {
	a, b  int
	rate  unit.Rate
	delay unit.Time
	at    place
}

// line advances to the next line, which must exist.
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
	counts := []*int{&r.nodes, &r.switches, &r.links}
	places := []*place{&r.nodesAt, &r.switchesAt, &r.linksAt}
	r.tors = -1
	switch n := len(fields); {
	case n == 3:
	case n == 4 || n == 6 && isRate(fields[4].text) && isRate(fields[5].text):
		counts = slices.Insert(counts, 2, &r.tors)
		places = slices.Insert(places, 2, &r.torsAt)
	case n == 6 || n == 7:
		return r.assembly.errorf(r.lines.begin(), "%w", problem.New("the first line has %d fields, as in SimAI's topologies: their GPUs have several links each, but a host of weft has one", n).Mend("use only the network between servers"))
	default:
		return r.assembly.errorf(r.lines.begin(), "%w", problem.New("the first line has %d fields", n).Mend("write NODES SWITCHES LINKS, or as PowerTCP's and Reverie's simulators NODES SWITCHES TORS LINKS, with the rates of hosts and of switches or without"))
	}
	for i, to := range counts {
		n, err := whole(fields[i].text, 0)
		if err != nil {
			return r.assembly.errorf(fields[i].at, "%w", err)
		}
		*to, *places[i] = n, fields[i].at
	}
	switch {
	case r.switches > r.nodes:
		return r.assembly.errorf(r.switchesAt, "%d of %d nodes are switches; the first number counts hosts and switches", r.switches, r.nodes)
	case r.tors > r.switches:
		return r.assembly.errorf(r.torsAt, "%d of %d switches are ToRs; the four numbers are NODES SWITCHES TORS LINKS", r.tors, r.switches)
	case r.nodes > r.links+1:
		return r.assembly.errorf(r.linksAt, "%d links cannot connect %d nodes; correct the counts", r.links, r.nodes)
	}
	return nil
}

// isRate reports whether a field is a rate, with its unit or in bits per second.
func isRate(text string) bool {
	_, err := unit.ParseRate(withUnit(text, "bps"))
	return err == nil
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
		return l, r.assembly.errorf(l.at, "%w", problem.New("the link has %d fields", len(fields)).Mend("write A B RATE DELAY ERROR"))
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
		return l, r.assembly.errorf(fields[4].at, "%w", problem.New("the link has an error probability of %q", shorten(fields[4].text)).Mend("write 0, and in the scenario a fault of the kind loss"))
	}
	return l, nil
}

// withUnit adds the unit to a number without one.
func withUnit(text, u string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text + u
	}
	return text
}

func (r *hpccReader) readRemarks() error {
	var more, text linesAfter
	for r.lines.next() {
		comment, ours := r.lines.isComment()
		switch {
		case !comment && r.lines.numbered():
			more.add(r.lines.line)
			continue
		case !comment: // the simulators' files explain their format there
			text.add(r.lines.line)
			continue
		case !ours:
			continue
		}
		m, err := r.lines.remark(r.assembly)
		if err != nil {
			return err
		}
		if m.about == aboutLinks {
			return r.assembly.errorf(m.at, "%w", problem.New("links have their rates and delays in their lines").Mend("leave the comment out"))
		}
		r.remarks = append(r.remarks, m)
	}
	if more.count > 0 {
		r.assembly.note("line %d: more links follow the %d that the first line counts; they are left out, as the simulators do; for all, write %d there (links left out: %d)", more.first, r.links, r.links+more.count, more.count)
	}
	if text.count > 0 {
		r.assembly.note("line %d: text follows the %d links that the first line counts, as in files of the simulators; it is ignored (lines with text: %d)", text.first, r.links, text.count)
	}
	return r.lines.err(r.assembly)
}

// linesAfter counts surplus lines of a kind, beyond those counted in the header.
type linesAfter struct{ count, first int }

func (l *linesAfter) add(line int) {
	if l.count++; l.count == 1 {
		l.first = line
	}
}

// assemble builds the graph. It requires about as many links as nodes, so that the counts
// of the header cannot demand more memory than the file justifies.
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

// WriteHPCC writes g so that ReadHPCC reads the same graph. Latencies and names of switches
// go into comments after the links.
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
