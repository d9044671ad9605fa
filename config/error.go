package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/problem"
)

// Problem is one mistake in a configuration.
type Problem struct {
	Place Place
	// Path is the key that is wrong, if it is known, as in "topology.radix".
	Path string
	// Text describes the mistake, and Remedy what to write instead.
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

// Error lists the mistakes in a configuration. The user can fix them, so commands
// distinguish an Error from failures of their own.
type Error struct {
	// Problems holds the first problems found, at most MostProblems.
	Problems []Problem
	// More is the number of further problems.
	More int
	// Cut: checking stopped before the end.
	Cut bool
}

const (
	// MostProblems is the most problems that are kept. Nobody fixes more at once.
	MostProblems = 100
	// shownProblems is the number of problems that fit on a screen with their excerpts.
	shownProblems = 5
	// longMessage is the longest message, in bytes, that is shown completely. A longer one
	// repeats text that somebody wrote.
	longMessage = 4096
)

// Error shows the first problems, each with its place and line, and the number of the
// others.
func (e *Error) Error() string {
	hint := "; weft validate shows all"
	if e.More > 0 || e.Cut {
		hint = fmt.Sprintf("; weft validate shows the first %d", MostProblems)
	}
	return e.list(shownProblems, hint)
}

// All returns the text of Error for all kept problems.
func (e *Error) All() string { return e.list(MostProblems, "") }

// list shows some problems, and the number of the others with a hint how to see them.
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

// Full reports whether no more problems are kept.
func (e *Error) Full() bool { return len(e.Problems) >= MostProblems }

// String returns the place, the message and the line of the problem.
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

// Report adds a problem at a place, unless the same problem is already listed. The key and
// the remedy come from err, as package problem has them.
func (e *Error) Report(at Place, err error) { e.report(at, "", err) }

// report works like Report for an error at a path.
func (e *Error) report(at Place, path string, err error) {
	what := problem.Of(err)
	e.add(Problem{Place: at, Path: problem.Join(path, what.Path), Text: what.Text, Remedy: what.Remedy})
}

// Add works like Report for a formatted error. The format may wrap another error, as with
// fmt.Errorf.
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

// shortened replaces the middle of a long text.
func shortened(text string) string {
	if len(text) <= longMessage {
		return text
	}
	const part = longMessage / 2
	return strings.ToValidUTF8(text[:part], "") + " … " + strings.ToValidUTF8(text[len(text)-part:], "")
}

// Append adds the problems of err if it is an *Error. It adds any other error as a problem
// without a place.
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

// Err returns e with its problems sorted by the lines of each source, or nil if there are
// none.
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

// Wrong returns an Error with one problem, as Report makes it.
func Wrong(at Place, err error) *Error {
	e := new(Error)
	e.Report(at, err)
	return e
}

// Problemf returns an Error with one formatted problem.
func Problemf(at Place, format string, args ...any) *Error {
	return Wrong(at, fmt.Errorf(format, args...))
}
