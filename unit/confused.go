package unit

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// confused tells what a unit counts that counts bits instead of bytes or the other way
// round, since the nearest name of a unit would be off by eight, and completes one of which
// there is only the prefix. It is empty of other units.
func (q *quantity) confused(value *big.Rat, name string) string {
	if q.short == "" {
		return minutes(value, name)
	}
	if unit, ok := q.prefixed(name); ok {
		return fmt.Sprintf(" (did you mean %q?)", unit.name)
	}
	i := slices.IndexFunc(q.other.ends, func(end string) bool { return strings.HasSuffix(name, end) })
	if i < 0 {
		return ""
	}
	prefix := strings.TrimSuffix(name, q.other.ends[i])
	unit, ok := q.prefixed(prefix)
	if prefix == "" {
		unit, ok = q.units[len(q.units)-1], true
	}
	if !ok {
		return ""
	}
	number := plain(value)
	meant := fmt.Sprintf("in %s write %s%s", q.other.should, number, unit.name)
	parts := new(big.Rat).Mul(value, big.NewRat(unit.parts*q.other.times, q.other.over))
	if !parts.IsInt() || !parts.Num().IsInt64() {
		return fmt.Sprintf(" (it counts %s; %s)", q.other.what, meant)
	}
	return fmt.Sprintf(" (it counts %s: %s%s is %s; %s)", q.other.what, number, name, q.format(parts.Num().Int64()), meant)
}

// minutes tells what m may mean as the unit of a time: s is as near in letters, and the least
// likely.
func minutes(value *big.Rat, name string) string {
	if name != "m" {
		return ""
	}
	seconds := new(big.Rat).Mul(value, big.NewRat(60, 1))
	return fmt.Sprintf(` (did you mean "%sms", or "%ss" for minutes?)`, plain(value), plain(seconds))
}

// plain writes a number without an exponent.
func plain(value *big.Rat) string {
	if value.IsInt() {
		return value.RatString()
	}
	return strings.TrimRight(value.FloatString(9), "0")
}

// prefixed returns the unit with a prefix such as M or Ki, in whatever case.
func (q *quantity) prefixed(prefix string) (symbol, bool) {
	for _, u := range q.units {
		if p := strings.TrimSuffix(u.name, q.short); p != "" && p != u.name && strings.EqualFold(p, prefix) {
			return u, true
		}
	}
	return symbol{}, false
}
