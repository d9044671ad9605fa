package simai

import (
	"fmt"
	"slices"
	"strings"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/problem"
)

// strategy is a kind of parallelism, which says in what order the phases of layers come, and which
// collectives they have.
type strategy struct {
	name string
	// newer tells that sizes mean what they mean in SimAI, and not what they mean in ASTRA-sim 1.
	newer bool
	// model tells that the model is spread over all ranks, and not copied.
	model bool
	// forward, inputGrad and weightGrad are the phases whose collectives count.
	forward, inputGrad, weightGrad bool
	// overlapped lets the collective of an input gradient run beside the computation of the weight
	// gradient, and leaves it out at the first layer.
	overlapped bool
	// weightsFirst computes the weight gradient of a layer before its input gradient, and no input
	// gradient at the first layer.
	weightsFirst bool
	// forwardOnly has no backward pass.
	forwardOnly bool
}

// strategies returns those that a file can name.
func strategies() []strategy {
	return []strategy{
		{name: "HYBRID_TRANSFORMER_FWD_IN_BCKWD", newer: true, forward: true, inputGrad: true, weightGrad: true},
		{name: "HYBRID_TRANSFORMER", forward: true, inputGrad: true, weightGrad: true},
		{name: "DATA", weightGrad: true, weightsFirst: true},
		{name: "MODEL", model: true, forward: true, inputGrad: true, overlapped: true},
		{name: "DISTRIBUTED_INFERENCE", model: true, forward: true, forwardOnly: true},
	}
}

// elsewhere are strategies whose collectives depend on more than the file, or have an order of
// their own.
func elsewhere() []string {
	return []string{"HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_CUSTOMIZED", "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "MICRO"}
}

func findStrategy(name string) (*strategy, error) {
	var names []string
	for _, s := range strategies() {
		if s.name == name {
			return &s, nil
		}
		names = append(names, s.name)
	}
	if slices.Contains(elsewhere(), name) {
		return nil, problem.New("weft does not read layer files of the parallelism %s", name).Mend("use %s", strings.Join(names, " or "))
	}
	return nil, problem.New("%q is no parallelism of a layer file of SimAI or ASTRA-sim 1", readable.Clip(name)).Mend("%s", nearest.Remedy(name, "there are", names))
}

// phaseKind is one of the parts of a layer.
type phaseKind uint8

const (
	forward phaseKind = iota
	inputGrad
	weightGrad
)

// kind is what a collective does.
type kind uint8

const (
	none kind = iota
	allReduce
	allGather
	reduceScatter
	allToAll
)

// groupKind is who takes part in a collective.
type groupKind uint8

const (
	tensorGroup groupKind = iota
	dataGroup
	expertGroup
	// dataExpertGroup are the ranks that hold the same experts.
	dataExpertGroup
)

// exchange is a collective and its group.
type exchange struct {
	kind  kind
	group groupKind
}

// collectives returns the names of collectives without suffix.
func collectives() map[string]kind {
	return map[string]kind{"ALLREDUCE": allReduce, "ALLGATHER": allGather, "REDUCESCATTER": reduceScatter, "ALLTOALL": allToAll}
}

// suffixes returns the suffixes that name groups.
func suffixes() map[string]groupKind {
	return map[string]groupKind{"_EP": expertGroup, "_DP_EP": dataExpertGroup}
}

// parseExchange returns what a word of a phase means. Without a suffix, the group is that of tensor
// parallelism in the forward pass and for input gradients, and that of data parallelism for weight
// gradients.
func parseExchange(word string, of phaseKind) (exchange, error) {
	if word == "" {
		return exchange{}, problem.New("the file ends where a collective is due").Mend("complete it, or correct the number of layers in its second line")
	}
	if word == "NONE" {
		return exchange{}, nil
	}
	var known []string
	for name, kind := range collectives() {
		if word == name {
			group := tensorGroup
			if of == weightGrad {
				group = dataGroup
			}
			return exchange{kind, group}, nil
		}
		known = append(known, name)
		for suffix, group := range suffixes() {
			if word == name+suffix {
				return exchange{kind, group}, nil
			}
			known = append(known, name+suffix)
		}
	}
	slices.Sort(known)
	return exchange{}, fmt.Errorf("%w", problem.New("%q is no collective", readable.Clip(word)).Mend("%s", nearest.Remedy(word, "there are", append([]string{"NONE"}, known...))))
}
