package main

import (
	"cmp"
	"slices"
	"strings"
)

// A set is what one number of the report counts.
type set struct {
	// kind says what is counted, and of what: a package, a feature or a struct.
	kind, of string
	names    []string // sorted
}

// key is what a set is called in the file of bounds.
func (s set) key() string { return s.kind + " " + s.of }

// report counts everything, by kind and then by what it is about.
func report(t *tree) []set {
	sets := slices.Concat(t.knots(), t.features(), t.exported(), t.fields())
	for _, s := range sets {
		slices.Sort(s.names)
	}
	return sets
}

// ours tells whether a package is of the main module.
func (t *tree) ours(name string) bool {
	return name == t.module || strings.HasPrefix(name, t.module+"/")
}

// called is what the report calls a package.
func (r *room) called() string { return cmp.Or(r.name, r.path) }
