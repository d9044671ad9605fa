package page

import (
	"cmp"
	"maps"
	"slices"
)

func compare[T cmp.Ordered](a, b T) int { return cmp.Compare(a, b) }

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
