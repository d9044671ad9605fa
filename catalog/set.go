package catalog

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
)

// Set holds the entries of one role in the order in which they were added. The zero value
// is empty and ready for use. Several goroutines may read a Set once it is complete.
type Set[R any] struct {
	entries []Entry[R]
}

// Info describes an entry, without what it builds, for lists, schemas and decoders.
type Info struct {
	Name, Summary, Source string
	// Aliases are names used in the field or in other simulators.
	Aliases []string
	// Known is the reason for another name, where it is not obvious.
	Known string
	// Written maps an alias that means more than the name to what files write for it.
	Written map[string]string
	// Keeps describes the state that the entry keeps. Needs lists what else a file must or
	// must not have.
	Keeps string
	Needs []string
	// Example holds options that make a small instance, as a command line sets them.
	Example []string
	// Options is the type of the options struct.
	Options reflect.Type
}

// Roster is a Set of any role. Only *Set implements it.
type Roster interface {
	// Role returns the type that the entries build.
	Role() reflect.Type
	// Names lists the entries in the order in which they were added.
	Names() []string
	// Find returns the named entry.
	Find(name string) (Info, bool)
	roster()
}

var validName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Add appends entries. It refuses all of them if a name is taken or is not in lower case
// with dashes, if an entry lacks its summary, or if the tags of an options struct are
// wrong.
func (s *Set[R]) Add(entries ...Entry[R]) error {
	added := slices.Clone(s.entries)
	for _, e := range entries {
		if !validName.MatchString(e.Name) {
			return fmt.Errorf("catalog: the name %q must be lower-case words joined by dashes", e.Name)
		}
		if slices.ContainsFunc(added, func(o Entry[R]) bool { return o.Name == e.Name }) {
			return fmt.Errorf("catalog: there are two entries named %q", e.Name)
		}
		if e.build == nil || e.Summary == "" {
			return fmt.Errorf("catalog: entry %q needs a summary and must come from Define", e.Name)
		}
		if err := Check(e.options); err != nil {
			return fmt.Errorf("catalog: entry %q: %w", e.Name, err)
		}
		added = append(added, e)
	}
	s.entries = added
	return nil
}

// Lookup returns the named entry.
func (s *Set[R]) Lookup(name string) (Entry[R], bool) {
	for _, e := range s.entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry[R]{}, false
}

// Entries returns all entries in the order in which they were added.
func (s *Set[R]) Entries() []Entry[R] { return slices.Clone(s.entries) }

// Names lists the entries in the order in which they were added.
func (s *Set[R]) Names() []string {
	names := make([]string, len(s.entries))
	for i, e := range s.entries {
		names[i] = e.Name
	}
	return names
}

// Role returns the type that the entries build.
func (s *Set[R]) Role() reflect.Type { return reflect.TypeFor[R]() }

// Find returns the description of the named entry.
func (s *Set[R]) Find(name string) (Info, bool) {
	e, ok := s.Lookup(name)
	if !ok {
		return Info{}, false
	}
	return e.Info(), true
}

func (s *Set[R]) roster() {}

// Info returns the description of the entry.
func (e Entry[R]) Info() Info {
	return Info{Name: e.Name, Summary: e.Summary, Source: e.Source, Aliases: slices.Clone(e.Aliases), Known: e.Known, Written: maps.Clone(e.Written), Keeps: e.Keeps, Needs: slices.Clone(e.Needs), Example: slices.Clone(e.Example), Options: e.options}
}

// Defaults returns a pointer to an options struct of the entry with every default filled
// in. It fails if an option has no default, or if only a reader of files can look the
// default up.
func (e Entry[R]) Defaults() (any, error) {
	options := reflect.New(e.options)
	if err := setDefaults(options.Elem()); err != nil {
		return nil, fmt.Errorf("defaults of %s: %w", e.Name, err)
	}
	return options.Interface(), nil
}

// BuildDefault builds the entry with its defaults.
func (e Entry[R]) BuildDefault() (built R, err error) {
	options, err := e.Defaults()
	if err != nil {
		return built, err
	}
	return e.Build(options)
}

// BuildDefault builds the named entry of a list with its defaults.
func BuildDefault[R any](entries []Entry[R], name string) (built R, err error) {
	for _, e := range entries {
		if e.Name == name {
			return e.BuildDefault()
		}
	}
	return built, fmt.Errorf("there is no %.40q", name)
}
