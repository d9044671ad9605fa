package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"weft/scenario"
)

// writePairs lists the pairs of balancer and congestion control that scenarios cannot
// have.
func (p *program) writePairs(asJSON bool) error {
	list := scenario.Refusals(p.reg)
	if asJSON {
		if list == nil {
			list = []scenario.Refusal{}
		}
		return writeJSON(p.stdout, list)
	}
	return writeRefusals(p.stdout, list, len(p.reg.Balancers.Names())*len(p.reg.Congestion.Names()))
}

func writeRefusals(w io.Writer, list []scenario.Refusal, pairs int) error {
	fmt.Fprintf(w, "Balancers and congestion controls work together, except for %d of %d pairs:\n\n", len(list), pairs)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  balancer\tcongestion\twhat is missing")
	for _, r := range list {
		fmt.Fprintf(t, "  %s\t%s\t%s\n", r.Balancer, r.Congestion, r.Missing)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nOptions and the fabric can rule out more, such as the balancer mprdma with ack.every above 1; weft validate checks a scenario.")
	return err
}
