package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
)

// File is a scenario file, read and validated.
type File struct {
	// Name is the name of the scenario, About its description in one sentence.
	Name, About string
	// Path is the path that it was read from.
	Path string
	// Variants are the scenarios to run side by side. There is at least one, unless
	// LoadOnly was asked for names that do not exist.
	Variants []*Scenario
	// Notices are hints for the user; they are no errors.
	Notices []string

	loader loader
	root   *config.Node
	base   *Scenario
}

// VariantNames returns the names of all variants, including those that LoadOnly left out.
func (f *File) VariantNames() []string {
	if len(f.base.Compare) == 0 {
		return []string{f.Name}
	}
	names := make([]string, len(f.base.Compare))
	for i, v := range f.base.Compare {
		names[i] = v.Name
	}
	return names
}

// Set is an assignment path=value from the command line, as in transport.balancer=ops.
type Set struct {
	Text string
	// Written is the text on the command line if it is not --set, as in "--seed 2".
	Written string
	// Given is the place of the assignment in a file, such as a ledger, if it is not on the
	// command line.
	Given config.Place
}

// Sets returns the assignments of several --set options.
func Sets(texts ...string) []Set {
	list := make([]Set, len(texts))
	for i, text := range texts {
		list[i].Text = text
	}
	return list
}

// String returns the assignment as the command line writes it.
func (s Set) String() string { return cmp.Or(s.Written, setFlag+" "+s.Text) }

const setFlag = "--set"

type assignment struct {
	Set
	path  string
	value *config.Node
}

var specType = reflect.TypeFor[Spec]()

// checkVersion checks the version before everything else, since the keys of another version
// may differ.
func checkVersion(root *config.Node) error {
	const key = "weft"
	v := root.Get(key)
	switch {
	case root.Kind != config.Mapping:
		return config.Problemf(root.Place, "a scenario is a mapping of keys to values that begins with %s: %d, not %v", key, Version, root.Kind)
	case v == nil:
		return config.Wrong(root.Place, problem.At(key, "%q is missing: a scenario states the version of its format", key).Mend("add the line %s: %d", key, Version))
	case v.Kind != config.Scalar || v.Text != fmt.Sprint(Version):
		return config.Wrong(v.Place, problem.At(key, "this weft reads scenarios of format version %d", Version).Mend("write %s: %d, or use a weft that reads the scenario's version", key, Version))
	}
	return nil
}

// assign applies the assignments of the command line.
func (l *loader) assign(root *config.Node, sets []Set) (*config.Node, error) {
	errs := new(config.Error)
	var before []config.Field
	for _, set := range sets {
		path, value, err := config.ParseArgument(setFlag, set.Text)
		if err == nil {
			if set.Written != "" {
				value.Place = config.Place{Source: config.NewArgument(set.Written)}
			}
			value.Place.Source.Given = set.Given
			f := config.Field{Key: path, Place: value.Place, Value: value}
			err = replaces(f, before)
			before = append(before, f)
		}
		if err != nil {
			errs.Append(err)
			continue
		}
		merged, err := l.apply(root, path, value.Place, value)
		if err != nil {
			errs.Append(err)
			continue
		}
		root = merged
		l.sets = append(l.sets, assignment{set, path, value})
	}
	return root, errs.Err()
}

// apply sets the value at a path.
func (l *loader) apply(root *config.Node, path string, at config.Place, value *config.Node) (*config.Node, error) {
	over, err := config.Nest(path, at, value)
	if err == nil {
		over, err = shortForms(flatLevels(foldVariants(over)))
	}
	if err != nil {
		return nil, err
	}
	return l.d.Merge(root, over, specType)
}

// scenario decodes and validates a scenario.
func (l *loader) scenario(root *config.Node, variant string) (*Scenario, error) {
	s, err := l.decode(root, variant)
	if err != nil {
		return nil, err
	}
	return s, s.validate()
}

