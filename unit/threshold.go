package unit

import (
	"errors"

	"weft/problem"
)

// Threshold is an amount, or infinity, which nothing reaches ("inf").
type Threshold struct {
	Amount
	Inf bool
}

const infinite = "inf"

// Unbounded is what an infinite threshold resolves to, more than any size.
const Unbounded Bytes = 1 << 62

// Resolve returns the threshold where a bandwidth-delay product is bdp; a share is of nothing.
func (t Threshold) Resolve(bdp Bytes) Bytes {
	if t.Inf {
		return Unbounded
	}
	return t.Amount.Resolve(bdp, 0)
}

// UnmarshalText reads "inf" or an amount.
func (t *Threshold) UnmarshalText(text []byte) error {
	a, inf, err := ParseAmountOr(infinite, string(text))
	if err != nil {
		return err
	}
	*t = Threshold{a, inf}
	return nil
}

// MarshalText writes t like UnmarshalText reads it.
func (t Threshold) MarshalText() ([]byte, error) {
	if t.Inf {
		return []byte(infinite), nil
	}
	return t.Amount.MarshalText()
}

// ParseAmountOr reads an amount as ParseAmount does, or a word that stands for none, and tells
// whether it was the word.
func ParseAmountOr(word, s string) (a Amount, none bool, err error) {
	if s == word {
		return Amount{}, true, nil
	}
	if a, err = ParseAmount(s); err != nil {
		if p := (*problem.Problem)(nil); errors.As(err, &p) && p.Remedy != "" {
			other := *p
			return Amount{}, false, other.Mend("%s, or %s", p.Remedy, word)
		}
		return Amount{}, false, problem.New("%w", err).Mend("write less, or %s", word)
	}
	return a, false, nil
}
