package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/papers"
	"weft/report"
)

// short writes the page for people who want to know what holds: three sentences, one figure
// of the paper's numbers and ours, the main table, and what is not reproduced and why.
func (p *page) short(ctx context.Context) error {
	p.line("# %s: what holds of the paper\n", p.Short)
	p.line("*%s.* %s\n", strings.TrimSuffix(p.Title, "."), p.Citation)
	if err := p.readings(); err != nil {
		return err
	}
	for _, of := range []struct{ name, text string }{
		{"What holds", p.Page.Holds}, {"What does not", p.Page.Fails}, {"How sure", p.Page.Sure},
	} {
		if of.text != "" {
			p.line("**%s.** %s\n", of.name, p.sentence(of.text))
		}
	}
	if err := p.headline(ctx); err != nil {
		return err
	}
	if err := p.sideBySide(); err != nil {
		return err
	}
	p.restsOn()
	p.misses()
	p.line("## Check it\n")
	p.line("    weft papers check %s\n", p.arguments())
	p.line("gives every verdict with its numbers; `weft papers run %s STUDY` runs a study again, and", p.options.Ledger)
	p.line("`weft papers page %s --details` writes every claim, explanation, table and figure.%s\n", p.arguments(), p.guide())
	p.provenance()
	return nil
}

// arguments are the arguments of a command about the same ledger, scale and runs as the page.
func (p *page) arguments() string {
	how := p.options.Ledger + " --scale " + p.Scale
	if p.Prefer != "" {
		how += " --prefer " + p.Prefer
	}
	if p.Published {
		how += " --published"
	}
	return how
}

// guide is the reference to the page about ledgers.
func (p *page) guide() string {
	if p.options.Guide == "" {
		return ""
	}
	return fmt.Sprintf(" [Ledgers](%s) explains how\nverdicts come about.", p.options.Guide)
}

// sentence fills counts into a sentence of the ledger.
func (p *page) sentence(text string) string {
	r := p.result
	return strings.NewReplacer(
		"{claims}", strconv.Itoa(p.claimed()),
		"{simulable}", strconv.Itoa(r.Simulable()),
		"{reproduced}", strconv.Itoa(r.Counts[papers.Reproduced]),
		"{partly}", strconv.Itoa(r.Counts[papers.Partly]),
		"{not}", strconv.Itoa(r.Counts[papers.Not]),
		"{share}", fmt.Sprintf("%.0f %%", 100*r.Share()),
	).Replace(strings.TrimSpace(text))
}

// headline draws the figure of the paper's numbers beside ours.
func (p *page) headline(ctx context.Context) error {
	name, caption := p.Page.Figure, ""
	var f report.Figure
	var err error
	if name == "" {
		name = "claims"
		caption = "Every number that the paper states and weft checks within a tolerance: ours over the paper's, in the order of the paper; bounds such as *up to* are in the tables alone. " +
			"The line at 1 is the paper. Claims that miss their tolerance, and those that are far off within it, are named."
		f, err = figureOf(p.againstPaper())
	} else {
		s, d := p.drawn(name)
		if d == nil {
			return fmt.Errorf("page.figure: the ledger draws no figure %q; name one of its studies' figures", name)
		}
		p.remarks = remarks{}
		f, err = p.layout(ctx, s, d)
		caption = strings.TrimSpace(d.Caption)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.undrawn = append(p.undrawn, name)
		p.cause = cmp.Or(p.cause, err.Error())
		p.line("*The figure is not drawn at this scale.*\n")
		return nil
	}
	if err := p.show(f, name, p.Short+": the paper's numbers beside weft's"); err != nil {
		return err
	}
	p.line("%s\n", caption)
	return nil
}

// drawn finds a figure by its name.
func (p *page) drawn(name string) (*papers.Study, *papers.Draw) {
	for i := range p.Studies {
		for j := range p.Studies[i].Draw {
			if d := &p.Studies[i].Draw[j]; d.Name == name {
				return &p.Studies[i], d
			}
		}
	}
	return nil, nil
}

// far is the ratio to the paper's number, or its inverse, from which a claim is named although it
// is within its tolerance.
const far = 1.2

// againstPaper makes a chart of all numbers that the paper states and a check is near: ours over
// the paper's.
func (p *page) againstPaper() (report.Chart, error) {
	lines := map[papers.Verdict]*report.ChartLine{}
	for _, v := range []papers.Verdict{papers.Reproduced, papers.Partly, papers.Not} {
		lines[v] = &report.ChartLine{Name: string(v), Points: true}
	}
	named := map[string]bool{}
	n := 0
	for i := range p.result.Claims {
		c := &p.result.Claims[i]
		for _, k := range c.Checks {
			for _, point := range k.Points {
				if k.About == nil || *k.About == 0 || point.Mean == nil || *point.Mean / *k.About <= 0 {
					continue
				}
				n++
				ratio := *point.Mean / *k.About
				verdict, label := papers.Reproduced, ""
				switch {
				case point.Met:
				case c.Verdict == papers.Partly:
					verdict = papers.Partly
				default:
					verdict = papers.Not
				}
				// The first of a claim's numbers that is off stands for all.
				if (!point.Met || max(ratio, 1/ratio) > far) && !named[c.ID] {
					label, named[c.ID] = c.ID, true
				}
				l := lines[verdict]
				l.X, l.Y, l.Labels = append(l.X, float64(n)), append(l.Y, ratio), append(l.Labels, label)
			}
		}
	}
	if n == 0 {
		return report.Chart{}, errors.New("no claim has a number at this scale")
	}
	panel := report.ChartPanel{
		X: "Numbers of the paper, in its order", Y: "weft over the paper (×)", LogY: true,
		Levels: []report.ChartLevel{{Name: "the paper", Y: 1}},
	}
	for _, v := range []papers.Verdict{papers.Reproduced, papers.Partly, papers.Not} {
		if l := lines[v]; len(l.X) > 0 {
			panel.Lines = append(panel.Lines, *l)
		}
	}
	return report.Chart{Panels: []report.ChartPanel{panel}}, nil
}

