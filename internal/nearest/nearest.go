// Package nearest finds the valid name that a mistyped word most likely meant,
// so that error messages can offer it.
package nearest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// longest is from how many bytes on a word is no name.
const longest = 1000

// Name returns the name with the least edit distance to word, the first among
// equals, or false if none is near enough to be a likely slip. An edit is one
// character inserted, deleted, replaced or swapped with its neighbour (optimal
// string alignment); case is ignored. A slip is up to one edit for every three
// characters of word, and at least one; a name that word begins, or that
// begins with word, counts as near whatever its length. Nothing is near a number.
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

// many is more names than a message lists beside one that is near, and like how many it offers then.
const (
	many = 40
	like = 5
)

// Remedy offers the name that a wrong word may have meant, and lists all after an intro
// such as "there are" or "known:"; of many names it offers those that are like the word alone,
// if there are any.
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

// distance is the optimal string alignment distance of a and b, or some value
// of at least limit when it is not below limit.
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

// Several returns up to so many names that word may mean: the one that Name finds, and
// then those that contain word, the shortest first.
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
