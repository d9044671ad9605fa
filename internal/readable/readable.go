// Package readable formats numbers and words for people.
package readable

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Count formats a number with its noun: 1 flow, 2 flows, 3 switches, 4 studies.
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

// Percent formats a share in percent with two significant digits, or three from 100 % on.
func Percent(share float64) string {
	digits := 2
	if share >= 1 {
		digits = 3
	}
	v, _ := strconv.ParseFloat(strconv.FormatFloat(100*share, 'g', digits, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64) + " %"
}

// mostDecimals is the largest number of decimals that is useful to a reader.
const mostDecimals = 9

// Significant formats a number with at least the given number of significant digits. It keeps
// trailing zeros, drops further decimals and uses no exponent.
func Significant(v float64, figures int) string {
	digits := figures - 1
	if v != 0 {
		digits -= int(math.Floor(math.Log10(math.Abs(v))))
	}
	return strconv.FormatFloat(v, 'f', min(max(digits, 0), mostDecimals), 64)
}

// Short is Significant without trailing zeros in the fraction.
func Short(v float64, figures int) string {
	text := Significant(v, figures)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Duration rounds a time to the given number of digits. Times with more digits than that in
// seconds are rounded to the millisecond.
func Duration(d time.Duration, figures int) time.Duration {
	most := time.Duration(math.Pow10(figures))
	for unit := time.Nanosecond; unit < time.Second; unit *= 10 {
		if d < most*unit {
			return d.Round(unit)
		}
	}
	return d.Round(time.Millisecond)
}

// mostQuoted is the number of characters that a message quotes of a user's word.
const mostQuoted = 40

// Clip shortens a user's word for use in a message.
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

// Capital capitalizes the first letter of a text, unless the text begins with a symbol such as
// p99 or ρ.
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
