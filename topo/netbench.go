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

// ReadNetbench reads a topology file of netbench. Messages begin with name, the line and
// the column.
//
//	|V|=6
//	|E|=10
//	ToRs=set(0,1)
//	Servers=incl_range(2,5)
//	Switches=set()
//
//	0 2
//	2 0
//
// |E| counts directed edges, two per link. ToRs and Switches are switches, and Servers are
// hosts. Nodes are named by their number, as in host2, tor0 or switch1. If the ToRs
// themselves are the servers, HostsPerSwitch adds hosts to each of them, like netbench's
// scenario_topology_extend_with_servers. Edges that appear twice in both directions are
// parallel links, since |E| counts them.
//
// The format has no rates, delays and latencies: netbench reads them from the properties of
// a run ([ReadNetbenchRun]). They become defaults here. Files that weft writes have them,
// and names, in comments.
func ReadNetbench(r io.Reader, name string, d Defaults) (*Graph, error) {
	reader := &netbenchReader{
		assembly: newAssembly(d, inFile(name)),
		lines:    newFieldReader(r),
		at:       map[string]place{},
		lists:    map[string][]idRange{},
		open:     map[[2]int][]int{},
	}
	reader.assembly.parallel = true
	for reader.lines.next() {
		if err := reader.read(); err != nil {
			return nil, err
		}
	}
	if err := reader.lines.err(reader.assembly); err != nil {
		return nil, err
	}
	if err := reader.assemble(); err != nil {
		return nil, err
	}
	return reader.assembly.finish()
}

const netbenchName = "netbench"

// The keys of a topology file.
const (
	netbenchNodes    = "|V|"
	netbenchEdges    = "|E|"
	netbenchToRs     = "ToRs"
	netbenchServers  = "Servers"
	netbenchSwitches = "Switches"
	netbenchExtended = "AutoExtended"
)

func netbenchKeys() []string {
	return []string{netbenchNodes, netbenchEdges, netbenchToRs, netbenchServers, netbenchSwitches}
}

type netbenchReader struct {
	assembly *assembly
	lines    *fieldReader
	// at holds the place of each key.
	at           map[string]place
	nodes, edges int
	lists        map[string][]idRange
	// links are in the order of their first edges. open holds the links whose edge back has
	// not been read yet, by the nodes of that edge.
	links   []netbenchLink
	open    map[[2]int][]int
	seen    int // directed edges
	remarks []remark
	// rate and delay are set by a comment and apply to the links that follow.
	rate  *unit.Rate
	delay *unit.Time
}

type netbenchLink struct {
	a, b  int
	at    place
	rate  *unit.Rate
	delay *unit.Time
}

// idRange is a range of nodes, including the last one.
type idRange struct {
	from, to int
	at       place
}

func (r *netbenchReader) read() error {
	comment, ours := r.lines.isComment()
	switch {
	case ours:
		return r.remark()
	case comment:
		return nil
	}
	if key, value, ok := strings.Cut(r.lines.text, "="); ok {
		return r.key(strings.TrimSpace(key), strings.TrimSpace(value))
	}
	return r.edge()
}

func (r *netbenchReader) remark() error {
	m, err := r.lines.remark(r.assembly)
	if err != nil {
		return err
	}
	if m.about == aboutNode {
		r.remarks = append(r.remarks, m)
		return nil
	}
	l, err := m.attributes.link("", "")
	if err != nil {
		return r.assembly.errorf(m.at, "%w", err)
	}
	r.rate, r.delay = l.rate, l.delay
	return nil
}

func (r *netbenchReader) key(key, value string) error {
	at := r.lines.begin()
	if before, twice := r.at[key]; twice {
		return r.assembly.errorf(at, "%s is already given (%s)", shorten(key), r.assembly.show(before))
	}
	r.at[key] = at
	var err error
	switch key {
	case netbenchNodes:
		r.nodes, err = whole(value, 1)
	case netbenchEdges:
		r.edges, err = whole(value, 0)
	case netbenchToRs, netbenchServers, netbenchSwitches:
		r.lists[key], err = collection(value, at)
	case netbenchExtended:
	default:
		return r.assembly.errorf(at, "unknown key %q; there are %s", shorten(key), strings.Join(netbenchKeys(), ", "))
	}
	if err != nil {
		return r.assembly.errorf(at, "%s: %w", key, err)
	}
	return nil
}

// collection parses set(1,2,3) or incl_range(0,9).
func collection(text string, at place) ([]idRange, error) {
	inside, isRange := strings.CutPrefix(text, "incl_range(")
	isSet := false
	if !isRange {
		inside, isSet = strings.CutPrefix(text, "set(")
	}
	inside, closed := strings.CutSuffix(inside, ")")
	if !isRange && !isSet || !closed {
		return nil, fmt.Errorf("%q is neither set(1,2,3) nor incl_range(1,3)", shorten(text))
	}
	var list []idRange
	if strings.TrimSpace(inside) == "" && isSet {
		return list, nil
	}
	for part := range strings.SplitSeq(inside, ",") {
		n, err := whole(strings.TrimSpace(part), 0)
		if err != nil {
			return nil, err
		}
		list = append(list, idRange{n, n, at})
	}
	if !isRange {
		return list, nil
	}
	if len(list) != 2 || list[0].from > list[1].from {
		return nil, problem.New("%q is not a range", shorten(text)).Mend("write incl_range(FIRST,LAST)")
	}
	return []idRange{{list[0].from, list[1].from, at}}, nil
}

