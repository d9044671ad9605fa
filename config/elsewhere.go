package config

import (
	"reflect"
	"slices"

	"weft/catalog"
)

// mostHomes is up to how many places a key may have elsewhere to be worth naming: a key
// of more places, such as size, says nothing of what was meant.
const mostHomes = 3

// home is a place where a key is known: its path with [] for any item of a list, and the
// kinds whose option it is there, none if it is no option.
type home struct {
	path  string
	kinds []string
}

func (h home) String() string {
	if len(h.kinds) == 0 || len(h.kinds) > mostHomes {
		return h.path
	}
	return h.path + " of " + catalog.Either(h.kinds)
}

// elsewhere asks whether the places meant where key is known, those below the mapping at
// path before all others, or returns "" if it is known at none or at too many. The mapping
// is one of type t.
func (s *decoding) elsewhere(key string, t reflect.Type, path string) string {
	homes := s.homes(key, t, path)
	if len(homes) == 0 {
		homes = s.homes(key, s.root, "")
	}
	if len(homes) == 0 || len(homes) > mostHomes {
		return ""
	}
	words := make([]string, len(homes))
	for i, h := range homes {
		words[i] = h.String()
	}
	return "did you mean " + catalog.Either(words) + "? "
}

// homes finds the places of key in a mapping of type t at path, the outermost first. What
// stands at several places, as a transport does, is found at the outermost.
func (s *decoding) homes(key string, t reflect.Type, path string) []home {
	type room struct {
		path, kind string
		of         reflect.Type
	}
	var homes []home
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
			path, t := join(r.path, f.Name), f.Type
			if f.Name == key {
				homes = addHome(homes, path, r.kind)
			}
			for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
				if t.Kind() == reflect.Slice {
					path += "[]"
				}
				t = t.Elem()
			}
			chooser, ok := reflect.New(t).Interface().(catalog.Chooser)
			if !ok {
				enter(room{path: path, of: t})
				continue
			}
			roster := rosterOf(s.Rosters, chooser.Role())
			if roster == nil {
				continue
			}
			for _, name := range roster.Names() {
				info, _ := roster.Find(name)
				enter(room{path: path, kind: name, of: info.Options})
			}
		}
	}
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
