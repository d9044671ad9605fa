package cli

import (
	"io"

	"github.com/spf13/cobra"

	"weft/internal/tabular"
	"weft/study"
)

func (p *program) studyTable() *cobra.Command {
	var csv, md, asJSON, wide, list bool
	var parquet string
	var metrics []string
	c := &cobra.Command{
		Use:   "table DIR",
		Short: "Print a study as a table, one row per cell, with means and 95 % intervals",
		Args:  exactly("the folder of a study"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := study.Open(args[0])
			if err != nil {
				return badInput(err)
			}
			p.notices(s.Warnings())
			t := s.Table()
			if list {
				rows, err := t.MetricsText()
				if err != nil {
					return badInput(err)
				}
				return tabular.Write(p.stdout, rows, len(rows[0]), 0)
			}
			if len(metrics) > 0 {
				if t, err = t.Only(metrics); err != nil {
					return badInput(err)
				}
			}
			switch {
			case csv:
				return t.WriteCSV(p.stdout)
			case parquet != "":
				return writeFile(parquet, t.WriteParquet)
			case asJSON:
				return writeJSON(p.stdout, t)
			}
			if !md {
				return p.writeStudyTable(t, s.Dir, metrics, wide)
			}
			columns, groups := chosenColumns(t, metrics)
			if err := t.WriteMarkdown(p.stdout, columns); err != nil {
				return err
			}
			_, err = io.WriteString(p.stdout, groups+t.PresetsNote()+t.InsteadNote(columns)+t.NoticesNote()+t.Footnote())
			return err
		},
	}
	c.Flags().BoolVar(&csv, "csv", false, "write CSV with every metric, its interval and number of values")
	c.Flags().BoolVar(&md, "md", false, "write a Markdown table")
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	c.Flags().StringVar(&parquet, "parquet", "", "write the columns of --csv to this Parquet file")
	addWide(c, &wide)
	c.Flags().StringSliceVar(&metrics, "metric", nil, "only these metrics, as in fct_p99_us,drops (--list-metrics lists all)")
	c.Flags().BoolVar(&list, "list-metrics", false, "list the study's metrics with units and titles instead")
	c.MarkFlagsMutuallyExclusive("csv", "md", "json", "parquet", "list-metrics")
	c.MarkFlagsMutuallyExclusive("metric", "list-metrics")
	return c
}

// chosenColumns returns the metrics that a table for people shows, and what is to be said
// of them: without a choice they are the main ones, of all traffic.
func chosenColumns(t *study.Table, metrics []string) (columns []string, note string) {
	if len(metrics) > 0 {
		return metrics, ""
	}
	return t.Shown(), t.GroupsNote()
}

// writeStudyTable writes a table for people of some metrics; without any, of the main ones.
func (p *program) writeStudyTable(t *study.Table, dir string, metrics []string, wide bool) error {
	columns, groups := chosenColumns(t, metrics)
	rows, err := t.Text(columns)
	if err != nil {
		return badInput(err)
	}
	if err := tabular.Write(p.stdout, rows, len(t.Axes)+1, width(p.stdout, wide)); err != nil {
		return err
	}
	_, err = io.WriteString(p.stdout, groups+t.PresetsNote()+t.InsteadNote(columns)+t.NoticesNote()+t.Footnote())
	return err
}
