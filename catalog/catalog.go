// Package catalog keeps named, documented implementations of a role, such as balancers,
// congestion controls, topologies, traffic patterns or faults. A catalog is a plain value
// that its owner fills. No entry registers itself.
package catalog

import (
	"maps"
	"reflect"
	"slices"
)

// Entry is one named implementation of role R. R is the type that the entry builds: a
// *topo.Graph for topologies, a protocol.Balancer for balancers.
type Entry[R any] struct {
	// Name is the name in scenario files, in lower case with dashes.
	Name string
	// Summary is one line for lists and editors.
	Summary string
	// Source names the paper, section, algorithm or equation.
	Source string
	// Aliases are names used in the field or in other simulators. Files cannot use them.
	// Messages and lists show them, so that people find the entry's name.
	Aliases []string
	// Known is the reason for another name, where it is not obvious.
	Known string
	// Written maps an alias that means more than the name to what files write for it.
	Written map[string]string
	// Keeps describes the state that the implementation keeps, and where, for lists.
	Keeps string
	// Needs lists what else a file must or must not have to use the entry.
	Needs []string
	// Example holds options that make a small instance, as a command line sets them:
	// radix=16.
	Example []string

	options reflect.Type
	build   func(options any) (R, error)
}

// Define returns an entry whose options are the exported fields of O. Struct tags describe
// them:
//
//	yaml:"buffer"       name in a scenario file (required)
//	default:"8"         default as written in a file; a field without it is
//	                    required, unless it is a pointer (derived when absent)
//	introduced:"4"      the default that the option was introduced with, if it
//	                    has changed; runs are identified by differences from it
//	doc:"..."           one sentence: meaning, shape, unit if it is a plain number
//	source:"§3.1"       where the default comes from
//	min:"1" max:"64"    bounds, written like values
//	enum:"a,b"          allowed words of a string field
//	known:"q"           the name in papers, for messages
//
// A field is a string, bool, integer, float64, unit.Time, unit.Rate, unit.Bytes, another
// type of package unit, Path for the name of a file, any type with UnmarshalText, a Choice,
// a pointer to one of these, a struct of these, or a slice. A default is written like a
// value: [] and [a, b] are lists, {} is a mapping of defaults. A list of one scalar may be
// written as that scalar, and a struct whose first key is "kind" as that kind. The fields
// of an embedded struct count as the struct's own. Fields tagged yaml:"-" are not options.
func Define[R, O any](name, summary, source string, build func(O) (R, error)) Entry[R] {
	return Entry[R]{
		Name: name, Summary: summary, Source: source,
		options: reflect.TypeFor[O](),
		build:   func(o any) (R, error) { return build(*(o.(*O))) },
	}
}

// Alias returns the entry with more aliases.
func (e Entry[R]) Alias(names ...string) Entry[R] {
	e.Aliases = append(slices.Clone(e.Aliases), names...)
	return e
}

// Means returns the entry with an alias that stands for the entry with some options. text
// is what a file writes for it.
func (e Entry[R]) Means(name, text string) Entry[R] {
	e = e.Alias(name)
	e.Written = maps.Clone(e.Written)
	if e.Written == nil {
		e.Written = map[string]string{}
	}
	e.Written[name] = text
	return e
}

// KnownAs returns the entry with an alias and the reason for it, a sentence without its
// full stop.
func (e Entry[R]) KnownAs(name, why string) Entry[R] {
	e = e.Alias(name)
	e.Known = why
	return e
}

// Keeping returns the entry with a description of the state that it keeps.
func (e Entry[R]) Keeping(what string) Entry[R] {
	e.Keeps = what
	return e
}

// Needing returns the entry with more needs: what a file must or must not have.
func (e Entry[R]) Needing(what ...string) Entry[R] {
	e.Needs = append(slices.Clone(e.Needs), what...)
	return e
}

// Exampled returns the entry with options that make a small instance, for messages.
func (e Entry[R]) Exampled(options ...string) Entry[R] {
	e.Example = slices.Clone(options)
	return e
}

// Options returns the type of the entry's options struct.
func (e Entry[R]) Options() reflect.Type { return e.options }

// Build builds the implementation from a pointer to its options struct.
func (e Entry[R]) Build(options any) (R, error) { return e.build(options) }
