package topo

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"weft/problem"
	"weft/unit"
)

// ReadHtsim reads a fat tree of htsim, given by its parameters (.topo). Messages begin with
// name, the line and the column.
//
//	Nodes N, Tiers 2|3, Podsize HOSTS       then for each tier, from 0 for ToRs:
//	Tier I
//	Downlink_speed_Gbps, Downlink_Latency_ns of the links down to hosts
//	Radix_Down, Radix_Up                    links of a switch; none up at the top
//	Switch_Latency_ns, Oversubscribed, Bundle   0, 1 and 1 when absent
//	Queue_Down, Queue_Up                    not read: queues are the scenario's
//
// Keys may be in any case, and # begins a comment. The wiring is htsim's. ToRs and
// aggregation switches of a pod are completely linked. Aggregation switch i of every pod is
// linked to the cores i, i+A, i+2A and so on, where A is the number of aggregation switches
// in a pod. Nodes are host0, tor0, agg0 and core0, or spine0 with two tiers. As in htsim,
// the rates, radices and oversubscription of a tier must agree.
func ReadHtsim(r io.Reader, name string, d Defaults) (*Graph, error) {
	p := &htsimReader{assembly: newAssembly(d, inFile(name)), lines: newFieldReader(r), tier: -1}
	for p.lines.next() {
		if err := p.read(); err != nil {
			return nil, err
		}
	}
	if err := p.lines.err(p.assembly); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if d.HostsPerSwitch > 0 {
		return nil, p.assembly.errorf(place{}, "%w", problem.New("hosts_per_switch is for graphs without hosts").Mend("leave it out"))
	}
	g, err := p.tree.build()
	if err != nil {
		return nil, p.assembly.errorf(place{}, "%w", err)
	}
	return g, nil
}

// htsimTree holds the content of a file. Tier 0 is the tier of ToRs.
type htsimTree struct {
	nodes, tiers, podSize int
	tier                  [3]htsimTier
}

// htsimTier is a tier of switches, with its links towards the hosts.
type htsimTier struct {
	rate                      unit.Rate
	delay, latency            unit.Time
	down, up, bundle, oversub int
}

type htsimReader struct {
	assembly *assembly
	lines    *fieldReader
	tree     htsimTree
	// tier is the current tier, or -1 in the header.
	tier int
	// said holds the places of the keys, for the header and each tier.
	said [4]map[string]place
}

// The keys, in lower case.
const (
	htsimNodes    = "nodes"
	htsimTiers    = "tiers"
	htsimPodSize  = "podsize"
	htsimTierKey  = "tier"
	htsimSpeed    = "downlink_speed_gbps"
	htsimDown     = "radix_down"
	htsimUp       = "radix_up"
	htsimDelay    = "downlink_latency_ns"
	htsimLatency  = "switch_latency_ns"
	htsimOversub  = "oversubscribed"
	htsimBundle   = "bundle"
	htsimQueueUp  = "queue_up"
	htsimQueueDwn = "queue_down"
)

func htsimTierKeys() []string {
	return []string{htsimSpeed, htsimDown, htsimUp, htsimDelay, htsimLatency, htsimOversub, htsimBundle, htsimQueueUp, htsimQueueDwn}
}

