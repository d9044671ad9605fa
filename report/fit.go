package report

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text into lines of at most width characters, where it has spaces. The
// first line has room for first characters less. A width of 0 leaves it whole.
func Wrap(text string, width, first int) []string {
	if width <= 0 {
		return []string{text}
	}
	var lines []string
	line, room := "", width-first
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if line != "" && utf8.RuneCountInString(line)+1+n > room {
			lines = append(lines, line)
			line, room = "", width
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
