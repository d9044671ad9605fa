package page

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"weft/internal/userfile"
	"weft/papers/page/grid"
	"weft/papers/reading"
)

// looks are how outcomes look. Colours are those of Okabe and Ito, which people with any kind of colour
// vision tell apart; symbols are those of weft papers readings check.
var looks = []struct {
	outcome reading.Outcome
	grid.Look
}{
	{reading.Met, grid.Look{Name: "holds", Symbol: "+", Fill: "#0072b2", Ink: "#ffffff"}},
	{reading.Missed, grid.Look{Name: "fails", Symbol: "-", Fill: "#d55e00", Ink: "#ffffff"}},
	{reading.Undecided, grid.Look{Name: "undecided", Symbol: "?", Fill: "#f0e442", Ink: "#222222"}},
	{reading.NotRun, grid.Look{Name: "not run", Symbol: ".", Fill: "#f2f2f2", Ink: "#777777"}},
	{reading.Same, grid.Look{Name: "as first", Symbol: " ", Fill: "#fafafa", Ink: "#777777"}},
	{reading.None, grid.Look{Name: "not decidable here", Symbol: "x", Fill: "#999999", Ink: "#222222"}},
}

// gridOf is the figure of claims by readings.
func gridOf(short string, r *reading.Result) *grid.Grid {
	g := &grid.Grid{Title: fmt.Sprintf("%s at scale %s: claims by readings of the paper", short, r.Scale)}
	at := map[reading.Outcome]int{}
	for i, l := range looks {
		g.Looks, at[l.outcome] = append(g.Looks, l.Look), i
	}
	for _, p := range r.Readings {
		g.Columns = append(g.Columns, p.Name)
	}
	for i := range r.Claims {
		c := &r.Claims[i]
		row := grid.Row{Name: c.ID, Verdict: c.Word()}
		if len(c.On) > 0 {
			row.Verdict += " on " + strings.Join(c.On, ", ")
		}
		for _, cell := range c.Cells {
			words := []string{fmt.Sprintf("%s, %s: %s", c.ID, cell.Reading, cell.Outcome), "claimed: " + c.Claimed, cell.Measured, cell.Why}
			if cell.Expected != "" {
				words = append(words, "expected: "+cell.Expected)
			}
			if cell.Outcome == reading.Same || cell.Outcome == reading.NotRun {
				words = words[:1] // there is no number
			}
			row.Cells = append(row.Cells, grid.Cell{Look: at[cell.Outcome], Title: filled(words)})
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// filled joins the texts that are not empty, a line each.
func filled(words []string) string {
	var lines []string
	for _, w := range words {
		if w != "" {
			lines = append(lines, brief(w))
		}
	}
	return strings.Join(lines, "\n")
}

// readings writes the first screen: claims by readings, the summary and what claims rest on.
func (p *page) readings() error {
	r := p.options.Readings
	if r == nil {
		return nil
	}
	p.line("%s\n", r.Summary.Under)
	p.line("| %s |\n| %s |\n| %s |\n", strings.Join(reading.Heads(), " | "), strings.TrimSuffix(strings.Repeat("--- | ", len(reading.Heads())), " | "), strings.Join(r.Summary.Row(), " | "))
	const name = "readings"
	if folder := p.options.Images; folder != "" {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return fmt.Errorf("%s: cannot write figures there: %w", folder, err)
		}
		g := gridOf(p.Short, r)
		for ext, write := range map[string]func(io.Writer) error{".svg": g.SVG, ".pdf": g.PDF} {
			if err := userfile.Write(filepath.Join(folder, name+ext), write); err != nil {
				return err
			}
		}
	}
	link := path.Join(p.options.Link, name)
	p.line("[![%s: claims in rows, readings in columns](%s.svg)](%[2]s.svg)\n", p.Short, link)
	p.line("Each cell shows what one reading of the paper says of a claim; in the [figure](%s.svg) itself its number shows on hover ([PDF](%[1]s.pdf)). A verdict *so far* waits for readings that were not run.\n", link)
	return nil
}

// restsOn lists the claims that depend on a setting, or that no reading decides, with what they rest on.
func (p *page) restsOn() {
	r := p.options.Readings
	if r == nil || r.Summary.Depends+r.Summary.Undecided == 0 {
		return
	}
	p.line("## What verdicts rest on\n")
	p.line("| claim | first reading | all readings | because |\n| --- | --- | --- | --- |")
	for i := range r.Claims {
		if c := &r.Claims[i]; len(c.On) > 0 || c.Undecided() {
			p.line("| %s *(%s)* | %s | %s | %s |", c.ID, cell(c.Where), c.Published, c.Word(), cell(brief(c.Text)))
		}
	}
	p.line("")
}
