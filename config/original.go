package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"weft/catalog"
)

// Distinct returns the distinguishing part of a mapping that an Encoder made. These are the
// options that differ from the value that they had, if not given, in the first program that
// knew them, sorted by name. So adding an option with a default, or moving one, does not
// change the result; a changed default does. Names of kinds, items of lists, and whatever
// was encoded from a Node are kept completely.
func (n *Node) Distinct() *Node {
	out := *n
	switch {
	case n.Kind == Sequence:
		out.Items = make([]*Node, len(n.Items))
		for i, item := range n.Items {
			out.Items[i] = item.Distinct()
		}
	case n.Kind == Mapping && n.options:
		out.Fields = make([]Field, 0, len(n.Fields))
		for _, f := range n.Fields {
			if !f.original {
				f.Value = f.Value.Distinct()
				out.Fields = append(out.Fields, f)
			}
		}
		slices.SortFunc(out.Fields, func(a, b Field) int { return cmp.Compare(a.Key, b.Key) })
	}
	return &out
}

// original is the value that an option had, if not given, in the first program that knew
// it.
type original struct {
	// value is written as by an Encoder. For a choice it is only the name of the kind,
	// since the kind's options have originals themselves. It is nil if the option had to be
	// given.
	value  *Node
	choice bool
}

// originals caches the originals of the fields of each struct type.
var originals sync.Map // of reflect.Type to []original

func originalsOf(t reflect.Type, fields []catalog.Field) ([]original, error) {
	if known, ok := originals.Load(t); ok {
		return known.([]original), nil
	}
	list := make([]original, len(fields))
	for i, f := range fields {
		var err error
		if list[i], err = originalOf(f); err != nil {
			return nil, fmt.Errorf("%s: introduced: %w", f.Name, err)
		}
	}
	originals.Store(t, list)
	return list, nil
}

func originalOf(f catalog.Field) (original, error) {
	v, ok, err := f.Original()
	switch {
	case err != nil || f.Required():
		return original{}, err
	case !ok:
		return original{&Node{Kind: Scalar, Text: f.FirstDefault()}, true}, nil
	}
	n, err := Encoder{}.value(v)
	return original{n, false}, err
}

// is reports whether n, which an Encoder made, is the original.
func (o original) is(n *Node) bool {
	if o.value == nil || o.value.Kind == Null || n.Kind != Mapping || !n.options {
		return o.value != nil && n.equal(o.value)
	}
	fields := n.Fields
	if o.choice {
		if fields[0].Value.Text != o.value.Text {
			return false
		}
		fields = fields[1:]
	}
	return !slices.ContainsFunc(fields, func(f Field) bool { return !f.original })
}

// equal reports whether two nodes that are not mappings have the same content.
func (n *Node) equal(o *Node) bool {
	return n.Kind == o.Kind && n.Kind != Mapping && n.Text == o.Text &&
		slices.EqualFunc(n.Items, o.Items, (*Node).equal)
}
