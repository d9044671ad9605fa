// Package readable writes numbers and words for people.
package readable

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Count writes a number with what it counts: 1 flow, 2 flows, 3 switches, 4 studies.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	switch {
	case strings.HasSuffix(what, "ch"), strings.HasSuffix(what, "s"):
		what += "es"
	case strings.HasSuffix(what, "dy"):
		what = strings.TrimSuffix(what, "y") + "ies"
	default:
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Percent writes a share in percent, to two digits, or three from 100 % on.
func Percent(share float64) string {
	digits := 2
	if share >= 1 {
		digits = 3
	}
	v, _ := strconv.ParseFloat(strconv.FormatFloat(100*share, 'g', digits, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64) + " %"
}

// mostDecimals is how many digits after the point anybody reads.
const mostDecimals = 9

// Significant writes a number with at least so many significant digits, zeros at its end too,
// and no fraction beyond them. It has no exponent.
func Significant(v float64, figures int) string {
	digits := figures - 1
	if v != 0 {
		digits -= int(math.Floor(math.Log10(math.Abs(v))))
	}
	return strconv.FormatFloat(v, 'f', min(max(digits, 0), mostDecimals), 64)
}

// Short writes a number as Significant does, but without zeros at the end of a fraction.
func Short(v float64, figures int) string {
	text := Significant(v, figures)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Duration rounds a time to so many figures. From so many digits of seconds on it rounds to the millisecond.
func Duration(d time.Duration, figures int) time.Duration {
	most := time.Duration(math.Pow10(figures))
	for unit := time.Nanosecond; unit < time.Second; unit *= 10 {
		if d < most*unit {
			return d.Round(unit)
		}
	}
	return d.Round(time.Millisecond)
}

// mostQuoted is how many characters of a user's word a message quotes.
const mostQuoted = 40

// Clip cuts a word of a user's to what fits into a message.
func Clip(word string) string {
	n := 0
	for i := range word {
		if n == mostQuoted {
			return word[:i] + "…"
		}
		n++
	}
	return word
}

// Capital begins a text with a capital, unless it begins with a symbol, as
// p99 and ρ are.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || len(s) == n || s[n] == ' ' || s[n] >= '0' && s[n] <= '9' {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// GBps writes a bandwidth of bytes per second in GB/s, as nccl-tests do; 0 is that there is none.
func GBps(bytesPerSecond float64) string {
	switch {
	case bytesPerSecond == 0:
		return "-"
	case bytesPerSecond < 1e6:
		return "<0.001"
	}
	return Short(bytesPerSecond/1e9, 4)
}
