package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/internal/nearest"
)

// Remedy suggests a correction for a wrong name of an entry: entries known by that name
// elsewhere, or else similar names. It lists all names after an introduction such as
// "known:".
func Remedy(word, intro string, from Roster) string {
	names := from.Names()
	called := Called(word, from)
	if len(called) == 0 {
		if parts := withPart(word, names); len(parts) > 0 {
			return fmt.Sprintf("did you mean %s? %s%s %s", Either(parts), strings.ToUpper(intro[:1]), intro[1:], strings.Join(names, ", "))
		}
		return nearest.Remedy(word, intro, names)
	}
	why, verb := "", "called"
	for i, name := range called {
		info, _ := from.Find(name)
		if text := info.Text(word); text != name {
			called[i], verb = text, "written"
			continue
		}
		if called[i] = strconv.Quote(name); info.Known != "" {
			why = fmt.Sprintf(" (%s)", info.Known)
		}
	}
	return fmt.Sprintf("it is %s %s here%s. %s%s %s", verb, strings.Join(called, " or "), why, strings.ToUpper(intro[:1]), intro[1:], strings.Join(names, ", "))
}

// Text returns what files write for an alias of the entry: the entry's name, possibly with
// options.
func (i Info) Text(alias string) string {
	for name, text := range i.Written {
		if plain(name) == plain(alias) {
			return text
		}
	}
	return i.Name
}

// withPart returns, in quotes, the names of several words that contain word. It returns
// none if word resembles a whole name.
func withPart(word string, names []string) (list []string) {
	if _, ok := nearest.Name(word, names); ok {
		return nil
	}
	for _, name := range names {
		if slices.Contains(strings.Split(name, "-"), strings.ToLower(word)) {
			list = append(list, strconv.Quote(name))
		}
	}
	return list
}

// Called returns the entries with a given alias. The comparison ignores case, and how words
// are joined: by dashes, underscores or nothing.
func Called(word string, from Roster) (names []string) {
	for _, name := range from.Names() {
		info, _ := from.Find(name)
		if slices.ContainsFunc(info.Aliases, func(alias string) bool { return plain(alias) == plain(word) }) {
			names = append(names, name)
		}
	}
	return names
}

func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}
