package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"weft/catalog"
	"weft/internal/nearest"
	"weft/problem"
)

// KindKey is the key under which a mapping names its choice.
const KindKey = "kind"

// nameKey is the key by which an item of a list can be found.
const nameKey = "name"

// Nest wraps value in the mappings that lead to it. For the path a.b[0].c the outermost has
// the key a. Indices are keys "[0]" and so on. A name finds the list item with that name,
// as in a.main.c. Its error is an *Error.
func Nest(path string, at Place, value *Node) (*Node, error) {
	keys, ok := splitPath(path)
	if !ok {
		return nil, Wrong(at, problem.New("%q is not a path", path).Mend("write it as in transport.ack.every or traffic[0].size"))
	}
	for i := len(keys) - 1; i >= 0; i-- {
		value = &Node{Kind: Mapping, Place: at, Fields: []Field{{Key: keys[i], Place: at, Value: value}}}
	}
	return value, nil
}

func splitPath(path string) ([]string, bool) {
	var keys []string
	for part := range strings.SplitSeq(path, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if name == "" {
			return nil, false
		}
		keys = append(keys, name)
		for indexed {
			var index string
			index, rest, indexed = strings.Cut(rest, "]")
			if _, err := strconv.ParseUint(index, 10, 31); err != nil || !indexed {
				return nil, false
			}
			keys = append(keys, "["+index+"]")
			if rest, indexed = strings.CutPrefix(rest, "["); !indexed && rest != "" {
				return nil, false
			}
		}
	}
	return keys, true
}

// Merge returns base with the changes of over, for a configuration of type t. It modifies
// neither. In mappings, at any depth, only the keys in over change; null resets a key to
// its default. A choice of another kind drops the options of the old kind. Options without
// a kind apply to the kind that is there. A list replaces a list as a whole; a mapping of
// indices or names changes single items. Its error is an *Error. Values that Decode would
// refuse are merged unchanged.
func (d Decoder) Merge(base, over *Node, t reflect.Type) (*Node, error) {
	m := merger{rosters: d.Rosters}
	out := m.merge(base, over, t, "")
	return out, m.errs.Err()
}

type merger struct {
	rosters []catalog.Roster
	errs    Error
}

// merge merges values of type t, which is nil if it is unknown. def is the default in the
// tag of the field.
func (m *merger) merge(base, over *Node, t reflect.Type, def string) *Node {
	if over == nil {
		return base
	}
	for t != nil && t.Kind() == reflect.Pointer && t != nodeType {
		t = t.Elem()
	}
	if t == nil || t == nodeType {
		switch {
		case base == nil || base.Kind != Mapping || over.Kind != Mapping:
			return over
		case t == nodeType:
			return m.paths(base, over)
		}
		return m.fields(base, over, nil)
	}
	if chooser, ok := reflect.New(t).Interface().(catalog.Chooser); ok {
		return m.choice(base, over, chooser.Role(), def)
	}
	if over.Kind != Mapping {
		return over
	}
	switch t.Kind() {
	case reflect.Struct:
		fields, err := catalog.Fields(t)
		if err != nil {
			return over
		}
		if base == nil || base.Kind != Mapping {
			base = &Node{Kind: Mapping, Place: over.Place}
		}
		if was, kind := base.Get(KindKey), over.Get(KindKey); was != nil && kind != nil && was.Text != kind.Text {
			return over // treated as a choice
		}
		return m.fields(base, over, fields)
	case reflect.Slice:
		if base != nil && base.Kind == Sequence {
			return m.items(base, over, t.Elem())
		}
	}
	return over
}

func (m *merger) fields(base, over *Node, fields []catalog.Field) *Node {
	for _, o := range over.Fields {
		t, def, optional := typeOf(fields, o.Key)
		if o.Value.Kind == Null && optional {
			base = base.Without(o.Key)
			continue
		}
		old := base.Get(o.Key)
		value := m.merge(old, o.Value, t, def)
		at := o.Place
		if i := base.index(o.Key); i >= 0 && value.Kind != Null && value.Place != o.Value.Place {
			at = base.Fields[i].Place
		}
		base = base.With(Field{Key: o.Key, Place: at, Value: value})
	}
	return base
}

// paths merges mappings whose keys may be paths that apply in order, as under set. If base
// has a path that leads below a key of over, that path would apply later and override the
// new value. So the key is split into one path per value, placed after all others.
func (m *merger) paths(base, over *Node) *Node {
	for _, o := range over.Fields {
		if !base.leadsBelow(o.Key) {
			if o.Value.Kind == Scalar {
				if replaced := base.replace(o.Key, o); replaced != nil {
					base = replaced
					continue
				}
			}
			base = m.fields(base, &Node{Kind: Mapping, Place: over.Place, Fields: []Field{o}}, nil)
			continue
		}
		for _, leaf := range Leaves(o) {
			base = base.Without(leaf.Key).With(leaf)
		}
	}
	return base
}

