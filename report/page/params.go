package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/internal/natural"
	"weft/record"
)

// param is one parameter, by the path that --set knows it by, with its value in each
// variant; "" where a variant does not have it.
type param struct {
	Path   string
	Values []string
}

// differ tells whether variants have different values.
func (p *param) differ() bool {
	for _, v := range p.Values {
		if v != p.Values[0] {
			return true
		}
	}
	return false
}

// notParameters are keys that say nothing of how a variant behaves. Seeds are listed
// with the runs.
var notParameters = []string{"weft", "name", "about", "seed"}

// parameters compares the resolved scenarios of variants, and returns those that
// differ and those that do not, each in the order of the paths. Scenarios are nil where
// there is none.
// Values that a file does not give, but that follow from it, are those of derived.
func parameters(scenarios []json.RawMessage, derived [][]record.Derived) (differ, same []param, err error) {
	flat := make([]map[string]string, len(scenarios))
	all := map[string]bool{}
	for i, s := range scenarios {
		flat[i] = map[string]string{}
		if len(s) == 0 {
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(string(s)))
		decoder.UseNumber()
		var v map[string]any
		if err := decoder.Decode(&v); err != nil {
			return nil, nil, fmt.Errorf("the scenario in the manifest of variant %d: %w; run it again", i+1, err)
		}
		for _, key := range notParameters {
			delete(v, key)
		}
		flatten(flat[i], "", v)
		fillDerived(flat[i], derived[i])
		for path := range flat[i] {
			all[path] = true
		}
	}
	options := map[string]bool{} // paths of what has options in some variant
	for path := range all {
		for i, r := range path {
			if r == '.' {
				options[path[:i]] = true
			}
		}
	}
	for _, path := range slices.SortedFunc(maps.Keys(all), byKindFirst) {
		p := param{Path: path}
		for i := range flat {
			p.Values = append(p.Values, flat[i][path])
		}
		switch {
		case inherited(flat, path) || options[path] && unset(flat, path):
		case p.differ():
			differ = append(differ, p)
		default:
			same = append(same, p)
		}
	}
	return differ, same, nil
}

// byKindFirst orders paths naturally, but the kind of a thing before its options.
func byKindFirst(a, b string) int {
	first := func(path string) string { return strings.ReplaceAll(path, ".kind", ".\x00kind") }
	return natural.Compare(first(a), first(b))
}

// flatten adds the values below a path. Elements of lists go by their name if they have
// one, and else by their index.
func flatten(into map[string]string, path string, v any) {
	join := func(key string) string {
		if path == "" {
			return key
		}
		return path + "." + key
	}
	switch v := v.(type) {
	case nil:
		into[path] = notSet
	case map[string]any:
		for key, value := range v {
			flatten(into, join(key), value)
		}
	case []any:
		if text, plain := listText(v); plain {
			into[path] = text
			return
		}
		for i, value := range v {
			key := fmt.Sprintf("%s[%d]", path, i)
			if m, ok := value.(map[string]any); ok {
				if name, ok := m["name"].(string); ok && name != "" {
					key = join(name)
					delete(m, "name")
				}
			}
			flatten(into, key, value)
		}
	case string:
		into[path] = v
	default:
		into[path] = fmt.Sprint(v)
	}
}

// listText writes a list without objects or lists in it.
func listText(list []any) (string, bool) {
	texts := make([]string, len(list))
	for i, v := range list {
		switch v.(type) {
		case map[string]any, []any:
			return "", false
		}
		texts[i] = fmt.Sprint(v)
	}
	if len(list) == 0 {
		return "none", true
	}
	return strings.Join(texts, ", "), true
}

// notSet is the value of what a file does not give, and of which it is not known what it is then.
const notSet = "not given"

// fillDerived writes derived values in the place of those that are not given, and the number of classes
// that ports have, which is more than is given where headers or credits have one of their own.
func fillDerived(values map[string]string, derived []record.Derived) {
	known := map[string]string{}
	for _, d := range derived {
		known[d.Name] = derivedTable{}.Text(d)
	}
	for path, value := range values {
		within, group := path, ""
		if rest, ok := strings.CutPrefix(path, "traffic."); ok {
			if name, of, ok := strings.Cut(rest, ".transport."); ok {
				within, group = "transport."+of, "."+name
			}
		}
		words := strings.Split(within, ".")
		if words[0] != "transport" && words[0] != "fabric" || value != notSet && path != "fabric.classes" {
			continue
		}
		last := words[len(words)-1]
		names := []string{last + group, strings.Join(words[1:], "_") + group}
		if group == "" && words[0] == "transport" {
			names = append(names, agreed(known, last)) // that of all groups, if it is one
		}
		for _, name := range names {
			if text, ok := known[name]; ok && text != value {
				values[path] = text + " (derived)"
				break
			}
		}
	}
}

// agreed returns the name of a value that groups of traffic have of their own, if all have the same.
func agreed(known map[string]string, name string) string {
	one := ""
	for other, text := range known {
		if !strings.HasPrefix(other, name+".") {
			continue
		}
		if one != "" && known[one] != text {
			return ""
		}
		one = other
	}
	return one
}

// unset tells whether a path has no value of its own in any variant: where its options are,
// those that lack them say as much.
func unset(flat []map[string]string, path string) bool {
	return !slices.ContainsFunc(flat, func(f map[string]string) bool { return f[path] != "" && f[path] != notSet })
}

// inherited tells whether a path is a group's copy of a transport parameter that is
// the same as the scenario's in every variant. It would tell everything twice.
func inherited(flat []map[string]string, path string) bool {
	rest, ok := strings.CutPrefix(path, "traffic")
	at := strings.Index(rest, ".transport.")
	if !ok || at < 0 {
		return false
	}
	for _, f := range flat {
		own, has := f[path]
		common, known := f[rest[at+1:]]
		if has != known || own != common {
			return false
		}
	}
	return true
}
