package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"weft/catalog"
	"weft/internal/nearest"
)

// This file suggests what to write if something cannot be decoded.

// inside describes what a key belongs to.
func inside(path, whose string) string {
	switch {
	case whose != "":
		return " of " + whose
	case path != "":
		return " in " + path
	}
	return ""
}

// keyRemedy returns a remedy for an unknown key in a mapping n of type t at path. It suggests
// names next to the key, and other places that know the key. If a similar name exists,
// options of entries are not worth mentioning. If required keys are missing, the unknown
// key more likely stands for one of them than for a key of another mapping.
func (s *decoding) keyRemedy(key string, fields []catalog.Field, n *Node, t reflect.Type, path string) string {
	var names, missing, meant []string
	for _, f := range fields {
		names = append(names, f.Name)
		if slices.Contains(f.Known, key) {
			return fmt.Sprintf("it is called %s here", f.Name)
		}
		if f.Required() && n.Get(f.Name) == nil {
			missing = append(missing, strconv.Quote(f.Name))
		}
	}
	if inner := knownWithin(key, fields); inner != "" {
		home, option, _ := strings.Cut(inner, ".")
		value := "…"
		if given := n.Get(key); given != nil && given.Kind == Scalar {
			value = given.Text
		}
		return fmt.Sprintf("it is called %s here: write %s: {%s: %s}", inner, home, option, value)
	}
	near, ok := nearest.Name(key, names)
	if !ok && path != "" && len(missing) > 0 && len(s.homes(key, t, path)) == 0 {
		return fmt.Sprintf("did you mean %s? Allowed: %s", catalog.Either(missing), listed(names))
	}
	if kinds := s.otherKinds(key, path); !ok && len(kinds) > 0 {
		of := fmt.Sprintf("it is an option of %s", strings.Join(kinds, ", "))
		if len(names) == 0 {
			return of + "; this kind has none"
		}
		return fmt.Sprintf("%s. Allowed: %s", of, listed(names))
	}
	if ok {
		meant = append(meant, strconv.Quote(near))
	}
	for _, h := range s.elsewhere(key, t, path) {
		if !ok || len(h.kinds) == 0 {
			meant = append(meant, h.String())
		}
	}
	switch {
	case ok && len(meant) == 1:
		return nearest.Remedy(key, "allowed:", names)
	case len(meant) > 0 && len(names) == 0:
		return fmt.Sprintf("did you mean %s? It has no options", catalog.Either(meant))
	case len(meant) > 0:
		return fmt.Sprintf("did you mean %s? Allowed: %s", catalog.Either(meant), listed(names))
	case len(names) == 0:
		return "it has no options"
	}
	return nearest.Remedy(key, "allowed:", names)
}

// knownWithin returns the path of an option, within one of the fields, that is known
// elsewhere by a key. It returns "" if there is none.
func knownWithin(key string, fields []catalog.Field) string {
	for _, f := range fields {
		if f.Type.Kind() != reflect.Struct {
			continue
		}
		within, err := catalog.Fields(f.Type)
		if err != nil { // a type of its own, such as a choice
			continue
		}
		for _, o := range within {
			if slices.Contains(o.Known, key) {
				return f.Name + "." + o.Name
			}
		}
	}
	return ""
}

// noun returns the word for the value at a path in messages: its key, or for an item the
// key of its list.
func noun(path string) string {
	key := path[strings.LastIndexByte(path, '.')+1:]
	if list, _, ok := strings.Cut(key, "["); ok {
		return KindKey + " in " + list
	}
	return key
}

func (s *decoding) example(f catalog.Field) string {
	t := f.Type
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if chooser, ok := reflect.New(t).Interface().(catalog.Chooser); ok {
		if r := rosterOf(s.Rosters, chooser.Role()); r != nil {
			return "known: " + listed(r.Names())
		}
	}
	if len(f.Enum) > 0 {
		return "allowed: " + listed(f.Enum)
	}
	if form := catalog.FormOf(t); form.Example != "" {
		return fmt.Sprintf("as in %s: %s", f.Name, form.Example)
	}
	return ""
}

func instead(f catalog.Field) string {
	switch {
	case f.HasDefault && f.Default == "":
		return `without the key it is the empty text ""`
	case f.HasDefault:
		return fmt.Sprintf("without the key it is %s", f.Default)
	}
	return like(f.Type)
}

// mostLiked is the most keys of a mapping that a message names.
const mostLiked = 3

// like describes how a value of a type is written, or returns "" if that needs keys.
func like(t reflect.Type) string {
	if form := catalog.FormOf(t); form.Example != "" {
		return "write it as in " + form.Example
	}
	return ""
}

// withKeys describes how a mapping of a type is written, or returns "" if it is not a
// mapping.
func withKeys(t reflect.Type) string {
	if t.Kind() != reflect.Struct || !hasFields(t) {
		return ""
	}
	fields, err := catalog.Fields(t)
	if err != nil {
		return ""
	}
	names := make([]string, 0, mostLiked)
	for _, f := range fields[:min(len(fields), mostLiked)] {
		names = append(names, f.Name)
	}
	return "write it as in {KEY: VALUE}, with keys such as " + strings.Join(names, ", ")
}

// both joins two remedies, either of which may be empty.
func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// wanted describes what a value of type t must be: "a time or a mapping".
func wanted(t reflect.Type) string {
	var forms []string
	switch {
	case catalog.IsScalar(t), t.Kind() == reflect.Slice:
		forms = append(forms, article(catalog.FormOf(t).Name))
	}
	if t.Kind() == reflect.Struct && hasFields(t) {
		forms = append(forms, "a mapping")
	}
	return catalog.Either(forms)
}

func article(noun string) string {
	switch {
	case noun == "text":
		return noun
	case strings.ContainsRune("aeio", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}

// listed joins names for a message, in order.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' || len(s) > 1 && s[1] == ' ' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
