package tracing

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/trace"
	"weft/trace/loggops"
)

// fault is one as JSON.
type fault struct {
	Wrong trace.Wrong `json:"wrong"`
	Rank  int         `json:"rank"`
	// Operation is its label, or its number in the schedule.
	Operation string `json:"operation,omitempty"`
	Text      string `json:"text"`
}

// verdict is a check as JSON.
type verdict struct {
	Faults int     `json:"faults"`
	List   []fault `json:"list"`
}

func listed(f trace.Faults) verdict {
	v := verdict{Faults: f.Total, List: []fault{}}
	for _, one := range f.List {
		v.List = append(v.List, fault{one.Wrong, one.Rank, one.Name, one.Text})
	}
	return v
}

func (p Program) check() *cobra.Command {
	var asJSON bool
	var most int
	var r reading
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "Check that a trace can be replayed to its end, and name what does not match",
		Long: `List the faults of a trace by rank, label, peer and tag: operations that wait for each other, messages that no
receive takes, and receives that no message reaches. If the trace alone shows none, all operations are replayed
once with eager messages. That also finds ranks that wait for each other, and faults that wildcards hide.

The exit code is 1 if something is wrong with the trace, and 2 if the file cannot be read.`,
		Example: `  weft trace check app.goal
  weft trace check app.bin --most 100
  weft trace check app.goal --json`,
		Args:              file,
		ValidArgsFunction: files,
		RunE: func(c *cobra.Command, args []string) error {
			if most < 1 {
				return p.Wrong(fmt.Errorf("--most is %d; list at least 1 fault", most))
			}
			t, err := p.read(args[0], &r)
			if err != nil {
				return err
			}
			f, err := p.find(c.Context(), t, most)
			if err != nil {
				return err
			}
			if asJSON {
				err = p.JSON(listed(f))
			} else {
				err = p.faults(f, args[0])
			}
			if err != nil || f.Total == 0 {
				return err
			}
			return fmt.Errorf("%s cannot be replayed to its end: it has %s", args[0], readable.Count(f.Total, "fault"))
		},
	}
	r.add(c)
	c.Flags().IntVar(&most, "most", 20, "faults to list")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// find finds what is wrong with a trace: what makes a replay impossible, or else what a replay shows.
func (p Program) find(ctx context.Context, t *trace.Trace, most int) (trace.Faults, error) {
	if f := t.Check(most); f.Total > 0 {
		return f, nil
	}
	if f := t.Match(most); f.Total > 0 {
		return f, nil
	}
	r, err := loggops.Run(ctx, t, loggops.Parameters{Eager: math.MaxInt64, Faults: most})
	if errors.Is(err, loggops.ErrTooLong) {
		p.Notices([]string{"all computations together last longer than 106 days, so the trace was not replayed; what can be compared without that matches"})
		return trace.Faults{}, nil
	}
	if err != nil {
		return trace.Faults{}, err
	}
	return r.Stuck, nil
}

// faults prints faults, or that there are none.
func (p Program) faults(f trace.Faults, path string) error {
	if f.Total == 0 {
		_, err := fmt.Fprintf(p.Stdout, "%s: all operations end, and all messages match\n", path)
		return err
	}
	for _, one := range f.List {
		if _, err := fmt.Fprintln(p.Stdout, one); err != nil {
			return err
		}
	}
	if more := f.Total - len(f.List); more > 0 {
		_, err := fmt.Fprintf(p.Stdout, "and %d more; --most lists more\n", more)
		return err
	}
	return nil
}
