package topo

import (
	"errors"
	"fmt"
	"strings"

	"weft/problem"
	"weft/unit"
)

// FatTree is a folded-Clos network of two or three tiers of equal switches. It is given by
// the radix of the switches or by counts, with oversubscription at the ToRs.
//
// With two tiers, every ToR has one link to every spine, so there are as many spines as a
// ToR has uplinks. With three tiers, every ToR of a pod is linked to every aggregation
// switch of the pod. Core switch i·u+j is linked to aggregation switch i of every pod,
// where u is the number of uplinks of an aggregation switch.
//
// A radix of k splits the ports of a ToR between hosts and uplinks in proportion to the
// oversubscription, k/2 each at 1:1. It makes k ToRs with two tiers, and k pods of k/2 ToRs
// with three (Al-Fares et al., SIGCOMM 2008, §3). Counts override the numbers that they
// name. Without a radix, all counts must be given. FatPaths' oversubscribed trees keep the
// switches and put more hosts on the ToRs: with radix k at 2:1 they have k hosts_per_tor,
// k/2 uplinks_per_tor, k/2 tors_per_pod, and k pods. A pod is the Group of its switches.
//
// Hosts host0, host1, … are in the order of their ToRs tor0, tor1, …. The other switches
// are spine0, … or agg0, … (pod by pod) and core0, ….
type FatTree struct {
	Tiers            int               `yaml:"tiers" default:"2" doc:"Tiers of switches: 2 or 3." min:"2" max:"3"`
	Size             *string           `yaml:"size" enum:"1k,10k,100k,1M" doc:"About how many hosts at 1:1: takes the radix 16, 36, 74 or 158 with three tiers, and 44, 142, 448 or 1414 with two." source:"FatPaths §II-B, Table V; Table IV (10k)"`
	Radix            *int              `yaml:"radix" known:"k" doc:"Ports of a switch. Without it, give hosts_per_tor and tors, or with three tiers hosts_per_tor, tors_per_pod and pods." min:"2"`
	Oversubscription *Oversubscription `yaml:"oversubscription" doc:"Capacity of a ToR's host links over that of its uplinks, such as 4:1 (default: 1:1, or what the counts give)."`
	HostsPerToR      *int              `yaml:"hosts_per_tor" doc:"Hosts on each ToR (default: by radix and oversubscription)." min:"1"`
	UplinksPerToR    *int              `yaml:"uplinks_per_tor" doc:"Uplinks of each ToR, each to another switch (default: by oversubscription)." min:"1"`
	ToRs             *int              `yaml:"tors" doc:"Number of ToRs with two tiers (default: the radix)." min:"1"`
	ToRsPerPod       *int              `yaml:"tors_per_pod" doc:"ToRs per pod with three tiers (default: half the radix)." min:"1"`
	UplinksPerAgg    *int              `yaml:"uplinks_per_agg" doc:"Uplinks of each aggregation switch with three tiers (default: half the radix, or tors_per_pod)." min:"1"`
	Pods             *int              `yaml:"pods" doc:"Number of pods with three tiers (default: the radix)." min:"1"`
	Rate             unit.Rate         `yaml:"rate" default:"400Gbps" doc:"Rate of the host links." source:"ARCANE §4.1"`
	UplinkRate       *unit.Rate        `yaml:"uplink_rate" doc:"Rate of the links between switches (default: that of the host links)."`
	Delay            unit.Time         `yaml:"delay" default:"500ns" doc:"Propagation delay of every link." source:"ARCANE §4.1"`
	SwitchLatency    unit.Time         `yaml:"switch_latency" default:"500ns" doc:"Traversal time of every switch." source:"ARCANE §4.1"`
}

// Build builds the graph. 0 tiers mean two.
func (o FatTree) Build() (*Graph, error) {
	g, err := o.build()
	if err != nil {
		return nil, fmt.Errorf("fat-tree: %w", err)
	}
	return g, nil
}

