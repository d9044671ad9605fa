package main

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
)

// public lists packages whose exported names serve users' programs, which may not be in this
// repository.
var public = []string{"", "catalog", "cli", "fault", "protocol", "scenario", "topo", "workload"}

// exported returns each package's exported names, and for packages that are not public the names
// that no other package uses. A use of a field or a method counts as a use of its type. Tests of
// other packages and packages of other modules count as users.
func (t *tree) exported() []set {
	used := map[token.Pos]map[*room]bool{}
	note := func(r *room, info *types.Info) {
		for _, o := range info.Uses {
			if o.Pkg() == nil || !t.ours(o.Pkg().Path()) {
				continue
			}
			if used[o.Pos()] == nil {
				used[o.Pos()] = map[*room]bool{}
			}
			used[o.Pos()][r] = true
		}
	}
	for _, r := range t.rooms {
		note(r, r.info)
		for _, info := range t.test[r] {
			note(r, info)
		}
	}
	var sets []set
	for _, r := range t.rooms {
		if r.user || r.pkg.Name() == "main" {
			continue
		}
		var all, unused []string
		for _, name := range r.pkg.Scope().Names() {
			o := r.pkg.Scope().Lookup(name)
			if !o.Exported() {
				continue
			}
			all = append(all, name)
			if !slices.ContainsFunc(parts(o), func(at token.Pos) bool {
				for user := range used[at] {
					if user != r {
						return true
					}
				}
				return false
			}) {
				unused = append(unused, name)
			}
		}
		if len(all) > 0 {
			sets = append(sets, set{"exports", r.called(), all})
		}
		if len(unused) > 0 && !slices.Contains(public, r.name) {
			sets = append(sets, set{"unused", r.called(), unused})
		}
	}
	slices.SortStableFunc(sets, func(a, b set) int { return cmp.Compare(a.kind, b.kind) })
	return sets
}

// parts returns the position of an object's declaration, and for a type also the positions of its
// fields and methods.
func parts(o types.Object) []token.Pos {
	at := []token.Pos{o.Pos()}
	name, ok := o.(*types.TypeName)
	if !ok {
		return at
	}
	if named, ok := name.Type().(*types.Named); ok {
		for m := range named.Methods() {
			at = append(at, m.Pos())
		}
	}
	switch under := name.Type().Underlying().(type) {
	case *types.Struct:
		for f := range under.Fields() {
			at = append(at, f.Pos())
		}
	case *types.Interface:
		for m := range under.ExplicitMethods() {
			at = append(at, m.Pos())
		}
	}
	return at
}

// structs lists the structs whose fields are counted.
var structs = []struct{ room, name string }{
	{"fabric", "Domain"}, {"internal/connection/sending", "Side"}, {"internal/connection/sending", "connection"},
	{"scenario", "plan"}, {"scenario", "run"}, {"transport", "Endpoint"},
}

// fields returns the field names of structs that have grown large, first without and then with
// promoted fields.
func (t *tree) fields() []set {
	var own, promoted []set
	for _, s := range structs {
		for _, r := range t.rooms {
			if r.name != s.room || r.user {
				continue
			}
			o := r.pkg.Scope().Lookup(s.name)
			if o == nil {
				continue
			}
			if under, ok := o.Type().Underlying().(*types.Struct); ok {
				of := s.room + "." + s.name
				own = append(own, set{"fields", of, fieldsOf(under, false)})
				promoted = append(promoted, set{"promoted", of, fieldsOf(under, true)})
			}
		}
	}
	return slices.Concat(own, promoted)
}

// fieldsOf returns the names of a struct's fields. With deep, it replaces each embedded struct by
// that struct's fields.
func fieldsOf(s *types.Struct, deep bool) []string {
	var names []string
	for f := range s.Fields() {
		kind := f.Type()
		if p, ok := kind.(*types.Pointer); ok {
			kind = p.Elem()
		}
		if inner, ok := kind.Underlying().(*types.Struct); ok && deep && f.Embedded() {
			names = append(names, fieldsOf(inner, true)...)
			continue
		}
		names = append(names, f.Name())
	}
	return names
}
