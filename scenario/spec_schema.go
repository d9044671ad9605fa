package scenario

import (
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"weft/config"
)

// Schema returns the JSON Schema of scenario files that name what the registry
// holds, for editors.
func Schema(reg *Registry) *jsonschema.Schema {
	whole := config.Schemer{Rosters: reg.rosters()}
	over := config.Schemer{Rosters: whole.Rosters, Overlay: true}
	root := whole.Of(specType)
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "weft scenario"
	root.Description = "A scenario of weft, the laboratory for datacenter and HPC fabrics."
	root.Properties["weft"].Enum = []any{Version}

	// A group's transport lies over that of all traffic.
	group := root.Properties["traffic"].Items
	doc := group.Properties["transport"].Description
	group.Properties["transport"] = over.Of(reflect.TypeFor[Transport]())
	group.Properties["transport"].Description = doc

	// A published workload is a short form of sizes.
	published := func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Description: "A published workload, as in websearch: short for size: {workload: websearch}."}
	}
	for _, of := range []*jsonschema.Schema{group, group.Properties[replyKey]} {
		if of != nil && of.Properties != nil {
			of.Properties[workloadKey] = published()
			of.Required = slices.DeleteFunc(of.Required, func(key string) bool { return key == sizeKey })
		}
	}

	// A variant lies over the whole file, by keys or by paths.
	keys := over.Of(specType)
	for _, own := range fileKeys() {
		delete(keys.Properties, own)
	}
	keys.PropertyOrder = nil
	// Groups of traffic are found by index or name.
	traffic := keys.Properties["traffic"]
	keys.Properties["traffic"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{traffic, {Type: "object"}}, Description: traffic.Description}
	keys.PatternProperties = map[string]*jsonschema.Schema{`^[a-z_]+[.\[]`: {}}

	variant := root.Properties[compareKey].Items
	for key, value := range keys.CloneSchemas().Properties {
		variant.Properties[key] = value
	}
	variant.PatternProperties = keys.CloneSchemas().PatternProperties
	keys.Description = variant.Properties[setKey].Description
	variant.Properties[setKey] = keys

	// What is kept as it is written has more forms than a mapping.
	root.Properties[seedsKey].Types = []string{"integer", "string", "array", "null"}
	axis := root.Properties[matrixKey].Items
	axis.Properties["values"].Types = []string{"array", "object", "null"}
	axis.Properties["zip"].Types = []string{"object", "null"}
	axis.Properties["levels"].Types = []string{"object", "null"}
	root.Properties[excludeKey].Items.Types = []string{"object"}
	return root
}
