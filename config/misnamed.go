package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"weft/catalog"
	"weft/internal/nearest"
)

// misnamed returns the remedy for a name that a roster does not have. The name may belong
// under another key, such as a congestion control that was written as a balancer. The
// remedy then names that key, after a similar name from the roster. It does not if the
// roster knows the name in another spelling.
func (s *decoding) misnamed(name string, roster catalog.Roster) string {
	remedy := catalog.Remedy(name, "known:", roster)
	if len(catalog.Called(name, roster)) > 0 || slices.ContainsFunc(roster.Names(), func(n string) bool { return strings.EqualFold(n, name) }) {
		return remedy
	}
	belongs := s.belonging(name, s.root, "")
	isWord := func(b belonging) bool { return b.word }
	if i := slices.IndexFunc(belongs, isWord); i >= 0 && slices.ContainsFunc(belongs[i+1:], isWord) {
		belongs = slices.DeleteFunc(belongs, isWord) // such as "none", which many keys accept
	}
	if len(belongs) == 0 || len(belongs) > mostHomes {
		return remedy
	}
	words := make([]string, len(belongs))
	for i, b := range belongs {
		words[i] = b.String()
	}
	meant := strings.Join(words, "; or ")
	if near, ok := nearest.Name(name, roster.Names()); ok { // a typo is likelier than a wrong key
		meant = fmt.Sprintf("did you mean %q? Or %s", near, meant)
	}
	return fmt.Sprintf("%s. Known: %s", meant, listed(roster.Names()))
}

// shortened returns the remedy for a scalar in the place of a mapping of type t, if one of
// the mapping's keys accepts the scalar. Otherwise it returns "".
func (s *decoding) shortened(n *Node, t reflect.Type, path string) string {
	if n.Kind != Scalar || t.Kind() != reflect.Struct {
		return ""
	}
	for _, b := range s.belonging(n.Text, t, path) {
		if !strings.Contains(strings.TrimPrefix(b.path, path+"."), ".") {
			return "write " + b.written()
		}
	}
	return ""
}

// belonging is a key that accepts a name.
type belonging struct {
	path, name string
	// known explains why the name differs here, or is "".
	known string
	// word: the name is a word of an enumeration.
	word bool
}

func (b belonging) String() string {
	return fmt.Sprintf("it goes under %s here%s: write %s", b.path, b.known, b.written())
}

var anyItem = regexp.MustCompile(`\[[0-9]+\]`)

// written returns the name under its key, as a file has it.
func (b belonging) written() string {
	text := b.name
	keys := strings.Split(anyItem.ReplaceAllString(b.path, "[]"), ".")
	for i, key := range slices.Backward(keys) {
		key, list := strings.CutSuffix(key, "[]")
		if list && i == len(keys)-1 {
			text = fmt.Sprintf("{%s: %s, …}", KindKey, text)
		}
		if list {
			text = "[" + text + "]"
		}
		text = key + ": " + text
		if i > 0 {
			text = "{" + text + "}"
		}
	}
	return text
}

// belonging finds the keys that accept a name in a mapping of type t at path, outermost
// first. It ignores options of entries.
func (s *decoding) belonging(name string, t reflect.Type, path string) (list []belonging) {
	s.walk(t, path, func(f found) {
		switch {
		case f.kind != "":
		case f.roster != nil:
			if _, ok := f.roster.Find(strings.ToLower(name)); ok {
				list = append(list, belonging{path: f.value, name: strings.ToLower(name)})
				return
			}
			for _, called := range catalog.Called(name, f.roster) {
				info, _ := f.roster.Find(called)
				known, text := fmt.Sprintf(", as %s", called), info.Text(name)
				if info.Known != "" && text == called {
					known += fmt.Sprintf(" (%s)", info.Known)
				}
				list = append(list, belonging{path: f.value, name: text, known: known})
			}
		case slices.Contains(f.field.Enum, strings.ToLower(name)):
			list = append(list, belonging{path: f.value, name: strings.ToLower(name), word: true})
		}
	})
	return list
}
