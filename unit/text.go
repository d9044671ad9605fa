package unit

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"weft/internal/nearest"
	"weft/problem"
)

// A quantity is a number of smallest parts that is written as a decimal number
// and one of several units.
type quantity struct {
	// noun names the quantity in messages, example shows how to write it, and
	// zero is how nothing is written.
	noun, example, zero string
	// units are those that values are written in, the largest first; the last
	// is one smallest part.
	units []symbol
	// aliases are read but not written.
	aliases []symbol
	// other is what the units of the quantity would be if they counted bits where they
	// count bytes, or bytes where they count bits.
	other *confusion
	// short ends a unit of which only the prefix was written, as in 400G.
	short string
}

// A confusion is units that differ by a factor of eight from those that are meant.
type confusion struct {
	// ends are how such a unit may end after its prefix.
	ends []string
	// what says what they count, and of what they should.
	what, should string
	// times is by how much a value is larger in the units of the quantity, if it is not 0,
	// and over by how much it is less.
	times, over int64
}

// A symbol is the written form of a unit.
type symbol struct {
	name  string
	parts int64
}

var (
	times = quantity{
		noun: "time", example: "500ns", zero: "0s",
		units: []symbol{
			{"s", int64(Second)}, {"ms", int64(Millisecond)}, {"us", int64(Microsecond)},
			{"ns", int64(Nanosecond)}, {"ps", int64(Picosecond)},
		},
		// U+00B5 is the micro sign and U+03BC the Greek letter: keyboards have either.
		aliases: []symbol{{"\u00b5s", int64(Microsecond)}, {"\u03bcs", int64(Microsecond)}},
	}
	rates = quantity{
		noun: "rate", example: "400Gbps", zero: "0bps",
		units: []symbol{
			{"Tbps", int64(Tbps)}, {"Gbps", int64(Gbps)}, {"Mbps", int64(Mbps)},
			{"kbps", int64(Kbps)}, {"bps", int64(BitPerSecond)},
		},
		aliases: []symbol{
			{"Tb/s", int64(Tbps)}, {"Gb/s", int64(Gbps)}, {"Mb/s", int64(Mbps)},
			{"kb/s", int64(Kbps)}, {"b/s", int64(BitPerSecond)},
			{"Kbps", int64(Kbps)}, {"Kb/s", int64(Kbps)},
			{"Tbit/s", int64(Tbps)}, {"Gbit/s", int64(Gbps)}, {"Mbit/s", int64(Mbps)},
			{"kbit/s", int64(Kbps)}, {"bit/s", int64(BitPerSecond)},
		},
		other: &confusion{ends: []string{"Bps", "B/s", "Byte/s"}, what: "bytes", should: "bits", times: 8, over: 1},
		short: "bps",
	}
	sizes = quantity{
		noun: "size", example: "64KiB", zero: "0B",
		units: []symbol{
			{"TiB", int64(TiB)}, {"TB", int64(TB)}, {"GiB", int64(GiB)}, {"GB", int64(GB)},
			{"MiB", int64(MiB)}, {"MB", int64(MB)}, {"KiB", int64(KiB)}, {"KB", int64(KB)},
			{"B", int64(Byte)},
		},
		aliases: []symbol{{"kB", int64(KB)}},
		other:   &confusion{ends: []string{"b", "bit", "bits"}, what: "bits", should: "bytes", times: 1, over: 8},
		short:   "B",
	}
)

// ParseTime reads a time such as "500ns", "1.5us" or "0": a decimal number and
// one of ps, ns, us (or µs), ms and s. It refuses negative times and those that
// are not whole picoseconds.
func ParseTime(s string) (Time, error) {
	v, err := times.parse(s)
	return Time(v), err
}

// ParseRate reads a rate such as "400Gbps", "25 Mb/s" or "0": a decimal number
// and one of bps, kbps, Mbps, Gbps and Tbps, in powers of 1000, or the same with
// b/s or bit/s. It refuses negative rates and those that are not whole bits per
// second.
func ParseRate(s string) (Rate, error) {
	v, err := rates.parse(s)
	return Rate(v), err
}

// ParseBytes reads a size such as "4096B", "64MiB", "1.5MB" or "0": a decimal
// number and one of B, KB, MB, GB and TB, in powers of 1000, or KiB, MiB, GiB
// and TiB, in powers of 1024. It refuses negative sizes and those that are not
// whole bytes.
func ParseBytes(s string) (Bytes, error) {
	v, err := sizes.parse(s)
	return Bytes(v), err
}

