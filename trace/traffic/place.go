package traffic

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"weft/internal/portable"
	"weft/internal/turns"
	"weft/internal/userfile"
	"weft/problem"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// order is the order in which hosts take ranks.
type order string

// Orders.
const (
	// asListed takes hosts as they are listed.
	asListed order = "hosts"
	// shuffled takes them at random.
	shuffled order = "shuffled"
	// interleaved takes one node of each edge switch in turn.
	interleaved order = "interleaved"
	// racked takes all hosts of an edge switch before those of another. Switches come in random order.
	racked order = "racks"
)

// place returns the hosts of all ranks, one per NIC.
func (o options) place(ranks int, s workload.Setting) ([]int32, error) {
	if o.Placement != "" {
		return o.read(ranks, s)
	}
	if o.nics() > 1 {
		return o.placeNICs(ranks, s)
	}
	need := (ranks + o.RanksPerHost - 1) / o.RanksPerHost
	if have := len(s.Members); need > have {
		p := problem.At("file", "file: %s has %d ranks, which need %d hosts, but %d take part in %s", o.File, ranks, need, have, s.Group)
		return nil, p.Mend("let more take part (hosts), take a larger topology, or ranks_per_host: %d", (ranks+have-1)/have)
	}
	order, err := o.order(s)
	if err != nil {
		return nil, err
	}
	hosts := make([]int32, ranks)
	for r := range hosts {
		hosts[r] = order[r/o.RanksPerHost]
	}
	return hosts, nil
}

// placeNICs gives each rank as many hosts as it has NICs.
func (o options) placeNICs(ranks int, s workload.Setting) ([]int32, error) {
	if need, have := ranks*o.nics(), len(s.Members); need > have {
		p := problem.At("file", "file: %s has %d ranks with %d NICs each, which need %d hosts, but %d take part in %s", o.File, ranks, o.nics(), need, have, s.Group)
		return nil, p.Mend("let more take part (hosts), take a larger topology, or nics: 1 if each rank has one link")
	}
	order, err := o.order(s)
	if err != nil {
		return nil, err
	}
	return order[:ranks*o.nics()], nil
}

// order returns the hosts that take part in the order in which they take ranks. The hosts of a node stay together.
func (o options) order(s workload.Setting) ([]int32, error) {
	nodes := slices.Collect(slices.Chunk(slices.Clone(s.Members), max(1, o.RanksPerNode/o.RanksPerHost, o.nics())))
	if last := len(nodes) - 1; len(nodes[last]) < o.nics() {
		nodes = nodes[:last] // too few hosts for a rank
	}
	draw := sim.Stream(s.Seed, sim.Hash(s.Group), "ranks")
	switch o.Ranks {
	case "", asListed:
		return slices.Concat(nodes...), nil
	case shuffled:
		portable.Shuffle(&draw, nodes)
		return slices.Concat(nodes...), nil
	case interleaved, racked:
	default:
		return nil, problem.At("ranks", "ranks: there is no order %q", o.Ranks).Mend("use hosts, shuffled, interleaved or racks")
	}
	if s.Edge == nil {
		return nil, problem.At("ranks", "ranks: %s: the switch of each host is not known", o.Ranks)
	}
	racks := turns.Groups(nodes, func(hosts []int32) int32 { return s.Edge(hosts[0]) })
	if o.Ranks == interleaved {
		return slices.Concat(turns.Take(racks)...), nil
	}
	portable.Shuffle(&draw, racks)
	return slices.Concat(slices.Concat(racks...)...), nil
}

// largestPlacement is how large a file of hosts is at most.
const largestPlacement = unit.GiB

// read reads the host of each rank from a file.
func (o options) read(ranks int, s workload.Setting) ([]int32, error) {
	name := string(o.Placement)
	f, err := userfile.Open(name, largestPlacement)
	if err != nil {
		return nil, problem.At("placement", "placement: the file cannot be read: %w", err).Mend("a relative path starts from the scenario's folder")
	}
	defer f.Close()
	wrong := func(line int, format string, args ...any) error {
		return problem.At("placement", "placement: %s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	members := map[int32]bool{}
	for _, h := range s.Members {
		members[h] = true
	}
	need, all := ranks*o.nics(), fmt.Sprintf("%d ranks of %s", ranks, o.File)
	if o.nics() > 1 {
		all = fmt.Sprintf("%d NICs of each of the %s", o.nics(), all)
	}
	hosts, shared := make([]int32, 0, need), map[int32]int{}
	lines := bufio.NewScanner(f)
	for line := 1; lines.Scan(); line++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		h, err := s.FindHost(text)
		switch {
		case err != nil:
			return nil, wrong(line, "%v", err)
		case !members[h]:
			return nil, wrong(line, "%s is not among the hosts that take part in %s", text, s.Group)
		case len(hosts) == need:
			return nil, wrong(line, "there are more hosts than the %s", all)
		case shared[h] > 0 && o.nics() > 1:
			return nil, wrong(line, "%s is named twice; with nics a host is one NIC of one rank", text)
		case shared[h] == o.RanksPerHost:
			return nil, wrong(line, "%s has more than %d ranks; set ranks_per_host to as many as a host has at most", text, o.RanksPerHost)
		}
		shared[h]++
		hosts = append(hosts, h)
	}
	if err := lines.Err(); err != nil {
		return nil, problem.At("placement", "placement: %s: %w", name, err)
	}
	switch {
	case len(hosts) == need:
	case o.nics() > 1:
		return nil, problem.At("placement", "placement: %s names %d hosts, but the %s need %d", name, len(hosts), all, need).Mend("write one host per line, from NIC 0 of rank 0 on, all NICs of a rank one after another")
	default:
		return nil, problem.At("placement", "placement: %s names hosts for %d ranks, but %s has %d", name, len(hosts), o.File, ranks).Mend("write one host per line, from rank 0 on")
	}
	return hosts, nil
}
