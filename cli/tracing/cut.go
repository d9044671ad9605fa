package tracing

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/trace"
	"weft/trace/cut"
	"weft/trace/generate"
	"weft/trace/goal"
)

func (p Program) cut() *cobra.Command {
	var out, ranks string
	var iterations, first int
	var r reading
	c := &cobra.Command{
		Use:   "cut FILE (--iterations N | --ranks A-B | --first N) --out FILE",
		Short: "Write part of a trace: some iterations, some ranks, or the beginning",
		Long: `Write a part of a trace that can be replayed to its end.

--first keeps the first operations of each rank, but leaves out operations that wait for later ones, and
messages with only one end among those that are kept. --ranks keeps ranks that exchange messages only with
each other, and numbers them from 0 on. --iterations is for files of weft trace generate, which say what an
iteration is; GOAL does not. What cannot be cut is refused with the operation that is in the way.`,
		Example: `  weft trace cut app.goal --first 10000 --out short.goal
  weft trace cut app.bin --ranks 0-63 --out part.bin
  weft trace cut chakra/ --first 100 --operations 312T --memory 2TB/s --out short.goal
  weft trace cut llama.yaml --iterations 2 --out llama.goal`,
		Args:              file,
		ValidArgsFunction: files,
		RunE: func(c *cobra.Command, args []string) error {
			write, err := form(out)
			if err != nil {
				return p.Wrong(err)
			}
			given, hint := 0, ""
			for _, name := range []string{"iterations", "ranks", "first"} {
				if c.Flags().Changed(name) {
					given++
				}
			}
			if r.Chakra.Operations > 0 {
				hint = "; --operations is the speed of an accelerator, and --first keeps operations"
			}
			if given != 1 {
				return p.Wrong(fmt.Errorf("%d of --iterations, --ranks and --first are given; give one of them%s", given, hint))
			}
			var t *trace.Trace
			if iterations > 0 || c.Flags().Changed("iterations") {
				t, err = shortened(args[0], iterations, &r)
			} else if t, err = p.read(args[0], &r); err != nil {
				return err
			} else if ranks != "" {
				t, err = someRanks(t, ranks)
			} else {
				t, err = cut.Operations(t, first)
			}
			if err != nil {
				return p.Wrong(fmt.Errorf("%s: %w", args[0], err))
			}
			if err := create(out, func(w io.Writer) error { return write(w, len(t.Ranks), goal.Of(t)) }); err != nil {
				return p.Wrong(err)
			}
			var m trace.Summary
			for r := range t.Ranks {
				m.Add(&t.Ranks[r])
			}
			_, err = fmt.Fprintf(p.Stdout, "%s: %s, %d operations\n", out, readable.Count(m.Ranks, "rank"), m.Operations())
			return err
		},
	}
	r.add(c)
	flags := c.Flags()
	flags.StringVar(&out, "out", "", "file to write, which ends with .goal or .bin")
	flags.IntVar(&iterations, "iterations", 0, "iterations to keep")
	flags.StringVar(&ranks, "ranks", "", "ranks to keep, as in 0-63")
	flags.IntVar(&first, "first", 0, "operations of each rank to keep")
	return c
}

// shortened makes the trace of the first iterations of a file that says what to generate.
func shortened(path string, iterations int, r *reading) (*trace.Trace, error) {
	if !generate.Is(path, nil) {
		return nil, fmt.Errorf("a trace does not say where iterations end; cut it by --first")
	}
	s, err := generate.Open(path)
	if err != nil {
		return nil, err
	}
	if iterations < 1 || int64(iterations) > s.Iterations {
		return nil, fmt.Errorf("--iterations is %d; the file has %d, so keep 1 to %[2]d", iterations, s.Iterations)
	}
	if s, err = generate.Open(path, fmt.Sprintf("iterations=%d", iterations)); err != nil {
		return nil, err
	}
	s.Override(r.Chakra.Settings)
	return s.Generate()
}

// someRanks keeps the ranks of a range such as 0-63.
func someRanks(t *trace.Trace, text string) (*trace.Trace, error) {
	from, to, ok := strings.Cut(text, "-")
	if !ok {
		to = from
	}
	first, err := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err != nil || err2 != nil {
		return nil, fmt.Errorf("--ranks %q is no range; write as in 0-63", text)
	}
	return cut.Ranks(t, first, last)
}
