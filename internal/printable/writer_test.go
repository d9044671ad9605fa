package printable

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestNothingDrivesATerminal(t *testing.T) {
	const text = "\x1b[2J\x1b[31mred\x1b[0m\x1b]0;title\a\r\x1b[Kµ – 測\u202e\u009b1m\xff\ta\nb\x7f"
	const want = `\x1b[2J` + "\x1b[31mred\x1b[0m" + `\x1b]0;title\x07\r\x1b[Kµ – 測\u202e\u009b1m\xff` + "\ta\nb" + `\x7f`
	for part := 1; part <= len(text); part++ { // wherever writes are cut
		var b strings.Builder
		w := NewWriter(&b)
		for rest := text; rest != ""; {
			n := min(part, len(rest))
			if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
				t.Fatal(got, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("in parts of %d:\n%q\nwant\n%q", part, b.String(), want)
		}
	}
	var b strings.Builder
	w := NewWriter(&b)
	if _, err := w.Write([]byte("end\x1b[3")); err != nil {
		t.Fatal(err)
	}
	if err := w.Raw("\r\x1b[K"); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil || b.String() != "end\r\x1b[K"+`\x1b[3` {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestTextsOfJSONBecomePrintable(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`"plain \"µ\" \\u001b \/"`, `plain "µ" \u001b /`},
		{`"a\nb\tc"`, "a\nb\tc"},
		{`"\u001b[2J\r\b\f\u007f"`, `\u001b[2J\r\b\f\u007f`},
		{"\"\u202e\u009b\U000e0041\"", `\u202e\u009b\U000e0041`},
		{`"\ud83d\ude00\ud800"`, "\U0001f600" + `\ud800`},
		{`"\\\u001b"`, `\\u001b`},
	} {
		var got string
		if err := json.Unmarshal(CleanJSON([]byte(c.json)), &got); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.json, got, err, c.want)
		}
	}
	if text := []byte("{\r\n}"); !json.Valid(CleanJSON(text)) {
		t.Errorf("%q", CleanJSON(text))
	}
}

func FuzzCleanJSON(f *testing.F) {
	f.Add(`{"a\u001b": ["\r", "\ud83d\ude00", 1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		clean := CleanJSON([]byte(text))
		if json.Valid([]byte(text)) && !json.Valid(clean) {
			t.Fatalf("%q becomes %q", text, clean)
		}
		var got string
		if json.Unmarshal(clean, &got) == nil && Lines(got) != got && len(got) <= maxLines {
			t.Fatalf("%q leaves %q", text, got)
		}
	})
}

func FuzzWriter(f *testing.F) {
	f.Add("a\x1b[31m\x1b[2J\u202e", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var whole, parts strings.Builder
		w := NewWriter(&whole)
		_, _ = w.Write([]byte(text))
		_ = w.Flush()
		w = NewWriter(&parts)
		cut = min(max(cut, 0), len(text))
		_, _ = w.Write([]byte(text[:cut]))
		_, _ = w.Write([]byte(text[cut:]))
		_ = w.Flush()
		if whole.String() != parts.String() {
			t.Fatalf("%q and %q", whole.String(), parts.String())
		}
		rest := whole.String()
		for _, s := range styles {
			rest = strings.ReplaceAll(rest, s, "_")
		}
		if strings.ContainsAny(rest, "\x1b\r\u009b") {
			t.Fatalf("%q", whole.String())
		}
	})
}
