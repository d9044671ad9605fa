package topo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// matrixName stands for a file that is not a graph.
const matrixName = "connection matrix"

var (
	dotHead      = regexp.MustCompile(`(?i)^(strict\s+)?(di)?graph\b[^\[\]]*?\{`)
	gmlHead      = regexp.MustCompile(`(?s)^(\w+\s+("[^"]*"|[^\s"\[\]]+)\s+)*?graph\s*\[`)
	netbenchHead = regexp.MustCompile(`(?m)^\s*(\|V\||\|E\||ToRs|Servers|Switches)\s*=`)
	htsimHead    = regexp.MustCompile(`(?im)^\s*(Tiers|Podsize|Tier)\s+\d`)
	matrixHead   = regexp.MustCompile(`(?m)^\s*(Connections\s+\d|\d+->\d)`)
)

// resembles returns the formats whose files begin like the text, or nil.
func resembles(head string) []string {
	head = strings.TrimPrefix(head, byteOrderMark)
	var lines []string
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, commentMark) && !strings.HasPrefix(line, "%") && !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	text := strings.Join(lines, "\n")
	switch {
	case text[0] == '<':
		return []string{"graphml"}
	case text[0] == '{':
		return []string{"node-link", "adjacency"}
	case dotHead.MatchString(text):
		return []string{"dot"}
	case gmlHead.MatchString(text):
		return []string{"gml"}
	case netbenchHead.MatchString(text):
		return []string{netbenchName}
	case htsimHead.MatchString(text):
		return []string{"htsim"}
	case matrixHead.MatchString(text):
		return []string{matrixName}
	}
	return resemblesRows(lines)
}

// resemblesRows returns the formats whose first rows look like the lines.
func resemblesRows(lines []string) (names []string) {
	columns := strings.Split(strings.ToLower(lines[0]), ",")
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	if slices.Contains(columns, columnA) && slices.Contains(columns, columnB) {
		return []string{"csv"}
	}
	words := func(i int) []string {
		return strings.FieldsFunc(lines[i], func(r rune) bool { return strings.ContainsRune(" \t,;", r) })
	}
	// The numbers of HPCC's first line count nodes, switches and links.
	first := words(0)
	numbers := 0
	for _, word := range first {
		if _, err := strconv.Atoi(word); err == nil {
			numbers++
		}
	}
	if numbers == len(first) && numbers >= 3 && len(lines) > 2 && len(words(2)) >= 5 {
		return []string{"hpcc"}
	}
	if len(first) >= 2 && len(first) <= 4 && !strings.ContainsAny(lines[0], "=<>[]") {
		return []string{"edges"}
	}
	return nil
}
