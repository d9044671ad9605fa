package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/catalog"
)

// Schemer describes structs as JSON Schema, for editors. A schema is a little more lenient
// than Decode, which decides.
//
// Structs, choices and their kinds become definitions that refer to each other, so that
// each is written once. Each has a second definition for its overlays, which Merge applies
// to another value. An overlay requires nothing, null resets to the default, and options
// may come without their kind. The second definition refers to the first where both agree.
type Schemer struct {
	rosters []catalog.Roster
	root    reflect.Type
	defs    map[string]*jsonschema.Schema
	names   map[defined]string
}

// defined identifies a definition: a struct, a choice of a role, or a kind of that role.
// over selects the definition of its overlays.
type defined struct {
	t    reflect.Type
	kind string
	over bool
}

// NewSchemer returns a Schemer for structs whose choices are made from these rosters.
func NewSchemer(rosters []catalog.Roster) *Schemer {
	return &Schemer{rosters: rosters, defs: map[string]*jsonschema.Schema{}, names: map[defined]string{}}
}

// Root returns the schema of struct type t, whose tags catalog.Check accepts. References
// point into this document. Later calls of the Schemer add to its Defs.
func (s *Schemer) Root(t reflect.Type) *jsonschema.Schema {
	s.root = t
	out := object()
	out.Defs = s.defs
	s.whole(out, t)
	return out
}

// Struct returns the definition of a struct type within the root, or of its overlays.
func (s *Schemer) Struct(t reflect.Type, over bool) *jsonschema.Schema {
	return s.defs[s.name(defined{t: t, over: over})]
}

// Over returns a schema for the overlays of a struct of type t.
func (s *Schemer) Over(t reflect.Type) *jsonschema.Schema {
	return reference(s.pointer(defined{t: t, over: true}))
}

// Define adds a definition and returns a schema that refers to it.
func (s *Schemer) Define(name string, schema *jsonschema.Schema) *jsonschema.Schema {
	s.defs[name] = schema
	return reference("#/$defs/" + name)
}

func reference(pointer string) *jsonschema.Schema { return &jsonschema.Schema{Ref: pointer} }

