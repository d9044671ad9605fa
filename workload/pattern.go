package workload

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"weft/catalog"
	"weft/internal/portable"
	"weft/problem"
	"weft/sim"
)

// Pattern determines who sends to whom.
type Pattern interface {
	// Resolve computes everything that stays the same during a run. The members of s must be
	// listed, in order and without repetition. Random choices use streams of the seed and the
	// group.
	Resolve(s Setting) (Destinations, error)
}

// Destinations is a pattern applied to given hosts. Methods may be called concurrently for
// different hosts, and allocate nothing.
type Destinations interface {
	// Fan returns how many destinations a host cycles through; 0 if it sends nothing.
	Fan(host int32) int
	// Destination returns the receiver of a host's n-th message, counted from 0. Random choices
	// use r, the host's own stream.
	Destination(host int32, n int64, r *rand.PCG) int32
}

// Patterns returns the traffic patterns that a scenario can name.
func Patterns() []catalog.Entry[Pattern] {
	return []catalog.Entry[Pattern]{
		catalog.Define("incast",
			"many hosts send to one receiver",
			"ARCANE §4.2", asPattern[Incast]),
		catalog.Define("bursts",
			"many random hosts send to a random one at the same instant, repeatedly",
			"SIRD, NSDI 2025, §6.2; HPCC, SIGCOMM 2019, §5.1; Dart §VI-A", asPattern[Bursts]).Alias("random-incasts", "incasts"),
		catalog.Define("permutation",
			"every host sends to one other and receives from one, at random",
			"ARCANE §4.2", asPattern[Permutation]),
		catalog.Define("tornado",
			"every host sends to its twin in the other half of the network",
			"ARCANE §4.2", asPattern[Tornado]),
		catalog.Define("off-diagonal",
			"every host sends to the one that is a fixed number of hosts further on",
			"FatPaths (SC 2020), §II-C", asPattern[OffDiagonal]).Alias("shift", "stride"),
		catalog.Define("group-shift",
			"every message goes to a random host of the group of switches that is a fixed number of groups further on",
			"Kim et al., ISCA 2008 (adversarial traffic of the evaluation)", asPattern[GroupShift]).Alias("dragonfly-adversarial"),
		catalog.Define("shuffle",
			"every host sends to the one whose number has its own number's bits rotated",
			"FatPaths (SC 2020), §II-C", asPattern[Shuffle]).Alias("perfect-shuffle", "bit-rotation"),
		catalog.Define("stencil",
			"every host sends to its four neighbours in a two-dimensional stencil, by arrival or in rounds with or without a barrier",
			"FatPaths (SC 2020), §II-C and §VII-C", newStencil).Alias("2d-stencil", "halo", "halo-exchange"),
		catalog.Define("adversarial",
			"all hosts of a switch send to those of one other, at the offset with the greatest distances",
			"FatPaths (SC 2020), §II-C", asPattern[Adversarial]).Alias("skewed"),
		catalog.Define("worst-case",
			"the hosts of switches that are far apart send to each other: a matching of the greatest weight",
			"TopoBench (SC 2016); FatPaths (SC 2020), §VI-C", asPattern[WorstCase]).Alias("worst-matching", "longest-matching", "maximum-weight-matching"),
		catalog.Define("uniform",
			"every message goes to another host, chosen at random",
			"ARCANE §4.2 (datacenter traces)", asPattern[Uniform]).Alias("random"),
		catalog.Define("pairs",
			"hosts send to the receivers in a list",
			"connection matrices, as in htsim", asPattern[Pairs]),
		catalog.Define("ring-allreduce",
			"ranks sum up a buffer of size bytes around a ring; each step starts when the data of the last is there",
			"ARCANE §4.2; Patarasuk and Yuan, JPDC 2009", asPattern[RingAllReduce]).Alias("allreduce", "ring"),
		catalog.Define("butterfly-allreduce",
			"ranks sum up a buffer of size bytes by recursive halving and doubling: pairs first move closer, then apart",
			"ARCANE §4.2; Thakur et al., IJHPCA 2005", asPattern[ButterflyAllReduce]).Alias("allreduce", "halving-doubling", "rabenseifner"),
		catalog.Define("alltoall",
			"every rank sends a part of its buffer of size bytes to every other, over a given number of connections at a time",
			"ARCANE §4.2", asPattern[AllToAll]).Alias("a2a"),
		catalog.Define("connections",
			"messages of a connection matrix, with triggers and barriers",
			"connection matrices (.cm) of htsim", asPattern[Connections]).Alias("connection-matrix", "traffic-matrix", "cm", "tm"),
		catalog.Define("flow-file",
			"messages of a file of flows, each with its start",
			"flow.txt of HPCC's and ConWeave's simulators", asPattern[FlowFile]).Alias("flows", "flow.txt", "hpcc-flows"),
	}
}

