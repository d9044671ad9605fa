package catalog

import "reflect"

// FirstDefault is the default that the option came with, as written in a file; empty if it
// had none.
func (f Field) FirstDefault() string {
	if f.HasIntroduced {
		return f.Introduced
	}
	return f.Default
}

// Original returns the value that the option had, when nobody gave it, in the first program
// that knew it: nil for a pointer without the tag introduced. There is none (ok is false) of
// what a file must give, nor of a choice, whose FirstDefault names an entry of a catalog.
// Bounds of today don't count. It fails if the tag cannot be read.
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

// setOriginals sets each field of the struct v that has one to its original.
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
