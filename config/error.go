package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/problem"
)

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Place Place
	// Path is the key that is wrong, where that is known, as in "topology.radix".
	Path string
	// Text says what is wrong, and Remedy what to write instead.
	Text, Remedy string
}

// Message is the text with the remedy.
func (p Problem) Message() string {
	if p.Remedy == "" {
		return p.Text
	}
	return p.Text + "; " + p.Remedy
}

// With returns the problem with a note at the end of its message.
func (p Problem) With(note string) Problem {
	if p.Remedy == "" {
		p.Text += note
	} else {
		p.Remedy += note
	}
	return p
}

// Err returns an Error of the problem alone.
func (p Problem) Err() *Error {
	e := new(Error)
	e.add(p)
	return e
}

// Error lists what is wrong with a configuration. It is the user's to mend, so
// that commands tell it from failures of their own.
type Error struct {
	// Problems are the first that were found, at most MostProblems.
	Problems []Problem
	// More is how many others there are.
	More int
	// Cut tells that more was not looked at.
	Cut bool
}

const (
	// MostProblems is how many problems are kept: nobody mends more at once.
	MostProblems = 100
	// shownProblems is how many problems fit on a screen with their excerpts.
	shownProblems = 5
	// longMessage is up to how many bytes a message is shown as a whole. A longer one
	// repeats what somebody wrote.
	longMessage = 4096
)

// Error shows the first problems, each with its place and the line there, and says how
// many are left.
func (e *Error) Error() string {
	hint := "; weft validate shows all"
	if e.More > 0 || e.Cut {
		hint = fmt.Sprintf("; weft validate shows the first %d", MostProblems)
	}
	return e.list(shownProblems, hint)
}

// All is Error with all problems that were kept.
func (e *Error) All() string { return e.list(MostProblems, "") }

// list shows some problems, and says how many are left, with a hint at how to see them.
func (e *Error) list(most int, hint string) string {
	most = min(most, len(e.Problems))
	lines := make([]string, 0, most+1)
	for _, p := range e.Problems[:most] {
		lines = append(lines, p.String())
	}
	switch more := len(e.Problems) - most + e.More; {
	case e.Cut && more == 0:
		lines = append(lines, "and perhaps more"+hint)
	case e.Cut:
		lines = append(lines, fmt.Sprintf("and at least %d more%s", more, hint))
	case more > 0:
		lines = append(lines, fmt.Sprintf("and %d more%s", more, hint))
	}
	return strings.Join(lines, "\n")
}

// Full tells that no more problems are kept.
func (e *Error) Full() bool { return len(e.Problems) >= MostProblems }

// String writes the place, the message and the line there.
func (p Problem) String() string {
	text := p.Message()
	if at := p.Place.String(); at != "" {
		text = at + ": " + text
	}
	if excerpt := p.Place.Excerpt(); excerpt != "" {
		text += "\n" + excerpt
	}
	return text
}

// Report appends what err says of a place, unless the same is listed already. The key that is wrong
// and the remedy are those that err names, as package problem has them.
func (e *Error) Report(at Place, err error) { e.report(at, "", err) }

// report is Report for an error at a path.
func (e *Error) report(at Place, path string, err error) {
	what := problem.Of(err)
	e.add(Problem{Place: at, Path: problem.Join(path, what.Path), Text: what.Text, Remedy: what.Remedy})
}

// Add is Report with a formatted error. The format may wrap another error, as with fmt.Errorf.
func (e *Error) Add(at Place, format string, args ...any) { e.Report(at, fmt.Errorf(format, args...)) }

func (e *Error) add(p Problem) {
	p.Text, p.Remedy = shortened(p.Text), shortened(p.Remedy)
	switch {
	case slices.Contains(e.Problems, p):
	case e.Full():
		e.More++
	default:
		e.Problems = append(e.Problems, p)
	}
}

// shortened leaves the middle of a long text out.
func shortened(text string) string {
	if len(text) <= longMessage {
		return text
	}
	const part = longMessage / 2
	return strings.ToValidUTF8(text[:part], "") + " … " + strings.ToValidUTF8(text[len(text)-part:], "")
}

// Append adds the problems of err, which is nil or an *Error, or else err itself
// as a problem at no place.
func (e *Error) Append(err error) {
	switch other := err.(type) {
	case nil:
	case *Error:
		for _, p := range other.Problems {
			e.add(p)
		}
		e.More += other.More
		e.Cut = e.Cut || other.Cut
	default:
		e.Report(Place{}, err)
	}
}

// Err returns e with its problems in the order of each source's lines, or nil if there are no
// problems.
func (e *Error) Err() error {
	if len(e.Problems) == 0 && e.More == 0 {
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

// Wrong returns an Error of one problem, as Report makes it.
func Wrong(at Place, err error) *Error {
	e := new(Error)
	e.Report(at, err)
	return e
}

// Problemf is Wrong with an error of that text.
func Problemf(at Place, format string, args ...any) *Error {
	return Wrong(at, fmt.Errorf(format, args...))
}
