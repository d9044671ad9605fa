package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/papers"
)

// counts writes how many claims have which verdict, by what they are about. Shown reads how many
// are missing.
func (p *page) counts() {
	var kinds []string
	for _, kind := range []string{
		papers.KindSimulated, papers.KindTestbed, papers.KindTheory, papers.KindAnalytic, papers.KindHardware, papers.KindCited, papers.KindUnspecified,
	} {
		if p.count(func(c *papers.ClaimResult) bool { return c.Kind == kind }) > 0 {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 1 {
		kinds = nil // there is nothing to tell apart
	}
	heads := append([]string{"claims"}, kinds...)
	if len(p.result.Own) > 0 {
		heads = append(heads, "beyond the paper")
	}
	p.line("| verdict | %s | |\n| --- |%s --- |", strings.Join(heads, " | "), strings.Repeat(" ---: |", len(heads)))
	meaning := map[papers.Verdict]string{
		papers.Reproduced: "every check is met; *by order or bound* if no check demands a number within a tolerance", papers.Partly: "some checks, or a check at some of its points", papers.Not: "nothing of it",
		papers.NotSimulable: "hardware, proprietary parts, facts of others, or no scenario that could be run", papers.Missing: "not run at this scale",
	}
	if n := p.count(func(c *papers.ClaimResult) bool { return c.Kind != papers.KindOwn && c.By == papers.ByOrder }); n > 0 {
		meaning[papers.Reproduced] += fmt.Sprintf(", as of %d of the paper's", n)
	}
	for _, v := range papers.Verdicts() {
		numbers := []string{strconv.Itoa(p.result.Counts[v])}
		for _, kind := range kinds {
			numbers = append(numbers, strconv.Itoa(p.count(func(c *papers.ClaimResult) bool { return c.Kind == kind && c.Verdict == v })))
		}
		if len(p.result.Own) > 0 {
			numbers = append(numbers, strconv.Itoa(p.result.Own[v]))
		}
		p.line("%s%s | %s |", beforeCounts(v), strings.Join(numbers, " | "), meaning[v])
	}
	p.line("")
}

// count counts claims.
func (p *page) count(which func(*papers.ClaimResult) bool) (n int) {
	for i := range p.result.Claims {
		if which(&p.result.Claims[i]) {
			n++
		}
	}
	return n
}

// overview writes a line a section: how many of its claims have which verdict, and which are
// not reproduced.
func (p *page) overview() {
	var verdicts []papers.Verdict
	heads := []string{"claims of", "all"}
	for _, v := range papers.Verdicts() {
		if p.count(func(c *papers.ClaimResult) bool { return c.Verdict == v }) > 0 {
			verdicts, heads = append(verdicts, v), append(heads, string(v))
		}
	}
	p.line("| %s | which are not |\n| --- |%s --- |", strings.Join(heads, " | "), strings.Repeat(" ---: |", len(heads)-1))
	for _, s := range p.sections() {
		of := func(c *papers.ClaimResult) bool { return c.Section == s }
		words := []string{fmt.Sprintf("[%s](#%s)", s, anchor(s)), strconv.Itoa(p.count(of))}
		for _, v := range verdicts {
			number := ""
			if n := p.count(func(c *papers.ClaimResult) bool { return of(c) && c.Verdict == v }); n > 0 {
				number = strconv.Itoa(n)
			}
			words = append(words, number)
		}
		var others []string
		for i := range p.result.Claims {
			if c := &p.result.Claims[i]; of(c) && c.Verdict != papers.Reproduced {
				others = append(others, fmt.Sprintf("[%s](#%s)", c.ID, c.ID))
			}
		}
		p.line("| %s | %s |", strings.Join(words, " | "), strings.Join(others, ", "))
	}
	p.line("")
}

// once says of how many seeds several numbers are once, if these are as many for all, and which
// share of messages was unfinished at most.
func once(measured papers.Pieces) string {
	seeds, alike := 0, true
	most := 0.0
	numbers, unfinished := 0, 0 // that say of how many seeds they are, and how much is unfinished
	for _, q := range measured {
		if q.Seeds > 0 {
			alike = alike && (numbers == 0 || q.Seeds == seeds)
			seeds, numbers = q.Seeds, numbers+1
		}
		if q.Unfinished > 0 {
			most, unfinished = max(most, q.Unfinished), unfinished+1
		}
	}
	short := slices.Clone(measured)
	var end []string
	if numbers > 1 && alike {
		for i := range short {
			short[i].Seeds = 0
		}
		end = append(end, fmt.Sprintf("n=%d each", seeds))
	}
	if unfinished > 1 {
		for i := range short {
			short[i].Unfinished = 0
		}
		end = append(end, fmt.Sprintf("up to %g %% of messages unfinished", math.Round(1000*most)/10))
	}
	if len(end) == 0 {
		return measured.String()
	}
	return short.String() + "; " + strings.Join(end, ", ")
}
