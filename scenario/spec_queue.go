package scenario

import (
	"reflect"

	"weft/catalog"
	"weft/fabric"
	"weft/unit"
)

// QueueLimit is the limit of a queue: an amount, or infinite.
type QueueLimit struct {
	unit.Amount
	// Infinite means no limit; Amount is then zero.
	Infinite bool
}

const infinite = "infinite"

// mostQueued is the most that a queue without a limit can hold, since a port cannot count
// more.
const mostQueued unit.Bytes = fabric.MostQueued

// UnmarshalText reads "infinite" or an amount.
func (q *QueueLimit) UnmarshalText(text []byte) error {
	a, none, err := unit.ParseAmountOr(infinite, string(text))
	if err != nil {
		return err
	}
	*q = QueueLimit{a, none}
	return nil
}

// MarshalText writes q in the form that UnmarshalText reads.
func (q QueueLimit) MarshalText() ([]byte, error) {
	if q.Infinite {
		return []byte(infinite), nil
	}
	return q.Amount.MarshalText()
}

// String returns the text of MarshalText.
func (q QueueLimit) String() string {
	if q.Infinite {
		return infinite
	}
	return q.Amount.String()
}

// Form describes how to write a QueueLimit.
func (QueueLimit) Form() catalog.Form {
	amount := catalog.FormOf(reflect.TypeFor[unit.Amount]())
	return catalog.Form{Name: "bytes, BDP or infinite", Example: "1BDP", Pattern: amount.Pattern, Words: []string{infinite}}
}
