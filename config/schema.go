package config

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/catalog"
)

// Schemer describes structs as JSON Schema, for editors. A schema is a little
// more lenient than Decode, which has the last word.
type Schemer struct {
	Rosters []catalog.Roster
	// Overlay describes what Merge puts over another value: nothing is required,
	// and options may come without the kind that they belong to.
	Overlay bool
}

// Of returns the schema of struct type t, whose tags catalog.Check accepts.
func (s Schemer) Of(t reflect.Type) *jsonschema.Schema {
	fields, err := catalog.Fields(t)
	if err != nil {
		return &jsonschema.Schema{}
	}
	out := object()
	for _, f := range fields {
		p := s.value(f.Type, f)
		p.Description = f.Doc
		if f.Source != "" {
			p.Description += " (" + f.Source + ")"
		}
		p.Default = defaultJSON(f)
		out.Properties[f.Name] = p
		out.PropertyOrder = append(out.PropertyOrder, f.Name)
		if f.Required() && !s.Overlay {
			out.Required = append(out.Required, f.Name)
		}
	}
	return out
}

func object() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

// defaultJSON returns the default of a field, if it is a scalar.
func defaultJSON(f catalog.Field) json.RawMessage {
	if !f.HasDefault || strings.ContainsAny(f.Default, "[{") {
		return nil
	}
	switch f.Type.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint64, reflect.Float64:
		if json.Valid([]byte(f.Default)) {
			return json.RawMessage(f.Default)
		}
	}
	text, _ := json.Marshal(f.Default)
	return text
}

func (s Schemer) value(t reflect.Type, f catalog.Field) *jsonschema.Schema {
	if t == nodeType {
		return &jsonschema.Schema{}
	}
	if t.Kind() == reflect.Pointer {
		return nullable(s.value(t.Elem(), f))
	}
	if chooser, ok := reflect.New(t).Interface().(catalog.Chooser); ok {
		return s.choice(chooser.Role())
	}
	var out *jsonschema.Schema
	if catalog.IsScalar(t) {
		out = scalarSchema(t, f)
		if s.Overlay {
			out = nullable(out)
		}
	}
	switch t.Kind() {
	case reflect.Struct:
		if !hasFields(t) {
			break
		}
		mapping := s.Of(t)
		if out != nil {
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{out, mapping}}
		}
		return nullable(mapping)
	case reflect.Slice:
		item := s.value(t.Elem(), f)
		list := &jsonschema.Schema{Types: []string{"array", "null"}, Items: item.CloneSchemas()}
		if catalog.IsScalar(t.Elem()) {
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{item, list}}
		}
		return list
	}
	return out
}

func scalarSchema(t reflect.Type, f catalog.Field) *jsonschema.Schema {
	if len(f.Enum) > 0 {
		return &jsonschema.Schema{Enum: words(f.Enum)}
	}
	form := catalog.FormOf(t)
	if form.Pattern != "" {
		out := &jsonschema.Schema{Types: []string{"string", "number"}, Pattern: form.Pattern, Minimum: bound("0")}
		if form.Name != "ratio" {
			out.Maximum = bound("0") // a number without its unit can only be 0
		}
		if form.Example != "" {
			out.Examples = []any{form.Example}
		}
		return out
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

func words(names []string) []any {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
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

// nullable returns out with null allowed, too.
func nullable(out *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case out.Type != "":
		out.Types, out.Type = []string{out.Type, "null"}, ""
	case len(out.Types) > 0:
		if out.Types[len(out.Types)-1] != "null" {
			out.Types = append(out.Types, "null")
		}
	case len(out.Enum) > 0:
		out.Enum = append(out.Enum, nil)
	default:
		out = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{out, {Type: "null"}}}
	}
	return out
}

// choice returns the schema of a choice: a name, or one mapping for each kind.
func (s Schemer) choice(role reflect.Type) *jsonschema.Schema {
	roster := rosterOf(s.Rosters, role)
	if roster == nil {
		return &jsonschema.Schema{}
	}
	names := &jsonschema.Schema{}
	out := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{names}}
	for _, name := range roster.Names() {
		info, _ := roster.Find(name)
		kind := object()
		if info.Options.Kind() == reflect.Struct {
			kind = s.Of(info.Options)
		}
		if len(kind.Required) == 0 {
			names.Enum = append(names.Enum, name)
		}
		kind.Title, kind.Description = name, info.Summary
		if info.Source != "" {
			kind.Description += " (" + info.Source + ")"
		}
		kind.Properties[KindKey] = &jsonschema.Schema{Enum: []any{name}, Description: kind.Description}
		kind.PropertyOrder = append([]string{KindKey}, kind.PropertyOrder...)
		if !s.Overlay {
			kind.Required = append([]string{KindKey}, kind.Required...)
		}
		out.AnyOf = append(out.AnyOf, kind)
	}
	if len(names.Enum) == 0 {
		out.AnyOf = out.AnyOf[1:]
	}
	if s.Overlay {
		out.AnyOf = append(out.AnyOf, &jsonschema.Schema{Type: "null"})
	}
	return out
}
