package printable

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON escapes every unprintable character in a JSON text and keeps its meaning. Encoders leave
// direction marks and control characters beyond ASCII unescaped.
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

// CleanJSON returns JSON whose strings are cleaned as Lines cleans text: each unprintable
// character becomes the letters of its escape. Invalid JSON stays invalid.
func CleanJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return r == '\\' || r >= 0x7f }) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, n := escaped(text)
		switch {
		case shown(r) || r == '\n' || r == '\t' || r == '\r' && n == 1:
			out = append(out, text[:n]...)
		case text[0] == '\\' && n == 2: // \r, \b and \f
			out = append(append(out, '\\'), text[:n]...)
		case r < ' ' && n == 1: // invalid inside JSON strings
			out = append(out, text[0])
		case r < 0x10000:
			out = fmt.Appendf(out, `\\u%04x`, r)
		default:
			out = fmt.Appendf(out, `\\U%08x`, r)
		}
		text = text[n:]
	}
	return out
}

// escaped returns the first character of a JSON text, decoded if it is an escape, and the number
// of bytes that it takes.
func escaped(text []byte) (r rune, n int) {
	if text[0] != '\\' || len(text) < 2 {
		return utf8.DecodeRune(text)
	}
	switch text[1] {
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r, ok := unit16(text)
		if !ok {
			return '\\', 1
		}
		if low, ok := unit16(text[6:]); ok && utf16.IsSurrogate(r) {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 12
			}
		}
		return r, 6
	}
	return '\\', 2 // a quote, a backslash, a line feed
}

// unit16 reads \u and four digits.
func unit16(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(v), err == nil
}
