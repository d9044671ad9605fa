package sim

import (
	"cmp"
	"slices"
)

// Ranks returns a seeded permutation of entities, given a hash of each one's stable name. Ranks
// order events of the same instant. No entity wins every tie, and the order does not depend on how
// entities are numbered or partitioned into domains. Equal hashes keep the order of the slice.
func Ranks(seed uint64, names []uint64) []uint32 {
	order := make([]uint32, len(names))
	keys := make([]uint64, len(names))
	for i, n := range names {
		order[i] = uint32(i)
		keys[i] = Mix(n ^ Mix(seed))
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if c := cmp.Compare(keys[a], keys[b]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	ranks := make([]uint32, len(names))
	for r, i := range order {
		ranks[i] = uint32(r)
	}
	return ranks
}
