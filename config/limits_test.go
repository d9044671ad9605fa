package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"weft/config"
)

// TestManyProblems keeps the first problems and counts the others, and looks up remedies for
// none of these.
func TestManyProblems(t *testing.T) {
	asked := 0
	d := config.Decoder{Unknown: func(string) string { asked++; return "remove it" }}
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "unknown%d: 1\n", i)
	}
	n, err := config.Parse("x.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	var into struct {
		Known int `yaml:"known" default:"1" doc:"A number."`
	}
	_, err = d.Decode(n, &into)
	var list *config.Error
	if !errors.As(err, &list) || len(list.Problems) != config.MostProblems || list.More != 900 {
		t.Fatalf("got %v", err)
	}
	if asked != config.MostProblems {
		t.Errorf("%d remedies", asked)
	}
	if text := err.Error(); !strings.HasSuffix(text, "\nand 995 more; weft validate shows the first 100") || strings.Count(text, "unknown key") != 5 {
		t.Errorf("got %s", text)
	}
	if text := list.All(); !strings.HasSuffix(text, "\nand 900 more") || strings.Count(text, "unknown key") != 100 {
		t.Errorf("got %s", text)
	}
}

// TestLongMessage shows both ends of a message with text of a user's.
func TestLongMessage(t *testing.T) {
	message := config.Problemf(config.Place{}, "unknown key %q; allowed: a", strings.Repeat("ä", 1e6)).Error()
	if len(message) > 5000 || !strings.HasPrefix(message, "unknown key \"ää") || !strings.HasSuffix(message, "ää\"; allowed: a") || !utf8.ValidString(message) {
		t.Errorf("got %d bytes: %.40s", len(message), message)
	}
}

// TestManyKeys refuses mappings on which the parser would spend the square of their keys, in
// whatever style they are written.
func TestManyKeys(t *testing.T) {
	const many = 3000
	repeat := func(format string) string {
		var b strings.Builder
		for i := range many {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, test := range []struct {
		name, text string
		fits       bool
	}{
		{"block", repeat("k%d: 1\n"), false},
		{"below", "a:\n" + repeat("  k%d: 1\n"), false},
		{"nested values", repeat("k%d:\n  a: 1\n"), false},
		{"anchored", repeat("&a%[1]d k%[1]d: 1\n"), false},
		{"tagged", repeat("!!str k%d: 1\n"), false},
		{"explicit", repeat("? k%d\n: 1\n"), false},
		{"in an item", "a:\n- " + strings.ReplaceAll(repeat("k%d: 1\n"), "\nk", "\n  k"), false},
		{"flow", "a: {" + repeat("k%d: 1, ") + "}", false},
		{"flow by line", "a: {\n" + repeat("k%d: 1,\n") + "}", false},
		{"items", "a:\n" + repeat("- k: %d\n"), true},
		{"items of two", "a:\n" + repeat("  - k: %d\n    l: 1\n"), true},
		{"flow items", "a:\n" + repeat("- {k: %d, l: 1, m: 1}\n"), true},
		{"below many", lines(40, func(i int) string {
			return fmt.Sprintf("a%d:\n", i) + lines(100, func(j int) string { return fmt.Sprintf("  k%d: {l: 1, m: 1}\n", j) })
		}), true},
	} {
		_, err := config.Parse("x.yaml", []byte(test.text))
		switch {
		case test.fits && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case !test.fits && (err == nil || !strings.Contains(err.Error(), "too many keys: a mapping has at most 2000")):
			t.Errorf("%s: got %v", test.name, err)
		}
	}
}

func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}
