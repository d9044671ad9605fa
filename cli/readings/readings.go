// Package readings has the commands about readings of a paper: weft papers readings, and its run, check
// and publish.
package readings

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/nearest"
	"weft/papers"
	"weft/papers/reading"
)

// Paper opens a ledger at a scale, as the flags of a command say.
type Paper interface {
	// Open opens the ledger that arguments name. Rest are further arguments; done ends its use. Keep has
	// the ledger unpacked where its results are, for runs.
	Open(args []string, keep bool) (l *papers.Ledger, rest []string, done func(), err error)
	// Evaluator plans the studies of a ledger, as it is or under a reading.
	Evaluator(l *papers.Ledger) (*papers.Evaluator, error)
	// Run runs studies, or lists them if asked for by a flag.
	Run(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study) error
	// Publish writes runs of studies into the folder of the ledger.
	Publish(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study) error
	// Scale is the scale, and Whose how commands name the ledger and its results.
	Scale() string
	Whose() string
}

// Use is what a command does with a ledger, by which its flags are chosen.
type Use int

// Uses of a ledger.
const (
	Look Use = iota
	Execute
	Write
)

// Program is what the commands stand on.
type Program struct {
	Stdout io.Writer
	// JSON prints an object.
	JSON func(v any) error
	// Notices shows what a user should know.
	Notices func([]string)
	// Wrong marks an error that the user has to mend.
	Wrong func(error) error
	// Paper adds the flags of a ledger to a command.
	Paper func(c *cobra.Command, use Use) Paper
}

// Command returns weft papers readings.
func Command(p Program) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "readings PAPER",
		Short: "Show what a paper leaves open, and what holds under each reading",
		Long: `A paper leaves settings open. The file readings.yaml of a ledger names them, with the
admissible values and their sources: text, figure, cited work or public code. List the
readings, run them in any order and part by part, and check which claims hold in all
of them, which depend on a setting, and which hold in none.`,
		Example: `  weft papers readings fncc
  weft papers readings run fncc window=pace --study fig13
  weft papers readings check fncc --published`,
	}
	paper := p.Paper(c, Look)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return p.list(paper, args, asJSON)
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, and nothing else on standard output")
	c.AddCommand(p.run(), p.check(), p.publish())
	return c
}

// opened is a ledger with its readings.
type opened struct {
	*reading.File
	ledger *papers.Ledger
	rest   []string
}

// open opens a ledger and its readings.
func open(paper Paper, args []string, keep bool) (o opened, done func(), err error) {
	l, rest, done, err := paper.Open(args, keep)
	if err != nil {
		return o, nil, err
	}
	f, err := reading.Load(l)
	if err != nil {
		done()
		return o, nil, err
	}
	return opened{f, l, rest}, done, nil
}

// chosen finds the readings that arguments name; all but the first one if there are none.
func (p Program) chosen(o opened) ([]*reading.Reading, error) {
	further := o.Readings()[1:]
	var names []string
	for _, r := range further {
		names = append(names, r.Name)
	}
	for _, name := range o.rest {
		if !slices.Contains(names, name) {
			return nil, p.Wrong(fmt.Errorf("%s has no further reading %q; %s", o.ledger.Name, name, nearest.Remedy(name, "known:", names)))
		}
	}
	var list []*reading.Reading
	for i := range further {
		if r := &further[i]; len(o.rest) == 0 || slices.Contains(o.rest, r.Name) {
			list = append(list, r)
		}
	}
	return list, nil
}

