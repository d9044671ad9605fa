package tracing

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/trace"
	"weft/trace/generate"
	"weft/trace/goal"
)

func (p Program) generate() *cobra.Command {
	var out, preset string
	var set []string
	var list bool
	c := &cobra.Command{
		Use:   "generate [FILE] --out FILE",
		Short: "Write a trace of training a model, or of a kernel of an MPI program",
		Long: `Write a trace made from a file that says which model is trained and how it is cut, or which kernel runs; or from
flags alone. The ending of --out says which form of GOAL is written: .goal is text, and .bin the binary form.
Ranks are written one at a time, so that a trace larger than memory can be made.

Files of this kind stand wherever a trace does, as in weft trace info llama.yaml; they need not be written as GOAL
before. --list shows models, accelerators, schedules and kernels.`,
		Example: `  weft trace generate llama.yaml --out llama.goal
  weft trace generate --preset llama-7b --data 4 --tensor 8 --pipeline 2 --out llama.bin
  weft trace generate llama.yaml --set zero=3 --set model.sequence=8192 --out llama.bin
  weft trace generate --list`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: specifications,
		RunE: func(c *cobra.Command, args []string) error {
			if list {
				return tabular.Write(p.Stdout, known(), 3, 0)
			}
			write, err := form(out)
			if err != nil {
				return p.Wrong(err)
			}
			s, err := specified(args, preset, append(cuts(c), set...))
			if err != nil {
				return p.Wrong(err)
			}
			var m trace.Summary
			count := func(visit func(int, *trace.Schedule) error) error {
				m = trace.Summary{}
				return s.Scan(func(r int, one *trace.Schedule) error {
					m.Add(one)
					return visit(r, one)
				})
			}
			if err := create(out, func(w io.Writer) error { return write(w, s.Ranks(), count) }); err != nil {
				return p.Wrong(err)
			}
			if about := s.About(); about != "" {
				if _, err := fmt.Fprintln(p.Stdout, about); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(p.Stdout, "%s: %s, %d operations\n", out, readable.Count(m.Ranks, "rank"), m.Operations())
			return err
		},
	}
	flags := c.Flags()
	flags.StringVar(&out, "out", "", "file to write, which ends with .goal or .bin")
	flags.StringVar(&preset, "preset", "", "published model to train, instead of a file")
	for _, f := range sugar {
		flags.Int64(f.flag, 1, f.text)
	}
	flags.StringArrayVar(&set, "set", nil, "value for a key of the file, as in parallel.order=tp-pp-cp-ep-dp")
	flags.BoolVar(&list, "list", false, "list models, accelerators, schedules and kernels")
	return c
}

// sugar is the flags that stand for keys.
var sugar = []struct{ flag, key, text string }{
	{"data", "parallel.data", "copies of the model"},
	{"tensor", "parallel.tensor", "ranks that share the matrices of a layer"},
	{"pipeline", "parallel.pipeline", "stages"},
	{"context", "parallel.context", "ranks that share a sequence"},
	{"expert", "parallel.expert", "ranks that share the experts of a layer"},
	{"iterations", "iterations", "iterations, one after another"},
}

// cuts returns the flags that were given as assignments.
func cuts(c *cobra.Command) (list []string) {
	for _, f := range sugar {
		if given := c.Flags().Lookup(f.flag); given.Changed {
			list = append(list, f.key+"="+given.Value.String())
		}
	}
	return list
}

// specified reads what to generate.
func specified(args []string, preset string, set []string) (*generate.Spec, error) {
	switch {
	case len(args) == 0 && preset == "":
		return nil, fmt.Errorf("there is nothing to generate; name a file, or a model, as in --preset llama-7b")
	case len(args) > 0 && preset != "":
		set = append([]string{"model=" + preset}, set...)
	case preset != "":
		return generate.Parse("--preset "+preset, []byte("model: "+strconv.Quote(preset)+"\n"), set...)
	}
	return generate.Open(args[0], set...)
}

// form returns what writes the form of GOAL that the ending of a name says.
func form(out string) (func(io.Writer, int, goal.Source) error, error) {
	switch filepath.Ext(out) {
	case ".goal":
		return goal.StreamText, nil
	case ".bin":
		return goal.StreamBinary, nil
	}
	return nil, fmt.Errorf("--out %q: the ending says which form it is; name a file that ends with .goal or .bin", out)
}

// known lists what files can name.
func known() [][]string {
	rows := [][]string{{"KEY", "NAME", "MEANS"}}
	for _, l := range generate.Known() {
		rows = append(rows, []string{l.Key, l.Name, l.Text})
	}
	return rows
}

// specifications completes names of files that say what to generate.
func specifications(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
