// Package tracing has the commands about traces of applications: weft trace info, check, loggops and convert.
package tracing

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/trace"
	"weft/trace/goal"
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
		Short: "Show, check and replay traces of applications",
		Long: `Look at traces of applications in GOAL, the text and the binary form of LogGOPSim and ATLAHS: what is in
them, whether all messages and receives match, and how long they take by the arithmetic of LogGOPS.`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.info(), p.check(), p.loggops(), p.convert())
	return c
}

// file demands the argument of a command.
func file(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes a trace, but got %d arguments; as in %s app.goal", c.CommandPath(), len(args), c.CommandPath())
	}
	return nil
}

// read reads a trace that a replay can begin with.
func (p Program) read(path string) (*trace.Trace, error) {
	t, err := goal.Read(path)
	if err != nil {
		return nil, p.Wrong(remedied(err, path))
	}
	p.Notices(prefixed(path, t.Notices))
	return t, nil
}

// remedied says what to name, if it is not the text that is wrong.
func remedied(err error, path string) error {
	if e := filepath.Ext(path); e == ".et" || e == ".json" {
		return fmt.Errorf("%w; weft reads traces in GOAL, text or binary", err)
	}
	return err
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
	return []cobra.Completion{"goal", "bin"}, cobra.ShellCompDirectiveFilterFileExt
}
