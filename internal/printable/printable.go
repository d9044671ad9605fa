// Package printable makes text of others safe to show. Text that came over a network
// or out of a shared folder may hold escape sequences that drive a terminal, line
// breaks that forge lines of output, and marks that turn the direction of writing.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLine and maxLines bound what is kept of a text, in bytes.
const (
	maxLine  = 4 << 10
	maxLines = 1 << 20
)

// Line returns text on one line: what is no printable character becomes an escape
// such as \n, \x1b or \u202e. A long text is cut.
func Line(text string) string { return clean(text, maxLine, false) }

// Lines is Line for text of several lines, which keeps line feeds and tabs.
func Lines(text string) string { return clean(text, maxLines, true) }

// First returns the first line of a text, cleaned as Line does it.
func First(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\n\r"), "\n")
	return Line(line)
}

// JSON returns JSON with the same meaning in which what is no printable character is an
// escape. Encoders leave marks of direction and control characters beyond ASCII as they
// are.
func JSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\t' || shown(r):
			out = append(out, text[:n]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		text = text[n:]
	}
	return out
}

func clean(text string, most int, breaks bool) string {
	if plain(text) && len(text) <= most {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if b.Len() >= most {
			b.WriteString("…")
			break
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case breaks && (r == '\n' || r == '\t'), shown(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}

// plain reports that all of text is printable ASCII, as nearly all text is.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// shown reports that a terminal shows r as a character and does nothing else with it.
// Marks of direction and characters without width are not among these.
func shown(r rune) bool { return unicode.IsPrint(r) || r == '\u00a0' }
