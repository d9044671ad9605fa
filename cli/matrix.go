package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"weft/scenario"
	"weft/workload/matrix"
)

// matrix writes what a scenario sends in the format of other simulators.
func (p *program) matrix() *cobra.Command {
	var sets []string
	var out, group, variant string
	c := &cobra.Command{
		Use:   "matrix FILE",
		Short: "Write a scenario's workload as a connection matrix of htsim (.cm)",
		Long: `Write the workload of a scenario as a connection matrix: who sends how much to whom,
and when or after what. Messages that start once or at random times get these times;
rings and all-to-alls get triggers. Hosts are numbered in the order of the topology.
The pattern "connections" reads such files. Notes on standard error list what the
format cannot express, where the file may give other results.`,
		Example: `  weft matrix scenario.yaml --out perm.cm
  weft matrix scenario.yaml --group main --set until=5ms`,
		Args:              exactly("a scenario file"),
		ValidArgsFunction: argument(scenarioFiles),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := scenario.Load(args[0], p.reg, sets)
			if err != nil {
				return err
			}
			s := f.Variants[0]
			if variant != "" {
				chosen, err := pick(f, []string{variant})
				if err != nil {
					return err
				}
				s = chosen[0]
			} else if len(f.Variants) > 1 {
				p.notices([]string{fmt.Sprintf("this is variant %s of %s; choose with --variant", s.Variant, strings.Join(f.VariantNames(), ", "))})
			}
			m, err := s.Connections(group)
			if err != nil {
				return badInput(err)
			}
			p.notices(m.Notices)
			of := s.Name
			if s.Variant != s.Name {
				of += ", variant " + s.Variant
			}
			return p.writeMatrix(out, m, fmt.Sprintf("Workload of the scenario %s, seed %d.", of, s.Seed))
		},
	}
	addSets(c, &sets)
	c.Flags().StringVar(&out, "out", "", "file to write (default the terminal)")
	c.Flags().StringVar(&group, "group", "", "traffic group to write (default all)")
	c.Flags().StringVar(&variant, "variant", "", "variant of the file (default the first)")
	p.completeVariant(c, &sets)
	return c
}

// writeMatrix writes a file that appears whole or not at all.
func (p *program) writeMatrix(path string, m *matrix.Matrix, comment string) error {
	if path == "" {
		return m.Write(p.stdout, comment)
	}
	if err := writeFile(path, func(w io.Writer) error { return m.Write(w, comment) }); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: %d connections, %d triggers\n", path, len(m.Connections), len(m.Triggers))
	return nil
}
