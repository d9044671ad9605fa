package cli

import (
	"fmt"
	"io"

	"weft/internal/tabular"
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
	rows := [][]string{{"  balancer", "congestion", "what is missing"}}
	for _, r := range list {
		rows = append(rows, []string{"  " + r.Balancer, r.Congestion, r.Missing})
	}
	if err := tabular.Write(w, rows, len(rows[0]), 0); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\nOptions and the fabric can rule out more, such as the balancer mprdma with ack.every above 1; weft validate checks a scenario.")
	return err
}
