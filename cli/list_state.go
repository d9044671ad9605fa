package cli

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"weft/catalog"
)

// state is what a balancer keeps with its defaults, and what it keeps if one
// option is another.
type state struct {
	// Bits are kept for each connection, SwitchBits by each switch for all.
	Bits       int `json:"state_bits"`
	SwitchBits int `json:"switch_bits,omitempty"`
	// With lists the least and the largest value of each number, and every word,
	// that change the state.
	With []stateWith `json:"state_with,omitempty"`
}

// stateWith is what a balancer keeps if one option is not the default.
type stateWith struct {
	Option     string `json:"option"`
	Value      string `json:"value"`
	Bits       int    `json:"state_bits"`
	SwitchBits int    `json:"switch_bits,omitempty"`
}

func (s *state) String() string { return amounts(s.Bits, s.SwitchBits) }

// amounts describes two amounts of state.
func amounts(connection, network int) string {
	switch {
	case connection == 0 && network == 0:
		return "no state"
	case network == 0:
		return amount(connection) + " a connection"
	}
	return amount(connection) + " a connection, " + amount(network) + " a switch"
}

func amount(bits int) string {
	return fmt.Sprintf("%d bits (%d B)", bits, (bits+7)/8)
}

func (s *state) writeOthers(b *strings.Builder, indent string) {
	for _, w := range s.With {
		fmt.Fprintf(b, "%swith %s: %s, %s\n", indent, w.Option, w.Value, amounts(w.Bits, w.SwitchBits))
	}
}

// stateOf builds a balancer with its defaults, and then with other values of each
// option; nil if it depends on what it is given.
func stateOf(defaults func() (any, error), build func(any) (int, int, error)) *state {
	o, err := defaults()
	if err != nil {
		return nil
	}
	s := &state{}
	if s.Bits, s.SwitchBits, err = build(o); err != nil {
		return nil
	}
	fields, err := catalog.Fields(reflect.TypeOf(o).Elem())
	if err != nil {
		return s
	}
	for _, f := range fields {
		for _, value := range otherValues(f) {
			o, err := defaults()
			if err != nil {
				break
			}
			if !set(reflect.ValueOf(o).Elem().FieldByIndex(f.Index), value) {
				continue
			}
			bits, network, err := build(o)
			if err != nil || bits == s.Bits && network == s.SwitchBits {
				continue
			}
			s.With = append(s.With, stateWith{f.Name, value, bits, network})
		}
	}
	return s
}

// otherValues returns the values of an option to try: its bounds, or its words.
func otherValues(f catalog.Field) []string {
	if len(f.Enum) > 0 {
		return f.Enum
	}
	return []string{f.Min, f.Max}
}

// set gives an option a value, if it is a whole number or a word.
func set(field reflect.Value, value string) bool {
	switch field.Kind() {
	case reflect.Int:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return false
		}
		field.SetInt(n)
		return true
	case reflect.String:
		field.SetString(value)
		return value != ""
	}
	return false
}