func (r *netbenchReader) edge() error {
	at := r.lines.begin()
	if len(r.lines.fields) != 2 {
		return r.assembly.errorf(at, "%w", problem.New("the edge has %d fields", len(r.lines.fields)).Mend("write the numbers of two nodes"))
	}
	var ends [2]int
	for i, f := range r.lines.fields {
		n, err := whole(f.text, 0)
		if err != nil {
			return r.assembly.errorf(f.at, "%w", err)
		}
		ends[i] = n
	}
	if ends[0] == ends[1] {
		return r.assembly.errorf(at, "%w", problem.New("node %d is linked to itself", ends[0]).Mend("leave the link out"))
	}
	r.seen++
	if waiting := r.open[ends]; len(waiting) > 0 {
		if len(waiting) == 1 {
			delete(r.open, ends)
		} else {
			r.open[ends] = waiting[1:]
		}
		return nil
	}
	back := [2]int{ends[1], ends[0]}
	r.open[back] = append(r.open[back], len(r.links))
	r.links = append(r.links, netbenchLink{ends[0], ends[1], at, r.rate, r.delay})
	return nil
}

func (r *netbenchReader) check() error {
	for _, key := range netbenchKeys() {
		if _, ok := r.at[key]; !ok {
			return r.assembly.errorf(place{}, "%s is missing; a topology of netbench has %s", key, strings.Join(netbenchKeys(), ", "))
		}
	}
	if r.seen != r.edges {
		return r.assembly.errorf(r.at[netbenchEdges], "|E| is %d, but %d directed edges follow; every link has two", r.edges, r.seen)
	}
	oneWay := -1
	for _, waiting := range r.open {
		// The first in the file, whatever the order of the map.
		if oneWay < 0 || waiting[0] < oneWay {
			oneWay = waiting[0]
		}
	}
	if oneWay >= 0 {
		l := r.links[oneWay]
		return r.assembly.errorf(l.at, "the edge from %d to %d has no edge back; links are full duplex, so add %[2]d %[1]d", l.a, l.b)
	}
	// Do not allocate memory for nodes that the file does not have.
	if r.nodes > len(r.links)+1 {
		return r.assembly.errorf(r.at[netbenchNodes], "%d links cannot connect %d nodes; correct |V|, or add the links", len(r.links), r.nodes)
	}
	return nil
}

// The roles of a netbench node, which may have several.
const (
	roleToR = 1 << iota
	roleServer
	roleSwitch
)

type netbenchRoleKey struct {
	key  string
	role uint8
}

func netbenchRoleKeys() []netbenchRoleKey {
	return []netbenchRoleKey{{netbenchToRs, roleToR}, {netbenchServers, roleServer}, {netbenchSwitches, roleSwitch}}
}

func (r *netbenchReader) assemble() error {
	if err := r.check(); err != nil {
		return err
	}
	roles := make([]uint8, r.nodes)
	for _, list := range netbenchRoleKeys() {
		for _, span := range r.lists[list.key] {
			if span.to >= r.nodes {
				return r.assembly.errorf(span.at, "%s: there is no node %d; the %d nodes are numbered from 0 to %d", list.key, span.to, r.nodes, r.nodes-1)
			}
			for id := span.from; id <= span.to; id++ {
				roles[id] |= list.role
			}
		}
	}
	// Either all ToRs are servers or none is.
	serving := slices.Contains(roles, roleToR|roleServer)
	nodes := make([]numberedNode, r.nodes)
	for id, role := range roles {
		n := &nodes[id]
		n.at = r.at[netbenchToRs]
		switch {
		case role == roleServer && !serving:
			n.kind, n.name, n.at = Host, numberedName(Host, id), r.at[netbenchServers]
		case role == roleToR && !serving, role == roleToR|roleServer:
			n.name = "tor" + strconv.Itoa(id)
			if serving {
				r.assembly.edge = append(r.assembly.edge, NodeID(id))
			}
		case role == roleSwitch:
			n.name, n.at = numberedName(Switch, id), r.at[netbenchSwitches]
		case role == 0:
			return r.assembly.errorf(r.at[netbenchNodes], "%w", problem.New("node %d is in none of ToRs, Servers and Switches", id).Mend("add it to one"))
		case serving:
			return r.assembly.errorf(n.at, "node %d: either the ToRs are exactly the servers, or no ToR is a server", id)
		default:
			return r.assembly.errorf(n.at, "%w", problem.New("node %d has several roles", id).Mend("put it into one of ToRs, Servers and Switches"))
		}
	}
	if serving && r.assembly.defaults.HostsPerSwitch == 0 {
		return r.assembly.errorf(r.at[netbenchServers], "%w", problem.New("the servers are the ToRs themselves").Mend("put hosts on each of them (hosts_per_switch)"))
	}
	return r.join(nodes)
}

