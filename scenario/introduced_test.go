package scenario_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/scenario"
)

// TestIntroduced compares the default that each option came with with those that
// testdata/introduced.txt has, to which options are added with -update and nothing else.
// Runs are known by what differs from these, so that a default that was changed without a
// word would be taken for the one before: the runs of scenarios without the option would be
// found under their old keys, with the old results.
func TestIntroduced(t *testing.T) {
	const path = "testdata/introduced.txt"
	now := introduced()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		option, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		known[option] = value
	}
	added := false
	for _, option := range slices.Sorted(maps.Keys(now)) {
		switch was, ok := known[option]; {
		case !ok:
			known[option], added = now[option], true
		case was == "(given)" && (now[option] == "0" || now[option] == "(absent)"):
			// A count that had to be given and was at least 1, or an option that had to be given and may be
			// left out now: no scenario had the new default.
		case was != now[option]:
			t.Errorf("%s was introduced with %s, and its tags say %s; add introduced:%q to them", option, was, now[option], was)
		}
	}
	if !added || t.Failed() {
		return
	}
	if !*update {
		t.Fatalf("options are not in %s yet; add them with\n\n\tgo test ./scenario -run TestIntroduced -update", path)
	}
	var lines strings.Builder
	for _, option := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(&lines, "%s = %s\n", option, known[option])
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// introduced returns the default that each option of scenarios came with by its path, or by
// the first one of several for mappings such as transport.
func introduced() map[string]string {
	all, seen := map[string]string{}, map[reflect.Type]bool{}
	introducedIn(all, seen, "", reflect.TypeFor[scenario.Spec]())
	for _, s := range weft.Builtin().Sections() {
		for _, name := range s.Entries.Names() {
			info, _ := s.Entries.Find(name)
			introducedIn(all, seen, fmt.Sprintf("%s{%s}.", s.Key, name), info.Options)
		}
	}
	maps.DeleteFunc(all, func(option, _ string) bool { // which identify no run
		return regexp.MustCompile(`^(name|about|engine|compare|matrix|exclude|seeds)\b`).MatchString(option)
	})
	return all
}

func introducedIn(all map[string]string, seen map[reflect.Type]bool, prefix string, t reflect.Type) {
	list := ""
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t.Kind() == reflect.Slice {
			list = "[]"
		}
		t = t.Elem()
	}
	fields, err := catalog.Fields(t)
	if _, choice := reflect.New(t).Interface().(catalog.Chooser); err != nil || choice || seen[t] {
		return
	}
	seen[t] = true
	if prefix != "" && list != "" {
		prefix = strings.TrimSuffix(prefix, ".") + list + "."
	}
	for _, f := range fields {
		value := f.FirstDefault()
		switch {
		case f.Required():
			value = "(given)"
		case value == "" && f.Type.Kind() == reflect.Pointer:
			value = "(absent)"
		}
		all[prefix+f.Name] = value
		introducedIn(all, seen, prefix+f.Name+".", f.Type)
	}
}
