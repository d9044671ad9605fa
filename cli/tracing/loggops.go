package tracing

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/trace/loggops"
	"weft/unit"
)

// mostRanks is how many ranks the table has.
const mostRanks = 64

// ends is a replay as JSON. Times are in nanoseconds.
type ends struct {
	End    float64   `json:"end_ns"`
	Events int64     `json:"events"`
	Ends   []float64 `json:"ends_ns"`
	// Ranks is how each rank spent the time of the job.
	Ranks    []spent       `json:"ranks,omitempty"`
	Calls    []callClass   `json:"calls,omitempty"`
	Critical *criticalPath `json:"critical,omitempty"`
	// Stuck is why the replay did not come to its end, if it did not.
	Stuck *verdict `json:"stuck,omitempty"`
}

func (p Program) loggops() *cobra.Command {
	m := loggops.Defaults()
	var asJSON bool
	var from reading
	var v views
	c := &cobra.Command{
		Use:   "loggops FILE",
		Short: "Compute when the ranks of a trace end by the model LogGOPS",
		Long: `Replay a trace by the model LogGOPS and print when each rank ends, in nanoseconds. Between any two ranks a
message takes the same time, whatever other messages are on their way.

A message of s bytes holds the sender's processor for o + (s-1)O and its NIC for g + (s-1)G, arrives o + L
after its start, and holds the receiver's processor for o + max((s-1)O, (s-1)G). One of more than S bytes
ends at its sender when a receive takes it. Times without a unit are nanoseconds, and may have decimals.

Where ranks have one processor and one NIC, times are those of LogGOPSim. With several, LogGOPSim lets an
operation begin before what it requires on another processor has ended. --loggopsim does so too, and then times
are LogGOPSim's to the nanosecond, without any of the following.

--ranks shows how each rank spent the time of the job: computing, exposed, waiting, idle or done. A rank is exposed
while a message that it awaits is on its way, or while a send of its own has not ended. It waits while the ranks
that it awaits have not begun to send. --calls sums up collectives. --critical shows which computations and
messages decided when the job ended. --json has all of these.

The exit code is 1 if the replay does not come to its end.`,
		Example: `  weft trace loggops app.goal
  weft trace loggops app.bin -L 3700 -o 200 -g 5 -O 0 -G 0.04 -S 0
  weft trace loggops app.goal -L 2.5us --json
  weft trace loggops app.goal --ranks --critical
  weft trace loggops app.goal --perfetto replay.json --figure ranks.pdf
  weft trace loggops chakra/ --algorithm all-reduce=ring -L 500 -o 0 -g 0 -G 0.02 -S 1GB`,
		Args:              file,
		ValidArgsFunction: files,
		RunE: func(c *cobra.Command, args []string) error {
			if err := v.check(); err != nil {
				return p.Wrong(err)
			}
			if m.AsLogGOPSim && v.log() {
				return p.Wrong(errors.New("--loggopsim has ends only, since operations may begin before what they require has ended; leave it out for --ranks, --calls, --critical, --perfetto and --figure"))
			}
			t, err := p.read(args[0], &from)
			if err != nil {
				return err
			}
			if f := t.Check(20); f.Total > 0 {
				if err := p.faults(f, args[0]); err != nil {
					return err
				}
				return fmt.Errorf("%s cannot be replayed: it has %s; weft trace check lists them", args[0], readable.Count(f.Total, "fault"))
			}
			m.Log, v.quiet = (asJSON || v.log()) && !m.AsLogGOPSim, asJSON
			r, err := loggops.Run(c.Context(), t, m)
			if err != nil {
				return p.Wrong(fmt.Errorf("%s: %w", args[0], err))
			}
			var l *replayed
			if m.Log {
				l = newReplayed(t, r.Log)
			}
			if asJSON {
				o := object(r)
				if l != nil {
					o.add(l, &v)
				}
				err = p.JSON(o)
			} else {
				err = p.ends(r, l, &v)
			}
			if err == nil {
				err = p.files(l, &v)
			}
			if err != nil || r.Stuck.Total == 0 {
				return err
			}
			reasons := r.Stuck.List[:min(4, len(r.Stuck.List))]
			var text strings.Builder
			for _, one := range reasons {
				fmt.Fprintf(&text, "\n  %v", one)
			}
			return fmt.Errorf("%s does not come to its end, for %s; weft trace check lists them:%s", args[0], readable.Count(r.Stuck.Total, "reason"), &text)
		},
	}
	from.add(c)
	flags := c.Flags()
	for _, one := range []struct {
		to                *unit.Time
		name, short, text string
	}{
		{&m.Latency, "latency", "L", "latency of a message"},
		{&m.Overhead, "overhead", "o", "time of a processor per message"},
		{&m.Gap, "gap", "g", "time of a NIC per message"},
		{&m.GapPerByte, "gap-per-byte", "G", "time of a NIC per byte"},
		{&m.OverheadPerByte, "overhead-per-byte", "O", "time of a processor per byte"},
	} {
		flags.VarP((*nanoseconds)(one.to), one.name, one.short, one.text)
	}
	flags.VarP((*size)(&m.Eager), "eager", "S", "largest message that does not wait for its receive")
	flags.BoolVar(&m.AsLogGOPSim, "loggopsim", false, "let operations begin before what they require on other processors has ended, as LogGOPSim does")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	v.flags(flags)
	c.SetFlagErrorFunc(noCausal)
	return c
}