func (p *htsimReader) read() error {
	if comment, _ := p.lines.isComment(); comment {
		return nil
	}
	fields := p.lines.fields
	at, key := fields[0].at, strings.ToLower(fields[0].text)
	if len(fields) < 2 || len(fields) > 2 && !strings.HasPrefix(fields[2].text, commentMark) {
		return p.assembly.errorf(at, "%q: write a key and a number", shorten(p.lines.text))
	}
	n, err := whole(fields[1].text, 0)
	if err != nil {
		return p.assembly.errorf(fields[1].at, "%s: %w", shorten(fields[0].text), err)
	}
	if key == htsimTierKey {
		if n > 2 {
			return p.assembly.errorf(fields[1].at, "there is no tier %d; tiers are 0 (ToR), 1 and 2", n)
		}
		p.tier = n
	}
	said := &p.said[p.tier+1]
	if before, twice := (*said)[key]; twice {
		return p.assembly.errorf(at, "%s is already given (%s)", fields[0].text, p.assembly.show(before))
	}
	if *said == nil {
		*said = map[string]place{}
	}
	(*said)[key] = at
	if !p.set(key, n) {
		where := "the header has Nodes, Tiers and Podsize; Tier 0 follows it"
		if p.tier >= 0 {
			where = "a tier has " + strings.Join(htsimTierKeys(), ", ")
		}
		return p.assembly.errorf(at, "unknown key %q; %s", shorten(fields[0].text), where)
	}
	return nil
}

// set sets the value of a key, and reports whether the key is allowed here.
func (p *htsimReader) set(key string, n int) bool {
	if p.tier < 0 {
		switch key {
		case htsimNodes:
			p.tree.nodes = n
		case htsimTiers:
			p.tree.tiers = n
		case htsimPodSize:
			p.tree.podSize = n
		default:
			return false
		}
		return true
	}
	t := &p.tree.tier[p.tier]
	switch key {
	case htsimTierKey:
		t.oversub, t.bundle = 1, 1
	case htsimSpeed:
		t.rate = unit.Rate(n) * unit.Gbps
	case htsimDown:
		t.down = n
	case htsimUp:
		t.up = n
	case htsimDelay:
		t.delay = unit.Time(n) * unit.Nanosecond
	case htsimLatency:
		t.latency = unit.Time(n) * unit.Nanosecond
	case htsimOversub:
		t.oversub = n
	case htsimBundle:
		t.bundle = n
	case htsimQueueUp, htsimQueueDwn:
	default:
		return false
	}
	return true
}

// at returns the place of a key in a tier, or the place of the tier. Tier -1 is the header.
func (p *htsimReader) at(tier int, key string) place {
	if at, ok := p.said[tier+1][key]; ok {
		return at
	}
	return p.said[tier+1][htsimTierKey]
}

func (p *htsimReader) check() error {
	t := &p.tree
	for _, key := range []struct {
		name string
		n    int
	}{{"Nodes", t.nodes}, {"Tiers", t.tiers}, {"Podsize", t.podSize}} {
		if key.n == 0 {
			return p.assembly.errorf(p.at(-1, strings.ToLower(key.name)), "%s is missing or 0; the header has Nodes, Tiers and Podsize", key.name)
		}
	}
	if t.tiers != 2 && t.tiers != 3 {
		return p.assembly.errorf(p.at(-1, htsimTiers), "Tiers is %d; it must be 2 or 3", t.tiers)
	}
	for i := range t.tier {
		_, there := p.said[i+1][htsimTierKey]
		switch {
		case i < t.tiers && !there:
			return p.assembly.errorf(place{}, "Tier %d is missing", i)
		case i >= t.tiers && there:
			return p.assembly.errorf(p.at(i, htsimTierKey), "Tier %d is one too many, as Tiers is %d", i, t.tiers)
		}
	}
	for i := range t.tiers {
		tier := t.tier[i]
		for _, key := range []struct {
			name     string
			n, least int
		}{
			{"Downlink_speed_Gbps", int(tier.rate), 1}, {"Radix_Down", tier.down, 1}, {"Downlink_Latency_ns", int(tier.delay), 1},
			{"Oversubscribed", tier.oversub, 1}, {"Bundle", tier.bundle, 1},
		} {
			if key.n < key.least {
				return p.assembly.errorf(p.at(i, strings.ToLower(key.name)), "Tier %d: %s is missing or 0", i, key.name)
			}
		}
		if i < t.tiers-1 && tier.up == 0 {
			return p.assembly.errorf(p.at(i, htsimUp), "Tier %d: Radix_Up is missing or 0", i)
		}
	}
	if key, err := t.mismatch(); err != nil {
		return p.assembly.errorf(p.at(key.tier, key.key), "%w", err)
	}
	return nil
}