// decode decodes a scenario, and adds the defaults that its parts bring.
func (l *loader) decode(root *config.Node, variant string) (*Scenario, error) {
	s, err := l.decodeTree(root, variant)
	if err != nil {
		return nil, err
	}
	if b := s.brings(l.reg); len(b.list) > 0 {
		if err := b.wrong.Err(); err != nil {
			return nil, err
		}
		if root, err = l.bring(root, b.list); err != nil {
			return nil, err
		}
		if s, err = l.decodeTree(root, variant); err != nil {
			return nil, err
		}
		s.brought = b.notices()
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(l.path), filepath.Ext(l.path))
	}
	if s.Fabric.Overflow == trimming && s.Fabric.Trim == nil {
		s.Fabric.Trim = new(Trim)
		err = l.defaults(s.Fabric.Trim)
	}
	if s.Record.Flows == sampled && s.Record.Sample == nil {
		s.Record.Sample = new(Sample)
		err = errors.Join(err, l.defaults(s.Record.Sample))
	}
	return s, err
}

// decodeTree decodes a scenario exactly as its tree says, without brought defaults.
func (l *loader) decodeTree(root *config.Node, variant string) (*Scenario, error) {
	root, err := l.mergeTransports(root)
	if err == nil {
		root, err = l.mergeDerived(root)
	}
	if err != nil {
		return nil, err
	}
	s := &Scenario{Variant: variant, Path: l.path, reg: l.reg}
	s.places, err = l.d.Decode(root, &s.Spec)
	return s, err
}

// defaults fills in the defaults of a struct, given a pointer to it.
func (l *loader) defaults(into any) error {
	_, err := l.d.Decode(&config.Node{Kind: config.Mapping}, into)
	return err
}

// mergeTransports fills in the transport of each group of traffic from the scenario's
// transport.
func (l *loader) mergeTransports(root *config.Node) (*config.Node, error) {
	const key, list = "transport", "traffic"
	base, traffic := root.Get(key), root.Get(list)
	if base == nil || base.Kind != config.Mapping || traffic == nil || traffic.Kind != config.Sequence {
		return root, nil
	}
	// A mistake in the shared transport is reported once, not once per group.
	_, wrong := l.d.Decode(base, new(Transport))
	errs := new(config.Error)
	merged := *traffic
	merged.Items = slices.Clone(traffic.Items)
	for i, group := range merged.Items {
		if group.Kind != config.Mapping {
			continue
		}
		if wrong != nil {
			merged.Items[i] = group.Without(key)
			continue
		}
		own, err := l.d.Merge(base, group.Get(key), reflect.TypeFor[Transport]())
		errs.Append(err)
		merged.Items[i] = group.With(config.Field{Key: key, Place: own.Place, Value: own})
	}
	return root.With(config.Field{Key: list, Place: traffic.Place, Value: &merged}), errs.Err()
}

// mergeDerived fills in the transports of each group's replies and background traffic from
// the group's transport.
func (l *loader) mergeDerived(root *config.Node) (*config.Node, error) {
	const key, list = "transport", "traffic"
	traffic := root.Get(list)
	if traffic == nil || traffic.Kind != config.Sequence {
		return root, nil
	}
	errs := new(config.Error)
	merged := *traffic
	merged.Items = slices.Clone(traffic.Items)
	for i, group := range merged.Items {
		for _, name := range []string{"reply", "background"} {
			part, own := group.Get(name), group.Get(key)
			if part == nil || part.Kind != config.Mapping || own == nil || own.Kind != config.Mapping {
				continue
			}
			other, err := l.d.Merge(own, part.Get(key), reflect.TypeFor[Transport]())
			errs.Append(err)
			part = part.With(config.Field{Key: key, Place: other.Place, Value: other})
			group = group.With(config.Field{Key: name, Place: part.Place, Value: part})
		}
		merged.Items[i] = group
	}
	return root.With(config.Field{Key: list, Place: traffic.Place, Value: &merged}), errs.Err()
}
