package generate

import (
	"slices"
	"strings"

	"weft/problem"
)

// parallel says how a model is cut.
type parallel struct {
	Data     int64 `yaml:"data" default:"1" min:"1" max:"1000000" doc:"Copies of the model, each with its share of the batch."`
	Tensor   int64 `yaml:"tensor" default:"1" min:"1" max:"1000000" doc:"Ranks that share the matrices of a layer."`
	Pipeline int64 `yaml:"pipeline" default:"1" min:"1" max:"1000000" doc:"Stages, each with its share of the layers."`
	Context  int64 `yaml:"context" default:"1" min:"1" max:"1000000" doc:"Ranks that share a sequence in all of a layer."`
	Expert   int64 `yaml:"expert" default:"1" min:"1" max:"1000000" doc:"Ranks that share the experts of a layer; it divides data."`
	// Sequence is Megatron's sequence parallelism.
	Sequence bool   `yaml:"sequence" default:"false" doc:"Cut what lies between the matrices along the sequence, so that reduce-scatter and all-gather stand for each all-reduce of the tensor group." source:"Korthikanti et al. 2022, section 4.2"`
	Scatter  bool   `yaml:"scatter_gather" default:"false" doc:"Send each rank's share of an activation between stages, and gather the shares behind." source:"Narayanan et al., SC 2021, section 4.1"`
	Exchange string `yaml:"context_exchange" default:"all-gather" enum:"all-gather,ring" doc:"How ranks of a context group get each other's keys and values."`
	Order    string `yaml:"order" default:"tp-cp-ep-dp-pp" doc:"Order of the ranks, from those next to each other to those far apart: tp, cp, ep, dp and pp joined by dashes."`
	// Split has one number per stage, or per chunk if stages have several.
	Split []int64 `yaml:"split" default:"[]" doc:"Layers of each stage, or of each chunk in the order in which data passes them; empty for equal shares."`
}

// dimension is a direction in which ranks differ.
type dimension uint8

// The dimensions. Ranks that share experts are neighbours within data parallelism, so that dataDim counts
// groups of them.
const (
	tensorDim dimension = iota
	contextDim
	expertDim
	dataDim
	pipelineDim
	dimensions
)

// dimensionNames are Megatron's.
var dimensionNames = [dimensions]string{"tp", "cp", "ep", "dp", "pp"}

// grid numbers the ranks.
type grid struct {
	size, stride [dimensions]int64
	order        [dimensions]dimension
}

// grid returns the ranks of a cut that has been checked.
func (p *parallel) grid() (*grid, error) {
	g := &grid{size: [dimensions]int64{p.Tensor, p.Context, p.Expert, p.Data / p.Expert, p.Pipeline}}
	words := strings.Split(p.Order, "-")
	if len(words) != int(dimensions) {
		return nil, wrongOrder(p.Order)
	}
	stride := int64(1)
	for i, w := range words {
		d := slices.Index(dimensionNames[:], w)
		if d < 0 || slices.Index(words, w) < i {
			return nil, wrongOrder(p.Order)
		}
		g.order[i] = dimension(d)
		g.stride[d] = stride
		stride = product(stride, g.size[d])
	}
	if stride > mostRanks {
		return nil, problem.At("parallel", "tensor × context × data × pipeline are %d ranks", stride).Mend("choose at most %d", mostRanks)
	}
	return g, nil
}

func wrongOrder(order string) error {
	return problem.At("parallel.order", "%.60q is no order of ranks", order).Mend("write each of tp, cp, ep, dp and pp once, as in tp-cp-ep-dp-pp")
}

// mostRanks is how many ranks a trace has at most.
const mostRanks = 1 << 22

func (g *grid) ranks() int64 {
	n := int64(1)
	for _, s := range g.size {
		n *= s
	}
	return n
}

// place is a rank by its dimensions.
type place [dimensions]int64

func (g *grid) place(rank int64) (p place) {
	for d := range dimensions {
		p[d] = rank / g.stride[d] % g.size[d]
	}
	return p
}

func (g *grid) rank(p place) int32 {
	r := int64(0)
	for d := range dimensions {
		r += p[d] * g.stride[d]
	}
	return int32(r)
}

// group is the ranks that differ in some dimensions only.
type group struct {
	// class is its kind, and number tells groups of a class apart.
	class  class
	number int
	ranks  []int32
	// place is the rank's own.
	place int
	// calls counts the collectives of the rank on this group.
	calls int
}

// size returns how many ranks the group has.
func (g *group) size() int64 { return int64(len(g.ranks)) }

// group returns the group of a rank over some dimensions. Its ranks are in the order of their numbers in
// these dimensions, innermost first.
func (g *grid) group(c class, at place, over ...dimension) group {
	out := group{class: c, ranks: []int32{0}}
	base := int64(0)
	step := int64(1) // of the number
	for _, d := range g.order {
		if !slices.Contains(over, d) {
			base += at[d] * g.stride[d]
			out.number += int(at[d] * step)
			step *= g.size[d]
			continue
		}
		inner := out.ranks
		out.place += int(at[d]) * len(inner)
		out.ranks = make([]int32, 0, len(inner)*int(g.size[d]))
		for i := range g.size[d] {
			for _, r := range inner {
				out.ranks = append(out.ranks, r+int32(i*g.stride[d]))
			}
		}
	}
	for i := range out.ranks {
		out.ranks[i] += int32(base)
	}
	return out
}