// sideBySide writes the main table: the paper's numbers and ours.
func (p *page) sideBySide() error {
	if len(p.Page.Claims)+len(p.Page.Tables) == 0 {
		return nil
	}
	p.line("## Side by side\n")
	if len(p.Page.Claims) > 0 {
		p.line("| | the paper | weft | what is checked | |\n| --- | --- | --- | --- | --- |")
		for _, id := range p.Page.Claims {
			c := p.claim(id)
			if c == nil {
				return fmt.Errorf("page.claims: there is no claim %q in the ledger", id)
			}
			var asked []string
			for _, k := range c.Checks {
				if !slices.Contains(asked, k.Expected) {
					asked = append(asked, k.Expected)
				}
			}
			p.line("| %s *(%s)* | %s | %s | %s | %s |", cell(c.Claim), cell(c.Where), cell(c.Claimed), cell(brief(once(c.MeasuredPieces))), cell(brief(strings.Join(asked, "; "))), c.Verdict)
		}
		p.line("")
	}
	if len(p.Page.Tables) > 0 {
		p.line("weft's numbers, then the paper's in brackets; – was not run.%s\n", p.typefaces())
	}
	for _, id := range p.Page.Tables {
		t, ok := p.TableNamed(id)
		if !ok {
			return fmt.Errorf("page.tables: there is no table %q in the ledger", id)
		}
		all, err := p.Tabulate(t)
		if err != nil {
			return fmt.Errorf("table %s: %w", t.ID, err)
		}
		p.line("**%s**\n", strings.TrimSuffix(t.Title, "."))
		p.rows(all)
	}
	return nil
}

// brief is a text, cut where a row of a table ends.
func brief(text string) string {
	const most = 150
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndex(text[:most], "; ")
	if cut < most/3 {
		cut = strings.LastIndex(text[:most], " ")
	}
	return strings.TrimRight(text[:max(cut, 0)], ",; ") + " …"
}

// misses lists the claims that are not reproduced, and why; then those that no scenario can check.
func (p *page) misses() {
	section := func(title, about, reason string, verdicts ...papers.Verdict) {
		var rows []string
		for _, v := range verdicts {
			for i := range p.result.Claims {
				if c := &p.result.Claims[i]; c.Verdict == v {
					rows = append(rows, fmt.Sprintf("| %s *(%s)* | %s | %s | %s |", cell(c.Claim), cell(c.Where), cell(c.Claimed), v, cell(because(c))))
				}
			}
		}
		if len(rows) == 0 {
			return
		}
		p.line("## %s\n", title)
		if about != "" {
			p.line("%s\n", about)
		}
		p.line("| the paper says | its number | verdict | %s |\n| --- | --- | --- | --- |", reason)
		for _, row := range rows {
			p.line("%s", row)
		}
		p.line("")
	}
	section("Not reproduced", "Partly: some checks of the claim hold, or a check holds at some of its points.", "why", papers.Not, papers.Partly)
	section("Not simulated", "", "why not", papers.NotSimulable)
	section("Not run", "", "what is missing", papers.Missing)
}

// because says in a line why a claim is not reproduced. It takes the ledger's reason, then an
// explanation that holds, and then the beginning of the verdict's reason.
func because(c *papers.ClaimResult) string {
	if c.Because != "" {
		return c.Because
	}
	for _, x := range c.Explanations {
		if x.Explains {
			return "Holds with a change: " + brief(strings.TrimSpace(x.Change))
		}
	}
	return brief(once(c.ReasonPieces))
}

// provenance ends the page: what was run, counts, and the command that made it.
func (p *page) provenance() {
	p.line("## Counts and runs\n")
	p.facts()
	p.counts()
	p.line("This page is made by `weft papers page %s`; it is not edited by hand.", p.arguments())
}

// rows writes the rows of a table.
func (p *page) rows(all *papers.Tabulated) {
	p.line("| | %s |\n| ---%s |", strings.Join(all.Columns, " | "), strings.Repeat(" | ---:", len(all.Columns)))
	for i, row := range all.Rows {
		words := []string{row}
		for _, c := range all.Cells[i] {
			words = append(words, withPapers(&c))
		}
		p.line("| %s |", strings.Join(words, " | "))
	}
	p.line("")
}
