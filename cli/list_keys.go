package cli

import (
	"reflect"
	"slices"
	"strings"

	"weft/catalog"
	"weft/scenario"
)

// keysSection is where lists show the keys of scenarios, beside what these can name.
const (
	keysSection = "keys of scenarios"
	keysPage    = "docs/scenarios.md"
)

// scenarioKeys returns the keys of scenarios by their paths, as the reference has them: a
// transport within traffic has the keys of that of all traffic, and stands without them.
func scenarioKeys() []catalog.Param {
	var prune func(params []catalog.Param) []catalog.Param
	prune = func(params []catalog.Param) []catalog.Param {
		params = slices.Clone(params)
		for i := range params {
			if params[i].Name == "transport" {
				params[i].Params = nil
			}
			params[i].Params = prune(params[i].Params)
		}
		return params
	}
	all := catalog.Params(reflect.TypeFor[scenario.Spec]())
	for i := range all {
		all[i].Params = prune(all[i].Params)
	}
	return flatten("", all)
}

// means tells whether a word means the key or option of a path: its name, with as much of
// what is before it as people give.
func means(word, path string) bool {
	word, path = strings.ReplaceAll(word, "[]", ""), strings.ReplaceAll(path, "[]", "")
	return word == path || strings.HasSuffix(path, "."+word)
}

// matching returns the options, with paths below that of their entry, that words mean.
// What stands within one of them comes with it.
func matching(words []string, path string, options []catalog.Param) (found []catalog.Param) {
	for _, o := range options {
		if !slices.ContainsFunc(words, func(w string) bool { return means(w, path+"."+o.Name) }) {
			continue
		}
		if within := func(p catalog.Param) bool {
			return strings.HasPrefix(o.Name, p.Name+".") || strings.HasPrefix(o.Name, p.Name+"[].")
		}; !slices.ContainsFunc(found, within) {
			found = append(found, o)
		}
	}
	return found
}

// keysCalled returns those of all keys of scenarios that words mean, by the mapping that they
// stand in.
func keysCalled(all []catalog.Param, words []string) section {
	out := section{Section: keysSection, Key: keysPage}
	docs := map[string]string{"": "the file itself"}
	for _, k := range all {
		docs[k.Name] = k.Doc
	}
	for _, k := range matching(words, "", all) {
		parent, name := "", k.Name
		if i := strings.LastIndexByte(k.Name, '.'); i >= 0 {
			parent, name = k.Name[:i], k.Name[i+1:]
		}
		shown := parent
		if parent == "" {
			shown = "scenario"
		}
		i := slices.IndexFunc(out.Entries, func(e entry) bool { return e.Name == shown })
		if i < 0 {
			i = len(out.Entries)
			out.Entries = append(out.Entries, entry{Name: shown, Summary: docs[strings.TrimSuffix(parent, "[]")]})
		}
		k.Name = name
		out.Entries[i].Params = append(out.Entries[i].Params, k)
	}
	return out
}

// telling returns the keys and options whose documentation has a word, for words that
// nothing is called.
func telling(all []scenario.Section, keys []catalog.Param, word string) (paths []string) {
	has := func(p catalog.Param) bool {
		return slices.ContainsFunc(strings.FieldsFunc(p.Doc, func(r rune) bool { return strings.ContainsRune(" ,;:.()/", r) }),
			func(w string) bool { return strings.EqualFold(w, word) })
	}
	for _, k := range keys {
		if has(k) {
			paths = append(paths, k.Name)
		}
	}
	for _, s := range all {
		for _, name := range s.Entries.Names() {
			info, _ := s.Entries.Find(name)
			for _, p := range flatten("", info.Params()) {
				if has(p) {
					paths = append(paths, name+"."+p.Name)
				}
			}
		}
	}
	return paths
}
