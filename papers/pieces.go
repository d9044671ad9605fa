package papers

import (
	"fmt"
	"slices"
	"strings"

	"weft/record"
)

// Piece is a part of a text about numbers: words, and what they say last of a number.
type Piece struct {
	Words string
	// Seeds is how many seeds the number is of; 0 if the text does not say it.
	Seeds int
	// Unfinished is which share of the messages of the number did not finish, from 0 to 1;
	// 0 if the text does not say it.
	Unfinished float64
}

// Pieces are a text about numbers. Whoever shows many of them can say once what they have in
// common.
type Pieces []Piece

// String is the text as a whole.
func (p Pieces) String() string {
	var text strings.Builder
	for _, q := range p {
		text.WriteString(q.Words)
		if q.Seeds > 0 {
			fmt.Fprintf(&text, ", n=%d", q.Seeds)
		}
		if q.Unfinished > 0 {
			fmt.Fprintf(&text, ", %.1f %% of messages unfinished", 100*q.Unfinished)
		}
	}
	return text.String()
}

// words are a text that says nothing of seeds; none if it is empty.
func words(format string, args ...any) Pieces {
	if text := fmt.Sprintf(format, args...); text != "" {
		return Pieces{{Words: text}}
	}
	return nil
}

// together puts texts one behind the other.
func together(list ...Pieces) Pieces { return slices.Concat(list...) }

// inARow joins texts by a separator.
func inARow(list []Pieces, separator string) Pieces {
	var all Pieces
	for i, p := range list {
		if i > 0 {
			all = append(all, words("%s", separator)...)
		}
		all = append(all, p...)
	}
	return all
}

// same tells whether two texts read the same.
func (p Pieces) same(q Pieces) bool { return p.String() == q.String() }

// labelledBy puts a label before a text.
func (p Pieces) labelledBy(label string) Pieces { return together(words("%s: ", label), p) }

// pieces write the mean with its interval and how many seeds it is of.
func (a number) pieces() Pieces {
	e := a.estimate
	if e.N == 0 && a.endless {
		return words("never ends (stuck)")
	}
	if e.N == 0 {
		return words("none: %s", a.none())
	}
	text := quantity(e.Mean, a.unit, a.ratio)
	if e.N > 1 && (!a.model || e.Low < e.High) {
		_, by := shownIn(e.Mean, a.unit)
		text += fmt.Sprintf(" [%s, %s]", digits(e.Low/by), digits(e.High/by))
	}
	if a.model {
		return words("%s", text)
	}
	all := Pieces{{Words: text, Seeds: e.N}}
	if a.failed > 0 {
		all = append(all, Piece{Words: fmt.Sprintf(", %d without a complete result", a.failed)})
	}
	if a.unfinished > record.FewUnfinished {
		all[len(all)-1].Unfinished = a.unfinished
	}
	return all
}

// String writes the mean with its interval and how many seeds it is of.
func (a number) String() string { return a.pieces().String() }