func asPattern[P Pattern](options P) (Pattern, error) { return options, nil }

// Incast makes members send to one receiver, which may be any host in the network.
type Incast struct {
	Receiver string `yaml:"receiver" default:"host0" doc:"Host that receives."`
	Senders  *int   `yaml:"senders" doc:"Number of hosts that send, chosen at random among those that take part (default: all but the receiver)." min:"1"`
}

// Resolve implements Pattern.
func (o Incast) Resolve(s Setting) (Destinations, error) {
	receiver, err := s.FindHost(o.Receiver)
	if err != nil {
		return nil, problem.At("receiver", "incast: receiver: %w", err)
	}
	senders := slices.DeleteFunc(slices.Clone(s.Members), func(h int32) bool { return h == receiver })
	switch {
	case len(senders) == 0:
		return nil, problem.New("incast: no host is left to send to %s", o.Receiver).Mend("let others take part")
	case o.Senders != nil && (*o.Senders < 1 || *o.Senders > len(senders)):
		return nil, problem.At("senders", "incast: senders is %d", *o.Senders).Mend("it must be from 1 to %d, the hosts that take part without the receiver", len(senders))
	case o.Senders != nil:
		r := sim.Stream(s.Seed, s.groupHash(), "incast senders")
		portable.Sample(&r, senders, *o.Senders)
		senders = senders[:*o.Senders]
	}
	to := nowhere(s.Hosts)
	for _, h := range senders {
		to[h] = receiver
	}
	return to, nil
}

// single holds one destination for each host, or -1.
type single []int32

func nowhere(hosts int) single {
	to := make(single, hosts)
	for i := range to {
		to[i] = -1
	}
	return to
}

func (d single) Fan(host int32) int {
	if d[host] < 0 {
		return 0
	}
	return 1
}

func (d single) Destination(host int32, _ int64, _ *rand.PCG) int32 { return d[host] }

// Permutation makes every member send to one other member and receive from one, by a uniformly
// random derangement. It draws permutations until one leaves no member in its place, which takes
// e draws on average. FatPaths (SC 2020, §II-C) draws from all permutations, in which a host may
// send to itself. (A random cyclic order would be simpler to draw, but in it no two hosts send to
// each other.)
type Permutation struct{}

// Resolve implements Pattern.
func (Permutation) Resolve(s Setting) (Destinations, error) {
	if len(s.Members) < 2 {
		return nil, fmt.Errorf("permutation: only %s takes part; at least two hosts are needed", s.HostName(s.Members[0]))
	}
	r := sim.Stream(s.Seed, s.groupHash(), "permutation")
	images := slices.Clone(s.Members)
	portable.Shuffle(&r, images)
	for anyFixed(s.Members, images) {
		portable.Shuffle(&r, images)
	}
	to := nowhere(s.Hosts)
	for i, h := range s.Members {
		to[h] = images[i]
	}
	return to, nil
}

// anyFixed reports whether an element is its own image.
func anyFixed(elements, images []int32) bool {
	for i := range elements {
		if elements[i] == images[i] {
			return true
		}
	}
	return false
}

// Tornado makes every member send to the host half the network away: of N hosts, i sends to i +
// N/2 modulo N, whether that host is a member or not.
type Tornado struct{}

// Resolve implements Pattern.
func (Tornado) Resolve(s Setting) (Destinations, error) {
	if s.Hosts%2 != 0 {
		return nil, problem.New("tornado: the network has %d hosts; with an odd number a host has no twin in the other half", s.Hosts).Mend("use permutation, or another number of hosts")
	}
	to := nowhere(s.Hosts)
	for _, h := range s.Members {
		to[h] = (h + int32(s.Hosts/2)) % int32(s.Hosts)
	}
	return to, nil
}

