package printable

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Styles of a terminal. Each lasts until Plain. A Writer passes these and no other escape
// sequences, because they only change colour and weight.
const (
	Plain   = "\x1b[0m"
	Bold    = "\x1b[1m"
	Faint   = "\x1b[2m"
	Red     = "\x1b[31m"
	Green   = "\x1b[32m"
	Yellow  = "\x1b[33m"
	Magenta = "\x1b[35m"
)

var styles = []string{Plain, Bold, Faint, Red, Green, Yellow, Magenta}

// Writer cleans the text written to it as Lines does, but without a length limit, so that foreign
// text cannot drive a terminal. It is safe for concurrent use.
type Writer struct {
	mu sync.Mutex
	to io.Writer
	// rest is the beginning of a character or a style whose end has not been written yet.
	rest []byte
}

// NewWriter returns a Writer that writes to another writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements io.Writer.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(text)
	if len(w.rest) > 0 {
		text = append(w.rest, text...)
		w.rest = nil
	}
	if i := unended(text); i < len(text) {
		w.rest = bytes.Clone(text[i:])
		text = text[:i]
	}
	return n, w.write(text)
}

// Raw writes weft's own control sequences, such as those that clear a line.
func (w *Writer) Raw(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.to, text)
	return err
}

// Flush writes an unfinished character or style, cleaned.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.rest
	w.rest = nil
	if len(text) == 0 {
		return nil
	}
	return w.write(text)
}

func (w *Writer) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := w.to.Write(cleaned(text))
	return err
}

// unended returns the index at which an unfinished character or style begins, or len(text).
func unended(text []byte) int {
	tail := text[max(0, len(text)-len(Red)):]
	if i := bytes.LastIndexByte(tail, '\x1b'); i >= 0 {
		for _, s := range styles {
			if len(tail)-i < len(s) && strings.HasPrefix(s, string(tail[i:])) {
				return len(text) - len(tail) + i
			}
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := len(text) - n; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// cleaned returns a text with escapes for unprintable characters, but keeps its styles.
func cleaned(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f }) {
		return text
	}
	var out strings.Builder
	rest := string(text)
	for rest != "" {
		i := strings.IndexByte(rest, '\x1b')
		if i < 0 {
			break
		}
		writeClean(&out, rest[:i], true)
		rest = rest[i:]
		styled := false
		for _, s := range styles {
			if strings.HasPrefix(rest, s) {
				out.WriteString(s)
				rest, styled = rest[len(s):], true
				break
			}
		}
		if !styled {
			writeClean(&out, rest[:1], true)
			rest = rest[1:]
		}
	}
	writeClean(&out, rest, true)
	return []byte(out.String())
}
