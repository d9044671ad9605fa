package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"weft/catalog"
	"weft/problem"
)

// Decoder decodes Nodes into structs.
type Decoder struct {
	// Rosters hold the entries that choices are made from, one roster per role.
	Rosters []catalog.Roster
	// Dir is the directory that relative paths start from.
	Dir string
	// Unknown, if not nil, returns a remedy for an unknown key at a path. If it returns "",
	// the decoder makes one.
	Unknown func(path string) string
	// Permit, if not nil, is called for each named file, and may refuse it.
	Permit func(path string) error
}

// Places maps the path of each given value, such as "traffic[0].size", to its place.
type Places map[string]Place

// At returns the place of the value at a path, or of the nearest enclosing value that was
// written.
func (p Places) At(path string) Place {
	for {
		if at, ok := p[path]; ok || path == "" {
			return at
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
}

// Given reports whether the configuration gives a value at this path itself, instead of
// leaving it to its default.
func (p Places) Given(path string) bool {
	_, ok := p[path]
	return ok
}

var nodeType = reflect.TypeFor[*Node]()

// Decode sets the struct that into points to from a mapping. It finds fields by their tags
// as catalog.Define documents them. A field of type *Node keeps the value as written.
// Decode reports all mistakes at once; its error is an *Error.
func (d Decoder) Decode(n *Node, into any) (Places, error) {
	s := decoding{Decoder: d, root: reflect.TypeOf(into).Elem(), places: Places{"": n.Place}}
	s.fieldsOf(n, reflect.ValueOf(into).Elem(), "", "")
	return s.places, s.errs.Err()
}

type decoding struct {
	Decoder
	// root is the type of the whole configuration.
	root   reflect.Type
	places Places
	errs   Error
}

// wrong reports a mistake in the value at a path.
func (s *decoding) wrong(n *Node, path string, what error) { s.errs.report(n.Place, path, what) }

// value sets v from n. path is the path of n, and f holds the bounds.
func (s *decoding) value(n *Node, v reflect.Value, f catalog.Field, path string) {
	s.place(path, n)
	t := v.Type()
	if t == nodeType {
		v.Set(reflect.ValueOf(n))
		return
	}
	if t.Kind() == reflect.Pointer {
		if n.Kind == Null {
			return
		}
		v.Set(reflect.New(t.Elem()))
		s.value(n, v.Elem(), f, path)
		return
	}
	if chooser, ok := v.Addr().Interface().(catalog.Chooser); ok {
		s.choice(n, chooser, path)
		return
	}
	switch {
	case n.Kind == Scalar && catalog.IsScalar(t):
		if err := f.Parse(v, n.Text); err != nil {
			s.wrong(n, path, fmt.Errorf("%s: %w", path, err))
		} else if t == reflect.TypeFor[catalog.Path]() {
			v.SetString(s.absolute(n.Text))
			if err := s.permits(v.String()); err != nil {
				s.wrong(n, path, fmt.Errorf("%s: %w", path, err))
			}
		}
	case n.Kind == Mapping && t.Kind() == reflect.Struct && hasFields(t):
		s.fieldsOf(n, v, path, "")
	case n.Kind == Null && t.Kind() == reflect.Struct && hasFields(t) && !catalog.IsScalar(t):
		s.fieldsOf(&Node{Kind: Mapping, Place: n.Place}, v, path, "")
	case t.Kind() == reflect.Slice && n.Kind != Mapping:
		s.items(n, v, f, path)
	case n.Kind == Null:
		s.wrong(n, path, problem.New("%s has no value", path).Mend("%s", instead(f)))
	default:
		s.wrong(n, path, problem.New("%s must be %s, not %v", path, wanted(t), n.Kind).Mend("%s", cmp.Or(both(like(t), s.shortened(n, t, path)), withKeys(t))))
	}
}

func (s *decoding) place(path string, n *Node) {
	if n.Place.Source != nil && path != "" {
		s.places[path] = n.Place
	}
}

func (s *decoding) permits(path string) error {
	if s.Permit == nil || path == "" {
		return nil
	}
	return s.Permit(path)
}

func (s *decoding) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	path = filepath.Join(s.Dir, path)
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func (s *decoding) items(n *Node, v reflect.Value, f catalog.Field, path string) {
	items := n.Items
	if n.Kind == Scalar {
		if !catalog.IsScalar(v.Type().Elem()) {
			s.wrong(n, path, problem.New("%s must be a list, not %v", path, n.Kind).Mend("write it as in [VALUE, VALUE]"))
			return
		}
		items = []*Node{n}
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if s.errs.Full() {
			s.errs.Cut = true
			return
		}
		at := path
		if n.Kind == Sequence {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		s.value(item, v.Index(i), f, at)
	}
}

// fieldsOf sets the struct v from a mapping. whose names the owner of the keys, if the path
// does not.
func (s *decoding) fieldsOf(n *Node, v reflect.Value, path, whose string) {
	if n.Kind != Mapping {
		what := path
		if path == "" {
			what = "this"
		}
		s.wrong(n, path, problem.New("%s must be a mapping of keys to values, not %v", what, n.Kind).Mend("write it as in {KEY: VALUE}"))
		return
	}
	fields, err := catalog.Fields(v.Type())
	if err != nil {
		s.wrong(n, path, err)
		return
	}
	for _, given := range n.Fields {
		if !slices.ContainsFunc(fields, func(f catalog.Field) bool { return f.Name == given.Key }) {
			if s.errs.Full() {
				s.errs.More++
				continue
			}
			belongs := ""
			if s.Unknown != nil {
				belongs = s.Unknown(join(path, given.Key))
			}
			if belongs == "" {
				belongs = s.optionOf(n, fields, given)
			}
			if belongs == "" && given.Key == KindKey {
				belongs = s.shortened(given.Value, v.Type(), path)
			}
			if belongs == "" {
				belongs = s.keyRemedy(given.Key, fields, n, v.Type(), path)
			}
			s.errs.Report(given.Place, problem.At(join(path, given.Key), "unknown key %q%s", given.Key, inside(path, whose)).Mend("%s", belongs))
		}
	}
	for _, f := range fields {
		s.field(n, v.FieldByIndex(f.Index), f, join(path, f.Name))
	}
}

func (s *decoding) field(n *Node, v reflect.Value, f catalog.Field, path string) {
	value := n.Get(f.Name)
	switch {
	case value != nil:
		// An empty value has no place of its own.
		if value.Kind == Null {
			empty := *value
			empty.Place = n.Fields[n.index(f.Name)].Place
			value = &empty
		}
		s.value(value, v, f, path)
	case f.HasDefault:
		s.defaultValue(v, f, n.Place, path)
	case f.Required():
		s.wrong(n, path, problem.New("%q is missing: %s", path, lowerFirst(strings.TrimSuffix(f.Doc, "."))).Mend("%s", s.example(f)))
	}
}

// defaultValue decodes the default of a field that is not given. Mistakes in it are
// reported at the place of the enclosing mapping.
func (s *decoding) defaultValue(v reflect.Value, f catalog.Field, at Place, path string) {
	given := s.places
	s.places = Places{}
	n, err := parseDefault(f.Default, at)
	if err != nil {
		s.errs.Report(at, problem.At(path, "%s: default: %w", path, err))
	} else {
		s.value(n, v, f, path)
	}
	s.places = given
}

func parseDefault(text string, at Place) (*Node, error) {
	switch {
	case text == "[]":
		return &Node{Kind: Sequence, Place: at}, nil
	case text == "{}":
		return &Node{Kind: Mapping, Place: at}, nil
	case !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{"):
		return &Node{Kind: Scalar, Text: text, Place: at}, nil
	}
	n, err := Parse("default", []byte(text))
	if err != nil {
		return nil, err
	}
	move(n, at)
	return n, nil
}

// move sets the place of n and of everything below it.
func move(n *Node, at Place) {
	n.Place = at
	for _, item := range n.Items {
		move(item, at)
	}
	for i := range n.Fields {
		n.Fields[i].Place = at
		move(n.Fields[i].Value, at)
	}
}

// optionOf explains where an unknown key belongs, if it is an option of a kind that the
// mapping chooses under another key.
func (s *decoding) optionOf(n *Node, fields []catalog.Field, given Field) string {
	for _, f := range fields {
		chooser, ok := reflect.New(f.Type).Interface().(catalog.Chooser)
		if !ok {
			continue
		}
		roster, chosen := rosterOf(s.Rosters, chooser.Role()), n.Get(f.Name)
		if roster == nil || chosen == nil {
			continue
		}
		kind, _ := splitChoice(chosen)
		if kind == nil {
			continue
		}
		info, ok := roster.Find(kind.Text)
		if !ok || info.Options.Kind() != reflect.Struct {
			continue
		}
		options, err := catalog.Fields(info.Options)
		if err == nil && slices.ContainsFunc(options, func(o catalog.Field) bool { return o.Name == given.Key }) {
			return fmt.Sprintf("it is an option of %s: write %s: {%s: %[1]s, %[4]s: …}", info.Name, f.Name, KindKey, given.Key)
		}
	}
	return ""
}

func (s *decoding) choice(n *Node, chooser catalog.Chooser, path string) {
	roster := rosterOf(s.Rosters, chooser.Role())
	if roster == nil {
		s.wrong(n, path, problem.New("%s: there is no catalog to choose from", path))
		return
	}
	kind, options := splitChoice(n)
	switch {
	case options == nil:
		s.wrong(n, path, problem.New("%s must be a name, or a mapping with the name under %q, not %v", path, KindKey, n.Kind).Mend("known: %s", listed(roster.Names())))
		return
	case kind == nil:
		s.wrong(n, join(path, KindKey), problem.New("%s lacks the key %q", path, KindKey).Mend("known: %s", listed(roster.Names())))
		return
	}
	s.place(join(path, KindKey), kind)
	info, ok := roster.Find(kind.Text)
	if !ok {
		s.wrong(kind, path, problem.New("unknown %s %q", noun(path), kind.Text).Mend("%s", s.misnamed(kind.Text, roster)))
		return
	}
	o := reflect.New(info.Options)
	if info.Options.Kind() == reflect.Struct {
		s.fieldsOf(options, o.Elem(), path, noun(path)+" "+info.Name)
	}
	if err := chooser.Choose(roster, info.Name, o.Interface()); err != nil {
		s.wrong(n, path, fmt.Errorf("%s: %w", path, err))
	}
}

// hasFields reports whether struct type t has keys of its own.
func hasFields(t reflect.Type) bool {
	fields, err := catalog.Fields(t)
	return err == nil && len(fields) > 0
}

// join returns the path of a key below another path. The key may be an index as splitPath
// returns it.
func join(path, key string) string {
	if path == "" || strings.HasPrefix(key, "[") {
		return path + key
	}
	return path + "." + key
}