func (o FatTree) build() (*Graph, error) {
	if o.Tiers == 0 {
		o.Tiers = 2
	}
	c, err := newCabling(o.Rate, o.UplinkRate, o.Delay, o.SwitchLatency)
	if err != nil {
		return nil, err
	}
	if o.Size != nil {
		classes := [4]int{16, 36, 74, 158}
		if o.Tiers == 2 {
			classes = twoTierRadix()
		}
		class, err := bySize(*o.Size, classes)
		if err == nil {
			err = without(option{"radix", o.Radix})
		}
		if err != nil {
			return nil, err
		}
		o.Radix = &class
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	hosts, uplinks, err := o.split(c)
	if err != nil {
		return nil, err
	}
	if o.Tiers == 2 {
		tors := or(o.ToRs, o.Radix)
		if o.Radix != nil && tors > *o.Radix {
			return nil, problem.At("tors", "tors is %d, but a spine of radix %d has ports for at most %d", tors, *o.Radix, *o.Radix)
		}
		return twoTiers(tors, hosts, uplinks, 1, c)
	}
	p := pods{hostsPerToR: hosts, aggs: uplinks, pods: or(o.Pods, o.Radix)}
	switch {
	case o.Radix == nil:
		p.tors = *o.ToRsPerPod
		p.uplinks = or(o.UplinksPerAgg, o.ToRsPerPod)
	default:
		half := *o.Radix / 2
		p.tors = or(o.ToRsPerPod, &half)
		p.uplinks = or(o.UplinksPerAgg, &half)
		if p.tors+p.uplinks > *o.Radix {
			return nil, fmt.Errorf("an aggregation switch with %d ToRs and %d uplinks needs %d ports, but its radix is %d", p.tors, p.uplinks, p.tors+p.uplinks, *o.Radix)
		}
		if p.pods > *o.Radix {
			return nil, problem.At("pods", "pods is %d, but a core switch of radix %d has ports for at most %d", p.pods, *o.Radix, *o.Radix)
		}
	}
	return p.build(c)
}

// check refuses options that are missing, out of range, or meant for the other number of
// tiers.
func (o FatTree) check() error {
	if o.Tiers != 2 && o.Tiers != 3 {
		return problem.At("tiers", "tiers is %d", o.Tiers).Mend("it must be 2 or 3")
	}
	allowed := []option{{"radix", o.Radix}, {"hosts_per_tor", o.HostsPerToR}, {"uplinks_per_tor", o.UplinksPerToR}}
	two := []option{{"tors", o.ToRs}}
	three := []option{{"pods", o.Pods}, {"tors_per_pod", o.ToRsPerPod}, {"uplinks_per_agg", o.UplinksPerAgg}}
	mine, others := two, three
	if o.Tiers == 3 {
		mine, others = three, two
	}
	allowed = append(allowed, mine...)
	var names []string
	for _, a := range allowed {
		names = append(names, a.name)
		if a.n == nil {
			continue
		}
		if err := positive(count{a.name, *a.n}); err != nil {
			return err
		}
	}
	for _, other := range others {
		if other.n != nil {
			return fmt.Errorf("%s is not for tiers: %d; the sizes of such a tree are %s", other.name, o.Tiers, strings.Join(names, ", "))
		}
	}
	switch {
	case o.Radix != nil:
		return nil
	case o.Tiers == 2 && (o.HostsPerToR == nil || o.ToRs == nil):
		return errors.New("give radix, or hosts_per_tor and tors")
	case o.Tiers == 3 && (o.HostsPerToR == nil || o.ToRsPerPod == nil || o.Pods == nil):
		return errors.New("give radix, or hosts_per_tor, tors_per_pod and pods")
	}
	return nil
}

// split returns the numbers of hosts and uplinks of a ToR.
func (o FatTree) split(c cabling) (hosts, uplinks int, err error) {
	switch {
	case o.HostsPerToR != nil && o.UplinksPerToR != nil:
		hosts, uplinks = *o.HostsPerToR, *o.UplinksPerToR
	case o.HostsPerToR != nil && o.Radix != nil && o.Oversubscription == nil:
		hosts, uplinks = *o.HostsPerToR, *o.Radix-*o.HostsPerToR
	case o.UplinksPerToR != nil && o.Oversubscription == nil:
		hosts, uplinks = *o.Radix-*o.UplinksPerToR, *o.UplinksPerToR
	}
	switch {
	case hosts > 0 && uplinks <= 0:
		return 0, 0, problem.At("hosts_per_tor", "hosts_per_tor is %d, which leaves no port of radix %d for an uplink", hosts, *o.Radix)
	case uplinks > 0 && hosts <= 0:
		return 0, 0, problem.At("uplinks_per_tor", "uplinks_per_tor is %d, which leaves no port of radix %d for a host", uplinks, *o.Radix)
	}
	if hosts == 0 || o.Oversubscription != nil {
		if hosts, uplinks, err = o.proportion(c); err != nil {
			return 0, 0, err
		}
	}
	if err := positive(count{"hosts_per_tor", hosts}, count{"uplinks_per_tor", uplinks}); err != nil {
		return 0, 0, err
	}
	switch {
	case o.Radix == nil:
	case hosts+uplinks > *o.Radix:
		return 0, 0, fmt.Errorf("a ToR with %d hosts and %d uplinks needs %d ports, but its radix is %d", hosts, uplinks, hosts+uplinks, *o.Radix)
	case o.Tiers == 3 && *o.Radix%2 != 0 && (o.ToRsPerPod == nil || o.UplinksPerAgg == nil):
		return 0, 0, problem.At("radix", "radix is %d, but three tiers need an even one", *o.Radix).Mend("use %s", multiples(*o.Radix, 2))
	}
	return hosts, uplinks, nil
}

// proportion returns the numbers of hosts and uplinks of a ToR that give the
// oversubscription. Either number or neither may be given. If both are given, it refuses a
// wrong proportion.
func (o FatTree) proportion(c cabling) (hosts, uplinks int, err error) {
	var ratio Oversubscription
	if o.Oversubscription != nil {
		ratio = *o.Oversubscription
	}
	// h hosts per u uplinks give the ratio.
	h, u, err := ratio.hostsPerUplink(c.rate, c.uplink)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case o.HostsPerToR != nil && o.UplinksPerToR != nil:
		hosts, uplinks = *o.HostsPerToR, *o.UplinksPerToR
		if hosts*u != uplinks*h {
			return 0, 0, problem.New("%d hosts at %v and %d uplinks at %v per ToR are not oversubscribed %v", hosts, c.rate, uplinks, c.uplink, ratio).Mend("leave one of hosts_per_tor, uplinks_per_tor and oversubscription out")
		}
		return hosts, uplinks, nil
	case o.HostsPerToR != nil:
		hosts = *o.HostsPerToR
		if hosts%h != 0 {
			return 0, 0, problem.At("hosts_per_tor", "hosts_per_tor is %d, which whole uplinks cannot match %v", hosts, ratio).Mend("use %s", multiples(hosts, h))
		}
		return hosts, hosts / h * u, nil
	case o.UplinksPerToR != nil:
		uplinks = *o.UplinksPerToR
		if uplinks%u != 0 {
			return 0, 0, problem.At("uplinks_per_tor", "uplinks_per_tor is %d, which whole hosts cannot match %v", uplinks, ratio).Mend("use %s", multiples(uplinks, u))
		}
		return uplinks / u * h, uplinks, nil
	}
	parts := h + u
	if o.Tiers == 3 && parts%2 != 0 {
		parts *= 2
	}
	if *o.Radix%parts != 0 {
		return 0, 0, problem.At("radix", "radix is %d, which %s", *o.Radix, o.misfit(ratio)).Mend("use %s, or give hosts_per_tor and uplinks_per_tor", multiples(*o.Radix, parts))
	}
	return *o.Radix / (h + u) * h, *o.Radix / (h + u) * u, nil
}

