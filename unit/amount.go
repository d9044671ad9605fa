package unit

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"weft/problem"
)

// Amount is a size that is given outright or relative to the network: as bytes
// ("64KiB"), in bandwidth-delay products ("1.5BDP") or as a share of a whole
// that the option's documentation names ("20%" of a queue). At most one of its
// fields is other than zero; the zero value is no bytes.
type Amount struct {
	Bytes Bytes
	BDPs  float64
	Share Ratio
}

// Resolve returns the size that a means where a bandwidth-delay product is bdp
// and the whole is whole, rounded to the nearest byte.
func (a Amount) Resolve(bdp, whole Bytes) Bytes {
	return a.Bytes + scaled(a.BDPs, bdp) + scaled(float64(a.Share), whole)
}

func scaled(factor float64, b Bytes) Bytes {
	v := math.Round(factor * float64(b))
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return Bytes(v)
}

// ParseAmount reads an amount such as "64KiB", "1 BDP", "20%" or "0". It
// refuses negative amounts.
func ParseAmount(s string) (Amount, error) {
	const remedy = `write a number with its unit, as in "64KiB" or "1.5BDP"`
	number, name := split(s)
	value, err := decimal(number)
	if err != nil {
		return Amount{}, problem.New("amount %s %w", shown(s), err).Mend("%s", remedy)
	}
	switch name {
	case "%":
		share, err := ParseRatio(s)
		return Amount{Share: share}, err
	case "BDP":
		bdps, _ := value.Float64()
		if math.IsInf(bdps, 0) {
			return Amount{}, fmt.Errorf("amount %s is too large", shown(s))
		}
		return Amount{BDPs: bdps}, nil
	}
	b, err := ParseBytes(s)
	if err == nil {
		return Amount{Bytes: b}, nil
	}
	if _, known := sizes.parts(name); known {
		return Amount{}, err
	}
	if name == "" {
		return Amount{}, problem.New("amount %s has no unit", shown(s)).Mend("%s", remedy)
	}
	return Amount{}, problem.New("amount %s has the unknown unit %s%s", shown(s), shown(name), sizes.guess(value, name, "BDP")).Mend("use %s", sizes.names("BDP", "%"))
}

// String writes a so that ParseAmount reads it again.
func (a Amount) String() string {
	switch {
	case a.BDPs != 0:
		return strconv.FormatFloat(a.BDPs, 'g', -1, 64) + "BDP"
	case a.Share != 0:
		return a.Share.String()
	}
	return a.Bytes.String()
}

// MarshalText writes a like String. It fails if more than one field is set.
func (a Amount) MarshalText() ([]byte, error) {
	set := 0
	for _, is := range []bool{a.Bytes != 0, a.BDPs != 0, a.Share != 0} {
		if is {
			set++
		}
	}
	if set > 1 {
		return nil, errors.New("an amount has more than one of bytes, bandwidth-delay products and share")
	}
	return []byte(a.String()), nil
}

// UnmarshalText reads a like ParseAmount.
func (a *Amount) UnmarshalText(text []byte) error { return unmarshal(a, text, ParseAmount) }