// htsimKey is a key of a tier, or of the header if the tier is -1.
type htsimKey struct {
	tier int
	key  string
}

// mismatch returns the key whose value does not fit the others, and the reason.
func (t *htsimTree) mismatch() (htsimKey, error) {
	tor, agg, core := &t.tier[0], &t.tier[1], &t.tier[2]
	fail := func(tier int, key, format string, args ...any) (htsimKey, error) {
		return htsimKey{tier, key}, fmt.Errorf(format, args...)
	}
	switch {
	case tor.bundle != 1:
		return fail(0, htsimBundle, "Tier 0: Bundle is %d, but a host has one link", tor.bundle)
	case t.nodes%t.podSize != 0:
		return fail(-1, htsimPodSize, "Podsize is %d, which does not divide Nodes, %d", t.podSize, t.nodes)
	case t.podSize%tor.down != 0:
		return fail(0, htsimDown, "Tier 0: Radix_Down is %d, which does not divide Podsize, %d", tor.down, t.podSize)
	case t.tiers == 2 && t.podSize != t.nodes:
		return fail(-1, htsimPodSize, "Podsize is %d, but with two tiers all %d hosts are one pod", t.podSize, t.nodes)
	case tor.up%agg.bundle != 0:
		return fail(0, htsimUp, "Tier 0: Radix_Up is %d, which is not a multiple of the Bundle of Tier 1, %d", tor.up, agg.bundle)
	case agg.down != t.torsPerPod()*agg.bundle:
		return fail(1, htsimDown, "Tier 1: Radix_Down is %d, but %d ToRs per pod in bundles of %d need %d", agg.down, t.torsPerPod(), agg.bundle, t.torsPerPod()*agg.bundle)
	}
	if err := t.oversubscribed(0); err != nil {
		return htsimKey{0, htsimOversub}, err
	}
	if t.tiers == 2 {
		return htsimKey{}, nil
	}
	switch pods := t.nodes / t.podSize; {
	case agg.up%core.bundle != 0:
		return fail(1, htsimUp, "Tier 1: Radix_Up is %d, which is not a multiple of the Bundle of Tier 2, %d", agg.up, core.bundle)
	case core.down != pods*core.bundle:
		return fail(2, htsimDown, "Tier 2: Radix_Down is %d, but %d pods in bundles of %d need %d", core.down, pods, core.bundle, pods*core.bundle)
	}
	if err := t.oversubscribed(1); err != nil {
		return htsimKey{1, htsimOversub}, err
	}
	return htsimKey{}, nil
}

// oversubscribed checks that a tier's capacity down is the stated multiple of its capacity
// up.
func (t *htsimTree) oversubscribed(i int) error {
	tier, above := &t.tier[i], &t.tier[i+1]
	// In Gbps, and with counts below 2^28, the products do not overflow.
	down := int64(tier.down) * int64(tier.rate/unit.Gbps)
	up := int64(tier.up) * int64(above.rate/unit.Gbps)
	if tier.oversub > maxLinks/tier.up || down != up*int64(tier.oversub) {
		return fmt.Errorf("tier %d: %d links down at %v and %d up at %v are not oversubscribed %d:1; htsim needs radices, speeds and Oversubscribed to agree",
			i, tier.down, tier.rate, tier.up, above.rate, tier.oversub)
	}
	return nil
}

func (t *htsimTree) torsPerPod() int { return t.podSize / t.tier[0].down }
func (t *htsimTree) aggsPerPod() int { return t.tier[0].up / t.tier[1].bundle }

// cores returns the number of core switches, which is 0 with two tiers.
func (t *htsimTree) cores() int {
	if t.tiers == 2 {
		return 0
	}
	return t.aggsPerPod() * (t.tier[1].up / t.tier[2].bundle)
}

