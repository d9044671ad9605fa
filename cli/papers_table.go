package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"weft/internal/printable"
	"weft/papers"
	"weft/papers/reading"
)

// verdictTable writes verdicts in columns that are wrapped to a width; of a narrow
// terminal, below each other.
type verdictTable struct {
	strings.Builder
	width   int
	colours bool
	// under are the verdicts under all readings, by claim.
	under map[string]*reading.Claim
}

const (
	verdictWidth = 14
	// narrow is up to which width columns make no sense.
	narrow = 72
)

// claim writes what was found of a claim.
func (t *verdictTable) claim(c *papers.ClaimResult, details bool) {
	found := c.Measured
	if found == "" || c.Verdict == papers.Missing {
		found = c.Reason
	} else if c.Reason != "" {
		found += " — " + c.Reason
	}
	for _, x := range c.Explanations {
		if x.Explains && (c.Explained || c.ExplainedInPart()) {
			found += fmt.Sprintf(" — explained%s, %s", by(&x), measuredOf(x.Checks))
		}
	}
	if len(c.Explanations) > 0 && len(c.Unexplained) > 0 {
		found += " — not explained: " + strings.Join(c.Unexplained, "; ")
	}
	verdict, second := t.coloured(c.Verdict), []string{}
	if u := t.under[c.ID]; u != nil && c.Verdict != papers.NotSimulable {
		found += " — all readings: " + u.Word() + " " + u.Text
		second = folded(u.Word(), verdictWidth)
	}
	if t.width < narrow {
		fmt.Fprintf(t, "%s  %s\n", strings.TrimSpace(verdict), c.ID)
		for _, text := range []string{"claimed: " + c.Claimed, found} {
			for _, line := range folded(text, t.width-2) {
				fmt.Fprintf(t, "  %s\n", line)
			}
		}
		return
	}
	rest := t.width - verdictWidth - 2
	claimed := rest * 2 / 5
	left := append([]string{c.ID + " (" + c.Where + ")"}, c.Claimed)
	var lines []string
	for _, text := range left {
		lines = append(lines, folded(text, claimed-2)...)
	}
	right := folded(found, rest-claimed)
	for i := range max(len(lines), len(right), len(second)+1) {
		a, b := "", ""
		if i < len(lines) {
			a = lines[i]
		}
		if i < len(right) {
			b = right[i]
		}
		if i > 0 {
			verdict = strings.Repeat(" ", verdictWidth)
		}
		if i > 0 && i <= len(second) {
			verdict = padded(second[i-1], verdictWidth)
		}
		fmt.Fprintln(t, strings.TrimRight(fmt.Sprintf("%s  %s  %s", verdict, padded(a, claimed-2), b), " "))
	}
	if details {
		t.details(c)
	}
}

// details writes what a claim says, and its checks.
func (t *verdictTable) details(c *papers.ClaimResult) {
	indent := strings.Repeat(" ", verdictWidth+2)
	for _, text := range []string{c.Claim, c.Notes} {
		for _, line := range folded(text, t.width-len(indent)) {
			fmt.Fprintln(t, indent+line)
		}
	}
	write := func(list []papers.CheckResult) {
		for _, k := range list {
			mark := "no"
			switch {
			case k.Missing != "":
				mark = "missing"
			case k.Met:
				mark = "yes"
			}
			text := fmt.Sprintf("%s: %s; expected %s; %s%s", mark, k.Name, k.Expected, k.Measured, k.Missing)
			for _, line := range folded(text, t.width-len(indent)) {
				fmt.Fprintln(t, indent+line)
			}
			for _, q := range k.Points {
				if len(k.Points) < 2 {
					continue
				}
				word := "no"
				if q.Met {
					word = "yes"
				}
				fmt.Fprintf(t, "%s  %-3s %s: %s\n", indent, word, q.At, q.Measured)
			}
		}
	}
	write(c.Checks)
	for _, x := range c.Explanations {
		fmt.Fprintf(t, "%s%s:\n", indent, strings.TrimLeft(by(&x), ": "))
		write(x.Checks)
	}
}

// by is what explains: a change that is a cause, or another reading of the claim.
func by(x *papers.ExplanationResult) string {
	if x.Reading {
		return " by reading: " + x.Change
	}
	return ": with " + x.Change
}

func measuredOf(list []papers.CheckResult) string {
	var words []string
	for _, k := range list {
		words = append(words, k.Measured)
	}
	return strings.Join(words, "; ")
}

// coloured writes a verdict as wide as its column.
func (t *verdictTable) coloured(v papers.Verdict) string {
	text := padded(string(v), verdictWidth)
	codes := map[papers.Verdict]string{
		papers.Reproduced: printable.Green, papers.Partly: printable.Yellow, papers.Not: printable.Red, papers.NotSimulable: printable.Faint, papers.Missing: printable.Magenta,
	}
	if !t.colours {
		return text
	}
	return codes[v] + text + printable.Plain
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// folded breaks a text into lines of at most width characters, between words where
// that is possible.
func folded(s string, width int) []string {
	width = max(width, 8)
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		for utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			r := []rune(word)
			lines, word = append(lines, string(r[:width])), string(r[width:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
