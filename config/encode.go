package config

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"weft/catalog"
)

// Encoder turns structs into Nodes.
type Encoder struct {
	// Path, if not nil, returns the text to write for the name of a file.
	Path func(catalog.Path) (string, error)
}

// Encode returns the mapping that Decode reads as the struct v. It writes out every field;
// nil pointers are null. It fails if a value cannot be written as text.
func (e Encoder) Encode(v any) (*Node, error) {
	return e.value(reflect.ValueOf(v))
}

func (e Encoder) value(v reflect.Value) (*Node, error) {
	t := v.Type()
	if t == nodeType {
		if v.IsNil() {
			return &Node{}, nil
		}
		return v.Interface().(*Node), nil
	}
	if t.Kind() == reflect.Pointer {
		if v.IsNil() {
			return &Node{}, nil
		}
		return e.value(v.Elem())
	}
	if chooser, ok := addressable(v).Interface().(catalog.Chooser); ok {
		return e.choice(chooser)
	}
	if p, ok := v.Interface().(catalog.Path); ok && e.Path != nil {
		text, err := e.Path(p)
		return &Node{Kind: Scalar, Text: text}, err
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err == nil {
			return &Node{Kind: Scalar, Text: string(text)}, nil
		}
		if t.Kind() != reflect.Struct || !hasFields(t) {
			return nil, err
		}
	}
	switch t.Kind() {
	case reflect.String:
		return &Node{Kind: Scalar, Text: v.String()}, nil
	case reflect.Bool:
		return literal(strconv.FormatBool(v.Bool())), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return literal(strconv.FormatInt(v.Int(), 10)), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return literal(strconv.FormatUint(v.Uint(), 10)), nil
	case reflect.Float32, reflect.Float64:
		return literal(strconv.FormatFloat(v.Float(), 'g', -1, t.Bits())), nil
	case reflect.Slice:
		n := &Node{Kind: Sequence}
		for i := range v.Len() {
			item, err := e.value(v.Index(i))
			if err != nil {
				return nil, fmt.Errorf("item %d: %w", i, err)
			}
			n.Items = append(n.Items, item)
		}
		return n, nil
	case reflect.Struct:
		return e.fields(v)
	}
	return nil, fmt.Errorf("a %v cannot be written", t)
}

func literal(text string) *Node { return &Node{Kind: Scalar, Text: text, literal: true} }

// addressable returns a pointer to v, or to a copy of it.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v.Addr()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}

func (e Encoder) fields(v reflect.Value) (*Node, error) {
	fields, err := catalog.Fields(v.Type())
	if err != nil {
		return nil, err
	}
	originals, err := originalsOf(v.Type(), fields)
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: Mapping, options: true, Fields: make([]Field, len(fields))}
	for i, f := range fields {
		value, err := e.value(v.FieldByIndex(f.Index))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		n.Fields[i] = Field{Key: f.Name, Value: value, original: originals[i].is(value)}
	}
	return n, nil
}

func (e Encoder) choice(c catalog.Chooser) (*Node, error) {
	kind, options := c.Chosen()
	if options == nil {
		return &Node{}, nil
	}
	n := &Node{Kind: Mapping, options: true, Fields: []Field{{Key: KindKey, Value: &Node{Kind: Scalar, Text: kind}}}}
	if o := reflect.ValueOf(options).Elem(); o.Kind() == reflect.Struct {
		fields, err := e.fields(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		n.Fields = append(n.Fields, fields.Fields...)
	}
	return n, nil
}

// MarshalJSON writes n with its fields in order. Scalars are strings, except numbers and
// booleans.
func (n *Node) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := n.writeJSON(&b)
	return b.Bytes(), err
}

func (n *Node) writeJSON(b *bytes.Buffer) error {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Scalar:
		if n.literal && json.Valid([]byte(n.Text)) {
			b.WriteString(n.Text)
			return nil
		}
		return writeJSONText(b, n.Text)
	case Sequence:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := item.writeJSON(b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case Mapping:
		b.WriteByte('{')
		for i, f := range n.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSONText(b, f.Key); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := f.Value.writeJSON(b); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	}
	return nil
}

func writeJSONText(b *bytes.Buffer, text string) error {
	quoted, err := json.Marshal(text)
	b.Write(quoted)
	return err
}

// YAML returns n as a document that Parse reads.
func (n *Node) YAML() []byte {
	var b strings.Builder
	n.writeYAML(&b, 0)
	return []byte(b.String())
}

// writeYAML writes n after a key or a dash on the same line, or at the start.
func (n *Node) writeYAML(b *strings.Builder, indent int) {
	switch {
	case n.Kind == Null:
		b.WriteString("null\n")
	case n.Kind == Scalar:
		b.WriteString(yamlText(n.Text) + "\n")
	case n.Kind == Sequence && len(n.Items) == 0:
		b.WriteString("[]\n")
	case n.Kind == Mapping && len(n.Fields) == 0:
		b.WriteString("{}\n")
	case n.Kind == Sequence:
		for i, item := range n.Items {
			if i > 0 {
				b.WriteString(strings.Repeat("  ", indent))
			}
			b.WriteString("- ")
			if item.Kind == Sequence && len(item.Items) > 0 {
				b.WriteString("\n" + strings.Repeat("  ", indent+1))
			}
			item.writeYAML(b, indent+1)
		}
	case n.Kind == Mapping:
		for i, f := range n.Fields {
			if i > 0 {
				b.WriteString(strings.Repeat("  ", indent))
			}
			b.WriteString(yamlText(f.Key) + ":")
			if nested := f.Value.Kind == Mapping && len(f.Value.Fields) > 0 || f.Value.Kind == Sequence && len(f.Value.Items) > 0; nested {
				b.WriteString("\n" + strings.Repeat("  ", indent+1))
			} else {
				b.WriteByte(' ')
			}
			f.Value.writeYAML(b, indent+1)
		}
	}
}

var plainText = regexp.MustCompile(`^[A-Za-z0-9_/][A-Za-z0-9_./%+*>-]*( [A-Za-z0-9_./%+*>-]+)*$`)

// yamlText quotes text unless it is plainly a word, a number or several.
func yamlText(text string) string {
	switch {
	case !plainText.MatchString(text), text == "null", text == "Null", text == "NULL":
		return strconv.Quote(text)
	}
	return text
}
