package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/nearest"
	"weft/problem"
	"weft/sim"
	"weft/unit"
)

// Setting is the context of a traffic group: the hosts of a network, known by their indices from
// 0, and the random streams to use.
type Setting struct {
	// Hosts is the number of hosts in the network.
	Hosts int
	// Members lists the hosts that take part as senders; nil means all.
	Members []int32
	// Name returns the name of a host. If it is nil, hosts are named host0, host1, ….
	Name func(host int32) string
	// Lookup returns the host with a name. If it is nil, the names are searched.
	Lookup func(name string) (host int32, ok bool)
	// Node returns the number of a host among all nodes of the topology. If it is nil, hosts are
	// the first nodes, in order.
	Node func(host int32) int32
	// LineRate returns the rate of a host's link. Only arrivals at a load need it.
	LineRate func(host int32) unit.Rate
	// Edge returns the number of the switch that a host is attached to. Only patterns that depend
	// on switches need it.
	Edge func(host int32) int32
	// Pod returns the number of the group, pod or rack of a host's switch, 0 if it has none. Only
	// traffic by groups of switches needs it.
	Pod func(host int32) int32
	// Distances returns the distances between edge switches in links: one row per switch, with
	// 255 if no path exists. Only worst-case patterns need it.
	Distances func(edges []int32) [][]uint8
	// PerPair is set if all messages from one host to another share a connection.
	PerPair bool
	// Most is the largest message that can be carried; 0 is no limit.
	Most unit.Bytes
	// Kept, if not nil, caches the result of resolving the pattern, which can take long.
	Kept *Kept
	// Notice, if not nil, receives what the user should know although nothing is wrong.
	Notice func(text string)
	// Seed and Group determine the random streams of this traffic.
	Seed  uint64
	Group string
}

// fits rejects messages that are too large to be carried.
func (s Setting) fits(size unit.Bytes) error {
	if s.Most > 0 && size > s.Most {
		return problem.At("size", "size: %v is too large", size).Mend("with the payload of its packets a message has at most %v", s.Most)
	}
	return nil
}

// node returns the number of a host among all nodes.
func (s Setting) node(host int32) int32 {
	if s.Node == nil {
		return host
	}
	return s.Node(host)
}

// HostName returns the name of a host.
func (s Setting) HostName(host int32) string {
	if s.Name == nil {
		return "host" + strconv.Itoa(int(host))
	}
	return s.Name(host)
}

// FindHost returns the host with a name. The error suggests the nearest name.
func (s Setting) FindHost(name string) (int32, error) {
	if s.Lookup != nil {
		if h, ok := s.Lookup(name); ok {
			return h, nil
		}
		return 0, s.noHost(name)
	}
	for h := range int32(s.Hosts) {
		if s.HostName(h) == name {
			return h, nil
		}
	}
	return 0, s.noHost(name)
}

func (s Setting) noHost(name string) error {
	if s.Hosts == 0 {
		return fmt.Errorf("no host is named %q; there are no hosts", name)
	}
	names := make([]string, s.Hosts)
	for i := range names {
		names[i] = s.HostName(int32(i))
	}
	series := func(name string) string { return strings.TrimRight(name, "0123456789") }
	if near, ok := nearest.Name(name, names); ok && series(name) != series(names[0]) {
		return fmt.Errorf("no host is named %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("no host is named %q; the %d hosts are %s..%s", name, s.Hosts, names[0], names[s.Hosts-1])
}

// groupHash identifies the random streams of the group as a whole.
func (s Setting) groupHash() uint64 { return sim.Hash(s.Group) }

// senderHash identifies the random streams of a host as a sender of the group.
func (s Setting) senderHash(host int32) uint64 {
	return sim.Mix(sim.Hash(s.HostName(host)) ^ sim.Mix(s.groupHash()))
}

// withMembers returns s with its members listed, in order.
func (s Setting) withMembers() (Setting, error) {
	if s.Hosts < 1 {
		return s, fmt.Errorf("the network has %d hosts; traffic needs at least one", s.Hosts)
	}
	if s.Members == nil {
		s.Members = make([]int32, s.Hosts)
		for i := range s.Members {
			s.Members[i] = int32(i)
		}
		return s, nil
	}
	s.Members = slices.Clone(s.Members)
	slices.Sort(s.Members)
	s.Members = slices.Compact(s.Members)
	switch n := len(s.Members); {
	case n == 0:
		return s, problem.New("no host takes part").Mend("name at least one")
	case s.Members[0] < 0 || int(s.Members[n-1]) >= s.Hosts:
		return s, fmt.Errorf("a host that takes part has index %d or %d, but the network has hosts 0 to %d", s.Members[0], s.Members[n-1], s.Hosts-1)
	}
	return s, nil
}
