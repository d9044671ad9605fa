package topo

import (
	"fmt"
	"slices"
	"strings"

	"weft/problem"
)

// sizes returns the names of the size classes, by their approximate number of hosts.
func sizes() []string { return []string{"1k", "10k", "100k", "1M"} }

// IsSize reports whether a text names a size class, as in 1k.
func IsSize(text string) bool { return slices.Contains(sizes(), text) }

// bySize returns the parameters of a size class, given the parameters of all classes in the
// order of sizes.
func bySize[T any](size string, classes [4]T) (T, error) {
	i := slices.Index(sizes(), size)
	if i < 0 {
		var none T
		return none, problem.At("size", "size is %q", shorten(size)).Mend("use %s", strings.Join(sizes(), ", "))
	}
	return classes[i], nil
}

// twoTierRadix returns the radix of two-tier trees at 1:1 by size class. A radix k gives
// k²/2 hosts.
func twoTierRadix() [4]int { return [4]int{44, 142, 448, 1414} }

// without refuses options that a size class already sets.
func without(given ...option) error {
	for _, o := range given {
		if o.n != nil {
			return problem.At("size", "size sets %s already", o.name).Mend("leave one of the two out")
		}
	}
	return nil
}

// option is a number that may be left out.
type option struct {
	name string
	n    *int
}

// orElse returns *n, or otherwise if n is nil.
func orElse(n *int, otherwise int) int {
	if n != nil {
		return *n
	}
	return otherwise
}

// nearby returns the valid values from least to most that are next to n, for messages: "5
// or 7".
func nearby(n, least, most int, valid func(int) bool) string {
	below, above := min(n-1, most), max(n+1, least)
	for below >= least && !valid(below) {
		below--
	}
	for above <= most && !valid(above) {
		above++
	}
	switch {
	case below < least && above > most:
		return "another family"
	case below < least:
		return fmt.Sprint(above)
	case above > most:
		return fmt.Sprint(below)
	}
	return fmt.Sprintf("%d or %d", below, above)
}
