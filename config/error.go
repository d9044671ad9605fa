package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Place   Place
	Message string
}

// Error lists what is wrong with a configuration. It is the user's to mend, so
// that commands tell it from failures of their own.
type Error struct {
	Problems []Problem
}

// shownProblems is how many problems fit on a screen with their excerpts.
const shownProblems = 5

// Error shows the first problems, each with its place and the line there, and says how
// many are left.
func (e *Error) Error() string {
	text := e.list(shownProblems)
	if more := len(e.Problems) - shownProblems; more > 0 {
		text += fmt.Sprintf("\nand %d more; weft validate shows all", more)
	}
	return text
}

// All is Error with all problems.
func (e *Error) All() string { return e.list(len(e.Problems)) }

func (e *Error) list(most int) string {
	var b strings.Builder
	for i, p := range e.Problems[:min(most, len(e.Problems))] {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// String writes the place, the message and the line there.
func (p Problem) String() string {
	text := p.Message
	if at := p.Place.String(); at != "" {
		text = at + ": " + text
	}
	if excerpt := p.Place.Excerpt(); excerpt != "" {
		text += "\n" + excerpt
	}
	return text
}

// Add appends a problem unless the same one is listed already.
func (e *Error) Add(at Place, format string, args ...any) {
	p := Problem{Place: at, Message: fmt.Sprintf(format, args...)}
	if !slices.Contains(e.Problems, p) {
		e.Problems = append(e.Problems, p)
	}
}

// Append adds the problems of err, which is nil or an *Error, or else err itself
// as a problem at no place.
func (e *Error) Append(err error) {
	switch other := err.(type) {
	case nil:
	case *Error:
		for _, p := range other.Problems {
			if !slices.Contains(e.Problems, p) {
				e.Problems = append(e.Problems, p)
			}
		}
	default:
		e.Add(Place{}, "%v", err)
	}
}

// Err returns e with its problems in the order of each source's lines, or nil if
// it has none.
func (e *Error) Err() error {
	if len(e.Problems) == 0 {
		return nil
	}
	first := map[*Source]int{}
	for i, p := range e.Problems {
		if _, seen := first[p.Place.Source]; !seen {
			first[p.Place.Source] = i
		}
	}
	slices.SortStableFunc(e.Problems, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(first[a.Place.Source], first[b.Place.Source]),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column))
	})
	return e
}

// Problemf returns an Error of one problem.
func Problemf(at Place, format string, args ...any) *Error {
	e := new(Error)
	e.Add(at, format, args...)
	return e
}
