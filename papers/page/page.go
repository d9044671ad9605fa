// Package page writes what was found of a paper's claims as a page in Markdown,
// with figures: verdicts by section, contradictions side by side, explanations, and
// our figure for each of the paper's. The same results give the same page.
package page

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/internal/natural"
	"weft/papers"
	"weft/papers/reading"
	"weft/record"
	"weft/study"
)

// Options say what a page shows beside its results.
type Options struct {
	// Images is the folder that figures are written into, none if it is empty, and Link
	// how the page reaches it.
	Images, Link string
	// Guide is how the page reaches the one about ledgers; it is not linked if empty.
	Guide string
	// Ledger is how commands name the ledger, as in arcane or --dir my-paper.
	Ledger string
	// Details asks for every claim, explanation, table and figure, instead of a short page.
	Details bool
	// Readings is what was found under all readings of the paper; without it the page has the first alone.
	Readings *reading.Result
	// Accept, if not nil, sees the result before anything is written, and may refuse it.
	Accept func(*papers.Result) error
}

// Write evaluates a ledger, draws its figures, and writes the page. Notices say
// what could not be drawn.
func Write(ctx context.Context, w io.Writer, e *papers.Evaluator, o Options) (notices []string, err error) {
	r, err := e.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	if o.Accept != nil {
		if err := o.Accept(r); err != nil {
			return nil, err
		}
	}
	p := &page{Evaluator: e, result: r, options: o}
	if p.programs, err = e.Programs(); err != nil {
		return nil, err
	}
	if o.Details {
		err = p.details(ctx)
	} else {
		err = p.short(ctx)
	}
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(w, p.text.String())
	if n := len(p.undrawn); n > 0 {
		p.notices = append(p.notices, fmt.Sprintf("figures that are not drawn: %d (%s); the first: %s", n, strings.Join(p.undrawn, ", "), p.cause))
	}
	return p.notices, err
}

// details writes everything.
func (p *page) details(ctx context.Context) error {
	p.head()
	p.claims()
	p.contradictions()
	p.explanations()
	if err := p.tables(); err != nil {
		return err
	}
	if err := p.beside(); err != nil {
		return err
	}
	if err := p.figures(ctx); err != nil {
		return err
	}
	p.studies()
	return nil
}