// ParseRatio reads a ratio such as "20%", "0.2" or "1e-6". It refuses negative
// ratios.
func ParseRatio(s string) (Ratio, error) {
	number, name := split(s)
	value, err := decimal(number)
	switch {
	case err != nil:
		return 0, problem.New("ratio %s %w", shown(s), err).Mend("write it as in \"20%%\" or \"0.2\"")
	case name == "%":
		value.Quo(value, big.NewRat(100, 1))
	case name != "":
		return 0, problem.New("ratio %s has the unknown unit %s", shown(s), shown(name)).Mend("write it as in \"20%%\" or \"0.2\"")
	}
	f, _ := value.Float64()
	if math.IsInf(f, 0) {
		return 0, fmt.Errorf("ratio %s is too large", shown(s))
	}
	return Ratio(f), nil
}

// String writes t as a whole number of the largest unit possible: "1500ns".
func (t Time) String() string { return times.format(int64(t)) }

// String writes r as a whole number of the largest unit possible: "1600Gbps".
func (r Rate) String() string { return rates.format(int64(r)) }

// String writes b as a whole number of the largest unit possible: "9KB".
func (b Bytes) String() string { return sizes.format(int64(b)) }

// Spaced is String with a space between number and unit: "9 KB".
func (b Bytes) Spaced() string {
	if b == 0 {
		return "0 B"
	}
	u := sizes.largest(int64(b))
	return strconv.FormatInt(int64(b)/u.parts, 10) + " " + u.name
}

// ScaleOfBytes returns the decimal unit in which amounts of at most as many bytes as given
// are shown with few digits, and what they are divided by for that.
func ScaleOfBytes(largest float64) (name string, divisor float64) {
	switch {
	case largest >= 1e9:
		return "GB", 1e9
	case largest >= 1e6:
		return "MB", 1e6
	case largest >= 1e4:
		return "kB", 1e3
	}
	return "B", 1
}

// RateScale is a unit of rates, and how many bits per second it has.
type RateScale struct {
	Name    string
	Divisor float64
}

// ScaleOfRates returns the unit in which rates of at most so many bits per second are shown: Mb/s below 1 Gb/s, and Gb/s from there on
// or where there is none.
func ScaleOfRates(largest float64) RateScale {
	if largest > 0 && largest < float64(Gbps) {
		return RateScale{"Mb/s", float64(Mbps)}
	}
	return RateScale{"Gb/s", float64(Gbps)}
}

// Text writes a rate in bits per second in the unit, without its name.
func (s RateScale) Text(rate float64) string {
	return strconv.FormatFloat(rate/s.Divisor, 'f', 2, 64)
}

// String writes r in per cent, with as many digits as it takes to read the same
// ratio again: "12.5%".
func (r Ratio) String() string {
	f := float64(r)
	if f == 0 {
		return "0%"
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	// The shortest digits that read as f again, moved by two places, are those
	// that read as 100·f and then divide to f without a rounding in between.
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	power, err := strconv.Atoi(exponent)
	if power += 2; err != nil || power < -9 || power > 15 {
		return digits + "e" + strconv.Itoa(power) + "%"
	}
	return shift(digits, power) + "%"
}

// shift writes digits·10^power, digits being d.ddd or d, without an exponent.
func shift(digits string, power int) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	digits = strings.Replace(digits, ".", "", 1)
	point := 1 + power
	switch {
	case point <= 0:
		digits = "0." + strings.Repeat("0", -point) + digits
	case point < len(digits):
		digits = digits[:point] + "." + digits[point:]
	default:
		digits += strings.Repeat("0", point-len(digits))
	}
	return sign + digits
}

// MarshalText writes t like String.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalText writes r like String.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// MarshalText writes b like String.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// MarshalText writes r like String.
func (r Ratio) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads t like ParseTime.
func (t *Time) UnmarshalText(text []byte) error { return unmarshal(t, text, ParseTime) }

// UnmarshalText reads r like ParseRate.
func (r *Rate) UnmarshalText(text []byte) error { return unmarshal(r, text, ParseRate) }

// UnmarshalText reads b like ParseBytes.
func (b *Bytes) UnmarshalText(text []byte) error { return unmarshal(b, text, ParseBytes) }

// UnmarshalText reads r like ParseRatio.
func (r *Ratio) UnmarshalText(text []byte) error { return unmarshal(r, text, ParseRatio) }