func (r *netbenchReader) join(nodes []numberedNode) error {
	if err := r.assembly.addNumbered(nodes, r.remarks); err != nil {
		return err
	}
	for _, l := range r.links {
		if max(l.a, l.b) >= r.nodes {
			return r.assembly.errorf(l.at, "there is no node %d; the %d nodes are numbered from 0 to %d", max(l.a, l.b), r.nodes, r.nodes-1)
		}
		if err := r.assembly.join(l.at, NodeID(l.a), NodeID(l.b), l.rate, l.delay); err != nil {
			return err
		}
	}
	return nil
}

// WriteNetbench writes g so that ReadNetbench reads the same graph. Rates, delays,
// latencies and names go into comments.
func (g *Graph) WriteNetbench(w io.Writer) error {
	b := bufio.NewWriter(w)
	roles := g.netbenchRoles()
	if rate, delay := g.commonLink(); len(g.Links) > 0 {
		fmt.Fprintf(b, "# In the properties of a run:\n#   link_bandwidth_bit_per_ns=%s\n#   link_delay_ns=%s\n", inThousands(int64(rate), unit.Gbps), inThousands(int64(delay), unit.Nanosecond))
	}
	fmt.Fprintf(b, "%s=%d\n%s=%d\n", netbenchNodes, len(g.Nodes), netbenchEdges, 2*len(g.Links))
	for _, list := range netbenchRoleKeys() {
		fmt.Fprintf(b, "%s=%s\n", list.key, writeCollection(roles, list.role))
	}
	g.writeRemarks(b, func(n NodeID) string {
		if roles[n] == roleToR {
			return "tor" + strconv.Itoa(int(n))
		}
		return numberedName(g.Nodes[n].Kind, int(n))
	})
	b.WriteByte('\n')
	for i, l := range g.Links {
		if i == 0 || l.Rate != g.Links[i-1].Rate || l.Delay != g.Links[i-1].Delay {
			fmt.Fprintf(b, "%s %s %s rate=%v delay=%v\n", commentMark, weftMark, aboutLinks, l.Rate, l.Delay)
		}
		fmt.Fprintf(b, "%d %d\n%[2]d %[1]d\n", l.A, l.B)
	}
	return b.Flush()
}

// netbenchRoles returns the role of each node. Switches with hosts are ToRs.
func (g *Graph) netbenchRoles() []uint8 {
	roles := make([]uint8, len(g.Nodes))
	for i := range roles {
		roles[i] = roleSwitch
		if g.Nodes[i].Kind == Host {
			roles[i] = roleServer
		}
	}
	for _, l := range g.Links {
		for _, end := range [2][2]NodeID{{l.A, l.B}, {l.B, l.A}} {
			if g.Nodes[end[0]].Kind == Host && g.Nodes[end[1]].Kind == Switch {
				roles[end[1]] = roleToR
			}
		}
	}
	return roles
}

// writeCollection writes the nodes of a role, as a range if they are consecutive.
func writeCollection(roles []uint8, role uint8) string {
	var ids []string
	first, last := -1, -1
	for id, r := range roles {
		if r != role {
			continue
		}
		if first < 0 {
			first = id
		}
		last = id
		ids = append(ids, strconv.Itoa(id))
	}
	if len(ids) > 2 && last-first+1 == len(ids) {
		return fmt.Sprintf("incl_range(%d,%d)", first, last)
	}
	return "set(" + strings.Join(ids, ",") + ")"
}

// commonLink returns the rate and the delay of the first link between switches, or else of
// the first link.
func (g *Graph) commonLink() (rate unit.Rate, delay unit.Time) {
	for _, l := range g.Links {
		between := g.Nodes[l.A].Kind == Switch && g.Nodes[l.B].Kind == Switch
		if rate == 0 || between {
			rate, delay = l.Rate, l.Delay
		}
		if between {
			break
		}
	}
	return rate, delay
}

func (g *Graph) lostToNetbench() []Loss {
	lost := g.lostSwitches(netbenchName)
	rate, delay := g.commonLink()
	rates, delays := 0, 0
	for _, l := range g.Links {
		if l.Rate != rate {
			rates++
		}
		if l.Delay != delay {
			delays++
		}
	}
	for _, other := range []struct {
		n    int
		what string
	}{{rates, "rate"}, {delays, "delay"}} {
		if other.n > 0 {
			lost = append(lost, Loss{
				What:   fmt.Sprintf("netbench has one %s for all links, but %d differ from the one in the file", other.what, other.n),
				Remedy: "give all links the same",
				Kept:   true,
			})
		}
	}
	return lost
}
