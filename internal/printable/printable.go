// Package printable makes foreign text safe to show. Text that came over a network or out of a
// shared folder may hold escape sequences that drive a terminal, line breaks that forge lines of
// output, and marks that change the direction of writing.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine and maxLines limit the length of a cleaned text, in bytes.
const (
	maxLine  = 4 << 10
	maxLines = 1 << 20
)

// Line returns text on one line. Each unprintable character becomes an escape such as \n, \x1b or
// \u202e. Long text is cut.
func Line(text string) string { return clean(text, maxLine, false) }

// Lines is Line for text of several lines: it keeps line feeds and tabs.
func Lines(text string) string { return clean(text, maxLines, true) }

// First returns the first line of a text, cleaned as by Line.
func First(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\n\r"), "\n")
	return Line(line)
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
		_, n := utf8.DecodeRuneInString(text[i:])
		writeClean(&b, text[i:i+n], breaks)
		i += n
	}
	return b.String()
}

// writeClean writes a text with escapes for unprintable characters.
func writeClean(b *strings.Builder, text string, breaks bool) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(b, `\x%02x`, text[i])
		case breaks && (r == '\n' || r == '\t'), shown(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
		i += n
	}
}

// Hidden returns the first unprintable character of a text and whether there is one. Line feeds,
// tabs and the carriage return of a CRLF are allowed.
func Hidden(text string) (r rune, found bool) {
	if plain(text) {
		return 0, false
	}
	for i, r := range text {
		if !shown(r) && r != '\n' && r != '\t' && (r != '\r' || !strings.HasPrefix(text[i+1:], "\n")) {
			return r, true
		}
	}
	return 0, false
}

// Without returns the beginning of a text on one line, with unprintable characters removed.
func Without(text string) string {
	const most = 80 // characters
	n := 0
	return strings.Map(func(r rune) rune {
		if n++; !shown(r) || n > most {
			return -1
		}
		return r
	}, text)
}

// plain reports whether all of text is printable ASCII, as nearly all text is.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// shown reports whether a terminal shows r as a character and does nothing else with it.
// Direction marks and characters without width do not qualify.
func shown(r rune) bool { return unicode.IsPrint(r) || r == '\u00a0' }
