package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// most is, by kind, the largest size of a set that needs no entry in the bounds.
var most = map[string]int{"knot": 12}

// width is the length of the report's lines, in characters.
const width = 120

// format writes one line per set, and the set's names indented below it.
func format(sets []set) []byte {
	var b bytes.Buffer
	for _, s := range sets {
		fmt.Fprintf(&b, "%s: %d\n", s.key(), len(s.names))
		line := " "
		for _, name := range s.names {
			if len(line)+len(name) >= width {
				b.WriteString(line + "\n")
				line = " "
			}
			line += " " + name
		}
		if len(s.names) > 0 {
			b.WriteString(line + "\n")
		}
	}
	return b.Bytes()
}

// parse reads what format wrote. It returns the names by the key of their set.
func parse(text string) (map[string][]string, error) {
	sets := map[string][]string{}
	var key string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, " ") {
			sets[key] = append(sets[key], strings.Fields(line)...)
			continue
		}
		var ok bool
		if key, _, ok = strings.Cut(line, ":"); !ok || sets[key] != nil {
			return nil, fmt.Errorf("cannot read the bound %q", strings.TrimSpace(line))
		}
		sets[key] = []string{}
	}
	return sets, nil
}

// bounded returns the sets that must not grow. It leaves out exports, which may grow, and small
// sets.
func bounded(sets []set) []set {
	return slices.DeleteFunc(slices.Clone(sets), func(s set) bool {
		return s.kind == "exports" || len(s.names) <= most[s.kind]
	})
}

// grown returns a complaint for each set that exceeds its bound, with the names that are new in
// it.
func grown(sets []set, bounds map[string][]string) []string {
	var complaints []string
	for _, s := range bounded(sets) {
		before, known := bounds[s.key()]
		limit := len(before)
		if !known {
			limit = most[s.kind]
		}
		if len(s.names) <= limit {
			continue
		}
		joined := slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return slices.Contains(before, name) })
		complaints = append(complaints, fmt.Sprintf("%s: %d, which may be %d at most; new: %s", s.key(), len(s.names), limit, strings.Join(joined, " ")))
	}
	return complaints
}
