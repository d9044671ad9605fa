package config

import (
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/catalog"
)

// scalar returns the schema of a field's value of scalar type t. Forms with a pattern become
// definitions.
func (s *Schemer) scalar(t reflect.Type, f catalog.Field) *jsonschema.Schema {
	if len(f.Enum) > 0 {
		return &jsonschema.Schema{Enum: words(f.Enum)}
	}
	form := catalog.FormOf(t)
	if form.Pattern != "" || len(form.Words) > 0 {
		name := notInNames.ReplaceAllString(form.Name, "-")
		for s.defs[name] != nil && !reflect.DeepEqual(s.defs[name], scalarForm(t, form)) {
			name += "-"
		}
		return s.Define(name, scalarForm(t, form))
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Float32, reflect.Float64:
		return &jsonschema.Schema{Type: "number", Minimum: bound(f.Min), Maximum: bound(f.Max)}
	}
	if form.Name == "integer" {
		return &jsonschema.Schema{Type: "integer", Minimum: bound(f.Min), Maximum: bound(f.Max)}
	}
	return &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
}

// scalarForm returns the schema of a form: one of its words, text that its pattern matches,
// or a number if t is one.
func scalarForm(t reflect.Type, form catalog.Form) *jsonschema.Schema {
	var forms []*jsonschema.Schema
	if len(form.Words) > 0 {
		forms = append(forms, &jsonschema.Schema{Enum: words(form.Words)})
	}
	switch {
	case form.Pattern != "":
		out := &jsonschema.Schema{Types: []string{"string", "number"}, Pattern: form.Pattern, Minimum: bound("0")}
		if !form.Bare {
			out.Maximum = bound("0") // a number without a unit can only be 0
		}
		forms = append(forms, out)
	case t.Kind() == reflect.Int:
		forms = append(forms, &jsonschema.Schema{Type: "integer"})
	}
	if len(forms) == 1 {
		return forms[0]
	}
	return anyOf(forms...)
}

// words lists names, and also the numbers and truth values that YAML reads for them: in
// lanes: 1, the value is not a text.
func words(names []string) []any {
	var list []any
	for _, name := range names {
		list = append(list, name)
		var other any
		if err := json.Unmarshal([]byte(name), &other); err == nil {
			list = append(list, other)
		}
	}
	return list
}

func bound(text string) *float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &v
}
