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

// Group is a class of traffic with one transport configuration.
type Group struct {
	Params
	// Tenant is the tenant that owns the traffic.
	Tenant uint8
	// Bundles is the number of the group whose bundles it uses, perhaps its own.
	Bundles int32
}

// Network is what the ends of connections know of their network. Only Reroutes changes during a
// run.
type Network struct {
	Seed   uint64
	Groups []Group
	// Names has a hash of each host's name.
	Names []uint64
	// LineRate returns the rate of a host's link. It is nil if rates are unknown.
	LineRate func(host int32) unit.Rate
	// Hops returns how many switches a packet passes from one host to another. It is nil if that
	// is unknown.
	Hops func(src, dst int32) int
	// Paths, if not nil, appends the explicit paths from one host to another.
	Paths func(src, dst int32, list []protocol.Path) []protocol.Path
	// Reroutes counts changes of paths.
	Reroutes uint32
	// Queue is the queue in hosts' NICs. It is nil if NICs pull packets when the wire is free.
	Queue *NICQueue
	// SourceMarks, if not nil, returns the rule by which a host marks packets itself, for
	// controls that ask for it.
	SourceMarks func(host int32) SourceMarks
	// Tenants maps hosts to tenants. It is nil if there are none.
	Tenants protocol.Tenants
	// Late is the largest timer delay that connections compensate. If a carrier asks for a packet
	// at most this late, the next gap starts from the time the packet was due, so that average
	// rates do not depend on the carrier's timers. It is 0 in simulators.
	Late unit.Time
}

// NICQueue describes a FIFO queue at each host, in which frames wait for the wire.
type NICQueue struct {
	// Mark enables ECN marks on data frames that find more bytes of data queued than the host's
	// threshold.
	Mark       bool
	Thresholds []unit.Bytes // by host
	// SpareFirst leaves the first frame above the threshold unmarked, after one that was not
	// above it.
	SpareFirst bool
}

// SourceMarks is the RED rule by which a host marks packets that would have queued in its NIC. It
// marks none up to KMin and all above KMax. In between the probability rises linearly to PMax, in
// units of 2⁻³². The zero value marks nothing.
type SourceMarks struct {
	On         bool
	KMin, KMax unit.Bytes
	PMax       uint32
}

// Pair identifies a connection by its group, the other host, and the part of messages (subflow)
// that it carries.
type Pair struct{ Group, Peer, Part int32 }

// PairsWith returns the keys of a map whose peer is the given host, sorted.
func PairsWith[T any](m map[Pair]T, peer int32) (keys []Pair) {
	for key := range m {
		if key.Peer == peer {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Part, b.Part)) })
	return keys
}

// Identify returns a number for a message that is unique in a run. The ordinal is taken modulo
// 2³², which no host reaches in a group.
func Identify(group, src int32, serial uint32) uint64 {
	return uint64(group)<<58 | uint64(src)<<32 | uint64(serial)
}

// Tell passes the paths from one host to another to an entropy chooser that is a
// protocol.PathChooser. It returns the list for reuse.
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

// ShareBundles sets each group's Bundles to the first group that it can share bundles with: a
// group of the same tenant whose control agrees.
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

// Control returns a new packet without payload from the host, in the class of acknowledgements.
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

// Seed seeds a random stream of the host.
func (h *Host) Seed(r *rand.PCG, n *Network, purpose string) {
	sim.SeedStream(r, n.Seed, h.Name, purpose)
}
