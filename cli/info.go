package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"weft/papers"
	"weft/record"
	"weft/scenario"
)

// docs has a command for each reference, so that a wrong name is met as one of a command is.
func (p *program) docs() *cobra.Command {
	c := &cobra.Command{
		Use:   "docs",
		Short: "Print the reference of scenario files, or of ledgers, as Markdown",
		Long: `Print the reference of scenario files, with every built-in option and those that your
own program adds, or the reference of papers' ledgers.`,
		Example: "  weft docs scenarios > scenarios.md",
		Args:    noSuchCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		&cobra.Command{
			Use:   "scenarios",
			Short: "Print the reference of scenario files",
			Args:  cobra.NoArgs,
			RunE:  func(*cobra.Command, []string) error { return scenario.WriteReference(p.stdout, p.reg) },
		},
		&cobra.Command{
			Use:   "papers",
			Short: "Print the reference of ledgers",
			Args:  cobra.NoArgs,
			RunE:  func(*cobra.Command, []string) error { return papers.WriteReference(p.stdout) },
		},
	)
	return c
}

func (p *program) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.stdout, "weft", versionText())
			return err
		},
	}
}

// versionText tells which program this is and what made it.
func versionText() string {
	v := record.CurrentProgram()
	text := v.Version
	if v.Revision != "" {
		text += " " + v.Revision
	}
	if v.Modified {
		text += " (modified)"
	}
	return fmt.Sprintf("%s, scenario format %d, %s %s/%s", text, scenario.Version, v.Go, runtime.GOOS, runtime.GOARCH)
}
