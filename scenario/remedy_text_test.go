package scenario_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file reads what notices advise: as changes to a scenario, and as texts in the code.

// change is a value that a notice says to write, or null to leave the key out.
type change struct{ key, value string }

// set is the change as --set has it. Keys that are none of a scenario itself are at the places that a test knows.
func (c change) set(at map[string]string) (string, bool) {
	first, _, _ := strings.Cut(c.key, ".")
	if slices.Contains([]string{"fabric", "transport", "routing", "topology", "until", "measure"}, first) {
		return c.key + "=" + c.value, true
	}
	path, ok := at[c.key]
	return path + "=" + c.value, ok
}

var (
	writes  = regexp.MustCompile(`(?i)\bwrite `)
	leaves  = regexp.MustCompile(`(?i)\bleave ([a-z_.]+)(?: and ([a-z_.]+))? out\b`)
	setting = regexp.MustCompile(`as in --set ([a-z_.]+)=([^ ,;]+)`)
	keyed   = regexp.MustCompile(`^([a-z_][a-z_.]*): `)
	joined  = regexp.MustCompile(`^(, | and )[a-z_.]+: `)
	other   = regexp.MustCompile(`^,? or (write )?[a-z_.]+: `)
)

// remedies returns what a notice says to write or to leave out: alternatives, each of changes that belong together.
func remedies(notice string) (list [][]change) {
	for _, m := range writes.FindAllStringIndex(notice, -1) {
		list = append(list, spelled(notice[m[1]:])...)
	}
	for _, m := range leaves.FindAllStringSubmatch(notice, -1) {
		one := []change{{m[1], "null"}}
		if m[2] != "" {
			one = append(one, change{m[2], "null"})
		}
		list = append(list, one)
	}
	for _, m := range setting.FindAllStringSubmatch(notice, -1) {
		list = append(list, []change{{m[1], m[2]}})
	}
	return list
}

// written reads the keys and values that a text begins with.
func spelled(text string) (list [][]change) {
	var one []change
	for {
		m := keyed.FindStringSubmatch(text)
		if m == nil {
			break
		}
		text = text[len(m[0]):]
		n := valueLength(text)
		one = append(one, change{m[1], text[:n]})
		text = text[n:]
		if m := joined.FindStringSubmatch(text); m != nil {
			text = text[len(m[1]):]
			continue
		}
		list, one = append(list, one), nil
		m = other.FindStringSubmatch(text)
		if m == nil || m[1] != "" { // which is found on its own
			break
		}
		text = strings.TrimPrefix(strings.TrimPrefix(text, ","), " or ")
	}
	return list
}

// valueLength returns how long the YAML value is with which a text begins.
func valueLength(text string) int {
	depth := 0
	for i, c := range text {
		switch {
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case depth == 0 && strings.ContainsRune(" ,;)", c):
			return i
		}
	}
	return len(text)
}

func TestRemediesAreRead(t *testing.T) {
	for text, want := range map[string][][]change{
		"a is b; write recovery: selective, or balancer: ecmp":                         {{{"recovery", "selective"}}, {{"balancer", "ecmp"}}},
		"so; leave headroom out, or write headroom: 37545B":                            {{{"headroom", "37545B"}}, {{"headroom", "null"}}},
		"so; leave it out, or write routing: {lanes: hop}":                             {{{"routing", "{lanes: hop}"}}, {{"it", "null"}}},
		"write fabric: {classes: 2} and transport: {class: 1, ack: {class: 0}}, as in": {{{"fabric", "{classes: 2}"}, {"transport", "{class: 1, ack: {class: 0}}"}}},
		"write fabric: {classes: 3}, transport: {class: 2} or more":                    {{{"fabric", "{classes: 3}"}, {"transport", "{class: 2}"}}},
		"Write of: ingress, a smaller xoff, or a larger fabric.buffer":                 {{{"of", "ingress"}}},
		"let data go in between, as in --set fabric.trim.ratio=10":                     {{{"fabric.trim.ratio", "10"}}},
		"go, or write a time": nil,
	} {
		got := remedies(text)
		if !slices.EqualFunc(got, want, func(a, b []change) bool { return slices.Equal(a, b) }) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// advice is what a text says that tells its reader to do something.
var advice = regexp.MustCompile(`(?i)(^|[;,:.] |, or )(write|leave|remove|choose|move|make|measure|offer|use|give|name|change|let|set|add) `)

// advising is a text in the code that advises, outside of errors.
type advising struct {
	file, text string
}

// texts returns the texts of packages that advise, in the order of files. Arguments of functions that make errors are left out.
func texts(t *testing.T, folders ...string) (list []advising, tells map[string]bool) {
	t.Helper()
	tells = map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			if !strings.Contains(name, "/") {
				name = "scenario/" + name
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit: // TestConflicts runs these
					list, ok := n.Type.(*ast.ArrayType)
					return !ok || nameOf(list.Elt) != "conflict"
				case *ast.Field: // whose tag documents an option
					return n.Tag == nil
				case *ast.CallExpr:
					called := nameOf(n.Fun)
					tells[name] = tells[name] || makesNotice(called, n)
					return !makesError.MatchString(called)
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && strings.Contains(text, " ") && advice.MatchString(text) {
						list = append(list, advising{name, text})
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list, tells
}

var (
	makesError  = regexp.MustCompile(`(?i)errorf$|^errors\.New$|^problem\.(At|New)$|\.Mend$|\.Due$|^panic$|^catalog\.Define$|\.MustCompile$|^refuse`)
	tellsWhat   = regexp.MustCompile(`(?i)(^|\.)(notice|qualify|note)$`)
	keepsNotice = regexp.MustCompile(`(?i)(notices|warnings|conflicts|notes)$`)
)

// makesNotice tells whether a call adds to notices.
func makesNotice(called string, c *ast.CallExpr) bool {
	return tellsWhat.MatchString(called) || called == "append" && len(c.Args) > 0 && keepsNotice.MatchString(nameOf(c.Args[0]))
}

// nameOf returns the name of a function or a variable, with what it is of.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	}
	return ""
}

// pattern matches what a format comes to.
func pattern(format string) *regexp.Regexp {
	verbs := regexp.MustCompile(`%(\[\d+\])?[+.\d]*[a-z]|%%`)
	text, last := "", 0
	for _, m := range verbs.FindAllStringIndex(format, -1) {
		text += regexp.QuoteMeta(format[last:m[0]])
		if format[m[0]:m[1]] == "%%" {
			text += "%"
		} else {
			text += "(?s:.*)"
		}
		last = m[1]
	}
	return regexp.MustCompile(text + regexp.QuoteMeta(format[last:]))
}
