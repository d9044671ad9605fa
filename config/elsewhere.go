package config

import (
	"reflect"
	"slices"
	"strings"

	"weft/catalog"
)

// mostHomes is the most places that a message names for a key. A key with more places, such
// as size, does not hint at the intended one.
const mostHomes = 3

// home is a place where a key is known. path has [] for any item of a list. kinds are the
// kinds that have the key as an option, or empty if it is no option.
type home struct {
	path  string
	kinds []string
}

func (h home) String() string {
	if !strings.Contains(h.path, ".") {
		return h.path + " at the top"
	}
	if len(h.kinds) == 0 || len(h.kinds) > mostHomes {
		return h.path
	}
	return h.path + " of " + catalog.Either(h.kinds)
}

// elsewhere returns the places where key is known, or none if there are too many. Places
// below the mapping at path come first, and outer places before inner ones. The mapping has
// type t.
func (s *decoding) elsewhere(key string, t reflect.Type, path string) []home {
	homes := s.homes(key, t, path)
	if len(homes) == 0 && len(key) > 1 { // a single letter is a key in many places that are not meant
		homes = s.homes(key, s.root, "")
	}
	if len(homes) == 0 || len(homes) > mostHomes {
		return nil
	}
	depth := func(h home) int { return strings.Count(h.path, ".") }
	least := slices.MinFunc(homes, func(a, b home) int { return depth(a) - depth(b) })
	return slices.DeleteFunc(homes, func(h home) bool { return depth(h) > depth(least) })
}

// otherKinds returns the kinds that have a key as an option, if the chosen kind of the
// mapping at path does not.
func (s *decoding) otherKinds(key, path string) []string {
	at := anyItem.ReplaceAllString(join(path, key), "[]")
	for _, h := range s.homes(key, s.root, "") {
		if h.path == at {
			return h.kinds
		}
	}
	return nil
}

// homes finds the places of key in a mapping of type t at path, outermost first.
func (s *decoding) homes(key string, t reflect.Type, path string) []home {
	var homes []home
	s.walk(t, path, func(f found) {
		if f.field.Name == key {
			homes = addHome(homes, f.path, f.kind)
		}
	})
	return homes
}

func addHome(homes []home, path, kind string) []home {
	i := slices.IndexFunc(homes, func(h home) bool { return h.path == path })
	if i < 0 {
		homes = append(homes, home{path: path})
		i = len(homes) - 1
	}
	if kind != "" && !slices.Contains(homes[i].kinds, kind) {
		homes[i].kinds = append(homes[i].kinds, kind)
	}
	return homes
}

// found is a field that a walk visits.
type found struct {
	field catalog.Field
	path  string
	// kind is the entry that has the field as an option, or "".
	kind string
	// value is the path of the field's values, with [] for the items of a list. They are
	// chosen from roster, unless roster is nil.
	value  string
	roster catalog.Roster
}

// walk visits the fields of a mapping of type t at path, and everything that can lie below
// it, outermost first. A type with several places, such as a transport, is visited at the
// outermost.
func (s *decoding) walk(t reflect.Type, path string, visit func(found)) {
	type room struct {
		path, kind string
		of         reflect.Type
	}
	seen := map[reflect.Type]bool{nodeType.Elem(): true}
	queue := []room{}
	enter := func(r room) {
		if r.of.Kind() == reflect.Struct && !seen[r.of] {
			seen[r.of] = true
			queue = append(queue, r)
		}
	}
	for enter(room{path: path, of: t}); len(queue) > 0; queue = queue[1:] {
		r := queue[0]
		fields, err := catalog.Fields(r.of)
		if err != nil {
			continue
		}
		for _, f := range fields {
			at := found{field: f, path: join(r.path, f.Name), kind: r.kind}
			at.value = at.path
			t := f.Type
			for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
				if t.Kind() == reflect.Slice {
					at.value += "[]"
				}
				t = t.Elem()
			}
			chooser, ok := reflect.New(t).Interface().(catalog.Chooser)
			if ok {
				at.roster = rosterOf(s.Rosters, chooser.Role())
			}
			visit(at)
			if !ok {
				enter(room{path: at.value, of: t})
			}
			if at.roster == nil {
				continue
			}
			for _, name := range at.roster.Names() {
				info, _ := at.roster.Find(name)
				enter(room{path: at.value, kind: name, of: info.Options})
			}
		}
	}
}
