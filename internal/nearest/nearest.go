// Package nearest finds the valid name that a mistyped word most likely meant,
// so that error messages can offer it.
package nearest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// longest is the length in bytes above which a word cannot be a mistyped name.
const longest = 1000

// Name returns the name with the least edit distance to word, the first among equals. It returns
// false if no name is close enough to be a likely slip.
//
// An edit inserts, deletes or replaces one character, or swaps two neighbours (optimal string
// alignment). Case is ignored. A slip has at most one edit per three characters of word, and at
// least one is allowed. If no name is that close, a name counts as near if it begins with word or
// word begins with it. Nothing is near a number.
func Name(word string, names []string) (string, bool) {
	if len(word) > longest || strings.Trim(word, "0123456789") == "" {
		return "", false
	}
	w := []rune(strings.ToLower(word))
	limit := max(1, len(w)/3)
	best, found := "", false
	bestDistance := limit + 1
	for _, name := range names {
		n := []rune(strings.ToLower(name))
		if d := distance(w, n, bestDistance); d < bestDistance {
			best, bestDistance, found = name, d, true
		}
	}
	if found {
		return best, true
	}
	for _, name := range names {
		n := strings.ToLower(name)
		if len(n) >= 2 && len(w) >= 2 && (strings.HasPrefix(n, string(w)) || strings.HasPrefix(string(w), n)) {
			return name, true
		}
	}
	return "", false
}

// many is the number of names above which a message offers only similar ones, at most like.
const (
	many = 40
	like = 5
)

// Remedy suggests the names that a wrong word may have meant, followed by all names after an
// intro such as "there are" or "known:". If there are many names and some are similar, it
// suggests only those.
func Remedy(word, intro string, names []string) string {
	if near := Several(word, names, like); len(names) > many && len(near) > 0 {
		for i, name := range near {
			near[i] = strconv.Quote(name)
		}
		return fmt.Sprintf("did you mean %s?", strings.Join(near, ", "))
	}
	if near, ok := Name(word, names); ok {
		intro = fmt.Sprintf("did you mean %q? %s%s", near, strings.ToUpper(intro[:1]), intro[1:])
	}
	if len(names) == 0 {
		return intro + " none"
	}
	return intro + " " + strings.Join(names, ", ")
}

// distance returns the optimal string alignment distance of a and b. If that is at least limit,
// it returns some value of at least limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before := make([]int, len(b)+1)
	previous := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := previous[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d := min(replace, previous[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
		}
		before, previous, row = previous, row, before
	}
	return previous[len(b)]
}

// Several returns up to most names that word may mean: the one that Name finds, then names that
// contain word, the shortest first.
func Several(word string, names []string, most int) []string {
	var out []string
	if near, ok := Name(word, names); ok {
		out = append(out, near)
	}
	if word != "" {
		var within []string
		for _, name := range names {
			if strings.Contains(strings.ToLower(name), strings.ToLower(word)) && !slices.Contains(out, name) {
				within = append(within, name)
			}
		}
		slices.SortStableFunc(within, func(a, b string) int { return len(a) - len(b) })
		out = append(out, within...)
	}
	return out[:min(most, len(out))]
}