// OffDiagonal makes every member send to the member Offset places further on in a ring of the
// members. If the offset is a multiple of the number of hosts per switch, all hosts of a switch
// send to the hosts of one other switch: FatPaths' skewed pattern. With shuffled ranks, the same
// traffic runs between random hosts: FatPaths' randomized workload mapping.
type OffDiagonal struct {
	Offset int    `yaml:"offset" default:"1" min:"1" doc:"How many hosts further on the receiver is." source:"FatPaths §II-C"`
	Ranks  string `yaml:"ranks" default:"hosts" enum:"hosts,shuffled" doc:"Order of hosts in the ring: as listed, or at random." source:"FatPaths §III-D"`
}

// Resolve implements Pattern.
func (o OffDiagonal) Resolve(s Setting) (Destinations, error) {
	ring, err := s.ring("off-diagonal", o.Ranks)
	if err != nil {
		return nil, err
	}
	n := len(ring)
	if o.Offset < 1 || o.Offset%n == 0 {
		return nil, problem.New("off-diagonal: with offset %d each of the %d hosts would send to itself", o.Offset, n).Mend("use from 1 to %d", n-1)
	}
	return s.mapped(ring, func(i int) int { return (i + o.Offset) % n }), nil
}

// Uniform sends each message to another member, with equal probabilities. FatPaths (SC 2020,
// §II-C) draws one destination for each host, once, which may be the host itself.
type Uniform struct{}

// Resolve implements Pattern.
func (Uniform) Resolve(s Setting) (Destinations, error) {
	if len(s.Members) < 2 {
		return nil, fmt.Errorf("uniform: only %s takes part; at least two hosts are needed", s.HostName(s.Members[0]))
	}
	return anyOf(s.Members), nil
}

// anyOf holds the members, in order.
type anyOf []int32

func (d anyOf) Fan(int32) int { return 1 }

func (d anyOf) Destination(host int32, _ int64, r *rand.PCG) int32 {
	// Because members are sorted, a single draw can skip the sender.
	i := portable.Below(r, uint64(len(d)-1))
	if d[i] >= host {
		i++
	}
	return d[i]
}

// Pairs makes hosts send to the receivers in a list. A host with several receivers cycles through
// them, in the order of the list.
type Pairs struct {
	Pairs []string `yaml:"pairs" doc:"Sender and receiver of each pair, as in host0->host9."`
}

// Resolve implements Pattern.
func (o Pairs) Resolve(s Setting) (Destinations, error) {
	if len(o.Pairs) == 0 {
		return nil, problem.At("pairs", `pairs: the list is empty; name at least one pair, as in "host0->host9"`)
	}
	d := make(inTurn, s.Hosts)
	for i, text := range o.Pairs {
		from, to, err := s.pair(text)
		if err != nil {
			return nil, problem.At("pairs", "pairs: pair %d: %w", i+1, err)
		}
		d[from] = append(d[from], to)
	}
	return d, nil
}

func (s Setting) pair(text string) (from, to int32, err error) {
	left, right, ok := strings.Cut(text, "->")
	if !ok {
		return 0, 0, fmt.Errorf(`%q has no arrow; write it as in "host0->host9"`, text)
	}
	from, err = s.FindHost(strings.TrimSpace(left))
	if err != nil {
		return 0, 0, fmt.Errorf("%q: %w", text, err)
	}
	to, err = s.FindHost(strings.TrimSpace(right))
	if err != nil {
		return 0, 0, fmt.Errorf("%q: %w", text, err)
	}
	if from == to {
		return 0, 0, fmt.Errorf("%q: a host does not send to itself over the network", text)
	}
	if _, ok := slices.BinarySearch(s.Members, from); !ok {
		return 0, 0, fmt.Errorf("%q: %s is not among the hosts that take part in the group", text, s.HostName(from))
	}
	return from, to, nil
}

// inTurn holds the destinations of each host.
type inTurn [][]int32

func (d inTurn) Fan(host int32) int { return len(d[host]) }

func (d inTurn) Destination(host int32, n int64, _ *rand.PCG) int32 {
	return d[host][n%int64(len(d[host]))]
}