type page struct {
	*papers.Evaluator
	result   *papers.Result
	options  Options
	programs []record.Program
	text     strings.Builder
	notices  []string
	// remarks are the remarks on the figure that is being laid out.
	remarks remarks
	// undrawn are the figures that lack results, and cause is what the first lacks.
	undrawn []string
	cause   string
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// head writes the title, where the page comes from, and the counts.
func (p *page) head() {
	p.line("# %s: what the paper claims, and what came out\n", p.Short)
	p.line("*%s.* %s\n", strings.TrimSuffix(p.Title, "."), p.Citation)
	guide := ""
	if p.options.Guide != "" {
		guide = fmt.Sprintf("; [docs/papers.md](%s) says how verdicts come about", p.options.Guide)
	}
	p.line("This page is made by `weft papers page %s --details`; it is not edited by hand. Expectations and tolerances are in the ledger, which was written before it was run, but for what it says itself%s.\n",
		p.arguments(), guide)
	p.facts()
	p.counts()
	p.overview()
	if p.About != "" {
		p.line("%s\n", strings.TrimSpace(p.About))
	}
	if n := len(p.result.Incomplete()); n > 0 {
		are := "are"
		if n == 1 {
			are = "is"
		}
		p.line("> %d of %d studies %s not complete at this scale; claims and explanations that need what is missing are listed as missing.\n", n, len(p.result.Studies), are)
	}
}

// facts lists what was run, and what came out in all. Shown reads the scale.
func (p *page) facts() {
	p.line("%s%s%s%s", beforeScale, p.Scale, afterScale, p.meaning(p.Scale))
	if f := p.result.Prefer; f != nil {
		p.line("- **Preferred**: scale %s where it was run, %d of its %d runs: in tables in bold, and noted beside claims. %s", f.Scale, f.Ended, f.Runs, p.meaning(f.Scale))
	}
	p.line("- **Program**: %s", p.programText())
	if runs, older := p.result.Runs(); older > 0 {
		p.line("- **Older runs**: %d of %d are of an older revision of results; today's program may get others. `weft papers run %s --published` makes them anew.", older, runs, p.options.Ledger)
	}
	p.line("- **Seeds**: %s", p.seedsText())
	p.line("- **Result**: %s.", p.resultText())
	if explained := p.result.Explained.String(); explained != "" {
		p.line("- **Explanations**: %s.", explained)
	}
	p.line("")
}

// resultText sums up what stands in the table of counts.
func (p *page) resultText() string {
	return fmt.Sprintf("%d claims: %d reproduced, %.0f %% of the %d that can be simulated",
		p.claimed(), p.result.Counts[papers.Reproduced], 100*p.result.Share(), p.result.Simulable())
}

// claimed counts the claims of the paper.
func (p *page) claimed() int {
	return p.count(func(c *papers.ClaimResult) bool { return c.Kind != papers.KindOwn })
}

// meaning is what a scale means.
func (p *page) meaning(scale string) string {
	if scale == papers.Full {
		return strings.TrimSpace(p.Scales.Full)
	}
	return strings.TrimSpace(p.Scales.Quick)
}

func (p *page) programText() string {
	if len(p.programs) == 0 {
		return "nothing was run"
	}
	const few = 3
	if n := len(p.programs); n > few {
		var versions, identities []string
		for _, m := range p.programs {
			versions = append(versions, m.Version)
		}
		for _, s := range p.result.Studies {
			if s.Program != "" && !slices.Contains(identities, s.Program) {
				identities = append(identities, s.Program)
			}
		}
		return fmt.Sprintf("%s: %d builds of weft, %s to %s; each run records its build", strings.Join(identities, ", "), n,
			slices.MinFunc(versions, natural.Compare), slices.MaxFunc(versions, natural.Compare))
	}
	var words []string
	for _, m := range p.programs {
		text := "weft " + m.Version
		if m.Revision != "" {
			text += ", revision " + m.ShortRevision()
		}
		if m.Modified {
			text += " with changes"
		}
		words = append(words, text+", "+m.Go)
	}
	return strings.Join(words, "; ")
}

func (p *page) seedsText() string {
	least, most := 0, 0
	for _, s := range p.result.Studies {
		if s.Seeds == 0 {
			continue // an analysis, whose numbers have their own intervals
		}
		if least == 0 || s.Seeds < least {
			least = s.Seeds
		}
		most = max(most, s.Seeds)
	}
	if most == 0 {
		return "analyses have the seed in their command; intervals in brackets are of 95 %, as the analysis gives them."
	}
	text := fmt.Sprintf("%d to %d, *n* beside each number", least, most)
	if least == most {
		text = strconv.Itoa(most)
	}
	text += "; intervals in brackets are of 95 %, over seeds"
	if few := max(least, 2); most > 1 && few < study.EnoughSeeds {
		text += fmt.Sprintf("; those of fewer than %d are the extremes, which cover the mean in at most %.0f %% of cases with %d", study.EnoughSeeds, 100*study.Coverage(few), few)
	}
	return text + "."
}

// claims writes a table a section.
func (p *page) claims() {
	p.line("## Claims\n")
	for _, s := range p.sections() {
		p.line("### <a id=\"%s\"></a>%s\n", anchor(s), s)
		for _, of := range p.Sections {
			if of.Name == s {
				p.line("%s\n", strings.TrimSpace(of.About))
			}
		}
		p.line("| claim | claimed | measured | verdict |\n| --- | --- | --- | --- |")
		for i := range p.result.Claims {
			if c := &p.result.Claims[i]; c.Section == s {
				p.line("| <a id=\"%s\"></a>%s *(%s)* | %s | %s | %s |", c.ID, cell(c.Claim), cell(c.Where), cell(c.Claimed), p.measured(c), p.verdict(c))
			}
		}
		p.line("")
	}
}

// measured is the numbers of a claim, with what is to be said of them.
func (p *page) measured(c *papers.ClaimResult) string {
	var parts []string
	if c.Measured != "" {
		parts = append(parts, cell(once(c.MeasuredPieces)))
	}
	if c.Reason != "" {
		parts = append(parts, "*"+cell(c.Reason)+"*")
	}
	if c.Notes != "" && c.Notes != c.Reason {
		parts = append(parts, cell(c.Notes))
	}
	if c.Preferred {
		parts = append(parts, "With runs of scale "+p.Prefer+".")
	}
	return strings.Join(parts, "<br>")
}

func (p *page) verdict(c *papers.ClaimResult) string {
	text := "**" + string(c.Verdict) + "**"
	switch {
	case c.By == papers.ByOrder:
		text += " by order or bound"
	case c.Explained && c.Reading:
		text += ", [explained by reading](#explanations)"
	case c.Explained:
		text += ", [explained](#explanations)"
	case c.ExplainedInPart():
		text += ", [explained in part](#explanations)"
	}
	if len(c.Contradicts) > 0 {
		text += ", [contradicted](#contradictions)"
	}
	if c.Kind == papers.KindTestbed {
		text += " (testbed, simulated)"
	}
	return text
}

// cell makes a text one of a table.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(strings.TrimSpace(s))
}

