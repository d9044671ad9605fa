package end

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"

	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// Group is traffic with one transport.
type Group struct {
	Params
	// Tenant is whose traffic it is.
	Tenant uint8
	// Bundles is the number of the group whose bundles it uses.
	Bundles int32
}

// Network is what the ends of connections know of the network that they are in. It does not change, but for
// Reroutes.
type Network struct {
	Seed   uint64
	Groups []Group
	// Names has a hash of the name of each host.
	Names []uint64
	// LineRate returns the rate of a host's link; nil if it is not known.
	LineRate func(host int32) unit.Rate
	// Hops returns how many switches a packet passes from a host to another; nil if it is not known.
	Hops func(src, dst int32) int
	// Paths, if not nil, appends the explicit paths from a host to another.
	Paths func(src, dst int32, list []protocol.Path) []protocol.Path
	// Reroutes counts how often paths changed.
	Reroutes uint32
	// Queue is the queue of NICs, nil if they pull.
	Queue *NICQueue
	// SourceMarks, if not nil, is how hosts mark for controls that ask for it.
	SourceMarks func(host int32) SourceMarks
	// Tenants tells who sends for whom; nil if nothing does.
	Tenants protocol.Tenants
	// Late is by how much at most a carrier may be late in asking for packets that the next waits of their connections begin
	// as if it were not: so paces last over a time, whatever the carrier's timers are. It is 0 in simulators.
	Late unit.Time
}

// NICQueue is a FIFO at each host in which frames wait for the wire.
type NICQueue struct {
	// Mark marks the data frames that find more bytes of data in it than the threshold of
	// the host.
	Mark       bool
	Thresholds []unit.Bytes // by host
	// SpareFirst lets the first of them after one that does not go unmarked.
	SpareFirst bool
}

// SourceMarks is by which rule a host marks what would have waited in a queue of its NIC, as RED:
// never up to KMin, always above KMax, and in between with a probability that rises to PMax, in
// 2⁻³². The zero value is nothing.
type SourceMarks struct {
	On         bool
	KMin, KMax unit.Bytes
	PMax       uint32
}

// Pair names the connection of a group with another host, or that for a part of its messages.
type Pair struct{ Group, Peer, Part int32 }

// PairsWith returns the keys of a map that are with a peer, in their order.
func PairsWith[T any](m map[Pair]T, peer int32) (keys []Pair) {
	for key := range m {
		if key.Peer == peer {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Part, b.Part)) })
	return keys
}

// Identify names a message of a run. The ordinal is known modulo 2³², which no
// host reaches in a group.
func Identify(group, src int32, serial uint32) uint64 {
	return uint64(group)<<58 | uint64(src)<<32 | uint64(serial)
}

// Tell tells a chooser of the paths from a host to another, if it wants to know. It returns the memory of the list.
func (n *Network) Tell(c protocol.Entropy, src, dst int32, list []protocol.Path) []protocol.Path {
	if n.Paths == nil {
		return list
	}
	if k, ok := c.(protocol.PathChooser); ok {
		list = n.Paths(src, dst, list[:0])
		k.SetPaths(list)
	}
	return list
}

// ShareBundles finds for each group the first one whose bundles serve it, too: of the same tenant, with controls that agree.
func ShareBundles(groups []Group) {
	for i := range groups {
		groups[i].Bundles = sharesWith(groups, int32(i))
	}
}

func sharesWith(groups []Group, group int32) int32 {
	g := &groups[group]
	if g.Congestion.NewBundle == nil || g.Congestion.Receivers == nil {
		return group
	}
	for j := range group {
		o := &groups[j]
		if o.Tenant == g.Tenant && o.Congestion.NewBundle != nil && reflect.DeepEqual(o.Congestion.Receivers, g.Congestion.Receivers) {
			return j
		}
	}
	return group
}

// Control returns a new packet of a host without payload, in the class of acknowledgements.
func (h *Host) Control(s *packet.Store, g *Group, group, kind uint8, dst int32, entropy uint16) packet.ID {
	id := s.Alloc()
	p := s.At(id)
	p.Address(h.ID, dst, group)
	p.Size = uint16(g.AckSize)
	p.Kind = kind
	p.Entropy = entropy
	p.SetClass(g.AckClass, g.Spray)
	return id
}

// GrantEntropy draws the entropy of a pull or a request.
func (h *Host) GrantEntropy() uint16 { return uint16(h.GrantPaths.Uint64() >> 48) }

// Seed seeds a stream of the host.
func (h *Host) Seed(r *rand.PCG, n *Network, purpose string) {
	sim.SeedStream(r, n.Seed, h.Name, purpose)
}
