package scenario

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/config"
	"weft/workload"
)

// Schema returns the JSON Schema of scenario files for editors. Files may name the entries
// of the registry.
func Schema(reg *Registry) *jsonschema.Schema {
	s := config.NewSchemer(reg.rosters())
	root := s.Root(specType)
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "weft scenario"
	root.Description = "A scenario of weft, the laboratory for datacenter and HPC fabrics."
	root.Properties["weft"].Enum = []any{Version}

	traffic, reply := reflect.TypeFor[Traffic](), reflect.TypeFor[Reply]()
	// The transport of a part of the traffic overrides the scenario's transport.
	for _, t := range []reflect.Type{traffic, reply, reflect.TypeFor[Background]()} {
		of := s.Struct(t, false).Properties
		over := s.Over(reflect.TypeFor[Transport]())
		over.Description = of[transportKey].Description
		of[transportKey] = over
	}

	// A variant, and its set, override the whole file, by keys or by paths.
	changes := s.Struct(specType, true)
	for _, own := range fileKeys() {
		delete(changes.Properties, own)
	}
	changes.PropertyOrder = nil
	s.Paths(changes, fileKeys())
	variant := s.Struct(reflect.TypeFor[Variant](), false)
	set := s.Over(specType)
	set.Description = variant.Properties[setKey].Description
	set.Not = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Required: []string{nameKey}}, {Required: []string{setKey}}}}
	changes.Properties[nameKey] = variant.Properties[nameKey]
	changes.Properties[setKey] = s.Define(setKey, set)
	root.Properties[compareKey].Items = s.Over(specType)
	root.Properties[compareKey].Items.Type = "object"
	root.Properties[compareKey].Items.Required = []string{nameKey}

	// The name of a published workload is a short form of sizes.
	published := s.Struct(reflect.TypeFor[workload.SizeSpec](), false).Properties[workloadKey].Ref
	short := func() *jsonschema.Schema {
		return &jsonschema.Schema{Ref: published, Description: "A published workload, as in websearch: short for size: {workload: websearch}."}
	}
	for _, of := range []*jsonschema.Schema{s.Struct(traffic, false), s.Struct(traffic, true), s.Struct(reply, false), s.Struct(reply, true)} {
		of.Properties[workloadKey] = short()
		of.Required = slices.DeleteFunc(of.Required, func(key string) bool { return key == sizeKey })
	}
	changes.PatternProperties[config.ItemPattern(trafficKey)+`(\.`+replyKey+`)?\.`+workloadKey+"$"] = short()

	// Nodes that are kept as written accept more types than a mapping.
	root.Properties[seedsKey].Types = []string{"integer", "string", "array", "null"}
	axis := s.Struct(reflect.TypeFor[Axis](), false)
	axis.Properties["values"].Types = []string{"array", "object", "null"}
	axis.Properties["zip"].Types = []string{"object", "null"}
	axis.Properties["zip"].AdditionalProperties = &jsonschema.Schema{Type: "array"}
	axis.Properties[levelsKey].Types = []string{"object", "null"}
	axis.Properties[levelsKey].AdditionalProperties = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{changes.Properties[setKey].CloneSchemas(), {Type: "null"}}}
	root.Properties[excludeKey].Items.Types = []string{"object"}
	return root
}
