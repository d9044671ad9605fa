package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"weft/report"
)

func (p *program) figures() *cobra.Command {
	var formats []string
	c := &cobra.Command{
		Use:   "figures DIR",
		Short: "Draw the results in a folder: port timelines, completion times, runtimes",
		Args:  exactly("a folder of results"),
		RunE: func(_ *cobra.Command, args []string) error {
			drawn, err := report.Figures(args[0], report.Options{Formats: formats})
			if err != nil {
				return badInput(err)
			}
			p.notices(drawn.Notices)
			for _, file := range drawn.Files {
				fmt.Fprintln(p.stdout, file)
			}
			return nil
		},
	}
	c.Flags().StringSliceVar(&formats, "format", nil, "formats among png, svg and pdf (default all)")
	return c
}
