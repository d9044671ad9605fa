package tracing

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/trace"
	"weft/trace/chakra"
	"weft/trace/goal"
)

func (p Program) convert() *cobra.Command {
	var out string
	var r reading
	c := &cobra.Command{
		Use:   "convert FILE --out FILE",
		Short: "Write a trace in GOAL, as text or for LogGOPSim, or in Chakra's form",
		Long: `Write a trace in another format, which the ending of --out says: .goal is GOAL as text, .bin is the binary form
that LogGOPSim and ATLAHS read, and .et is Chakra's form with a file per rank. There app.et stands for app.0.et,
app.1.et and so on.

GOAL has no collectives, so they become messages. Its binary form has no labels, 32 bits for a tag, and 8 for a
processor or a NIC; what does not fit is refused. Chakra's form counts computations in whole microseconds.`,
		Example: `  weft trace convert app.goal --out app.bin
  weft trace convert app.bin --out app.goal
  weft trace convert chakra/ --algorithm all-reduce=ring --out app.goal
  weft trace convert app.goal --out chakra/app.et`,
		Args:              file,
		ValidArgsFunction: files,
		RunE: func(_ *cobra.Command, args []string) error {
			write := func(t *trace.Trace) error { return writeGOAL(out, t, goal.WriteText) }
			switch filepath.Ext(out) {
			case ".goal":
			case ".bin":
				write = func(t *trace.Trace) error { return writeGOAL(out, t, goal.WriteBinary) }
			case ".et":
				write = func(t *trace.Trace) error {
					if err := folder(out); err != nil {
						return err
					}
					notices, err := chakra.Write(strings.TrimSuffix(out, ".et"), t)
					p.Notices(prefixed(out, notices))
					return err
				}
			default:
				return p.Wrong(fmt.Errorf("--out %q: the ending says which form it is; name a file that ends with .goal, .bin or .et", out))
			}
			t, err := p.read(args[0], &r)
			if err != nil {
				return err
			}
			if err := write(t); err != nil {
				return p.Wrong(err)
			}
			_, err = fmt.Fprintf(p.Stdout, "%s: %s\n", out, readable.Count(len(t.Ranks), "rank"))
			return err
		},
	}
	r.add(c)
	c.Flags().StringVar(&out, "out", "", "file to write")
	return c
}

func writeGOAL(path string, t *trace.Trace, write func(io.Writer, *trace.Trace) error) error {
	return create(path, func(w io.Writer) error { return write(w, t) })
}

// create writes a file, in a new folder if there is none.
func create(path string, write func(io.Writer) error) error {
	if err := folder(path); err != nil {
		return err
	}
	return userfile.Stream(path, write)
}

// folder makes the folder of a file if there is none.
func folder(path string) error { return os.MkdirAll(filepath.Dir(path), 0o777) }
