package simai

import "strconv"

// A team is a group of ranks as one of them sees it.
type team struct {
	ranks []int32
	// place is that of the rank, and number that of the group among those of its kind.
	place, number int
}

// size returns how many ranks a group of a kind has.
func (f *workload) size(g groupKind) int {
	data := f.ranks / (f.tensor * f.pipeline)
	switch g {
	case tensorGroup:
		return f.tensor
	case dataGroup:
		return data
	case expertGroup:
		return f.expert
	}
	return data / f.expert
}

// stride returns how far the ranks of a group are apart.
func (f *workload) stride(g groupKind) int {
	switch g {
	case tensorGroup:
		return 1
	case dataExpertGroup:
		return f.tensor * f.expert
	}
	return f.tensor
}

// team returns the group of a rank. It fills the list of the team before.
func (f *workload) team(g groupKind, rank int, t *team) {
	size, stride := f.size(g), f.stride(g)
	t.place = rank / stride % size
	first := rank - t.place*stride
	// The first ranks of groups are those whose digit of this size is 0.
	t.number = first/(stride*size)*stride + first%stride
	t.ranks = t.ranks[:0]
	for i := range size {
		t.ranks = append(t.ranks, int32(first+i*stride))
	}
}

// groupNames are what groups are called, with a number behind.
var groupNames = [...]string{"tp", "dp", "ep", "edp"}

// groups is how many kinds of groups there are.
const groups = len(groupNames)

// name names a group.
func (g groupKind) name(number int) string { return groupNames[g] + strconv.Itoa(number) }