func unmarshal[T any](to *T, text []byte, parse func(string) (T, error)) error {
	v, err := parse(string(text))
	if err != nil {
		return err
	}
	*to = v
	return nil
}

func (q *quantity) format(v int64) string {
	if v == 0 {
		return q.zero
	}
	u := q.largest(v)
	return strconv.FormatInt(v/u.parts, 10) + u.name
}

// largest returns the largest unit of which v is a whole number.
func (q *quantity) largest(v int64) symbol {
	return q.units[slices.IndexFunc(q.units, func(u symbol) bool { return v%u.parts == 0 })]
}

func (q *quantity) parse(s string) (int64, error) {
	number, name := split(s)
	value, err := decimal(number)
	if err != nil {
		return 0, problem.New("%s %s %w", q.noun, shown(s), err).Mend("write it as in %q", q.example)
	}
	if name == "" {
		if value.Sign() == 0 {
			return 0, nil
		}
		return 0, problem.New("%s %s has no unit", q.noun, shown(s)).Mend("use %s, as in %q", q.names(), q.example)
	}
	parts, ok := q.parts(name)
	if !ok {
		return 0, problem.New("%s %s has the unknown unit %s%s", q.noun, shown(s), shown(name), q.guess(value, name)).Mend("use %s", q.names())
	}
	value.Mul(value, new(big.Rat).SetInt64(parts))
	smallest := q.units[len(q.units)-1].name
	if !value.IsInt() {
		return 0, fmt.Errorf("%s %s is not a whole number of %s", q.noun, shown(s), smallest)
	}
	if !value.Num().IsInt64() {
		largest := q.units[0]
		return 0, problem.New("%s %s is too large", q.noun, shown(s)).Mend("the most is %d%s", math.MaxInt64/largest.parts, largest.name)
	}
	return value.Num().Int64(), nil
}

func (q *quantity) parts(name string) (int64, bool) {
	for _, list := range [][]symbol{q.units, q.aliases} {
		if i := slices.IndexFunc(list, func(u symbol) bool { return u.name == name }); i >= 0 {
			return list[i].parts, true
		}
	}
	return 0, false
}

// names lists the units from the smallest up, and more after them, for messages.
func (q *quantity) names(more ...string) string {
	var names []string
	for _, u := range slices.Backward(q.units) {
		names = append(names, u.name)
	}
	names = append(names, more...)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// guess says what a wrong unit may have meant: one of the quantity, or one of more.
func (q *quantity) guess(value *big.Rat, name string, more ...string) string {
	if text := q.confused(value, name); text != "" {
		return text
	}
	names := make([]string, len(q.units))
	for i, u := range q.units {
		names[i] = u.name
	}
	if near, ok := nearest.Name(name, append(names, more...)); ok {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// split cuts s into its number and its unit, which blanks may part.
func split(s string) (number, unit string) {
	s = strings.TrimSpace(s)
	digits := func(i int) int {
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i
	}
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	i = digits(i)
	if i < len(s) && s[i] == '.' {
		i = digits(i + 1)
	}
	// An e is an exponent only if digits follow, and part of the unit otherwise.
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if end := digits(j); end > j {
			i = end
		}
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// Limits on what decimal computes with, far beyond any quantity.
const (
	maxDigits   = 400
	maxExponent = 400
)

// decimal reads a number that split has cut off. Its error continues a sentence
// that begins with the noun and the text.
func decimal(number string) (*big.Rat, error) {
	mantissa, exponent := number, ""
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], number[i+1:]
	}
	if strings.HasPrefix(mantissa, "-") && strings.ContainsAny(mantissa, "0123456789") {
		return nil, errors.New("is negative")
	}
	if !strings.ContainsAny(mantissa, "0123456789") || mantissa[0] == '+' || mantissa[0] == '.' || mantissa[len(mantissa)-1] == '.' {
		return nil, errors.New("does not begin with a number")
	}
	if len(mantissa) > maxDigits {
		return nil, errors.New("has too many digits")
	}
	if exponent != "" {
		if e, err := strconv.Atoi(exponent); err != nil || e < -maxExponent || e > maxExponent {
			return nil, fmt.Errorf("has an exponent beyond %d", maxExponent)
		}
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return nil, errors.New("does not begin with a number")
	}
	return value, nil
}

// shown quotes s for a message, cut to a length that fits on a line.
func shown(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
