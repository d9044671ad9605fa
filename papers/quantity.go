package papers

import (
	"fmt"
	"strconv"

	"weft/catalog"
	"weft/internal/readable"
)

// Quantity is at how many of several points a condition must hold.
type Quantity struct {
	word  string
	least int
}

// UnmarshalText reads all, any, most, or a number.
func (q *Quantity) UnmarshalText(text []byte) error {
	switch word := string(text); word {
	case "all", "any", "most":
		*q = Quantity{word: word}
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("%.40q is not all, any, most or a number of at least 1", text)
	}
	*q = Quantity{least: n}
	return nil
}

// MarshalText writes q like UnmarshalText reads it.
func (q Quantity) MarshalText() ([]byte, error) {
	if q.word == "" {
		return strconv.AppendInt(nil, int64(q.least), 10), nil
	}
	return []byte(q.word), nil
}

// Form describes how a Quantity is written.
func (Quantity) Form() catalog.Form {
	return catalog.Form{Name: "all, any, most or number", Example: "all"}
}

// String says at how many points, if not at all, a condition must hold.
func (q Quantity) String() string {
	switch {
	case q.word == "any":
		return "any level"
	case q.word == "most":
		return "more than half of the levels"
	case q.least > 0:
		return readable.Count(q.least, "level") + " or more"
	}
	return ""
}

// holds tells whether met of n points are enough.
func (q Quantity) holds(met, n int) bool {
	switch q.word {
	case "any":
		return met > 0
	case "most":
		return 2*met > n
	case "all", "":
		if q.least == 0 {
			return met == n && n > 0
		}
	}
	return met >= q.least
}
