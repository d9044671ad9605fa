package page

import (
	"slices"
	"strings"

	"weft/internal/natural"
)

// inOrder puts sections into the order of a paper: the abstract, numbered sections, and
// appendices. What is none of them, such as a table, stays behind what it is listed after.
func inOrder(sections []string) []string {
	type placed struct {
		name, after string // after is the part whose place it takes
	}
	list := make([]placed, len(sections))
	after := ""
	for i, s := range sections {
		if part(s) >= 0 {
			after = s
		}
		list[i] = placed{s, after}
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		if x, y := part(a.after), part(b.after); x != y {
			return x - y
		}
		return natural.Compare(a.after, b.after)
	})
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.name
	}
	return out
}

// sections lists the sections of the claims, in order.
func (p *page) sections() []string {
	var list []string
	for _, c := range p.result.Claims {
		if !slices.Contains(list, c.Section) {
			list = append(list, c.Section)
		}
	}
	return inOrder(list)
}

// anchor is how links reach the claims of a section.
func anchor(section string) string {
	return "claims-" + strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			return r
		}
		return -1
	}, section)
}

// part is in which part of a paper a section is, -1 if its name does not say.
func part(section string) int {
	switch {
	case section == "Abstract":
		return 0
	case strings.HasPrefix(section, "§"):
		return 1
	case strings.HasPrefix(section, "App."):
		return 2
	}
	return -1
}
