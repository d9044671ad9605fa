package catalog

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"weft/internal/nearest"
	"weft/problem"
)

// Parse sets v from a scalar as written in a file. v has the field's type or the type that
// it points to. Parse fails if the text cannot be read, is not among the allowed words, or
// is out of bounds. The message does not name the field.
func (f Field) Parse(v reflect.Value, text string) error {
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, text) {
		remedy := "use"
		if near, ok := nearest.Name(text, f.Enum); ok {
			remedy = fmt.Sprintf("did you mean %q? Use", near)
		}
		return problem.New("%s is not allowed", quote(text)).Mend("%s %s", remedy, Either(f.Enum))
	}
	if err := parse(v, text); err != nil {
		return err
	}
	return f.bounds(v, text)
}

func (f Field) bounds(v reflect.Value, text string) error {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	for _, b := range []struct {
		text, word string
		wrong      int
	}{{f.Min, "least", -1}, {f.Max, "most", 1}} {
		if b.text == "" {
			continue
		}
		bound := reflect.New(v.Type()).Elem()
		if err := parse(bound, b.text); err != nil {
			return fmt.Errorf("bound: %w", err)
		}
		if order, _ := compare(v, bound); order == b.wrong {
			return problem.New("%s is out of bounds", quote(text)).Mend("the %s is %s%s", b.word, b.text, f.percent(v, text)+f.leftOut(v))
		}
	}
	return nil
}

// leftOut explains what happens if an optional value is left out, for those who write 0 for
// it.
func (f Field) leftOut(v reflect.Value) string {
	_, text, ok := strings.Cut(f.Doc, "(default: ")
	if !ok || f.Type.Kind() != reflect.Pointer || !v.IsZero() {
		return ""
	}
	text, _, _ = strings.Cut(text, ")")
	return fmt.Sprintf("; write null, or leave it out, for its default: %s", text)
}

// percent suggests a missing % sign for a number that is too large for a share.
func (f Field) percent(v reflect.Value, text string) string {
	if !strings.HasSuffix(f.Max, "%") || strings.HasSuffix(text, "%") {
		return ""
	}
	meant := reflect.New(v.Type()).Elem()
	if f.Parse(meant, text+"%") != nil {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", text+"%")
}

// truth suggests a correction for a word that is neither true nor false.
func truth(text string) string {
	switch strings.ToLower(text) {
	case "yes", "y", "on", "1", "true", "t":
		return `did you mean "true"?`
	case "no", "n", "off", "0", "false", "f":
		return `did you mean "false"?`
	}
	return "write true or false"
}

// parse sets v from text by its type alone.
func parse(v reflect.Value, text string) error {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return problem.New("%s is neither true nor false", quote(text)).Mend("%s", truth(text))
		}
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return notInteger(text, "an integer", err, n)
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err != nil {
			return notInteger(text, "an integer of at least 0", err, n)
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		x, err := strconv.ParseFloat(text, v.Type().Bits())
		if err != nil || x != x || x > maxFloat || x < -maxFloat {
			return fmt.Errorf("%s is not a number", quote(text))
		}
		v.SetFloat(x)
	default:
		return fmt.Errorf("%s cannot be a %s", quote(text), FormOf(v.Type()).Name)
	}
	return nil
}

const maxFloat = 1.7976931348623157e308

// notInteger explains why a text is not an integer. bound is the limit that a number out of
// range exceeds.
func notInteger(text, what string, err error, bound any) error {
	if errors.Is(err, strconv.ErrRange) {
		return problem.New("%s is too large or too small for this integer", quote(text)).Mend("the limit is %v", bound)
	}
	return problem.New("%s is not %s", quote(text), what).Mend("write only digits, as in 8")
}

// compare orders two values of the same type, or reports that it cannot.
func compare(a, b reflect.Value) (int, bool) {
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int()), true
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint()), true
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float()), true
	}
	return 0, false
}

// setDefaults fills in the defaults of the struct v.
func setDefaults(v reflect.Value) error {
	fields, err := Fields(v.Type())
	if err != nil {
		return err
	}
	for _, f := range fields {
		if f.Required() {
			return fmt.Errorf("%q has no default", f.Name)
		}
		if !f.HasDefault {
			continue
		}
		if err := f.setDefault(v.FieldByIndex(f.Index)); err != nil {
			return fmt.Errorf("%q: %w", f.Name, err)
		}
	}
	return nil
}

// setDefault sets v to the field's default: a scalar, a list of scalars such as
// [a, b], or {} for a mapping of defaults.
func (f Field) setDefault(v reflect.Value) error {
	switch {
	case isChoice(v.Type()):
		return errors.New("the default names an entry of a catalog")
	case f.Default == "{}" && v.Kind() == reflect.Struct:
		return setDefaults(v)
	case v.Kind() == reflect.Slice && strings.HasPrefix(f.Default, "["):
		items, err := f.defaultItems()
		if err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			if err := f.Parse(v.Index(i), item); err != nil {
				return err
			}
		}
		return nil
	}
	return f.Parse(v, f.Default)
}

func (f Field) defaultItems() ([]string, error) {
	inner, ok := strings.CutSuffix(strings.TrimPrefix(f.Default, "["), "]")
	if !ok {
		return nil, fmt.Errorf("the list %q is not closed", f.Default)
	}
	if strings.TrimSpace(inner) == "" {
		return nil, nil
	}
	items := strings.Split(inner, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items, nil
}

// Either joins words for a message: "a, b or c".
func Either(words []string) string {
	words = choices(words)
	switch n := len(words); n {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

// quote quotes text for a message, cut to a length that fits on a line.
func quote(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strconv.Quote(text)
}