// htsimLinks limits the links that a file of a few lines can ask for.
const htsimLinks = 1 << 24

// build builds the graph from parameters that agree.
func (t *htsimTree) build() (*Graph, error) {
	pods := t.nodes / t.podSize
	tors, aggs, cores := t.torsPerPod(), t.aggsPerPod(), t.cores()
	links := int64(t.nodes) + int64(pods)*int64(tors)*int64(t.tier[0].up)
	if t.tiers == 3 {
		links += int64(pods) * int64(aggs) * int64(t.tier[1].up)
	}
	if links > htsimLinks || int64(aggs)*int64(pods) > htsimLinks {
		return nil, fmt.Errorf("a tree of %d hosts with %d links is too large; at most %d links are possible", t.nodes, links, htsimLinks)
	}
	b, err := newBuilder(t.nodes, pods*(tors+aggs)+cores, int(links))
	if err != nil {
		return nil, err
	}
	b.hosts(t.nodes)
	upper := "agg"
	if t.tiers == 2 {
		upper = "spine"
	}
	first := NodeID(t.nodes)
	for i := range pods {
		b.switches("tor", i*tors, tors, 1, t.tier[0].latency)
		b.switches(upper, i*aggs, aggs, 2, t.tier[1].latency)
		if t.tiers == 3 {
			for s := len(b.graph.Nodes) - tors - aggs; s < len(b.graph.Nodes); s++ {
				b.graph.Nodes[s].Group = int32(i) + 1
			}
		}
	}
	core := b.switches("core", 0, cores, 3, t.tier[2].latency)
	tor := func(pod, i int) NodeID { return first + NodeID(pod*(tors+aggs)+i) }
	agg := func(pod, i int) NodeID { return tor(pod, tors+i) }

	join := func(x, y NodeID, tier int) {
		for range t.tier[tier].bundle {
			b.link(x, y, t.tier[tier].rate, t.tier[tier].delay)
		}
	}
	for h := range t.nodes {
		i := h / t.tier[0].down
		join(NodeID(h), tor(i/tors, i%tors), 0)
	}
	for pod := range pods {
		for i := range tors {
			for a := range aggs {
				join(tor(pod, i), agg(pod, a), 1)
			}
		}
	}
	for pod := range pods {
		for a := range aggs {
			for c := a; c < cores; c += aggs {
				join(agg(pod, a), core+NodeID(c), 2)
			}
		}
	}
	return b.graph, nil
}

// WriteHtsim writes the parameters of g, which must be a fat tree as ReadHtsim builds it.
// The names of switches do not matter.
func (g *Graph) WriteHtsim(w io.Writer) error {
	t, err := g.htsimTree()
	if err != nil {
		return fmt.Errorf("%w; a .topo describes only fat trees with whole numbers of Gbps and ns; for others use graphml or hpcc", err)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Nodes %d\nTiers %d\nPodsize %d\n", t.nodes, t.tiers, t.podSize)
	for i := range t.tiers {
		tier := &t.tier[i]
		fmt.Fprintf(b, "\nTier %d\nDownlink_speed_Gbps %d\nRadix_Down %d\n", i, tier.rate/unit.Gbps, tier.down)
		if i < t.tiers-1 {
			fmt.Fprintf(b, "Radix_Up %d\n", tier.up)
		}
		if tier.oversub != 1 {
			fmt.Fprintf(b, "Oversubscribed %d\n", tier.oversub)
		}
		if tier.bundle != 1 {
			fmt.Fprintf(b, "Bundle %d\n", tier.bundle)
		}
		fmt.Fprintf(b, "Downlink_Latency_ns %d\nSwitch_Latency_ns %d\n", tier.delay/unit.Nanosecond, tier.latency/unit.Nanosecond)
	}
	return b.Flush()
}
