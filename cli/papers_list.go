package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/papers"
	"weft/study"
)

func (p *program) papersList() *cobra.Command {
	var flags ledgerFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [PAPER]",
		Short: "List the papers, or the studies and claims of one",
		Example: `  weft papers list
  weft papers list arcane
  weft papers list --dir my-paper`,
		Args:              atMost("one paper"),
		ValidArgsFunction: argument(p.paperNames),
		RunE: func(_ *cobra.Command, args []string) error {
			names := args
			switch {
			case len(args) > 0:
			case flags.dir != "":
				names = []string{folderName(flags.dir)}
			default:
				names = p.library.Names()
				if len(names) == 0 {
					return badInput(papers.ErrNoLedgers)
				}
			}
			var list []listedPaper
			for _, name := range names {
				listed, err := p.listPaper(flags, name, len(args) > 0 || flags.dir != "")
				if err != nil {
					return err
				}
				list = append(list, listed)
			}
			if asJSON {
				return writeJSON(p.stdout, list)
			}
			return p.writePapers(list, len(args) > 0 || flags.dir != "")
		},
	}
	flags.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// listedPaper is a ledger as it is listed.
type listedPaper struct {
	Name     string            `json:"name"`
	Title    string            `json:"title"`
	Citation string            `json:"citation,omitempty"`
	Scales   map[string]string `json:"scales"`
	Studies  []listedStudy     `json:"studies"`
	Claims   []listedClaim     `json:"claims"`
}

type listedStudy struct {
	ID      string         `json:"id"`
	Figure  string         `json:"figure,omitempty"`
	Section string         `json:"section,omitempty"`
	About   string         `json:"about"`
	Runs    map[string]int `json:"runs,omitempty"`
	// Problem is why it cannot be run.
	Problem string `json:"problem,omitempty"`
}

type listedClaim struct {
	ID      string `json:"id"`
	Where   string `json:"where"`
	Kind    string `json:"kind"`
	Claim   string `json:"claim"`
	Claimed string `json:"claimed"`
	Study   string `json:"study,omitempty"`
}

// listPaper reads a ledger; only of one that is looked at closely its studies are
// planned, to count their runs.
func (p *program) listPaper(flags ledgerFlags, name string, closely bool) (listedPaper, error) {
	l, done, err := p.ledger(flags, name, "")
	if err != nil {
		return listedPaper{}, err
	}
	defer done()
	out := listedPaper{
		Name: l.Name, Title: l.Title, Citation: l.Citation,
		Scales: map[string]string{papers.Quick: l.Scales.Quick, papers.Full: l.Scales.Full},
	}
	identity, err := study.Program()
	if err != nil {
		return out, err
	}
	for i := range l.Studies {
		s := &l.Studies[i]
		listed := listedStudy{ID: s.ID, Figure: s.Figure, Section: s.Section, About: s.About}
		for _, scale := range papers.ScaleNames() {
			if !closely || !s.Runs(scale) {
				continue
			}
			if s.Analyze != nil {
				p.listAnalyses(l, s, scale, &listed)
				continue
			}
			plan, err := l.Plan(s, scale, p.reg, identity)
			if err != nil {
				listed.Problem = err.Error()
				continue
			}
			if listed.Runs == nil {
				listed.Runs = map[string]int{}
			}
			listed.Runs[scale] = len(plan.Runs())
		}
		out.Studies = append(out.Studies, listed)
	}
	for _, c := range l.Claims {
		out.Claims = append(out.Claims, listedClaim{ID: c.ID, Where: c.Where, Kind: c.Kind, Claim: c.Claim, Claimed: c.Claimed, Study: c.Study})
	}
	return out, nil
}

func (p *program) writePapers(list []listedPaper, closely bool) error {
	room := width(p.stdout, false)
	var b strings.Builder
	var rows [][]string
	for _, l := range list {
		rows = append(rows, []string{l.Name, fmt.Sprintf("%s, %s", readable.Count(len(l.Studies), "study"), readable.Count(len(l.Claims), "claim")), l.Title})
	}
	writeFolded(&b, rows, room)
	if closely {
		for _, l := range list {
			l.write(&b, room)
		}
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}

// write lists the studies and claims of a ledger.
func (l *listedPaper) write(b *strings.Builder, width int) {
	indented(b, l.Citation, "", "", width)
	b.WriteByte('\n')
	indented(b, "quick: "+l.Scales[papers.Quick], "", "       ", width)
	indented(b, "full:  "+l.Scales[papers.Full], "", "       ", width)
	b.WriteByte('\n')
	rows := [][]string{{"study", "figure", "section", "runs quick", "full", "about"}}
	for _, s := range l.Studies {
		rows = append(rows, []string{s.ID, s.Figure, s.Section, runsOf(s, papers.Quick), runsOf(s, papers.Full), s.About})
	}
	writeFolded(b, rows, width)
	b.WriteByte('\n')
	rows = [][]string{{"claim", "kind", "where", "claimed"}}
	for _, c := range l.Claims {
		rows = append(rows, []string{c.ID, c.Kind, c.Where, strings.Join(strings.Fields(c.Claimed), " ")})
	}
	writeFolded(b, rows, width)
}

// writeFolded writes rows in columns of which the last is broken into lines, so that all
// fit a width that is not 0.
func writeFolded(b *strings.Builder, rows [][]string, width int) {
	const gap, least = 2, 20
	last := len(rows[0]) - 1
	wide := make([]int, last)
	offset := 0
	for i := range wide {
		for _, r := range rows {
			wide[i] = max(wide[i], utf8.RuneCountInString(r[i]))
		}
		offset += wide[i] + gap
	}
	for _, r := range rows {
		for i, text := range r[:last] {
			b.WriteString(padded(text, wide[i]+gap))
		}
		lines := []string{r[last]}
		if width > 0 && r[last] != "" {
			lines = folded(r[last], max(least, width-offset))
		}
		b.WriteString(strings.Join(lines, "\n"+strings.Repeat(" ", offset)))
		b.WriteByte('\n')
	}
}

func runsOf(s listedStudy, scale string) string {
	if s.Problem != "" {
		return "wrong"
	}
	if n, ok := s.Runs[scale]; ok {
		return fmt.Sprint(n)
	}
	return "–"
}

// listAnalyses counts the runs of an analysis at a scale.
func (p *program) listAnalyses(l *papers.Ledger, s *papers.Study, scale string, listed *listedStudy) {
	a, err := l.PlanAnalyses(s, scale, analyst{p.reg})
	if err != nil {
		listed.Problem = err.Error()
		return
	}
	if listed.Runs == nil {
		listed.Runs = map[string]int{}
	}
	listed.Runs[scale] = len(a.Tasks)
}
