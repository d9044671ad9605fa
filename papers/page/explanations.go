package page

import (
	"fmt"
	"strings"
)

// explanations writes what was tested of claims that are not reproduced.
func (p *page) explanations() {
	var rows []string
	for i := range p.result.Claims {
		c := &p.result.Claims[i]
		for _, x := range c.Explanations {
			found, words := "not met", []string{}
			switch {
			case x.Missing:
				found = "missing"
			case x.Met && !x.Explains && x.Reason != "":
				found = "met, and no explanation: " + cell(x.Reason)
			case x.Met:
				found = "met"
			}
			if len(x.Of) > 0 {
				found += ", of " + cell(strings.Join(x.Of, "; "))
			}
			for _, k := range x.Checks {
				words = append(words, cell(once(k.MeasuredPieces)+k.Missing))
			}
			change := cell(x.Change)
			kind := "cause"
			if x.Reading {
				kind = "reading"
			}
			if x.Known {
				change += " *(written when its numbers were known)*"
			}
			rows = append(rows, fmt.Sprintf("| [%s](#%s) | %s | %s | %s | %s | %s |", c.ID, c.ID, c.Verdict, change, kind, strings.Join(words, "; "), found))
		}
	}
	if len(rows) == 0 {
		return
	}
	p.line("## Explanations\n")
	p.line("Named changes, each with checks of its own, that may move a number to the paper's: causes change what is run, readings the claim, by another criterion, another count, or another or a narrower part of it. They count for claims that are not reproduced.\n")
	p.line("| claim | verdict | change | kind | measured with it | its checks |\n| --- | --- | --- | --- | --- | --- |")
	for _, row := range rows {
		p.line("%s", row)
	}
	p.line("")
	p.unexplained()
}

// unexplained lists what is missed that no explanation is about.
func (p *page) unexplained() {
	var rows []string
	for i := range p.result.Claims {
		if c := &p.result.Claims[i]; len(c.Unexplained) > 0 {
			rows = append(rows, fmt.Sprintf("- [%s](#%s): %s", c.ID, c.ID, strings.Join(c.Unexplained, "; ")))
		}
	}
	if len(rows) == 0 {
		return
	}
	p.line("Without an explanation that is met:\n\n%s\n", strings.Join(rows, "\n"))
}
