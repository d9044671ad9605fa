package record

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"weft/unit"
)

// LeastOfSize is the number of messages that a size class needs for its slowdowns to be reported.
const LeastOfSize = 100

const sizePrefix = "size:"

// SizeClass returns the name of the k-th size class, from 0 for the smallest.
func SizeClass(k int) string { return sizePrefix + string(rune('A'+k)) }

// IsSizeClass reports whether a group is a size class.
func IsSizeClass(group string) bool { return strings.HasPrefix(group, sizePrefix) }

// sizeOf returns the size class of a message. cuts holds the least sizes of all classes except
// the first, in ascending order.
func sizeOf(f *Flow, cuts []unit.Bytes) int32 {
	k := int32(0)
	for _, least := range cuts {
		if f.Bytes >= least {
			k++
		}
	}
	return k
}

// size sums up the messages of a size class. It leaves out messages without a slowdown, and the
// slowdowns of classes with fewer than LeastOfSize messages.
func (t *Tally) size(k int, end unit.Time) Group {
	g := Group{Name: SizeClass(k), Stats: t.stats(&t.sizes.parts[k], t.sizes.of, int32(k), end, 0)}
	if k > 0 {
		g.From = Bytes(t.cuts[k-1])
	}
	if k < len(t.cuts) {
		g.Below = Bytes(t.cuts[k])
	}
	if g.Messages < LeastOfSize {
		g.Slowdown, g.SlowdownRef, g.SlowdownBare, g.SlowdownAck = Quantiles{}, Quantiles{}, Quantiles{}, Quantiles{}
	}
	return g
}

// Title returns a group's name for people: size classes by their limits, if these were recorded,
// and other groups by their name.
func (g *Group) Title() string {
	name := strings.TrimPrefix(g.Name, sizePrefix)
	switch {
	case !IsSizeClass(g.Name):
		return g.Name
	case g.From == 0 && g.Below == 0:
		return g.Name
	case g.From == 0:
		return fmt.Sprintf("%s: below %s", name, spaced(g.Below))
	case g.Below == 0:
		return fmt.Sprintf("%s: from %s", name, spaced(g.From))
	}
	return fmt.Sprintf("%s: %s to %s", name, spaced(g.From), spaced(g.Below))
}

// spaced formats a size with a space before its unit.
func spaced(b Bytes) string {
	text := unit.Bytes(b).String()
	if i := strings.IndexFunc(text, unicode.IsLetter); i > 0 {
		return text[:i] + " " + text[i:]
	}
	return text
}

// FewOfSize explains why size classes have no slowdowns. It is empty if all have them.
func FewOfSize(runs []Summary) string {
	few := func(g Group) bool { return g.Messages < LeastOfSize }
	if !slices.ContainsFunc(runs, func(s Summary) bool { return slices.ContainsFunc(s.Sizes, few) }) {
		return ""
	}
	return fmt.Sprintf("size classes of less than %d messages (n) have no slowdowns", LeastOfSize)
}
