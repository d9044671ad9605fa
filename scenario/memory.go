package scenario

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"weft/problem"
	"weft/protocol"
	"weft/topo"
	"weft/transport"
	"weft/unit"
	"weft/workload"
)

// What a network takes, beside what is under way: a directed link with its queue and its row of
// results, and a host. It is measured with disciplines at switches (docs/measurements.md).
const (
	bytesPerPort = 1152 * unit.Byte
	bytesPerHost = 1536 * unit.Byte
	// bytesPerMessage is what a message that is under way takes, and its row.
	bytesPerMessage = 256 * unit.Byte

	// alwaysThere is what no machine lacks: asking the system takes longer than a
	// small run.
	alwaysThere = 16 * unit.MiB

	// bytesPerChooser is what a host with a transport of its own holds for the entropies of a
	// group's data to another, beside a pointer in a table by host, with a balancer that
	// remembers nothing.
	bytesPerChooser = 64 * unit.Byte
	pointer         = 8 * unit.Byte
	// largeTable is from what size on a table takes only those pages that were written.
	largeTable = 32 * unit.KiB
	page       = 4 * unit.KiB
)

// Who sends to whom is drawn beforehand for about drawnHosts hosts, for each drawnPerHost times
// as many messages as there are hosts. Fewer hosts than manyHosts fit any machine.
const (
	manyHosts    = 1024
	drawnHosts   = 32
	drawnPerHost = 2
)

// checkMemory refuses a topology that the machine's memory cannot hold.
func checkMemory(g *topo.Graph) error {
	need := networkBytes(g)
	if have, lacking := lacking(need); lacking {
		return fmt.Errorf("%d hosts and %d links need at least %.1f GiB of memory, and %.1f GiB is available; simulate a smaller network or use a larger machine",
			len(g.Hosts), len(g.Links), gib(need), gib(have))
	}
	return nil
}

func networkBytes(g *topo.Graph) unit.Bytes {
	return unit.Bytes(2*len(g.Links))*bytesPerPort + unit.Bytes(len(g.Hosts))*bytesPerHost
}

// checkPairs refuses a network of which transports of hosts as a whole would hold more for
// pairs of hosts than the machine's memory.
func (p *plan) checkPairs(list []Traffic) error {
	hosts := unit.Bytes(len(p.graph.Hosts))
	if hosts < manyHosts {
		return nil
	}
	var traits protocol.HostTraits
	var most, choosers unit.Bytes // a host sends to so many others, by all groups and by each
	kind := ""
	for i := range list {
		g := slices.IndexFunc(p.groups, func(g transport.Group) bool { return g.Name == list[i].Name })
		if g < 0 || p.groups[g].Congestion.NewHost == nil {
			continue
		}
		kind, traits = list[i].Transport.Congestion.Kind, p.groups[g].Congestion.Host
		peers := p.peers(&list[i])
		most = max(most, peers)
		choosers += rowBytes(hosts, peers) + peers*bytesPerChooser
	}
	if kind == "" {
		return nil
	}
	perPair := unit.Bytes(cmp.Or(traits.PairBytes, protocol.DefaultPairBytes))
	perPeer := unit.Bytes(cmp.Or(traits.PeerBytes, protocol.DefaultPeerBytes))
	pairs := hosts * (rowBytes(hosts, most)*perPair/pointer + most*perPeer + choosers)
	need := networkBytes(p.graph) + pairs
	if have, lacking := lacking(need); lacking {
		return fmt.Errorf("%d hosts need at least %.1f GiB of memory (%s takes %.1f GiB of it for pairs of hosts: each holds a table of all others and sends to about %d), and %.1f GiB is available; simulate fewer hosts, let each send to fewer, or use a larger machine",
			hosts, gib(need), kind, gib(pairs), most, gib(have))
	}
	return nil
}

// rowBytes returns what a host's table of pointers to all hosts takes of which some are set.
func rowBytes(hosts, set unit.Bytes) unit.Bytes {
	if hosts*pointer < largeTable {
		return hosts * pointer
	}
	return min(hosts*pointer, (set+1)*page)
}

// peers returns to how many others a host of a group sends at least, about: that of a mean host,
// from what some of them draw. What comes after a message is complete counts if the run lasts
// until all is sent.
func (p *plan) peers(s *Traffic) unit.Bytes {
	if g := slices.IndexFunc(p.groups, func(g transport.Group) bool { return g.Name == s.Name }); g >= 0 && reacting(p.groups[g].Sources) {
		return 0 // as each of them is counted; to make them again can take long
	}
	traffic, setting, err := p.traffic(s)
	if err != nil {
		return 0
	}
	setting.Most = mostOf(s)
	sources, err := workload.NewSources(traffic, setting)
	if err != nil {
		return 0
	}
	drawn, sum := 0, 0
	for h := 0; h < len(sources); h += max(1, len(sources)/drawnHosts) {
		drawn++
		if source := sources[h]; source != nil {
			sum += p.peersOf(source)
		}
	}
	return unit.Bytes(sum / drawn)
}

// reacting tells whether all sources wait for other hosts.
func reacting(sources []workload.Source) bool {
	return !slices.ContainsFunc(sources, func(s workload.Source) bool {
		_, ok := s.(workload.Receiver)
		return s != nil && !ok
	})
}

// peersOf draws messages of a source, and returns how many hosts they are to. It does not know
// those of sources that wait for other hosts.
func (p *plan) peersOf(source workload.Source) int {
	if _, ok := source.(workload.Receiver); ok {
		return 0
	}
	to := map[int32]bool{}
	for n := range uint64(drawnPerHost * len(p.graph.Hosts)) {
		m, ok := source.Next()
		if !ok || m.At >= p.times.until {
			break
		}
		to[m.Dst] = true
		if p.times.until == unit.Forever {
			source.Completed(m.At, n)
		}
	}
	return len(to)
}

// checkMessages refuses more messages of a group that start at the same time than the machine's
// memory can hold, with their connections.
func (p *plan) checkMessages(n int64, s *Traffic, params *transport.Params) error {
	each := float64(n) * float64(bytesPerMessage)
	connections := p.connections(s, params, float64(n)) * float64(connectionBytes(params))
	need := unit.Bytes(min(each+connections, math.MaxInt64/2))
	if have, lacking := lacking(need); lacking {
		return problem.New("%d messages start at once and need at least %.1f GiB of memory, and %.1f GiB is available", n, gib(need), gib(have)).Mend("use fewer, or start them one after another, as in arrival: {kind: closed}")
	}
	return nil
}

func gib(b unit.Bytes) float64 { return float64(b) / float64(unit.GiB) }

// lacking tells whether there is less memory than needed, and how much there is.
func lacking(need unit.Bytes) (unit.Bytes, bool) {
	if need <= alwaysThere {
		return 0, false
	}
	have, ok := availableMemory()
	return have, ok && need > have
}

// availableMemory returns what the kernel says can be allocated, if it does.
func availableMemory() (unit.Bytes, bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(strings.TrimSpace(s.Text()), "MemAvailable: %d kB", &kib); n == 1 {
			return unit.Bytes(kib) * unit.KiB, true
		}
	}
	return 0, false
}
