package cli

import (
	"fmt"
	"text/tabwriter"

	"weft/record"
	"weft/unit"
)

func (p *program) table(list []record.Summary) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "variant\tfct mean us\tp50\tp99\tmax\tdrops\ttrims\tretransmits\tmarks\tunfinished\twall s\t")
	us := func(t unit.Time) float64 { return float64(t) / float64(unit.Microsecond) }
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%d\t%d\t%d\t%d\t%d\t%.2f\t\n", s.Name, us(s.FCT.Mean), us(s.FCT.P50), us(s.FCT.P99), us(s.FCT.Max),
			s.Drops.Total(), s.Trims, s.Retransmits, s.ECNMarks, s.Unfinished, s.Wall.Seconds())
	}
	return w.Flush()
}