// pointer returns the JSON pointer to the definition of d.
func (s *Schemer) pointer(d defined) string {
	if d.t == s.root && !d.over {
		return "#"
	}
	return "#/$defs/" + s.name(d)
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// name returns the name of the definition of d. It creates the definition if there is none
// yet.
func (s *Schemer) name(d defined) string {
	if name, ok := s.names[d]; ok {
		return name
	}
	name := notInNames.ReplaceAllString(strings.TrimPrefix(d.t.String(), "*"), "-")
	if d.kind != "" {
		name += "." + d.kind
	}
	if d.over {
		name += ".over"
	}
	for s.defs[name] != nil { // a type of the same name in another package
		name += "-"
	}
	// Register the definition before it is complete, since it may refer to itself.
	out := object()
	s.names[d], s.defs[name] = name, out
	switch roster := rosterOf(s.rosters, d.t); {
	case d.kind != "" && d.over:
		s.kindOver(out, roster, d.kind)
	case d.kind != "":
		s.kind(out, roster, d.kind)
	case roster != nil && d.over:
		*out = *s.choiceOver(roster)
	case roster != nil:
		*out = *s.choice(roster)
	case d.over:
		out.Type, out.Types = "", []string{"object", "null"}
		s.over(out, d.t, s.pointer(defined{t: d.t}))
	default:
		out.Type, out.Types = "", []string{"object", "null"}
		s.whole(out, d.t)
	}
	return name
}

func object() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

func null() *jsonschema.Schema { return &jsonschema.Schema{Type: "null"} }

// whole adds the fields of struct type t to an object.
func (s *Schemer) whole(out *jsonschema.Schema, t reflect.Type) {
	for _, f := range fieldsOf(t) {
		p := s.value(f.Type, f)
		p.Description = described(f.Doc, f.Source)
		p.Default = defaultJSON(f)
		add(out, f.Name, p)
		if f.Required() {
			out.Required = append(out.Required, f.Name)
		}
	}
}

// over adds the overlays of the fields of struct type t to an object. pointer leads to the
// definition of the fields.
func (s *Schemer) over(out *jsonschema.Schema, t reflect.Type, pointer string) {
	for _, f := range fieldsOf(t) {
		add(out, f.Name, s.overValue(f.Type, f, pointer+"/properties/"+f.Name))
	}
}

func add(out *jsonschema.Schema, name string, p *jsonschema.Schema) {
	out.Properties[name] = p
	out.PropertyOrder = append(out.PropertyOrder, name)
}

// fieldsOf returns the fields of a struct type, and nil for other types.
func fieldsOf(t reflect.Type) []catalog.Field {
	if t.Kind() != reflect.Struct {
		return nil
	}
	fields, err := catalog.Fields(t)
	if err != nil {
		return nil
	}
	return fields
}

func described(doc, source string) string {
	if source == "" {
		return doc
	}
	return fmt.Sprintf("%s (%s)", doc, source)
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

// value returns the schema of a field's value of type t.
func (s *Schemer) value(t reflect.Type, f catalog.Field) *jsonschema.Schema {
	if t == nodeType {
		return &jsonschema.Schema{}
	}
	if t.Kind() == reflect.Pointer {
		return nullable(s.value(t.Elem(), f))
	}
	if role := s.roleOf(t); role != nil {
		return reference(s.pointer(defined{t: role}))
	}
	var out *jsonschema.Schema
	if catalog.IsScalar(t) {
		out = s.scalar(t, f)
	}
	switch t.Kind() {
	case reflect.Struct:
		if !hasFields(t) {
			break
		}
		mapping := reference(s.pointer(defined{t: t}))
		if out == nil {
			return mapping
		}
		return anyOf(out, mapping)
	case reflect.Slice:
		item := s.value(t.Elem(), f)
		list := &jsonschema.Schema{Types: []string{"array", "null"}, Items: item.CloneSchemas()}
		if catalog.IsScalar(t.Elem()) {
			return anyOf(item, list)
		}
		return list
	}
	return out
}

// overValue returns the schema for overlays of a field's value. pointer leads to the schema
// of the value itself.
func (s *Schemer) overValue(t reflect.Type, f catalog.Field, pointer string) *jsonschema.Schema {
	if t == nodeType {
		return &jsonschema.Schema{}
	}
	optional := t.Kind() == reflect.Pointer
	if optional {
		t = t.Elem()
	}
	if role := s.roleOf(t); role != nil {
		return withDoc(reference(s.pointer(defined{t: role, over: true})), f)
	}
	same := reference(pointer)
	switch {
	case t.Kind() == reflect.Struct && hasFields(t):
		mapping := withDoc(s.Over(t), f)
		if !catalog.IsScalar(t) {
			return mapping
		}
		return anyOf(same, mapping)
	case t.Kind() == reflect.Slice:
		// A list replaces the whole list, and a mapping replaces some items.
		return anyOf(same, &jsonschema.Schema{Type: "object", AdditionalProperties: s.overItem(t.Elem(), pointer)})
	case optional:
		return same
	}
	return anyOf(same, null())
}

// overItem returns the schema for overlays of an item of the list that pointer leads to.
func (s *Schemer) overItem(t reflect.Type, pointer string) *jsonschema.Schema {
	switch role := s.roleOf(t); {
	case role != nil:
		return reference(s.pointer(defined{t: role, over: true}))
	case t.Kind() == reflect.Struct && hasFields(t):
		return s.Over(t)
	case catalog.IsScalar(t):
		return reference(pointer + "/anyOf/0")
	}
	return &jsonschema.Schema{}
}

func withDoc(out *jsonschema.Schema, f catalog.Field) *jsonschema.Schema {
	out.Description = described(f.Doc, f.Source)
	return out
}

// roleOf returns the role of a type of choices, or nil.
func (s *Schemer) roleOf(t reflect.Type) reflect.Type {
	chooser, ok := reflect.New(t).Interface().(catalog.Chooser)
	if !ok {
		return nil
	}
	return chooser.Role()
}

func anyOf(of ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: of} }

// nullable returns a schema that allows null in addition to out.
func nullable(out *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case out.Ref != "":
	case out.Type != "":
		out.Types, out.Type = []string{out.Type, "null"}, ""
		return out
	case len(out.Types) > 0:
		if out.Types[len(out.Types)-1] != "null" {
			out.Types = append(out.Types, "null")
		}
		return out
	case len(out.Enum) > 0:
		out.Enum = append(out.Enum, nil)
		return out
	case len(out.AnyOf) > 0:
		out.AnyOf = append(out.AnyOf, null())
		return out
	}
	return anyOf(out, null())
}

// choice returns the schema of a choice: a name, or a mapping of one of the kinds.
func (s *Schemer) choice(roster catalog.Roster) *jsonschema.Schema {
	var names []any
	kinds := make([]*jsonschema.Schema, 0, len(roster.Names())+1)
	for _, name := range roster.Names() {
		d := defined{t: roster.Role(), kind: name}
		kinds = append(kinds, reference(s.pointer(d)))
		if len(s.defs[s.name(d)].Required) == 1 { // only the kind itself is required
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		kinds = append([]*jsonschema.Schema{{Enum: names}}, kinds...)
	}
	return anyOf(kinds...)
}

// choiceOver returns the schema for overlays of a choice. The names of all kinds come first.
func (s *Schemer) choiceOver(roster catalog.Roster) *jsonschema.Schema {
	out := anyOf(&jsonschema.Schema{Enum: words(roster.Names())})
	for _, name := range roster.Names() {
		out.AnyOf = append(out.AnyOf, reference(s.pointer(defined{t: roster.Role(), kind: name, over: true})))
	}
	out.AnyOf = append(out.AnyOf, null())
	return out
}

// kind describes the mapping that chooses an entry of a roster.
func (s *Schemer) kind(out *jsonschema.Schema, roster catalog.Roster, name string) {
	info, _ := roster.Find(name)
	out.Title, out.Description = name, described(info.Summary, info.Source)
	out.Required = []string{KindKey}
	add(out, KindKey, &jsonschema.Schema{Enum: []any{name}})
	s.whole(out, info.Options)
}

// kindOver describes the overlays of such a mapping.
func (s *Schemer) kindOver(out *jsonschema.Schema, roster catalog.Roster, name string) {
	info, _ := roster.Find(name)
	whole := s.pointer(defined{t: roster.Role(), kind: name})
	out.Title = name
	add(out, KindKey, reference(whole+"/properties/"+KindKey))
	s.over(out, info.Options, whole)
}