// contradictions writes claims that cannot all be true side by side.
func (p *page) contradictions() {
	var groups [][]string
	for _, c := range p.result.Claims {
		if len(c.Contradicts) == 0 {
			continue
		}
		all := append([]string{c.ID}, c.Contradicts...)
		i := slices.IndexFunc(groups, func(g []string) bool {
			return slices.ContainsFunc(all, func(id string) bool { return slices.Contains(g, id) })
		})
		if i < 0 {
			groups, i = append(groups, nil), len(groups)
		}
		for _, id := range all {
			if !slices.Contains(groups[i], id) {
				groups[i] = append(groups[i], id)
			}
		}
	}
	if len(groups) == 0 {
		return
	}
	p.line("## Contradictions\n")
	p.line("Statements of the paper that do not agree with each other, side by side.\n")
	for _, g := range groups {
		var head, rule, what, claimed, found []string
		for _, id := range g {
			c := p.claim(id)
			if c == nil {
				continue
			}
			head, rule = append(head, cell(c.Where)), append(rule, "---")
			what, claimed = append(what, cell(c.Claim)), append(claimed, "claimed: "+cell(c.Claimed))
			found = append(found, p.verdict(c)+"<br>"+p.measured(c))
		}
		for _, row := range [][]string{head, rule, what, claimed, found} {
			p.line("| %s |", strings.Join(row, " | "))
		}
		p.line("")
	}
}

func (p *page) claim(id string) *papers.ClaimResult {
	i := slices.IndexFunc(p.result.Claims, func(c papers.ClaimResult) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &p.result.Claims[i]
}

// studies lists what was run.
func (p *page) studies() {
	p.line("## Studies\n")
	p.line("`weft papers run %s STUDY --scale %s` runs one of them.\n", p.options.Ledger, p.Scale)
	// A column that would be empty is none.
	named := slices.ContainsFunc(p.result.Studies, func(r papers.StudyResult) bool { return r.Presets != "" })
	heads, rule := "", ""
	if named {
		heads, rule = " presets |", " --- |"
	}
	p.line("| study | figure | what is run | runs | seeds |%s\n| --- | --- | --- | ---: | ---: |%s", heads, rule)
	for _, r := range p.result.Studies {
		s, _ := p.Study(r.ID)
		runs := fmt.Sprint(r.Runs)
		var but []string
		for _, b := range []struct {
			n    int
			what string
		}{{r.Missing, "missing"}, {r.Partial, "stuck"}, {r.Failed + r.Dead, "failed"}} {
			if b.n > 0 {
				but = append(but, fmt.Sprintf("%d %s", b.n, b.what))
			}
		}
		if len(but) > 0 {
			runs += " (" + strings.Join(but, ", ") + ")"
		}
		presets := ""
		if named {
			presets = " " + cell(r.Presets) + " |"
		}
		p.line("| %s | %s | %s | %s | %d |%s", r.ID, s.Figure, cell(s.About), runs, r.Seeds, presets)
	}
}
