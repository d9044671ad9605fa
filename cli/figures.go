package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/record"
	"weft/report"
	"weft/study"
)

func (p *program) figures() *cobra.Command {
	var o report.StudyOptions
	var fixed []string
	c := &cobra.Command{
		Use:   "figures DIR",
		Short: "Draw results for papers: port timelines, completion times, runtimes; study means",
		Long: `Draw the results in a folder as PNG, SVG and PDF, as wide as a column or a page of
a two-column paper. For a run or comparison, weft draws port timelines, completion
times and runtimes. For a study, it draws the mean of each metric with its 95 %
interval: axes of the study become the x axis, colours and panels.`,
		Example: `  weft figures out/slow-uplink --format pdf
  weft figures out/uplink-faults --metric fct_p99_us --x load --color variant --panels fault
  weft figures out/uplink-faults --fix 'fault=healthy'`,
		Args: exactly("a folder of results"),
		RunE: func(c *cobra.Command, args []string) error {
			if !study.IsStudy(args[0]) {
				for _, name := range []string{"metric", "x", "color", "panels", "fix"} {
					if c.Flags().Changed(name) {
						return badInput(fmt.Errorf("--%s is for studies, and %s is none", name, args[0]))
					}
				}
				drawn, err := report.Figures(args[0], report.Options{Formats: o.Formats})
				return p.showDrawn(drawn, err)
			}
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
			drawn, err := report.StudyFigures(s.Table(), filepath.Join(args[0], record.FiguresFolder), o)
			return p.showDrawn(drawn, err)
		},
	}
	c.Flags().StringSliceVar(&o.Formats, "format", nil, "formats: any of png, svg and pdf (default all)")
	c.Flags().StringSliceVar(&o.Metrics, "metric", nil, "study: metrics, as in fct_p99_us,drops (default the main ones)")
	c.Flags().StringVar(&o.X, "x", "", "study: x axis of the plot (default the quantity with most levels)")
	c.Flags().StringVar(&o.Color, "color", "", "study: axis shown in colours (default the variants)")
	c.Flags().StringSliceVar(&o.Panels, "panels", nil, "study: axes shown in panels (default the rest)")
	c.Flags().StringArrayVar(&fixed, "fix", nil, "study: hold an axis at one level, as in fault=healthy (repeatable)")
	return c
}

// figuresText counts figures that were drawn: a figure is one in however many formats.
func figuresText(files []string) string {
	figures, formats := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		format := filepath.Ext(file)
		figures[strings.TrimSuffix(file, format)] = true
		formats[format] = true
	}
	text := counted(len(figures), "figure")
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
