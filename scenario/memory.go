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

// Memory of an idle network: per directed link, with its queue and its row of results, and
// per host. The sizes are measured with scheduling disciplines at switches
// (docs/measurements.md).
const (
	bytesPerPort = 1152 * unit.Byte
	bytesPerHost = 1536 * unit.Byte
	// bytesPerMessage is the memory of a message under way, and of its row.
	bytesPerMessage = 256 * unit.Byte

	// alwaysThere is memory that every machine has. For less, asking the system would take
	// longer than a small run.
	alwaysThere = 16 * unit.MiB

	// bytesPerChooser is the memory that a host transport holds for the entropies of one
	// group's data to one other host, with a stateless balancer. The pointer in a table by
	// host comes on top.
	bytesPerChooser = 64 * unit.Byte
	pointer         = 8 * unit.Byte
	// largeTable is the size from which on the system allocates only the pages of a table
	// that are written.
	largeTable = 32 * unit.KiB
	page       = 4 * unit.KiB
)

// The number of receivers per host is estimated by drawing messages. About drawnHosts hosts
// draw drawnPerHost times as many messages as there are hosts. A network with fewer than
// manyHosts hosts fits any machine.
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

// checkPairs refuses a network whose host transports would hold more state for pairs of
// hosts than the machine's memory.
func (p *plan) checkPairs(list []Traffic) error {
	hosts := unit.Bytes(len(p.graph.Hosts))
	if hosts < manyHosts {
		return nil
	}
	var traits protocol.HostTraits
	var most, choosers unit.Bytes // most: other hosts that a host sends to; choosers: bytes for them, summed over groups
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

// rowBytes returns the memory of a host's table of pointers to all hosts. set is the number
// of pointers that are set.
func rowBytes(hosts, set unit.Bytes) unit.Bytes {
	if hosts*pointer < largeTable {
		return hosts * pointer
	}
	return min(hosts*pointer, (set+1)*page)
}

// peers estimates, from below, how many other hosts a mean host of a group sends to. It
// draws the messages of some of them. Messages that start when another one completes count
// only if the run lasts until all messages are sent.
func (p *plan) peers(s *Traffic) unit.Bytes {
	if g := slices.IndexFunc(p.groups, func(g transport.Group) bool { return g.Name == s.Name }); g >= 0 && reacting(p.groups[g].Sources) {
		return 0 // each message is counted when it starts; making the sources again can take long
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

// reacting reports whether all sources wait for other hosts.
func reacting(sources []workload.Source) bool {
	return !slices.ContainsFunc(sources, func(s workload.Source) bool {
		_, ok := s.(workload.Receiver)
		return s != nil && !ok
	})
}

// peersOf draws messages of a source, and returns the number of their receivers. It returns
// 0 for a source that waits for other hosts.
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

// checkMessages refuses a group that starts more messages at once than fit the machine's
// memory, with their connections.
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

// lacking reports whether the memory is too small, and how much there is.
func lacking(need unit.Bytes) (unit.Bytes, bool) {
	if need <= alwaysThere {
		return 0, false
	}
	have, ok := availableMemory()
	return have, ok && need > have
}

// availableMemory returns the memory that the kernel reports as available, if it does.
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
