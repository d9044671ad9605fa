package topo

import (
	"fmt"
	"math/big"

	"weft/catalog"
	"weft/problem"
	"weft/unit"
)

// Oversubscription is the ratio of the capacity of a ToR's host links to the capacity of
// its uplinks, such as 4:1. Its text forms are "4:1" and "4". The zero value is 1:1.
type Oversubscription struct {
	// over and to are in lowest terms. Both are 0 in the zero value.
	over, to int64
}

// maxTerm limits the terms of a ratio so that their products do not overflow.
const maxTerm = 1 << 15

// NewOversubscription returns the ratio over:to. Both must be positive and, in
// lowest terms, less than 32768.
func NewOversubscription(over, to int64) (Oversubscription, error) {
	if over < 1 || to < 1 {
		return Oversubscription{}, fmt.Errorf("oversubscription %d:%d: both terms must be positive", over, to)
	}
	d := gcd(over, to)
	over, to = over/d, to/d
	if over >= maxTerm || to >= maxTerm {
		return Oversubscription{}, fmt.Errorf("oversubscription %d:%d: the terms must be less than %d", over, to, maxTerm)
	}
	return Oversubscription{over: over, to: to}, nil
}

// String returns o as in "4:1".
func (o Oversubscription) String() string {
	over, to := o.terms()
	return fmt.Sprintf("%d:%d", over, to)
}

// MarshalText returns the text of String.
func (o Oversubscription) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads "4:1", "3:2", "4" or "1.5".
func (o *Oversubscription) UnmarshalText(text []byte) error {
	value, ok := parseOver(string(text))
	if !ok {
		return problem.New("%q is not an oversubscription", shorten(string(text))).Mend("write it as in %q or %q", "4:1", "4")
	}
	if !value.Num().IsInt64() || !value.Denom().IsInt64() {
		return fmt.Errorf("oversubscription %q: the terms must be less than %d", shorten(string(text)), maxTerm)
	}
	r, err := NewOversubscription(value.Num().Int64(), value.Denom().Int64())
	if err != nil {
		return err
	}
	*o = r
	return nil
}

// Form describes the text forms.
func (Oversubscription) Form() catalog.Form {
	return catalog.Form{Name: "proportion", Example: "4:1", Pattern: `^[0-9]+(\.[0-9]+)?(:[0-9]+(\.[0-9]+)?)?$`, Bare: true}
}

// parseOver parses a decimal, or two with a colon between them.
func parseOver(text string) (*big.Rat, bool) {
	const longest = 16
	if len(text) > longest {
		return nil, false
	}
	colon := -1
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9' || c == '.':
		case c == ':' && colon < 0:
			colon = i
		default:
			return nil, false
		}
	}
	over, to := text, "1"
	if colon >= 0 {
		over, to = text[:colon], text[colon+1:]
	}
	x, ok := new(big.Rat).SetString(over)
	y, also := new(big.Rat).SetString(to)
	if !ok || !also || y.Sign() == 0 {
		return nil, false
	}
	return x.Quo(x, y), true
}

func (o Oversubscription) terms() (over, to int64) {
	if o.over == 0 {
		return 1, 1
	}
	return o.over, o.to
}

// hostsPerUplink returns numbers of host links and uplinks whose capacities have this
// proportion.
func (o Oversubscription) hostsPerUplink(host, uplink unit.Rate) (hosts, uplinks int, err error) {
	over, to := o.terms()
	r := big.NewRat(over, to)
	r.Mul(r, big.NewRat(int64(uplink), int64(host)))
	if !r.Num().IsInt64() || !r.Denom().IsInt64() || r.Num().Int64() >= maxTerm || r.Denom().Int64() >= maxTerm {
		return 0, 0, problem.At("oversubscription", "links of %v and uplinks of %v make no simple proportion for %v; give uplinks_per_tor", host, uplink, o)
	}
	return int(r.Num().Int64()), int(r.Denom().Int64()), nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// shorten cuts text to a length that fits on a line of a message.
func shorten(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
