package catalog

import "reflect"

// FirstDefault returns the default that the option was introduced with, as written in a
// file. It is empty if there was none.
func (f Field) FirstDefault() string {
	if f.HasIntroduced {
		return f.Introduced
	}
	return f.Default
}

// Original returns the value that the option had, if it was not given, in the first program
// that knew it. For a pointer without the tag introduced that is nil. ok is false for an
// option that a file must give, and for a choice, whose FirstDefault names an entry of a
// catalog. Today's bounds do not apply. It fails if the tag cannot be read.
func (f Field) Original() (v reflect.Value, ok bool, err error) {
	v = reflect.New(f.Type).Elem()
	to := v
	if f.HasIntroduced && f.Type.Kind() == reflect.Pointer {
		v.Set(reflect.New(f.Type.Elem()))
		to = v.Elem()
	}
	switch {
	case f.Required() || isChoice(to.Type()):
		return v, false, nil
	case to.Kind() == reflect.Pointer:
		return v, true, nil
	case f.FirstDefault() == "{}" && to.Kind() == reflect.Struct:
		return v, true, setOriginals(to)
	}
	return v, true, Field{Default: f.FirstDefault()}.setDefault(to)
}

// setOriginals sets each field of the struct v to its original, if it has one.
func setOriginals(v reflect.Value) error {
	fields, err := Fields(v.Type())
	if err != nil {
		return err
	}
	for _, f := range fields {
		value, ok, err := f.Original()
		if err != nil {
			return err
		}
		if ok {
			v.FieldByIndex(f.Index).Set(value)
		}
	}
	return nil
}
