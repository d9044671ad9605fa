package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/record"
	"weft/report"
	"weft/study"
)

func (p *program) figures() *cobra.Command {
	var o report.StudyOptions
	var fixed, only []string
	var width, out string
	c := &cobra.Command{
		Use:   "figures DIR",
		Short: "Draw figures for papers: slowdown, completion times, port timelines, study means",
		Long: fmt.Sprintf(`Draw the results in a folder as PNG, SVG and PDF, for a column or the full width of a
two-column paper. Figures go to the subfolder figures; --out writes them elsewhere.

A run or a comparison has these figures: %s.
A study has one per metric, with means and 95 %% intervals over its axes, and %s.
--only chooses some of them. A figure without data is left out, with a note.

A figure is as wide as a column (89 mm), or as a page (182 mm) if it is too tall
otherwise. --width sets the width of all. Text is 7 to 8 points at any width.`,
			strings.Join(report.FigureNames(), ", "), report.SizesFigure),
		Example: `  weft figures out/slow-uplink --format pdf
  weft figures out/slow-uplink --only ports,fct-cdf --width single --out paper/figures
  weft figures out/uplink-faults --only fct_p99_us --x load --color variant --panels fault
  weft figures out/uplink-faults --fix fault=healthy`,
		Args: exactly("a folder of results"),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if o.Width, err = report.ParseWidth(width); err != nil {
				return badInput(fmt.Errorf("--width: %w", err))
			}
			if !study.IsStudy(args[0]) {
				for _, name := range []string{"metric", "x", "color", "panels", "fix"} {
					if c.Flags().Changed(name) {
						return badInput(fmt.Errorf("--%s is for studies, and %s is none", name, args[0]))
					}
				}
				drawn, err := report.Figures(args[0], report.Options{Formats: o.Formats, Only: only, Width: o.Width, Out: out})
				return p.showDrawn(drawn, err)
			}
			o.Metrics = append(o.Metrics, only...)
			o.Fix = map[string]string{}
			for _, f := range fixed {
				axis, label, ok := strings.Cut(f, "=")
				if !ok {
					return badInput(fmt.Errorf("--fix %s: write an axis and one of its labels, as in fault=healthy", f))
				}
				o.Fix[axis] = label
			}
			s, err := study.Open(args[0])
			if err != nil {
				return badInput(err)
			}
			drawn, err := p.studyFigures(s, cmp.Or(out, filepath.Join(args[0], record.FiguresFolder)), o)
			return p.showDrawn(drawn, err)
		},
	}
	c.Flags().StringSliceVar(&o.Formats, "format", nil, "formats among png, svg and pdf (default all)")
	c.Flags().StringSliceVar(&only, "only", nil, "names of figures, as in ports,fct-cdf; of a study its metrics, too (default all, or the main metrics)")
	c.Flags().StringVar(&width, "width", "", "width of all figures: single (89mm), double (182mm) or a length, as in 84mm or 3.3in")
	c.Flags().StringVar(&out, "out", "", "folder to write to (default figures in the folder of results)")
	c.Flags().StringSliceVar(&o.Metrics, "metric", nil, "of a study: the same as --only")
	c.Flags().StringVar(&o.X, "x", "", "of a study: axis along the plot (default the quantity with most levels)")
	c.Flags().StringVar(&o.Color, "color", "", "of a study: axis that has colours (default the variants)")
	c.Flags().StringSliceVar(&o.Panels, "panels", nil, "of a study: axes that panels differ in (default the rest)")
	c.Flags().StringArrayVar(&fixed, "fix", nil, "of a study: hold an axis at a level, as in fault=healthy (repeatable)")
	return c
}

// studyFigures draws a study. It reads runs only if a figure needs their messages.
func (p *program) studyFigures(s *study.Study, folder string, o report.StudyOptions) (report.Drawn, error) {
	if len(o.Metrics) == 0 || slices.Contains(o.Metrics, report.SizesFigure) {
		o.Sizes = &report.StudySizes{}
		runs, _ := detailedRuns(s)
		progress, done := p.share("reading results")
		defer done()
		for i, r := range readRuns(s, runs, progress) {
			if r.err == nil { // what cannot be read is in no curve, and the report names it
				o.Sizes.Add(s.Plan.Cells[runs[i].cell].Name, r.value)
			}
		}
	}
	return report.StudyFigures(s.Table(), folder, o)
}

// figuresText counts figures that were drawn: a figure is one in however many formats.
func figuresText(files []string) string {
	figures, formats := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		format := filepath.Ext(file)
		figures[strings.TrimSuffix(file, format)] = true
		formats[format] = true
	}
	text := readable.Count(len(figures), "figure")
	if len(formats) > 1 {
		text += fmt.Sprintf(" in %d formats", len(formats))
	}
	return text
}

// showDrawn lists the figures that were drawn.
func (p *program) showDrawn(drawn report.Drawn, err error) error {
	if err != nil {
		return badInput(err)
	}
	p.notices(drawn.Notices)
	for _, file := range drawn.Files {
		fmt.Fprintln(p.stdout, file)
	}
	return nil
}
