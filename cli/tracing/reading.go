package tracing

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/trace"
	"weft/trace/chakra"
	"weft/trace/collective"
	"weft/trace/open"
	"weft/unit"
)

// reading is the flags of commands that read traces.
type reading struct{ open.Options }

// add adds the flags to a command.
func (r *reading) add(c *cobra.Command) {
	flags, o := c.Flags(), &r.Chakra
	flags.Var((*rules)(&o.Choice), "algorithm", "algorithm of a collective, as in all-reduce=ring, all-reduce:64KiB=tree or any=hierarchical; repeat it for several")
	flags.IntVar(&o.Node, "ranks-per-node", 0, "ranks of a node, for hierarchical collectives")
	flags.Var((*speed)(&o.Reduction), "reduction", "how fast a rank reduces what it received in a collective (default: takes no time)")
	flags.StringVar(&o.Groups, "groups", "", "Chakra: JSON file with the ranks of each process group (default: the one in the folder)")
	flags.IntSliceVar(&o.Dims, "dims", nil, "Chakra: ranks in each dimension, for collectives over some of them, as in 8,4")
	flags.Var((*count)(&o.Operations), "operations", "Chakra: operations per second of an accelerator, for computations without a duration, as in 312T")
	flags.Var((*speed)(&o.Memory), "memory", "Chakra: speed of an accelerator's memory, for nodes without a duration, as in 3350GB/s")
}

// read reads a trace that a replay can begin with.
func (p Program) read(path string, r *reading) (*trace.Trace, error) {
	t, _, err := open.Read(path, r.Options)
	if err != nil {
		return nil, p.Wrong(r.missing(err))
	}
	p.Notices(prefixed(path, t.Notices))
	return t, nil
}

// missing adds the flag that an error is about, if it names an option.
func (r *reading) missing(err error) error {
	flags := chakra.Missing(err, "flag", "--")
	if flags == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, flags)
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
	return unit.Speed(*s).String()
}
func (*speed) Type() string { return "rate" }
func (s *speed) Set(text string) error {
	v, err := unit.ParseSpeed(text)
	*s = speed(v)
	return err
}

// count is a flag: operations per second.
type count float64

func (c *count) String() string {
	if *c == 0 {
		return ""
	}
	return unit.Operations(*c).String()
}
func (*count) Type() string { return "number" }
func (c *count) Set(text string) error {
	v, err := unit.ParseOperations(text)
	*c = count(v)
	return err
}