// misfit describes the split that a radix does not allow.
func (o FatTree) misfit(ratio Oversubscription) string {
	text := fmt.Sprintf("does not split into hosts and uplinks %v", ratio)
	if o.UplinkRate != nil && *o.UplinkRate != o.Rate {
		text += fmt.Sprintf(" at %v and %v", o.Rate, *o.UplinkRate)
	}
	if o.Tiers == 3 {
		text += " and into halves"
	}
	return text
}

// multiples lists the multiples of m next to n, for messages.
func multiples(n, m int) string {
	below := n / m * m
	if below == 0 {
		return fmt.Sprint(m)
	}
	return fmt.Sprintf("%d or %d", below, below+m)
}

// or returns *n, or *otherwise if n is nil.
func or(n, otherwise *int) int {
	if n != nil {
		return *n
	}
	return *otherwise
}

// pods describes a three-tier fat tree: the hosts of a ToR, the ToRs and aggregation
// switches of a pod, the uplinks of an aggregation switch, and the number of pods.
type pods struct{ hostsPerToR, tors, aggs, uplinks, pods int }

func (p pods) build(c cabling) (*Graph, error) {
	// Check these counts first, since products of more than two counts could overflow.
	tors, aggs, cores := p.pods*p.tors, p.pods*p.aggs, p.aggs*p.uplinks
	if max(tors, aggs, cores) > maxNodes {
		return nil, fmt.Errorf("%d ToRs, %d aggregation and %d core switches are too many", tors, aggs, cores)
	}
	hosts := tors * p.hostsPerToR
	b, err := newBuilder(hosts, tors+aggs+cores, hosts+tors*p.aggs+aggs*p.uplinks)
	if err != nil {
		return nil, err
	}
	b.hosts(hosts)
	// The switches of a pod are consecutive, so that a partition of the graph into runs
	// keeps them together.
	first := NodeID(hosts)
	stride := NodeID(p.tors + p.aggs)
	for i := range p.pods {
		b.switches("tor", i*p.tors, p.tors, 1, c.latency)
		b.switches("agg", i*p.aggs, p.aggs, 2, c.latency)
		for s := len(b.graph.Nodes) - p.tors - p.aggs; s < len(b.graph.Nodes); s++ {
			b.graph.Nodes[s].Group = int32(i) + 1
		}
	}
	core := b.switches("core", 0, cores, 3, c.latency)
	tor := func(pod, i int) NodeID { return first + NodeID(pod)*stride + NodeID(i) }
	agg := func(pod, i int) NodeID { return tor(pod, p.tors+i) }

	for h := range hosts {
		t := h / p.hostsPerToR
		b.link(NodeID(h), tor(t/p.tors, t%p.tors), c.rate, c.delay)
	}
	for pod := range p.pods {
		for t := range p.tors {
			for a := range p.aggs {
				b.link(tor(pod, t), agg(pod, a), c.uplink, c.delay)
			}
		}
	}
	for pod := range p.pods {
		for a := range p.aggs {
			for u := range p.uplinks {
				b.link(agg(pod, a), core+NodeID(a*p.uplinks+u), c.uplink, c.delay)
			}
		}
	}
	return b.graph, checkTree(b.graph, p.joints()...)
}

// joints returns the joints of the pods, and of the planes. A plane consists of one
// aggregation switch per pod, and their core switches. ToRs are 2 links apart within a pod
// and 4 otherwise, since every plane has a core switch, and no path out of a pod is
// shorter.
func (p pods) joints() []joint {
	return []joint{
		hostJoint(p.pods*p.tors, p.hostsPerToR),
		{blocks: p.pods, lower: p.tors, upper: p.aggs, each: 1, below: consecutive(p.tors), above: consecutive(p.aggs)},
		{blocks: p.aggs, lower: p.pods, upper: p.uplinks, each: 1, below: across(p.aggs), above: consecutive(p.uplinks)},
	}
}
