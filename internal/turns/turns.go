// Package turns splits lists into groups and interleaves the groups.
package turns

// Groups splits a list by a key. Groups appear in the order of their first element, and elements
// keep the list's order.
func Groups[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	of := map[K]int{}
	for _, one := range list {
		k := key(one)
		i, ok := of[k]
		if !ok {
			i = len(groups)
			of[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], one)
	}
	return groups
}

// Take interleaves groups round-robin until all elements are taken.
func Take[T any](groups [][]T) (list []T) {
	for turn, some := 0, true; some; turn++ {
		some = false
		for _, group := range groups {
			if turn < len(group) {
				list = append(list, group[turn])
				some = true
			}
		}
	}
	return list
}