// replace returns n with another value at a path, or nil if n has no value there.
func (n *Node) replace(path string, by Field) *Node {
	for _, f := range n.Fields {
		by.Key = f.Key
		if f.Key == path {
			return n.With(by)
		}
		if rest, ok := strings.CutPrefix(path, f.Key+"."); ok {
			if below := f.Value.replace(rest, by); below != nil {
				f.Value = below
				return n.With(f)
			}
		}
	}
	return nil
}

// leadsBelow reports whether n has a key that is a path below the given key.
func (n *Node) leadsBelow(key string) bool {
	return slices.ContainsFunc(n.Fields, func(f Field) bool {
		return strings.HasPrefix(f.Key, key+".") || strings.HasPrefix(f.Key, key+"[")
	})
}

// Leaves lists the values below mappings by their paths. The kind of a choice comes before
// its options.
func Leaves(f Field) []Field {
	if f.Value.Kind != Mapping || len(f.Value.Fields) == 0 {
		return []Field{f}
	}
	var kind, list []Field
	for _, below := range f.Value.Fields {
		leaves := Leaves(Field{Key: join(f.Key, below.Key), Place: below.Place, Value: below.Value})
		if below.Key == KindKey {
			kind = leaves
		} else {
			list = append(list, leaves...)
		}
	}
	return append(kind, list...)
}

// typeOf returns the type and the default of a field, and whether it has a default, which
// may be the empty text. The type is nil if there is no such field.
func typeOf(fields []catalog.Field, key string) (t reflect.Type, def string, optional bool) {
	for _, f := range fields {
		if f.Name == key {
			return f.Type, f.Default, f.HasDefault
		}
	}
	return nil, "", false
}

func (m *merger) choice(base, over *Node, role reflect.Type, def string) *Node {
	overKind, overOptions := splitChoice(over)
	if overOptions == nil {
		return over
	}
	baseKind, baseOptions := splitChoice(base)
	if baseOptions == nil {
		baseOptions = &Node{Kind: Mapping, Place: over.Place}
	}
	if baseKind == nil && def != "" {
		baseKind = &Node{Kind: Scalar, Text: def, Place: over.Place}
	}
	switch {
	case baseKind == nil:
		return over
	case overKind == nil:
		overKind = baseKind
	case overKind.Text != baseKind.Text:
		return over
	}
	var fields []catalog.Field
	if info, ok := find(m.rosters, role, overKind.Text); ok {
		fields, _ = catalog.Fields(info.Options)
	}
	merged := m.fields(baseOptions, overOptions, fields)
	return merged.With(Field{Key: KindKey, Place: overKind.Place, Value: overKind})
}

// splitChoice returns the kind of a choice, if it names one, and its options. Both are nil
// if n cannot be a choice.
func splitChoice(n *Node) (kind, options *Node) {
	switch {
	case n == nil:
		return nil, nil
	case n.Kind == Scalar:
		return n, &Node{Kind: Mapping, Place: n.Place}
	case n.Kind != Mapping:
		return nil, nil
	}
	if kind = n.Get(KindKey); kind != nil && kind.Kind != Scalar {
		return nil, nil
	}
	return kind, n.Without(KindKey)
}

func (m *merger) items(base, over *Node, t reflect.Type) *Node {
	out := *base
	out.Items = append([]*Node(nil), base.Items...)
	for _, o := range over.Fields {
		i, ok := findItem(&out, o.Key)
		if !ok {
			m.errs.Report(o.Place, problem.New("there is no item %s", o.Key).Mend("%s", allItems(&out, o.Key)))
			continue
		}
		out.Items[i] = m.merge(out.Items[i], o.Value, t, "")
	}
	return &out
}

func findItem(list *Node, key string) (int, bool) {
	if inner, ok := strings.CutPrefix(key, "["); ok {
		i, err := strconv.Atoi(strings.TrimSuffix(inner, "]"))
		return i, err == nil && i >= 0 && i < len(list.Items)
	}
	for i, item := range list.Items {
		if name := item.Get(nameKey); name != nil && name.Text == key {
			return i, true
		}
	}
	return 0, false
}

func allItems(list *Node, key string) string {
	var names []string
	for _, item := range list.Items {
		if name := item.Get(nameKey); name != nil && name.Kind == Scalar {
			names = append(names, name.Text)
		}
	}
	if _, err := strconv.Atoi(key); err == nil {
		return "a place in a list is written in brackets, as in [" + key + "]"
	}
	if len(names) > 0 && !strings.HasPrefix(key, "[") {
		return nearest.Remedy(key, "names:", names)
	}
	if n := len(list.Items); n > 0 {
		return "the list has " + strconv.Itoa(n) + ", and the last is [" + strconv.Itoa(n-1) + "]"
	}
	return "the list is empty"
}

// find returns the named entry of a role.
func find(rosters []catalog.Roster, role reflect.Type, name string) (catalog.Info, bool) {
	if r := rosterOf(rosters, role); r != nil {
		return r.Find(name)
	}
	return catalog.Info{}, false
}

func rosterOf(rosters []catalog.Roster, role reflect.Type) catalog.Roster {
	for _, r := range rosters {
		if r.Role() == role {
			return r
		}
	}
	return nil
}