// noCausal tells those who give the flag of earlier versions what has become of it.
func noCausal(c *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && unknown.GetSpecifiedName() == "causal" {
		return fmt.Errorf("%w; leave it out: operations always wait until what they require has ended, unless --loggopsim is given", err)
	}
	return c.Parent().FlagErrorFunc()(c, err)
}

// ends prints when ranks end, and what else is asked for.
func (p Program) ends(r *loggops.Result, l *replayed, v *views) error {
	rows := [][]string{{"RANK", "END"}}
	for rank, end := range r.Ends {
		if rank == mostRanks {
			rows = append(rows, []string{fmt.Sprintf("%d more, which --json lists", len(r.Ends)-rank), ""})
			break
		}
		rows = append(rows, []string{strconv.Itoa(rank), decimal(end)})
	}
	means := ""
	if v.ranks {
		rows, means = l.rankRows(r.Ends)
	}
	if err := tabular.Write(p.Stdout, rows, 1, 0); err != nil {
		return err
	}
	what := "all end"
	if r.Stuck.Total > 0 {
		what = "nothing happens any more"
	}
	if _, err := fmt.Fprintf(p.Stdout, "%s at %s ns, after %d events\n", what, decimal(r.End()), r.Events); err != nil {
		return err
	}
	if v.ranks {
		if _, err := fmt.Fprintf(p.Stdout, "mean of ranks: %s\n", means); err != nil {
			return err
		}
	}
	if v.calls {
		if err := p.collectives(l); err != nil {
			return err
		}
	}
	if v.critical {
		return p.critical(l, v.most)
	}
	return nil
}

func object(r *loggops.Result) ends {
	o := ends{End: float64(r.End()) / float64(unit.Nanosecond), Events: r.Events, Ends: []float64{}}
	for _, e := range r.Ends {
		o.Ends = append(o.Ends, float64(e)/float64(unit.Nanosecond))
	}
	if r.Stuck.Total > 0 {
		v := listed(r.Stuck)
		o.Stuck = &v
	}
	return o
}

// decimal is a time in nanoseconds.
func decimal(t unit.Time) string {
	text := strconv.FormatInt(int64(t/unit.Nanosecond), 10)
	if part := t % unit.Nanosecond; part > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", part), "0")
	}
	return text
}

// nanoseconds is a flag: a time, in nanoseconds if it has no unit.
type nanoseconds unit.Time

func (n *nanoseconds) String() string { return decimal(unit.Time(*n)) }
func (*nanoseconds) Type() string     { return "ns" }
func (n *nanoseconds) Set(text string) error {
	if strings.TrimLeft(text, "0123456789.") == "" {
		text += "ns"
	}
	t, err := unit.ParseTime(text)
	*n = nanoseconds(t)
	return err
}

// size is a flag: bytes.
type size int64

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }
func (*size) Type() string     { return "bytes" }
func (s *size) Set(text string) error {
	if strings.TrimLeft(text, "0123456789") == "" {
		text += "B"
	}
	b, err := unit.ParseBytes(text)
	*s = size(b)
	return err
}
