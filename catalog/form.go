package catalog

import (
	"encoding"
	"reflect"

	"weft/unit"
)

// Path is the name of a file. A relative path in a scenario starts from the scenario's
// folder; readers of scenarios make it absolute.
type Path string

// Form describes how the values of a type are written.
type Form struct {
	// Name is a word for lists: "time", "integer".
	Name string
	// Example is a value as a file would write it.
	Example string
	// Pattern is a regular expression for all values that are written as text, except
	// Words. It is empty if there is none.
	Pattern string
	// Words are further values, in addition to Pattern or to numbers.
	Words []string
	// Bare: numbers other than 0 need no unit.
	Bare bool
}

// Former is implemented by types with UnmarshalText that describe how they are written.
type Former interface {
	Form() Form
}

// Patterns for numbers with units, as package unit reads them. They are lenient: a schema
// for editors must never refuse what a reader accepts.
const (
	number      = `^ *[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)? *`
	zero        = `^ *0+(\.0+)? *$`
	timePattern = number + "(ps|ns|us|\u00b5s|\u03bcs|ms|s) *$|" + zero
	ratePattern = number + `([kKMGT]?(bps|b/s|bit/s)) *$|` + zero
	sizePattern = number + `([kKMGT]?B|[KMGT]iB) *$|` + zero
	fastPattern = number + `([kKMGT]?B/s|[KMGT]iB/s|[kKMGT]?(bps|b/s|bit/s)) *$|` + zero
	workPattern = number + `[kMGTPE]? *$`
	partPattern = number + `%? *$`
	somePattern = number + `([kKMGT]?B|[KMGT]iB|BDP|%) *$|` + zero
)

// FormOf returns how values of type t are written. A pointer is written like the value it
// points to. A type without its own form is written like its kind.
func FormOf(t reflect.Type) Form {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[unit.Time]():
		return Form{Name: "time", Example: "500ns", Pattern: timePattern}
	case reflect.TypeFor[unit.Rate]():
		return Form{Name: "rate", Example: "400Gbps", Pattern: ratePattern}
	case reflect.TypeFor[unit.Bytes]():
		return Form{Name: "size", Example: "64KiB", Pattern: sizePattern}
	case reflect.TypeFor[unit.Speed]():
		return Form{Name: "speed", Example: "2TB/s", Pattern: fastPattern}
	case reflect.TypeFor[unit.Operations]():
		return Form{Name: "operations per second", Example: "312T", Pattern: workPattern, Bare: true}
	case reflect.TypeFor[unit.Ratio]():
		return Form{Name: "ratio", Example: "20%", Pattern: partPattern, Bare: true}
	case reflect.TypeFor[unit.Amount]():
		return Form{Name: "amount", Example: "1BDP", Pattern: somePattern}
	case reflect.TypeFor[unit.Threshold]():
		return Form{Name: "amount or inf", Example: "0.5BDP", Pattern: somePattern, Words: []string{"inf"}}
	case reflect.TypeFor[Path]():
		return Form{Name: "path", Example: "path/to/file"}
	}
	if f, ok := reflect.New(t).Interface().(Former); ok {
		return f.Form()
	}
	if isChoice(t) {
		return Form{Name: "choice"}
	}
	if isText(t) {
		return Form{Name: "text"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Form{Name: "boolean", Example: "true"}
	case reflect.String:
		return Form{Name: "text"}
	case reflect.Float32, reflect.Float64:
		return Form{Name: "number", Example: "0.5"}
	case reflect.Slice:
		of := FormOf(t.Elem())
		return Form{Name: "list of " + of.Name + "s", Example: "[" + of.Example + "]"}
	case reflect.Struct:
		return Form{Name: "mapping"}
	}
	return Form{Name: "integer", Example: "1"}
}

// isText reports whether values of t are written as text that t itself reads.
func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// IsScalar reports whether Field.Parse can read values of t, or of the type that t points
// to, from a scalar.
func IsScalar(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isText(t) {
		return true
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}
