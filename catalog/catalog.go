// Package catalog keeps named, documented implementations of a role: balancers,
// congestion controls, topologies, traffic patterns, faults. A catalog is a plain
// value that its owner fills; nothing is registered behind one's back.
package catalog

import (
	"maps"
	"reflect"
	"slices"
)

// Entry is one named implementation of role R. R is what building it yields:
// a *topo.Graph for topologies, a protocol.Balancer for balancers.
type Entry[R any] struct {
	// Name is what a scenario file says, in lower case with dashes.
	Name string
	// Summary is one line for lists and editors.
	Summary string
	// Source names paper, section, algorithm or equation.
	Source string
	// Aliases are what the field or other simulators call it. Files cannot say them;
	// messages and lists do, so that people find the name.
	Aliases []string
	// Known says why it is called otherwise, where that is no matter of course.
	Known string
	// Written has what files say for those Aliases that mean more than the name.
	Written map[string]string
	// Keeps says what state the implementation keeps and where, for lists.
	Keeps string
	// Needs says what else a file must have, or must not, in order to use it, for lists.
	Needs []string
	// Example is options that make a small one, as a command line sets them: radix=16.
	Example []string

	options reflect.Type
	build   func(options any) (R, error)
}

// Define makes an entry whose options are the exported fields of O, described
// by struct tags:
//
//	yaml:"buffer"       name in a scenario file (required)
//	default:"8"         default as written in a file; a field without it is
//	                    required, unless it is a pointer (derived when absent)
//	introduced:"4"      the default that the option came with, if that was another one:
//	                    runs are known by what differs from it
//	doc:"..."           one sentence: meaning, shape, unit if it is a plain number
//	source:"§3.1"       where the default comes from
//	min:"1" max:"64"    bounds, written like values
//	enum:"a,b"          allowed words of a string field
//	known:"q"           what papers call it, for messages
//
// Fields are of type string, bool, an integer or float64, unit.Time, unit.Rate,
// unit.Bytes, another type of package unit, Path for the name of a file, any type
// with UnmarshalText, a Choice, a pointer to one of these, a struct of these, or
// a slice. A default is written like a value: [] and [a, b] are lists, {} is a
// mapping of defaults. A list of one scalar may be written as that scalar, and a
// struct whose first key is "kind" as that kind. The fields of an embedded
// struct count as the struct's own; those tagged yaml:"-" are not options.
func Define[R, O any](name, summary, source string, build func(O) (R, error)) Entry[R] {
	return Entry[R]{
		Name: name, Summary: summary, Source: source,
		options: reflect.TypeFor[O](),
		build:   func(o any) (R, error) { return build(*(o.(*O))) },
	}
}

// Alias returns the entry with other names that it is known by.
func (e Entry[R]) Alias(names ...string) Entry[R] {
	e.Aliases = append(slices.Clone(e.Aliases), names...)
	return e
}

// Means is Alias for a name that stands for the entry with some options: text is what a file says.
func (e Entry[R]) Means(name, text string) Entry[R] {
	e = e.Alias(name)
	e.Written = maps.Clone(e.Written)
	if e.Written == nil {
		e.Written = map[string]string{}
	}
	e.Written[name] = text
	return e
}

// KnownAs is Alias with the reason, a sentence without its full stop.
func (e Entry[R]) KnownAs(name, why string) Entry[R] {
	e = e.Alias(name)
	e.Known = why
	return e
}

// Keeping returns the entry with what state it keeps.
func (e Entry[R]) Keeping(what string) Entry[R] {
	e.Keeps = what
	return e
}

// Needing returns the entry with more of what a file must have, or must not.
func (e Entry[R]) Needing(what ...string) Entry[R] {
	e.Needs = append(slices.Clone(e.Needs), what...)
	return e
}

// Exampled returns the entry with options that make a small one, for messages.
func (e Entry[R]) Exampled(options ...string) Entry[R] {
	e.Example = slices.Clone(options)
	return e
}

// Options returns the type of the entry's options struct.
func (e Entry[R]) Options() reflect.Type { return e.options }

// Build makes the implementation from a pointer to its options struct.
func (e Entry[R]) Build(options any) (R, error) { return e.build(options) }
