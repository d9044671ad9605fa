package main

import (
	"cmp"
	"slices"
	"strings"
)

// A set holds the names that one number of the report counts.
type set struct {
	// kind is what is counted. of names the package, feature or struct concerned.
	kind, of string
	names    []string // sorted
}

// key names the set in the file of bounds.
func (s set) key() string { return s.kind + " " + s.of }

// report returns all sets, grouped by kind.
func report(t *tree) []set {
	sets := slices.Concat(t.knots(), t.features(), t.exported(), t.fields())
	for _, s := range sets {
		slices.Sort(s.names)
	}
	return sets
}

// ours reports whether a package belongs to the main module.
func (t *tree) ours(name string) bool {
	return name == t.module || strings.HasPrefix(name, t.module+"/")
}

// called returns the name that the report uses for a package.
func (r *room) called() string { return cmp.Or(r.name, r.path) }