// each opens the studies of each chosen reading, those that are named or all, and does something with them.
func (p Program) each(ctx context.Context, paper Paper, o opened, studies []string, do func(context.Context, *papers.Evaluator, []*papers.Study) error) error {
	list, err := p.chosen(o)
	if err != nil {
		return err
	}
	for _, id := range studies {
		if !slices.ContainsFunc(list, func(r *reading.Reading) bool { return slices.Contains(o.StudiesOf(r, paper.Scale()), id) }) {
			return p.Wrong(fmt.Errorf("no chosen reading changes a study %q at scale %s; weft papers readings %s lists the studies of each", id, paper.Scale(), paper.Whose()))
		}
	}
	seen := map[string]bool{} // readings share studies that they change alike
	for _, r := range list {
		under, _ := o.Under(r, paper.Scale())
		var chosen []*papers.Study
		for _, id := range o.StudiesOf(r, paper.Scale()) {
			s, _ := under.Study(id)
			if (len(studies) == 0 || slices.Contains(studies, id)) && !seen[s.Stored()] {
				seen[s.Stored()] = true
				chosen = append(chosen, s)
			}
		}
		if len(chosen) == 0 {
			continue
		}
		e, err := paper.Evaluator(under)
		if err != nil {
			return err
		}
		if err := e.Unfit(chosen); err != nil {
			return err
		}
		if err := do(ctx, e, chosen); err != nil {
			return fmt.Errorf("reading %s: %w", r.Name, err)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	if len(seen) == 0 {
		p.Notices([]string{fmt.Sprintf("no reading changes a study at scale %s", paper.Scale())})
	}
	return nil
}

func (p Program) run() *cobra.Command {
	var studies []string
	c := &cobra.Command{
		Use:   "run PAPER [READING]...",
		Short: "Run studies under other readings, or their missing runs",
		Long: `Run the studies that readings change: all readings, or those that you name. Results are
kept beside those of the studies, as in fig13@window=pace. A finished run is never
repeated, so a long sweep can be run in parts: by readings, by --study, by --where.`,
		Example: `  weft papers readings run fncc window=pace lhcs=direct --study fig13
  weft papers readings run dart marking=red --study typical --where load=20%`,
	}
	paper := p.Paper(c, Execute)
	c.RunE = func(c *cobra.Command, args []string) error {
		o, done, err := open(paper, args, true)
		if err != nil {
			return err
		}
		defer done()
		return p.each(c.Context(), paper, o, studies, paper.Run)
	}
	c.Flags().StringSliceVar(&studies, "study", nil, "only these studies")
	return c
}

func (p Program) publish() *cobra.Command {
	var studies []string
	c := &cobra.Command{
		Use:     "publish [READING]... --dir LEDGER",
		Short:   "Publish runs of readings in a ledger's folder",
		Long:    `Write runs of readings into the ledger's folder, beside the published runs of its studies, which stay.`,
		Example: `  weft papers readings publish window=pace --dir papers/fncc`,
	}
	paper := p.Paper(c, Write)
	c.RunE = func(c *cobra.Command, args []string) error {
		o, done, err := open(paper, args, false)
		if err != nil {
			return err
		}
		defer done()
		return p.each(c.Context(), paper, o, studies, paper.Publish)
	}
	c.Flags().StringSliceVar(&studies, "study", nil, "only these studies")
	return c
}

// list shows the settings and readings of a ledger.
func (p Program) list(paper Paper, args []string, asJSON bool) error {
	o, done, err := open(paper, args, false)
	if err != nil {
		return err
	}
	defer done()
	if len(o.rest) > 0 {
		return p.Wrong(fmt.Errorf("weft papers readings lists a whole ledger, not %s; check shows the readings of single claims", strings.Join(o.rest, ", ")))
	}
	type listed struct {
		*reading.Reading
		Studies []string `json:"studies"`
	}
	var list []listed
	all := o.Readings()
	for i := range all {
		list = append(list, listed{&all[i], o.StudiesOf(&all[i], paper.Scale())})
	}
	if asJSON {
		return p.JSON(map[string]any{"paper": o.ledger.Name, "scale": paper.Scale(), "settings": o.OpenSettings(), "readings": list})
	}
	var b strings.Builder
	for _, s := range o.OpenSettings() {
		fmt.Fprintf(&b, "%s: %s\n  first  %s (%s: %s)\n", s.ID, s.About, s.First, s.Source, s.Why)
		for _, r := range list[1:] {
			if value, ok := strings.CutPrefix(r.Name, s.ID+"="); ok {
				fmt.Fprintf(&b, "  other  %s (%s: %s)\n         studies: %s\n", value, r.Source, r.Why, strings.Join(r.Studies, ", "))
			}
		}
	}
	for _, r := range list[1:] {
		if r.Source == "" {
			fmt.Fprintf(&b, "%s: %s\n  %s\n         studies: %s\n", r.Name, r.About, r.Why, strings.Join(r.Studies, ", "))
		}
	}
	fmt.Fprintf(&b, "%s: %d readings beside the first at scale %s; weft papers readings run %s READING runs one\n", o.ledger.Name, len(list)-1, paper.Scale(), paper.Whose())
	_, err = io.WriteString(p.Stdout, b.String())
	return err
}
