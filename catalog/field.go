package catalog

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Field is a field of an options struct, as its tags describe it.
type Field struct {
	// Name is the key in a file.
	Name        string
	Doc, Source string
	// Type is the type of the Go field; Index is its place in the struct.
	Type  reflect.Type
	Index []int
	// Default is the default as written in a file, if HasDefault is set.
	Default    string
	HasDefault bool
	// Introduced is the default that the option was introduced with, if it has changed
	// since and HasIntroduced is set; see Field.Original.
	Introduced    string
	HasIntroduced bool
	// Min and Max are bounds as written in a file, or empty.
	Min, Max string
	// Known are the names in papers. Files cannot use them; messages show the right key for
	// them.
	Known []string
	// Enum lists the allowed words, if not all are allowed.
	Enum []string
}

// Required reports whether a file must give the field.
func (f Field) Required() bool { return !f.HasDefault && f.Type.Kind() != reflect.Pointer }

var validKey = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Fields describes the exported fields of struct type t in order. The fields of an embedded
// struct take its place. Fields tagged yaml:"-" are left out. It fails if a tag is missing
// or malformed; Check also tries the values. Callers must not change the result, since it
// is shared.
func Fields(t reflect.Type) ([]Field, error) {
	if fields, ok := described.Load(t); ok {
		return fields.([]Field), nil
	}
	fields, err := describe(t)
	if err != nil {
		return nil, err
	}
	fields = slices.Clip(fields)
	described.Store(t, fields)
	return fields, nil
}

// described caches the results of Fields, which depend only on the type. Reading a scenario
// asks for the same few types again and again, and a study reads thousands of scenarios.
var described sync.Map // of reflect.Type to []Field

func describe(t reflect.Type) ([]Field, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a struct", t)
	}
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Tag.Get("yaml") == "-" || !sf.IsExported() {
			continue
		}
		if sf.Anonymous && sf.Tag.Get("yaml") == "" {
			inner, err := Fields(sf.Type)
			if err != nil {
				return nil, err
			}
			for _, f := range inner {
				f.Index = append([]int{i}, f.Index...)
				fields = append(fields, f)
			}
			continue
		}
		f, err := parseTags(sf)
		if err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", sf.Name, t, err)
		}
		f.Index = []int{i}
		fields = append(fields, f)
	}
	for i, f := range fields {
		if slices.ContainsFunc(fields[:i], func(o Field) bool { return o.Name == f.Name }) {
			return nil, fmt.Errorf("%v has two fields named %q", t, f.Name)
		}
	}
	return fields, nil
}

func parseTags(sf reflect.StructField) (Field, error) {
	f := Field{
		Name: sf.Tag.Get("yaml"), Doc: sf.Tag.Get("doc"), Source: sf.Tag.Get("source"),
		Min: sf.Tag.Get("min"), Max: sf.Tag.Get("max"), Type: sf.Type,
	}
	f.Default, f.HasDefault = sf.Tag.Lookup("default")
	f.Introduced, f.HasIntroduced = sf.Tag.Lookup("introduced")
	if words := sf.Tag.Get("known"); words != "" {
		f.Known = strings.Split(words, ",")
	}
	if words := sf.Tag.Get("enum"); words != "" {
		f.Enum = strings.Split(words, ",")
	}
	switch {
	case !validKey.MatchString(f.Name):
		return f, fmt.Errorf("the yaml tag %q is not a lower-case word, perhaps with underscores", f.Name)
	case f.Doc == "":
		return f, errors.New("the doc tag is missing")
	case f.HasDefault && f.Type.Kind() == reflect.Pointer:
		return f, errors.New("a pointer is derived when it is absent, so it cannot have a default tag")
	case f.HasIntroduced && f.Required():
		return f, errors.New("introduced is the first default of an option, and this one has none")
	case f.HasIntroduced && f.HasDefault && f.Introduced == f.Default:
		return f, errors.New("introduced is for options whose default has changed")
	}
	return f, nil
}

// Check checks the tags of struct type t and of the structs in its fields. It reports
// defaults and bounds that cannot be read, defaults that are not allowed, and bounds on
// values without an order. It returns nil for types that are not structs.
func Check(t reflect.Type) error {
	return check(t, nil)
}

func check(t reflect.Type, within []reflect.Type) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || isChoice(t) || (isText(t) && !hasKeys(t)) || slices.Contains(within, t) {
		return nil
	}
	fields, err := Fields(t)
	if err != nil {
		return err
	}
	for _, f := range fields {
		if err := f.check(); err != nil {
			return fmt.Errorf("%q: %w", f.Name, err)
		}
		if err := check(f.Type, append(within, t)); err != nil {
			return fmt.Errorf("%q: %w", f.Name, err)
		}
	}
	return nil
}

func (f Field) check() error {
	t := f.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(f.Enum) > 0 && t.Kind() != reflect.String && !isText(t) {
		return fmt.Errorf("an enum tag on a %v", t)
	}
	for _, bound := range []string{f.Min, f.Max} {
		if bound == "" {
			continue
		}
		v := reflect.New(t).Elem()
		if _, ok := compare(v, v); !ok {
			return fmt.Errorf("a bound on a %v, which has no order", t)
		}
		if err := parse(v, bound); err != nil {
			return fmt.Errorf("bound: %w", err)
		}
	}
	if _, _, err := f.Original(); err != nil {
		return fmt.Errorf("introduced: %w", err)
	}
	if !f.HasDefault || isChoice(t) {
		return nil
	}
	v := reflect.New(t).Elem()
	if err := f.setDefault(v); err != nil && !(t.Kind() == reflect.Struct && f.Default == "{}") {
		return fmt.Errorf("default: %w", err)
	}
	return nil
}

// hasKeys reports whether struct type t can be written as a mapping, rather than only as a
// scalar that it reads itself.
func hasKeys(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if _, ok := f.Tag.Lookup("yaml"); ok {
			return true
		}
		if f.Anonymous && f.Type.Kind() == reflect.Struct && hasKeys(f.Type) {
			return true
		}
	}
	return false
}

func isChoice(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[Chooser]())
}
