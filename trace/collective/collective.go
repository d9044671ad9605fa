// Package collective lowers collectives of groups of ranks to messages, by algorithms of the textbooks.
//
// The algorithms are those that Thakur, Rabenseifner and Gropp (Optimization of Collective Communication
// Operations in MPICH, IJHPCA 2005) compare, with Bruck's all-to-all (Bruck et al., IEEE TPDS 1997), the
// dissemination barrier (Hensgen, Finkel, Manber, IJPP 1988) and collectives in two levels, as Horovod's
// hierarchical all-reduce.
//
// A buffer is cut into parts as equal as can be, one per rank. The first parts have a byte more if the
// size does not divide evenly. A part without bytes needs no message.
package collective

import (
	"fmt"
	"strings"

	"weft/internal/nearest"
	"weft/internal/readable"
)

// Kind is what a collective does.
type Kind uint8

// Kinds of collectives. Part i is of rank i of the group.
const (
	// AllReduce leaves the sum of all buffers at every rank.
	AllReduce Kind = 1 + iota
	// AllGather collects a part of every rank at every rank.
	AllGather
	// ReduceScatter leaves part i of the sum of all buffers at rank i.
	ReduceScatter
	// AllToAll sends part j of each rank's buffer to rank j.
	AllToAll
	// Broadcast copies the root's buffer to all ranks.
	Broadcast
	// Reduce leaves the sum of all buffers at the root.
	Reduce
	// Gather collects a part of every rank at the root.
	Gather
	// Scatter sends part i of the root's buffer to rank i.
	Scatter
	// Barrier ends at no rank before it has begun at every rank.
	Barrier
)

// kinds are the names of kinds, in their order.
var kinds = [...]string{"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce", "gather", "scatter", "barrier"}

// String returns the name of a kind: that of nccl-tests with hyphens, such as all-reduce.
func (k Kind) String() string {
	if k >= 1 && int(k) <= len(kinds) {
		return kinds[k-1]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// ParseKind returns the kind of a name. Underscores and hyphens, and capitals, make no difference.
func ParseKind(name string) (Kind, error) {
	plain := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	for i, n := range kinds {
		if n == plain || strings.ReplaceAll(n, "-", "") == plain {
			return Kind(1 + i), nil
		}
	}
	return 0, unknown("collective", name, kinds[:])
}

// Algorithm is how a collective is made of messages.
type Algorithm uint8

// Algorithms. Not every kind has each.
const (
	// Ring passes parts on from each rank to the next. A broadcast is a scatter by a tree and a ring; a
	// reduction is a ring and a gather by a tree.
	Ring Algorithm = 1 + iota
	// RecursiveDoubling exchanges data with ranks at doubling distances, or halves it where parts are
	// reduced and scattered. An all-reduce exchanges whole buffers. An all-to-all is Bruck's, and a barrier
	// the dissemination. If the ranks are no power of two, some hand their data to a neighbour before and
	// get the result from it.
	RecursiveDoubling
	// halvingDoubling is Rabenseifner's all-reduce: a reduce-scatter by recursive halving and an all-gather
	// by recursive doubling.
	halvingDoubling
	// tree goes along a binomial tree. What all ranks need goes to rank 0 and from there to all.
	tree
	// Pairwise exchanges parts with one rank at a time. A step begins when both messages of the one before
	// have ended.
	Pairwise
	// Direct sends all messages at once, each to the rank that needs it.
	Direct
	// Hierarchical goes by nodes: inside each node, then between ranks of different nodes, then inside each
	// node. Where data is reduced or gathered everywhere, or exchanged, each rank of a node does so with
	// one rank of every other node; if nodes differ in ranks, as many as the smallest one has. Otherwise one rank
	// stands for its node.
	Hierarchical
)

// algorithms are the names of algorithms, in their order.
var algorithms = [...]string{"ring", "recursive-doubling", "halving-doubling", "tree", "pairwise", "direct", "hierarchical"}

// String returns the name of an algorithm.
func (a Algorithm) String() string {
	if a >= 1 && int(a) <= len(algorithms) {
		return algorithms[a-1]
	}
	return fmt.Sprintf("algorithm %d", uint8(a))
}

// parseAlgorithm returns the algorithm of a name.
func parseAlgorithm(name string) (Algorithm, error) {
	for i, n := range algorithms {
		if n == name {
			return Algorithm(1 + i), nil
		}
	}
	return 0, unknown("algorithm", name, algorithms[:])
}

// algorithmsOf returns the algorithms of a kind.
func algorithmsOf(k Kind) (list []Algorithm) {
	for a := Ring; int(a) <= len(algorithms); a++ {
		if a.lowering(k) != nil {
			list = append(list, a)
		}
	}
	return list
}

// unknown is the error of a name that is none of a list.
func unknown(what, name string, names []string) error {
	return fmt.Errorf("%q is no %s; %s", readable.Clip(name), what, nearest.Remedy(name, "weft has", names))
}

// lowering returns how an algorithm lowers a kind, or nil if it does not.
func (a Algorithm) lowering(k Kind) func(*writer) {
	switch a {
	case Ring:
		return pick(k, (*writer).ringAllReduce, (*writer).ringAllGather, (*writer).ringReduceScatter, nil, (*writer).ringBroadcast, (*writer).ringReduceTo, nil, nil, nil)
	case RecursiveDoubling:
		return pick(k, (*writer).doublingAllReduce, (*writer).doublingAllGather, (*writer).halvingReduceScatter, (*writer).bruck, (*writer).doublingBroadcast, (*writer).halvingReduceTo, nil, nil, (*writer).disseminate)
	case halvingDoubling:
		return pick(k, (*writer).halvingDoubling, nil, nil, nil, nil, nil, nil, nil, nil)
	case tree:
		return pick(k, (*writer).treeAllReduce, (*writer).treeAllGather, (*writer).treeReduceScatter, nil, (*writer).treeBroadcastAll, (*writer).treeReduceTo, (*writer).treeGatherTo, (*writer).treeScatterAll, (*writer).treeAllReduce)
	case Pairwise:
		return pick(k, (*writer).pairwiseAllReduce, (*writer).pairwiseAllGather, (*writer).pairwiseReduceScatter, (*writer).pairwiseAllToAll, nil, nil, nil, nil, nil)
	case Direct:
		return pick(k, (*writer).directAllReduce, (*writer).directAllGather, (*writer).directReduceScatter, (*writer).directAllToAll, (*writer).directBroadcast, (*writer).directReduce, (*writer).directGather, (*writer).directScatter, (*writer).directBarrier)
	case Hierarchical:
		return pick(k, (*writer).nodesAllReduce, (*writer).nodesAllGather, (*writer).nodesReduceScatter, (*writer).nodesAllToAll, (*writer).nodesBroadcast, (*writer).nodesReduce, (*writer).nodesGather, (*writer).nodesScatter, (*writer).nodesBarrier)
	}
	return nil
}

// pick returns the lowering of a kind from a list in the order of kinds.
func pick(k Kind, list ...func(*writer)) func(*writer) {
	if k < 1 || int(k) > len(list) {
		return nil
	}
	return list[k-1]
}
