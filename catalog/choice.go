package catalog

import (
	"errors"
	"fmt"
	"reflect"
)

// Choice is one entry of a Set with its options. It is the value of a scenario key such as
// balancer. A file writes it as the name alone, or as a mapping with the name under "kind"
// next to the options:
//
//	balancer: arcane
//	balancer: {kind: arcane, buffer: 8}
type Choice[R any] struct {
	// Kind is the entry's name.
	Kind string
	// Options points to the entry's options struct.
	Options any

	build func(any) (R, error)
}

// Chooser is a Choice of any role. Only *Choice implements it.
type Chooser interface {
	// Role returns the type that the choice builds.
	Role() reflect.Type
	// Choose picks an entry from a Set of the same role. options points to that entry's
	// options struct.
	Choose(from Roster, name string, options any) error
	// Chosen returns the name and the options. The options are nil if nothing was chosen.
	Chosen() (name string, options any)
	chooser()
}

// Choose returns the choice of entry e with the given options, a pointer to its options
// struct.
func Choose[R any](e Entry[R], options any) (Choice[R], error) {
	if t := reflect.TypeOf(options); t == nil || t != reflect.PointerTo(e.options) {
		return Choice[R]{}, fmt.Errorf("catalog: options of %q must be a *%v, not a %v", e.Name, e.options, t)
	}
	return Choice[R]{Kind: e.Name, Options: options, build: e.build}, nil
}

// Build builds the implementation. It fails if nothing was chosen, or if the entry's own
// build fails.
func (c Choice[R]) Build() (R, error) {
	if c.build == nil {
		var none R
		return none, errors.New("catalog: nothing was chosen")
	}
	return c.build(c.Options)
}

// Role returns the type that the choice builds.
func (c *Choice[R]) Role() reflect.Type { return reflect.TypeFor[R]() }

// Choose picks the named entry. It fails if from is not a *Set of this role or has no such
// entry, or if options is not a pointer to its options.
func (c *Choice[R]) Choose(from Roster, name string, options any) error {
	set, ok := from.(*Set[R])
	if !ok {
		return fmt.Errorf("catalog: %v cannot be chosen from entries that build %v", c.Role(), from.Role())
	}
	e, ok := set.Lookup(name)
	if !ok {
		return fmt.Errorf("catalog: there is no entry named %q", name)
	}
	chosen, err := Choose(e, options)
	if err == nil {
		*c = chosen
	}
	return err
}

// Chosen returns the name and the options of the choice.
func (c *Choice[R]) Chosen() (string, any) { return c.Kind, c.Options }

func (c *Choice[R]) chooser() {}

// Preset returns the value of a choice's option preset, or "" if its entry has no such
// option.
func Preset(c Chooser) string {
	_, options := c.Chosen()
	v := reflect.ValueOf(options)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return ""
	}
	fields, err := Fields(v.Elem().Type())
	if err != nil {
		return ""
	}
	for _, f := range fields {
		if value := v.Elem().FieldByIndex(f.Index); f.Name == "preset" && value.Kind() == reflect.String {
			return value.String()
		}
	}
	return ""
}
