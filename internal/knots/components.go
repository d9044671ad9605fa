package main

import (
	"maps"
	"slices"
)

// knots returns each package's largest set of files that all reach each other. A file reaches the
// files that declare what it refers to, and all files that those reach.
func (t *tree) knots() []set {
	var sets []set
	for _, r := range t.rooms {
		if r.user {
			continue
		}
		refers := map[string]map[string]bool{}
		for _, f := range r.files {
			refers[t.fileOf(f.Pos())] = map[string]bool{}
		}
		for id, o := range r.info.Uses {
			if o.Pkg() == r.pkg && o.Pos().IsValid() {
				refers[t.fileOf(id.Pos())][t.fileOf(o.Pos())] = true
			}
		}
		if knot := largestKnot(refers); len(knot) > 1 {
			sets = append(sets, set{"knot", r.called(), knot})
		}
	}
	return sets
}

// largestKnot returns the largest strongly connected component of a graph (Tarjan's algorithm).
func largestKnot(refers map[string]map[string]bool) []string {
	var (
		largest, stack []string
		number         = map[string]int{}
		lowest         = map[string]int{}
		stacked        = map[string]bool{}
		visit          func(string)
	)
	visit = func(at string) {
		number[at] = len(number) + 1
		lowest[at] = number[at]
		stack = append(stack, at)
		stacked[at] = true
		for _, to := range slices.Sorted(maps.Keys(refers[at])) {
			if number[to] == 0 {
				visit(to)
			}
			if stacked[to] {
				lowest[at] = min(lowest[at], lowest[to])
			}
		}
		if lowest[at] < number[at] {
			return
		}
		i := slices.Index(stack, at)
		if knot := stack[i:]; len(knot) > len(largest) {
			largest = slices.Clone(knot)
		}
		for _, f := range stack[i:] {
			stacked[f] = false
		}
		stack = stack[:i]
	}
	for _, at := range slices.Sorted(maps.Keys(refers)) {
		if number[at] == 0 {
			visit(at)
		}
	}
	return largest
}
