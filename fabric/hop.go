package fabric

import (
	"math/bits"
	"math/rand/v2"

	"weft/protocol"
	"weft/topo"
)

// switchState is the forwarding state of a switch: a set of next hops for each edge switch.
type switchState struct {
	edge    int32 // its number among the edge switches, or -1
	first   int32 // any port of it; frames without a route count there
	salt    uint64
	index   []uint16 // set of each edge switch; empty with layers or explicit paths
	offsets []uint32 // where each set begins in ports, plus one entry for the end
	ports   []int32  // local ports
	random  rand.PCG
	*sprayState
	*layered
	*explicit
}

// hashed returns what pick returns for a hashed frame, from one edge switch to another.
func (s *switchState) hashed(f *Frame, from, to int32) int32 {
	ports, _ := s.choices(from, to, f.Entropy)
	if len(ports) == 0 {
		return -1
	}
	return among(ports, pathHash(f, s.salt))
}

// choices returns the ports by which a frame may leave a switch on its way from one
// edge switch to another, and the number of their set if there are several.
func (s *switchState) choices(from, to int32, entropy uint16) (ports []int32, set uint16) {
	if s.explicit != nil {
		if ports = s.explicit.next(from, to, entropy); ports != nil {
			return ports, 0
		}
	}
	set = s.setOf(int(to), entropy)
	return s.ports[s.offsets[set]:s.offsets[set+1]], set
}

// sprayState is what a switch remembers for spraying policies that need state.
type sprayState struct {
	turns    []uint32       // per next-hop set, for ByRoundRobin
	order    []uint32       // order of each next-hop set in the current round, for Shuffled
	shuffles bool           // some policy is Shuffled
	flowlets []flowletTable // one per spraying policy; empty unless that is ByFlowlet
	tierSalt uint64         // for BySymmetricHash
}

// sprays are the policies by which a domain's switches choose among equal next hops.
type sprays struct {
	ways   []protocol.Spray // shared, read only
	equals []uint32         // see leastLoaded
}

// setOf returns the number of the next-hop set for an edge switch and an entropy.
// It ignores explicit paths.
func (s *switchState) setOf(edge int, entropy uint16) uint16 {
	switch {
	case s.layered != nil:
		return s.layered.set(edge, entropy)
	case s.explicit != nil:
		return s.explicit.minimal[edge]
	}
	return s.index[edge]
}

// draw returns a number below n from the switch's own stream.
func (s *switchState) draw(n uint32) uint32 {
	return uint32(s.random.Uint64() >> 32 * uint64(n) >> 32)
}

// anyEntropy draws an entropy.
func (s *switchState) anyEntropy() uint16 { return uint16(s.random.Uint64() >> 48) }

// among returns the port that a 32-bit hash selects.
func among[P int32 | topo.PortID](ports []P, hash uint64) P {
	return ports[hash*uint64(len(ports))>>32]
}

// pathHash returns 32 well-mixed bits of the header fields that a switch hashes. It
// mixes by multiplication, where FatPaths (SC 2020, §VII-A6) uses Fowler-Noll-Vo.
func pathHash(f *Frame, salt uint64) (h uint64) {
	hi, lo := bits.Mul64((uint64(uint32(f.Src()))<<32|uint64(uint32(f.Dst())))^salt, uint64(f.Entropy)^0x9e3779b97f4a7c15^salt>>7)
	h = hi ^ lo
	return (h ^ h>>32) * 0xd6e8feb86659fd93 >> 32
}

// pairHash is pathHash over the unordered pair of source and destination.
func pairHash(src, dst int32, entropy uint16, salt uint64) (h uint64) {
	a, b := uint64(uint32(min(src, dst))), uint64(uint32(max(src, dst)))
	hi, lo := bits.Mul64((a<<32|b)^salt, uint64(entropy)^0x9e3779b97f4a7c15^salt>>7)
	h = hi ^ lo
	return (h ^ h>>32) * 0xd6e8feb86659fd93 >> 32
}
