package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Paths adds the values below the root's keys to an object, under their paths, as in
// transport.balancer.buffer. Paths through lists become patterns, since items have an index
// or a name. Paths that begin with a key in except are left out.
func (s *Schemer) Paths(out *jsonschema.Schema, except []string) {
	w := pathWalk{Schemer: s, found: map[string][]string{}}
	for _, f := range fieldsOf(s.root) {
		if !slices.Contains(except, f.Name) {
			w.below(keyPath{f.Name}, f.Type, s.pointer(defined{t: s.root, over: true})+"/properties/"+f.Name)
		}
	}
	if out.PatternProperties == nil {
		out.PatternProperties = map[string]*jsonschema.Schema{}
	}
	// Paths through lists with the same schemas share one pattern. Otherwise the schema
	// would be much larger.
	same := map[string][]keyPath{}
	for _, text := range slices.Sorted(maps.Keys(w.found)) {
		path, pointers := keyPath(strings.Fields(text)), w.found[text]
		if !slices.Contains(path, listItem) {
			add(out, strings.Join(path, "."), eitherOf(pointers))
			continue
		}
		key := strings.Join(pointers, " ")
		same[key] = append(same[key], path)
	}
	for key, list := range same {
		out.PatternProperties[patternOf(list)] = eitherOf(strings.Fields(key))
	}
}

func eitherOf(pointers []string) *jsonschema.Schema {
	if len(pointers) == 1 {
		return reference(pointers[0])
	}
	out := &jsonschema.Schema{}
	for _, pointer := range pointers {
		out.AnyOf = append(out.AnyOf, reference(pointer))
	}
	return out
}

// keyPath is the keys of a path, with listItem for the item of a list.
type keyPath []string

const (
	listItem = "[]"
	// itemPattern matches the part of a path that selects an item.
	itemPattern = `(\.[^.[\]]+|\[[0-9]+\])`
)

// ItemPattern returns the start of a regular expression for paths that lead below the items
// of a list.
func ItemPattern(list string) string { return "^" + list + itemPattern }

// pattern returns a regular expression for p. If it continues after other keys, it begins
// with a dot.
func (p keyPath) pattern(goesOn bool) string {
	var b strings.Builder
	for i, key := range p {
		switch {
		case key == listItem:
			b.WriteString(itemPattern)
			continue
		case i > 0 || goesOn:
			b.WriteString(`\.`)
		}
		b.WriteString(key)
	}
	return b.String()
}

// patternOf returns one regular expression for several paths through the same list.
func patternOf(list []keyPath) string {
	first := list[0]
	if len(list) == 1 {
		return "^" + first.pattern(false) + "$"
	}
	begin := common(list, func(p keyPath, i int) string { return p[i] }, 0)
	// The first key has no dot before it. If the parts begin with it, it must be in a part.
	end := common(list, func(p keyPath, i int) string { return p[len(p)-1-i] }, max(1, begin))
	var parts []string
	for _, p := range list {
		parts = append(parts, p[begin:len(p)-end].pattern(begin > 0))
	}
	return "^" + first[:begin].pattern(false) + "(" + strings.Join(parts, "|") + ")" + first[len(first)-end:].pattern(true) + "$"
}

// common counts the keys that all paths share, in the order of at. It leaves out as many
// keys of each path as are taken already.
func common(list []keyPath, at func(keyPath, int) string, taken int) int {
	for n := 0; ; n++ {
		for _, p := range list {
			if n >= len(p)-taken || at(p, n) != at(list[0], n) {
				return n
			}
		}
	}
}

// pathWalk finds the paths below the keys of a struct.
type pathWalk struct {
	*Schemer
	// found holds, by path, pointers to the schemas for overlays of the values at the path.
	// The keys of a path are joined by blanks.
	found map[string][]string
	roles []reflect.Type // of the enclosing choices
}

// lead records that a path may lead to the schema at a pointer.
func (w *pathWalk) lead(path keyPath, pointer string) {
	key := strings.Join(path, " ")
	if !slices.Contains(w.found[key], pointer) {
		w.found[key] = append(w.found[key], pointer)
	}
}

// below finds the paths below a value of type t. pointer leads to the schema for overlays
// of the value.
func (w *pathWalk) below(path keyPath, t reflect.Type, pointer string) {
	for t.Kind() == reflect.Pointer && t != nodeType {
		t = t.Elem()
	}
	if t == nodeType {
		return
	}
	if role := w.roleOf(t); role != nil {
		w.options(path, role)
		return
	}
	switch {
	case t.Kind() == reflect.Struct && hasFields(t):
		w.fields(path, t, w.pointer(defined{t: t, over: true}))
	case t.Kind() == reflect.Slice:
		of := append(path[:len(path):len(path)], listItem)
		w.lead(of, pointer+"/anyOf/1/additionalProperties")
		w.below(of, t.Elem(), pointer)
	}
}

func (w *pathWalk) fields(path keyPath, t reflect.Type, pointer string) {
	for _, f := range fieldsOf(t) {
		below, at := append(path[:len(path):len(path)], f.Name), pointer+"/properties/"+f.Name
		w.lead(below, at)
		w.below(below, f.Type, at)
	}
}

// options finds the paths of the options of all kinds of a role.
func (w *pathWalk) options(path keyPath, role reflect.Type) {
	roster := rosterOf(w.rosters, role)
	if roster == nil || slices.Contains(w.roles, role) {
		return
	}
	w.roles = append(w.roles, role)
	w.lead(append(path[:len(path):len(path)], KindKey), w.pointer(defined{t: role, over: true})+"/anyOf/0")
	for _, name := range roster.Names() {
		info, _ := roster.Find(name)
		w.fields(path, info.Options, w.pointer(defined{t: role, kind: name, over: true}))
	}
	w.roles = w.roles[:len(w.roles)-1]
}
