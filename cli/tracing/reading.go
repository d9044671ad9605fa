package tracing

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/trace"
	"weft/trace/collective"
	"weft/trace/open"
	"weft/unit"
)

// reading is the flags of commands that read traces.
type reading struct{ open.Options }

// add adds the flags to a command.
func (r *reading) add(c *cobra.Command) {
	flags, o := c.Flags(), &r.Chakra
	flags.Var((*rules)(&o.Choice), "algorithm", "collective and its algorithm, as in all-reduce=ring, all-reduce:64KiB=tree or any=hierarchical; repeat it for several")
	flags.IntVar(&o.Node, "ranks-per-node", 0, "ranks of a node, for hierarchical collectives")
	flags.Var((*speed)(&o.Reduction), "reduction", "how fast a rank reduces what it received (default: takes no time)")
	flags.StringVar(&o.Groups, "groups", "", "JSON file with the ranks of process groups (default: the one in the folder)")
	flags.IntSliceVar(&o.Dims, "dims", nil, "ranks in each dimension, for collectives over some dimensions, as in 8,4")
	flags.Var((*count)(&o.Operations), "operations", "operations per second of an accelerator, for computations without a duration, as in 312T")
	flags.Var((*speed)(&o.Memory), "memory", "bytes per second of an accelerator's memory, as in 3350GB/s")
}

// read reads a trace that a replay can begin with.
func (p Program) read(path string, r *reading) (*trace.Trace, open.Info, error) {
	t, info, err := open.Read(path, r.Options)
	if err != nil {
		return nil, info, p.Wrong(err)
	}
	p.Notices(prefixed(path, t.Notices))
	return t, info, nil
}

// rules is a flag: algorithms of collectives.
type rules collective.Choice

func (r *rules) String() string {
	var list []string
	for _, one := range *r {
		list = append(list, one.String())
	}
	return strings.Join(list, ",")
}
func (*rules) Type() string { return "rule" }
func (r *rules) Set(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		rule, err := collective.ParseRule(one)
		if err != nil {
			return err
		}
		*r = append(*r, rule)
	}
	return nil
}

// speed is a flag: bytes per second, or bits if the unit says so.
type speed unit.Rate

func (s *speed) String() string {
	if *s == 0 {
		return ""
	}
	return unit.Rate(*s).String()
}
func (*speed) Type() string { return "rate" }
func (s *speed) Set(text string) error {
	bytes, ok := strings.CutSuffix(text, "/s")
	if !ok || !strings.HasSuffix(bytes, "B") {
		rate, err := unit.ParseRate(text)
		*s = speed(rate)
		return err
	}
	n, err := unit.ParseBytes(bytes)
	if err == nil && n > math.MaxInt64/8 {
		err = fmt.Errorf("rate %q is too large", text)
	}
	*s = speed(8 * n)
	return err
}

// count is a flag: a number with a prefix of the SI.
type count float64

func (c *count) String() string {
	if *c == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*c), 'g', -1, 64)
}
func (*count) Type() string { return "number" }
func (c *count) Set(text string) error {
	number, factor := text, 1.0
	for i, prefix := range []string{"k", "M", "G", "T", "P", "E"} {
		if before, ok := strings.CutSuffix(text, prefix); ok {
			number, factor = before, math.Pow10(3*(i+1))
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0) || math.IsInf(v*factor, 0) {
		return fmt.Errorf("%q is no number above 0; write it as in 312e12 or 312T", text)
	}
	*c = count(v * factor)
	return nil
}
