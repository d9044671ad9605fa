package catalog

import (
	"reflect"
	"slices"
	"strings"
)

// Param describes an option for lists.
type Param struct {
	Name string `json:"name"`
	// Type is a word for how it is written, such as "time" or "list of texts".
	Type     string `json:"type"`
	Required bool   `json:"required,omitempty"`
	// Default is the default as a file would write it. An option without a default that is
	// not required is derived.
	Default string   `json:"default,omitempty"`
	Min     string   `json:"min,omitempty"`
	Max     string   `json:"max,omitempty"`
	Enum    []string `json:"enum,omitempty"`
	Doc     string   `json:"doc"`
	Source  string   `json:"source,omitempty"`
	// Params are the keys of a mapping, or of each mapping in a list.
	Params []Param `json:"params,omitempty"`
}

// Params lists the options of a struct type whose tags Check accepts.
func Params(t reflect.Type) []Param { return params(t, nil) }

// Params lists the entry's options.
func (i Info) Params() []Param { return Params(i.Options) }

func params(t reflect.Type, within []reflect.Type) []Param {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || isChoice(t) || !hasKeys(t) || slices.Contains(within, t) {
		return nil
	}
	fields, err := Fields(t)
	if err != nil {
		return nil
	}
	list := make([]Param, len(fields))
	for i, f := range fields {
		list[i] = Param{
			Name: f.Name, Type: FormOf(f.Type).Name, Required: f.Required(), Default: f.Default,
			Min: f.Min, Max: f.Max, Enum: choices(f.Enum), Doc: f.Doc, Source: f.Source,
			Params: params(f.Type, append(within, t)),
		}
	}
	return list
}

// choices returns the words of an enumeration that one can write. The empty word means to
// leave the option out.
func choices(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
}

// Bounds describes the allowed values: "1..64", "≥ 1", "a | b", or nothing.
func (p Param) Bounds() string {
	switch {
	case len(p.Enum) > 0:
		return strings.Join(p.Enum, " | ")
	case p.Min != "" && p.Max != "":
		return p.Min + ".." + p.Max
	case p.Min != "":
		return "≥ " + p.Min
	case p.Max != "":
		return "≤ " + p.Max
	}
	return ""
}
