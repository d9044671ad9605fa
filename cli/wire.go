package cli

import (
	"github.com/spf13/cobra"

	"weft/cli/onwire"
)

// wire has the commands that send real messages.
func (p *program) wire() *cobra.Command {
	c := onwire.Command(onwire.Program{
		Stdout: p.stdout, Line: func(v any) error { return writeJSONLine(p.stdout, v) }, Hold: p.interrupts.hold, Wrong: badInput,
	})
	c.Args = noSuchCommand
	return c
}
