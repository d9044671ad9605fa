package topo

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"weft/problem"
)

// The kinds of token of the DOT language.
const (
	dotEnd    = iota
	dotID     // bare word or number
	dotQuoted // quoted or HTML string, which is never a keyword
	dotMark   // one of { } [ ] ; , = :
	dotEdge   // -- or ->
)

type dotToken struct {
	kind int
	text string
	at   place
}

// is reports whether t is a keyword, ignoring case.
func (t dotToken) is(keyword string) bool {
	return t.kind == dotID && strings.EqualFold(t.text, keyword)
}

func (t dotToken) mark(m string) bool { return t.kind == dotMark && t.text == m }

func (t dotToken) id() bool { return t.kind == dotID || t.kind == dotQuoted }

// String returns the text for t in messages.
func (t dotToken) String() string {
	if t.kind == dotEnd {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", shorten(t.text))
}

// dotLexer splits a text in the DOT language into tokens.
type dotLexer struct {
	text string
	pos  int
	// line counts from 1; start is the offset at which it begins.
	line, start int
}

func newDotLexer(text string) *dotLexer {
	return &dotLexer{text: strings.TrimPrefix(text, byteOrderMark), line: 1}
}

func (l *dotLexer) place() place { return place{l.line, l.pos - l.start + 1} }

// forward advances by n bytes and counts the lines in them.
func (l *dotLexer) forward(n int) {
	passed := l.text[l.pos : l.pos+n]
	if i := strings.LastIndexByte(passed, '\n'); i >= 0 {
		l.line += strings.Count(passed, "\n")
		l.start = l.pos + i + 1
	}
	l.pos += n
}

// blanks skips white space, comments, and preprocessor lines, which begin with #. It fails
// if a comment has no end.
func (l *dotLexer) blanks() error {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v':
			l.forward(1)
		case strings.HasPrefix(rest, "//"), c == '#' && l.pos == l.start:
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.forward(n)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return errors.New("the comment has no end; close it with */")
			}
			l.forward(n + 4)
		default:
			return nil
		}
	}
	return nil
}

// next returns the next token. After an error, the token's place is the place of the error.
func (l *dotLexer) next() (dotToken, error) {
	if err := l.blanks(); err != nil {
		return dotToken{at: l.place()}, err
	}
	t := dotToken{at: l.place()}
	if l.pos == len(l.text) {
		return t, nil
	}
	rest := l.text[l.pos:]
	switch c := rest[0]; {
	case strings.IndexByte("{}[];,=:", c) >= 0:
		t.kind, t.text = dotMark, rest[:1]
		l.forward(1)
		return t, nil
	case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "->"):
		t.kind, t.text = dotEdge, rest[:2]
		l.forward(2)
		return t, nil
	case c == '"':
		return l.quoted(t)
	case c == '<':
		return l.html(t)
	}
	n := bareLength(rest)
	if n == 0 {
		r, _ := utf8.DecodeRuneInString(rest)
		return t, problem.New("%q is unexpected", r).Mend("put names with such characters in quotation marks")
	}
	t.kind, t.text = dotID, rest[:n]
	l.forward(n)
	return t, nil
}

// bareLength returns the length of a name or number without quotation marks.
func bareLength(s string) int {
	number := 0
	if s[0] == '-' {
		number++
	}
	digits := 0
	for number < len(s) && ('0' <= s[number] && s[number] <= '9' || s[number] == '.') {
		if s[number] != '.' {
			digits++
		}
		number++
	}
	if digits > 0 {
		return number
	}
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] >= utf8.RuneSelf ||
		'a' <= s[n] && s[n] <= 'z' || 'A' <= s[n] && s[n] <= 'Z' || n > 0 && '0' <= s[n] && s[n] <= '9') {
		n++
	}
	return n
}

// quoted reads a string in quotation marks, and further strings joined to it by +.
func (l *dotLexer) quoted(t dotToken) (dotToken, error) {
	t.kind = dotQuoted
	var b strings.Builder
	for {
		begin := l.place()
		rest := l.text[l.pos+1:]
		end := 0
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(rest) {
			t.at = begin
			return t, errors.New(`the string has no end; close it with "`)
		}
		b.WriteString(unescapeDot(rest[:end]))
		l.forward(end + 2)
		if err := l.blanks(); err != nil {
			return dotToken{at: l.place()}, err
		}
		if !strings.HasPrefix(l.text[l.pos:], "+") {
			break
		}
		l.forward(1)
		if err := l.blanks(); err != nil {
			return dotToken{at: l.place()}, err
		}
		if !strings.HasPrefix(l.text[l.pos:], `"`) {
			return dotToken{at: l.place()}, errors.New("after + there must be another string in quotation marks")
		}
	}
	t.text = b.String()
	return t, nil
}

// unescapeDot replaces the language's two escapes: \" by a quotation mark, and a backslash
// at the end of a line by nothing.
func unescapeDot(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\\`, `\\`, `\"`, `"`, "\\\r\n", "", "\\\n", "").Replace(s)
}

// html reads a string in angle brackets, which may be nested.
func (l *dotLexer) html(t dotToken) (dotToken, error) {
	t.kind = dotQuoted
	rest := l.text[l.pos:]
	depth := 0
	for i := range len(rest) {
		switch rest[i] {
		case '<':
			depth++
		case '>':
			depth--
		}
		if depth == 0 {
			t.text = rest[1:i]
			l.forward(i + 1)
			return t, nil
		}
	}
	return t, errors.New("the string in angle brackets has no end; close it with >")
}
