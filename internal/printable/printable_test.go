package printable

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTextOfOthersIsSafe(t *testing.T) {
	for _, c := range []struct{ text, line, lines string }{
		{"ARCANE, load 60 %", "ARCANE, load 60 %", "ARCANE, load 60 %"},
		{"5 µs – Größe 測試", "5 µs – Größe 測試", "5 µs – Größe 測試"},
		{"a\x1b[2Jb", `a\x1b[2Jb`, `a\x1b[2Jb`},
		{"a\nb\tc\r", `a\nb\tc\r`, "a\nb\tc\\r"},
		{"\u202egnp.exe\u2066", `\u202egnp.exe\u2066`, `\u202egnp.exe\u2066`},
		{"\u009b31m", `\u009b31m`, `\u009b31m`},
		{"a\u200bb\ufeff\u2028", `a\u200bb\ufeff\u2028`, `a\u200bb\ufeff\u2028`},
		{"\xff\xfe", `\xff\xfe`, `\xff\xfe`},
		{"\U000e0041", `\U000e0041`, `\U000e0041`},
		{"\x00\x7f", `\x00\x7f`, `\x00\x7f`},
	} {
		if got := Line(c.text); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.text, got, c.line)
		}
		if got := Lines(c.text); got != c.lines {
			t.Errorf("Lines(%q) = %q, want %q", c.text, got, c.lines)
		}
	}
	if got := First("\nboom\x1b\nresults in /etc"); got != `boom\x1b` {
		t.Errorf("First: %q", got)
	}
	if got := Line(strings.Repeat("x", 1<<20)); len(got) > maxLine+8 {
		t.Errorf("%d bytes are kept of a long line", len(got))
	}
}

func TestJSONKeepsItsMeaning(t *testing.T) {
	want := "a\u202e\u009b\x7f\U000e0041µ\U0001f600\n\x1b"
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	safe := JSON(text)
	var got string
	if err := json.Unmarshal(safe, &got); err != nil || got != want {
		t.Errorf("%s: %q, %v", safe, got, err)
	}
	if strings.ContainsAny(string(safe), "\u202e\u009b\x7f\U000e0041") || !strings.Contains(string(safe), "µ\U0001f600") {
		t.Errorf("%s", safe)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b[2J\u202e\n")
	f.Add(strings.Repeat("\xff", 2*maxLine))
	f.Fuzz(func(t *testing.T, text string) {
		for _, got := range []string{Line(text), First(text)} {
			if !utf8.ValidString(got) || len(got) > maxLine+16 {
				t.Fatalf("%q", got)
			}
			for _, r := range got {
				if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
					t.Fatalf("%q has %U", got, r)
				}
			}
			if again := Line(got); again != got && len(got) <= maxLine {
				t.Fatalf("%q becomes %q", got, again)
			}
		}
	})
}
