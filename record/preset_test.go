package record

import "testing"

func TestPresetText(t *testing.T) {
	for _, c := range []struct {
		of   map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"a": "sird paper"}, "sird paper"},
		{map[string]string{"a": "sird paper", "b": "sird paper"}, "sird paper"},
		{map[string]string{"b": "homa sird", "a": "sird paper"}, "a sird paper, b homa sird"},
	} {
		if got := PresetText(c.of); got != c.want {
			t.Errorf("%v: %q, want %q", c.of, got, c.want)
		}
	}
}

func TestPresets(t *testing.T) {
	for _, c := range []struct {
		names, of []string
		want      string
	}{
		{[]string{"a", "b"}, []string{"", ""}, ""},
		{[]string{"a", "b"}, []string{"x", "x"}, "x"},
		{[]string{"a", "b"}, []string{"x", ""}, "a → x"},
		{[]string{"a", "b", "c"}, []string{"x", "y", "x"}, "a / c → x; b → y"},
		{[]string{"a", "b", "c", "d", "e", "f", "g", "h"}, []string{"x", "x", "x", "x", "x", "x", "x", ""}, "a / b / c / d / e / 2 more → x"},
	} {
		if got := Presets(c.names, c.of); got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.of, c.names, got, c.want)
		}
	}
}
