package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/scenario"
	"weft/workload/flowfile"
)

// Formats in which workloads are written.
const (
	matrixFormat = "cm"
	flowsFormat  = "flows"
)

// matrix writes what a scenario sends in the format of other simulators.
func (p *program) matrix() *cobra.Command {
	var sets []string
	var out, group, variant, format string
	c := &cobra.Command{
		Use:   "matrix FILE",
		Short: "Write a scenario's workload as a connection matrix of htsim or flows of HPCC",
		Long: `Write the workload of a scenario as a connection matrix: who sends how much to whom,
and when or after what. Messages that start once or at random times get these times;
rings and all-to-alls get triggers. Hosts are numbered in the order of the topology.
The pattern "connections" reads such files. Notes on standard error list what the
format cannot express, where the file may give other results.

With --format flows it is a file of flows of HPCC's and ConWeave's simulators, which the
pattern "flow-file" reads. Hosts have the numbers of weft topo export --format hpcc.
Such a file has no triggers.`,
		Example: `  weft matrix scenario.yaml --out perm.cm
  weft matrix scenario.yaml --group main --set until=5ms
  weft matrix scenario.yaml --format flows --out flow.txt`,
		Args:              exactly("a scenario file"),
		ValidArgsFunction: argument(scenarioFiles),
		RunE: func(_ *cobra.Command, args []string) error {
			if format != matrixFormat && format != flowsFormat {
				return badInput(fmt.Errorf("--format %s: there is no such format; write %s or %s", format, matrixFormat, flowsFormat))
			}
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
			if format == flowsFormat {
				flows, err := s.FlowFile(group)
				if err != nil {
					return badInput(err)
				}
				p.notices(flows.Notices)
				return p.writeWorkload(out, func(w io.Writer) error { return flowfile.Write(w, flows.Flows) }, readable.Count(len(flows.Flows), "flow"))
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
			comment := fmt.Sprintf("Workload of the scenario %s, seed %d.", of, s.Seed)
			return p.writeWorkload(out, func(w io.Writer) error { return m.Write(w, comment) }, fmt.Sprintf("%d connections, %d triggers", len(m.Connections), len(m.Triggers)))
		},
	}
	addSets(c, &sets)
	c.Flags().StringVar(&out, "out", "", "file to write (default the terminal)")
	c.Flags().StringVar(&group, "group", "", "traffic group to write (default all)")
	c.Flags().StringVar(&format, "format", matrixFormat, "format to write: cm or flows")
	completes(c, "format", among(matrixFormat, flowsFormat))
	c.Flags().StringVar(&variant, "variant", "", "variant of the file (default the first)")
	p.completeVariant(c, &sets)
	return c
}

// writeWorkload writes a file that appears whole or not at all, and says what is in it.
func (p *program) writeWorkload(path string, write func(io.Writer) error, what string) error {
	if path == "" {
		return write(p.stdout)
	}
	if err := writeFile(path, write); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: %s\n", path, what)
	return nil
}
