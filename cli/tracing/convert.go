package tracing

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/trace/goal"
)

func (p Program) convert() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "convert FILE --out FILE",
		Short: "Write a trace as text or in the binary form of LogGOPSim",
		Long: `Write a trace in the other form of GOAL: text if the name of --out ends with .goal, and the binary form that
LogGOPSim and ATLAHS read if it ends with .bin. That form has no labels, 32 bits for a tag, and 8 for a processor
or a NIC. What does not fit is refused.`,
		Example: `  weft trace convert app.goal --out app.bin
  weft trace convert app.bin --out app.goal`,
		Args:              file,
		ValidArgsFunction: files,
		RunE: func(_ *cobra.Command, args []string) error {
			write := goal.WriteText
			switch filepath.Ext(out) {
			case ".goal":
			case ".bin":
				write = goal.WriteBinary
			default:
				return p.Wrong(fmt.Errorf("--out %q: the ending says which form it is; name a file that ends with .goal or .bin", out))
			}
			t, err := p.read(args[0])
			if err != nil {
				return err
			}
			if err := userfile.Write(out, func(w io.Writer) error { return write(w, t) }); err != nil {
				return p.Wrong(err)
			}
			_, err = fmt.Fprintf(p.Stdout, "%s: %s\n", out, readable.Count(len(t.Ranks), "rank"))
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write")
	return c
}
