package topo

import (
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// gmlKind is the kind of a GML token.
type gmlKind uint8

const (
	gmlEnd gmlKind = iota
	gmlKey
	gmlNumber
	gmlText
	gmlOpen
	gmlClose
)

// gmlToken is a word, a number, a text or a bracket, with its place.
type gmlToken struct {
	kind gmlKind
	text string
	at   place
}

// scalar reports whether a token is a complete value.
func (t gmlToken) scalar() bool { return t.kind == gmlNumber || t.kind == gmlText }

// String returns the text for a token in messages.
func (t gmlToken) String() string {
	switch t.kind {
	case gmlEnd:
		return "the end of the file"
	case gmlOpen:
		return "["
	case gmlClose:
		return "]"
	}
	return strconv.Quote(shorten(t.text))
}

// gmlLexer splits a text into tokens.
type gmlLexer struct {
	text string
	// next is the offset of the rest. line is its line number, and begin the offset at
	// which that line begins.
	next, line, begin int
}

func newGMLLexer(text string) *gmlLexer {
	return &gmlLexer{text: strings.TrimPrefix(text, byteOrderMark), line: 1}
}

func (l *gmlLexer) at() place { return place{l.line, l.next - l.begin + 1} }

// skip skips blanks and comments, which extend from # to the end of the line.
func (l *gmlLexer) skip() {
	for l.next < len(l.text) {
		switch l.text[l.next] {
		case '\n':
			l.line++
			l.begin = l.next + 1
		case ' ', '\t', '\r', '\v', '\f':
		case '#':
			if n := strings.IndexByte(l.text[l.next:], '\n'); n >= 0 {
				l.next += n
			} else {
				l.next = len(l.text)
			}
			continue
		default:
			return
		}
		l.next++
	}
}

// token reads the next token. A token with an error has its place.
func (l *gmlLexer) token() (gmlToken, error) {
	l.skip()
	t := gmlToken{at: l.at()}
	if l.next == len(l.text) {
		return t, nil
	}
	switch c := l.text[l.next]; {
	case c == '[' || c == ']':
		l.next++
		t.kind = gmlOpen
		if c == ']' {
			t.kind = gmlClose
		}
	case c == '"':
		return l.quoted(t)
	case c == '+' || c == '-' || c == '.' || '0' <= c && c <= '9':
		t.kind, t.text = gmlNumber, l.word()
	case c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z':
		t.kind, t.text = gmlKey, l.word()
	default:
		r, _ := utf8.DecodeRuneInString(l.text[l.next:])
		return t, fmt.Errorf("%q is unexpected; GML has keys, numbers, texts in quotation marks, and lists in brackets", r)
	}
	return t, nil
}

// word reads up to the next blank, bracket or quotation mark.
func (l *gmlLexer) word() string {
	n := strings.IndexAny(l.text[l.next:], " \t\r\n\v\f[]\"")
	if n < 0 {
		n = len(l.text) - l.next
	}
	word := l.text[l.next : l.next+n]
	l.next += n
	return word
}

// quoted reads a text in quotation marks. It may span several lines, and contain characters
// as numbers, as in &#233;.
func (l *gmlLexer) quoted(t gmlToken) (gmlToken, error) {
	n := strings.IndexByte(l.text[l.next+1:], '"')
	if n < 0 {
		return t, errors.New("the text has no end; close it with a quotation mark")
	}
	inside := l.text[l.next+1 : l.next+1+n]
	if last := strings.LastIndexByte(inside, '\n'); last >= 0 {
		l.line += strings.Count(inside, "\n")
		l.begin = l.next + 1 + last + 1
	}
	l.next += n + 2
	t.kind, t.text = gmlText, html.UnescapeString(inside)
	return t, nil
}
