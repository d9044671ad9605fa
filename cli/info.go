package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"weft/papers"
	"weft/record"
	"weft/scenario"
)

func (p *program) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Long: `Print the JSON Schema of scenario files, with which editors complete and check them.
With the YAML language server, begin a scenario with

  # yaml-language-server: $schema=weft.schema.json`,
		Example: "  weft schema > weft.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return writeJSON(p.stdout, scenario.Schema(p.reg))
		},
	}
}

func (p *program) docs() *cobra.Command {
	return &cobra.Command{
		Use:       "docs scenarios|papers",
		Short:     "Print the reference of scenario files, or of ledgers, as Markdown",
		Hidden:    true,
		ValidArgs: []string{"scenarios", "papers"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] == "papers" {
				return papers.WriteReference(p.stdout)
			}
			return scenario.WriteReference(p.stdout, p.reg)
		},
	}
}

func (p *program) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := record.CurrentProgram()
			text := []string{"weft", v.Version}
			if v.Revision != "" {
				text = append(text, v.Revision)
			}
			if v.Modified {
				text = append(text, "(modified)")
			}
			_, err := fmt.Fprintf(p.stdout, "%s, scenario format %d, %s %s/%s\n",
				strings.Join(text, " "), scenario.Version, v.Go, runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
