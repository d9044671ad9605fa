package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// A feature is a part of weft that identifiers mention. Words in names identify it.
type feature struct {
	name  string
	words []string // prefixes of words: deflect matches maxDeflections
	not   []string // packages where these words mean something else
}

var features = []feature{
	{name: "controllers", words: []string{"controller"}},
	{name: "credits", words: []string{"credit"}},
	{name: "deflection", words: []string{"deflect"}},
	{name: "detours", words: []string{"detour"}},
	{name: "interrupts", words: []string{"interrupts"}, not: []string{"cli"}},
	{name: "jitter", words: []string{"jitter"}},
	{name: "lanes", words: []string{"lane"}},
	{name: "pauses", words: []string{"pause", "pausing", "pfc"}, not: []string{"protocol/entropy", "protocol/expresspass", "protocol/ndp", "study", "study/jetstream"}},
	{name: "reactions", words: []string{"reactions"}}, // plural, because congestion controls have a "reaction"
	{name: "telemetry", words: []string{"telemetry", "stamp"}, not: []string{"analysis/throughput", "route/load"}},
	{name: "watchdog", words: []string{"watchdog"}},
}

// features returns for each feature the files and packages that name it. A file names a feature
// if a word in one of its strings begins with one of the feature's words, or a word in an
// identifier of this module that it declares or uses. Comments and tests do not count, nor does a
// folder named after the feature.
func (t *tree) features() []set {
	var sets []set
	for _, f := range features {
		files, rooms := map[string]bool{}, map[string]bool{}
		for _, r := range t.rooms {
			if r.user || f.has(path.Base(r.path)) || slices.Contains(f.not, r.name) || r.name == "internal/knots" {
				continue
			}
			note := func(at token.Pos) {
				files[path.Join(r.name, t.fileOf(at))] = true
				rooms[r.called()] = true
			}
			for _, objects := range []map[*ast.Ident]types.Object{r.info.Defs, r.info.Uses} {
				for id, o := range objects {
					if o != nil && o.Pkg() != nil && t.ours(o.Pkg().Path()) && f.has(id.Name) {
						note(id.Pos())
					}
				}
			}
			for _, file := range r.files {
				ast.Inspect(file, func(n ast.Node) bool {
					if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && f.has(text.Value) {
						note(text.Pos())
					}
					return true
				})
			}
		}
		sets = append(sets,
			set{"files", f.name, slices.Collect(maps.Keys(files))},
			set{"packages", f.name, slices.Collect(maps.Keys(rooms))})
	}
	return sets
}

// has reports whether a word in a text begins with one of the feature's words.
func (f *feature) has(text string) bool {
	for word := range words(text) {
		for _, begin := range f.words {
			if strings.HasPrefix(word, begin) {
				return true
			}
		}
	}
	return false
}

// words returns the words of a text in lower case. A capital letter can begin a word, so
// PFCWatchdog yields pfc and watchdog.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		runes := []rune(text)
		begin := 0
		for i := 1; i <= len(runes); i++ {
			if i < len(runes) && unicode.IsLetter(runes[i]) {
				capital := unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
				if unicode.IsLetter(runes[i-1]) && !capital {
					continue
				}
			}
			if unicode.IsLetter(runes[begin]) && !yield(strings.ToLower(string(runes[begin:i]))) {
				return
			}
			begin = i
		}
	}
}
