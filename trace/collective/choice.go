package collective

import (
	"fmt"
	"strings"

	"weft/internal/readable"
	"weft/unit"
)

// Choice says which algorithm a collective takes. The first rule that fits holds, and a default's if none does.
type Choice []Rule

// Rule is an algorithm for collectives.
type Rule struct {
	// Kind is which collectives it is for. 0 stands for all that have the algorithm.
	Kind Kind
	// UpTo is the largest size that it is for. 0 stands for any.
	UpTo int64
	Algorithm
}

// Settings are how collectives are lowered whose trace does not say.
type Settings struct {
	Choice Choice
	// Node and Reduction are those of a Call.
	Node      int
	Reduction unit.Rate
}

// Sizes up to which algorithms with few steps are the default. They follow MPICH and Open MPI, which change
// between 2 kB and 1 MB, and lie at powers of two.
const (
	fewSteps = 16 << 10
	halving  = 512 << 10
)

// defaults returns the rules that hold where a Choice says nothing: few steps for small buffers, few bytes
// for large ones.
func defaults() Choice {
	return Choice{
		{AllReduce, fewSteps, RecursiveDoubling},
		{AllReduce, halving, halvingDoubling},
		{AllReduce, 0, Ring},
		{AllGather, halving, RecursiveDoubling},
		{AllGather, 0, Ring},
		{ReduceScatter, halving, RecursiveDoubling},
		{ReduceScatter, 0, Ring},
		{AllToAll, 0, Pairwise},
		{Broadcast, halving, tree},
		{Broadcast, 0, Ring},
		{Reduce, halving, tree},
		{Reduce, 0, Ring},
		{Gather, 0, tree},
		{Scatter, 0, tree},
		{Barrier, 0, RecursiveDoubling},
	}
}

// Algorithm returns the algorithm for a collective.
func (c Choice) Algorithm(k Kind, size int64) Algorithm {
	for _, list := range [...]Choice{c, defaults()} {
		for _, r := range list {
			if r.fits(k, size) {
				return r.Algorithm
			}
		}
	}
	return 0
}

func (r Rule) fits(k Kind, size int64) bool {
	return (r.UpTo == 0 || size <= r.UpTo) && (r.Kind == k || r.Kind == 0 && r.lowering(k) != nil)
}

// everyKind is what the text of a rule for all collectives begins with.
const everyKind = "any"

// ParseRule reads a rule: a collective, perhaps the largest size, and an algorithm, as in
// "all-reduce=ring", "all-reduce:64KiB=tree" or "any=hierarchical".
func ParseRule(text string) (Rule, error) {
	wrong := func(err error) (Rule, error) {
		return Rule{}, fmt.Errorf("%q: %w; write a collective and its algorithm, as in all-reduce=ring or all-reduce:64KiB=tree", readable.Clip(text), err)
	}
	what, algorithm, ok := strings.Cut(text, "=")
	if !ok {
		return wrong(fmt.Errorf("there is no ="))
	}
	var r Rule
	var err error
	kind, size, sized := strings.Cut(what, ":")
	if kind != everyKind {
		if r.Kind, err = ParseKind(kind); err != nil {
			return wrong(err)
		}
	}
	if sized {
		b, err := unit.ParseBytes(size)
		if err == nil && b <= 0 {
			err = fmt.Errorf("a size of %v fits nothing", b)
		}
		if err != nil {
			return wrong(err)
		}
		r.UpTo = int64(b)
	}
	if r.Algorithm, err = parseAlgorithm(algorithm); err != nil {
		return wrong(err)
	}
	if r.Kind != 0 && r.lowering(r.Kind) == nil {
		return wrong(Call{Kind: r.Kind}.none(r.Algorithm))
	}
	return r, nil
}

// String writes a rule as ParseRule reads it.
func (r Rule) String() string {
	text := everyKind
	if r.Kind != 0 {
		text = r.Kind.String()
	}
	if r.UpTo > 0 {
		text += ":" + unit.Bytes(r.UpTo).String()
	}
	return text + "=" + r.Algorithm.String()
}
