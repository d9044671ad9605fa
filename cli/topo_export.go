package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/catalog"
	"weft/internal/readable"
	"weft/topo"
)

// graphKind is the kind of topology that reads graph files.
const graphKind = "graph"

// topoExport writes a topology for other programs, or a graph file in another
// format.
func (p *program) topoExport() *cobra.Command {
	var sets []string
	var out, to, from, variant string
	c := &cobra.Command{
		Use:   "export KIND|FILE",
		Short: "Write a topology as a graph file, or convert a graph file",
		Long: `Write a topology as a graph file. The topology is a kind with its options, a scenario
file, or another graph file. The extension selects the format:

` + listFormats() + `
Notes list what a format cannot hold, and what to do about it. Some of it goes into
comments, and weft reads it back from there. docs/graph-files.md describes the formats.`,
		Example: `  weft topo export slim-fly --set order=5 --out slim-fly.graphml
  weft topo export scenarios/topologies/low-diameter.yaml --variant HyperX --out hyperx.dot
  weft topo export net.graphml --out topology.txt --format hpcc
  weft topo export topology.txt --from hpcc --set switch_latency=0s --out net.json`,
		Args:              exactly("a kind of topology or a file"),
		ValidArgsFunction: argument(p.topologyKinds),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := exportFormat(out, to)
			if err != nil {
				return badInput(err)
			}
			g, err := p.exported(args[0], from, variant, sets)
			if err != nil {
				return err
			}
			return p.export(g, f, out)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`file` to write (default the terminal, which needs --format)")
	c.Flags().StringVar(&to, "format", "", "format to write (default by the extension of --out)")
	c.Flags().StringVar(&from, "from", "", "format of the graph file to read (default by its extension)")
	c.Flags().StringVar(&variant, "variant", "", "variant of the scenario file (default the first)")
	c.Flags().StringArrayVar(&sets, "set", nil, "set an option of the kind (of graph for graph files), as in rate=100Gbps, or change a value of the scenario file (repeatable)")
	completes(c, "format", graphFormats)
	completes(c, "from", graphFormats)
	p.completeVariant(c, &sets)
	return c
}

// listFormats describes the formats, one a line.
func listFormats() string {
	var b strings.Builder
	for _, f := range topo.Formats() {
		fmt.Fprintf(&b, "  %-10s %-17s %s\n", f.Name, strings.Join(f.Extensions, ", "), f.About)
	}
	return b.String()
}

// exportFormat finds the format to write.
func exportFormat(out, name string) (topo.Format, error) {
	switch {
	case name != "":
		return topo.FindFormat(name)
	case out == "":
		return topo.Format{}, fmt.Errorf("give --out FILE, or --format to write to the terminal\nFormats:\n%s", strings.TrimRight(listFormats(), "\n"))
	}
	return topo.FormatOf(out)
}

// exported builds what the argument names: a kind, a graph file or a scenario file.
func (p *program) exported(argument, from, variant string, sets []string) (*topo.Graph, error) {
	choice, err := p.exportedChoice(argument, from, variant, sets)
	if err != nil {
		return nil, err
	}
	g, err := choice.Build()
	if err != nil {
		return nil, badInput(err)
	}
	return g, p.overruled(choice, g, sets)
}

// overruled tells which options of a graph file that are set have no effect.
func (p *program) overruled(choice catalog.Choice[*topo.Graph], g *topo.Graph, sets []string) error {
	o, ok := choice.Options.(*topo.Custom)
	if !ok {
		return nil
	}
	text, err := o.Overruled(g, func(option string) bool {
		return slices.ContainsFunc(sets, func(set string) bool {
			key, _, _ := strings.Cut(set, "=")
			return strings.TrimPrefix(strings.TrimSpace(key), topologyKey+".") == option
		})
	})
	if text != "" {
		p.notices([]string{text})
	}
	return badInput(err)
}

func (p *program) exportedChoice(argument, from, variant string, sets []string) (catalog.Choice[*topo.Graph], error) {
	if from == "" {
		t, err := p.chooseTopology(argument, variant, sets)
		return t.choice, err
	}
	if _, isKind := p.reg.Topologies.Lookup(argument); isKind {
		return catalog.Choice[*topo.Graph]{}, badInput(fmt.Errorf("--from is for graph files, and %q is a kind of topology; leave it out", argument))
	}
	return p.graphChoice(argument, from, variant, sets)
}

// graphChoice takes a graph file, of a format that its extension tells if from is empty.
func (p *program) graphChoice(file, from, variant string, sets []string) (catalog.Choice[*topo.Graph], error) {
	if variant != "" {
		return catalog.Choice[*topo.Graph]{}, badInput(fmt.Errorf("--variant is for scenario files, and %q is a graph file; leave it out", file))
	}
	if _, err := os.Stat(file); err != nil {
		return catalog.Choice[*topo.Graph]{}, badInput(fmt.Errorf("reading a graph: %w", err))
	}
	given := []string{"file=" + strconv.Quote(file)}
	if from != "" {
		given = append(given, "format="+from)
	}
	return p.topologyOfKind(graphKind, slices.Concat(given, sets))
}

// export writes a graph, and tells what was lost on the way.
func (p *program) export(g *topo.Graph, f topo.Format, out string) error {
	write := func(w io.Writer) error { return badInput(f.Write(w, g)) }
	if out == "" {
		if err := write(p.stdout); err != nil {
			return err
		}
	} else if err := writeFile(out, write); err != nil {
		return err
	}
	var notes []string
	for _, l := range f.Lost(g) {
		note := l.String()
		if l.Kept {
			note += " (weft reads it back)"
		}
		notes = append(notes, note)
	}
	p.notices(notes)
	if out != "" {
		fmt.Fprintf(p.stdout, "%s: %s, %s, %s\n", out, readable.Count(len(g.Hosts), "host"), readable.Count(len(g.Nodes)-len(g.Hosts), "switch"), readable.Count(len(g.Links), "link"))
	}
	return nil
}
