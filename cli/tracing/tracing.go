// Package tracing has the commands about traces of applications: weft trace info, check, loggops, convert,
// generate and cut.
package tracing

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
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
}

// Command returns weft trace.
func Command(p Program) *cobra.Command {
	c := &cobra.Command{
		Use:   "trace",
		Short: "Show, check, replay and generate traces of applications",
		Long: `Look at traces of applications: what is in them, whether all messages and receives match, and how long they
take by the arithmetic of LogGOPS. Generate traces of training runs and of kernels of MPI programs.

Traces are in GOAL, the text and the binary form of LogGOPSim and ATLAHS, in Chakra's form, which ASTRA-sim
reads: a folder with a file per rank, or their prefix, or in layer files of SimAI and ASTRA-sim 1. Or they are
generated from a file of weft trace generate, which stands for its trace. The content of a file tells its format.`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.info(), p.check(), p.loggops(), p.convert(), p.generate(), p.cut())
	return c
}

// file demands the argument of a command.
func file(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes a trace, but got %d arguments; as in %s app.goal", c.CommandPath(), len(args), c.CommandPath())
	}
	return nil
}

func prefixed(path string, notices []string) (out []string) {
	for _, n := range notices {
		out = append(out, path+": "+n)
	}
	return out
}

// files completes names of traces.
func files(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"goal", "bin", "et", "yaml"}, cobra.ShellCompDirectiveFilterFileExt
}
