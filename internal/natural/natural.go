// Package natural sorts names the way people do, with numbers in numeric order.
package natural

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// Compare compares names and treats digits in them as numbers: spine2 comes before spine10.
func Compare(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		n, m := leadingDigits(x), leadingDigits(y)
		if n > 0 && m > 0 {
			p, q := strings.TrimLeft(x[:n], "0"), strings.TrimLeft(y[:m], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
				return c
			}
			x, y = x[n:], y[m:]
			continue
		}
		r, i := utf8.DecodeRuneInString(x)
		s, j := utf8.DecodeRuneInString(y)
		if r != s {
			return cmp.Compare(r, s)
		}
		x, y = x[i:], y[j:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
