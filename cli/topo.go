package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weft/catalog"
	"weft/config"
	"weft/scenario"
	"weft/topo"
	"weft/topo/draw"
)

func (p *program) topo() *cobra.Command {
	var sets []string
	var asJSON, exact bool
	var variant string
	c := &cobra.Command{
		Use:   "topo [KIND[:OPTIONS] | FILE]",
		Short: "Build a topology and show its size, diameter, cables and cost, or draw it",
		Long: `Build a topology and show its switches, hosts, diameter and cables. Name a kind, with
its options, or a graph or scenario file. Without a kind, list the kinds; weft list
KIND shows the options of one.

Distances are between switches with hosts. Large networks use a sample of the
switches, and the output names its size; --exact uses all. Cost uses Slim Fly's 2014
prices of routers and cables for 40 Gb/s equipment. weft analyze cost takes other
prices, and compares fabrics.`,
		Example: `  weft topo
  weft topo slim-fly:size=10k
  weft topo slim-fly --set size=10k
  weft topo dragonfly --set hosts_per_switch=2 --set arrangement=circulant --svg dragonfly.svg
  weft topo scenarios/topologies/low-diameter.yaml --variant HyperX`,
		SuggestFor:        []string{"info"},
		Args:              p.oneTopology,
		ValidArgsFunction: argument(p.topologyKinds),
	}
	c.Flags().StringArrayVar(&sets, "set", nil, "set an option of the kind, as in order=19, or change a value of the file (repeatable)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&exact, "exact", false, "measure distances from every switch, even if there are many")
	c.Flags().StringVar(&variant, "variant", "", "variant of the file (default the first)")
	p.completeVariant(c, &sets)
	c.SetFlagErrorFunc(p.noSuchOption)
	c.AddCommand(p.topoExport())
	outputs := []func(*topo.Graph, string) (string, error){p.topoSVG(c)}
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return p.listTopologies(asJSON)
		}
		t, err := p.chooseTopology(args[0], variant, sets)
		if err != nil {
			return p.exampled(err, args[0], sets)
		}
		g, err := t.choice.Build()
		if err != nil {
			return badInput(p.exampled(err, args[0], sets))
		}
		p.notices(g.Notes)
		if err := p.overruled(t.choice, g, sets); err != nil {
			return err
		}
		r, err := newTopoReport(t, g, exact)
		if err != nil {
			return err
		}
		if asJSON {
			err = writeJSON(p.stdout, r)
		} else {
			err = r.write(p.stdout)
		}
		for _, output := range outputs {
			if err != nil {
				return err
			}
			var path string
			if path, err = output(g, t.name); err == nil && path != "" && !asJSON {
				fmt.Fprintln(p.stdout, path)
			}
		}
		return err
	}
	return c
}

// A topology is what was chosen on the command line.
type topology struct {
	choice catalog.Choice[*topo.Graph]
	// name is the kind with what was set, or the file with its variant.
	name string
}

// topologyKey is where a scenario has its topology.
const topologyKey = "topology"

// topologyOnly is a scenario of which there is only the network.
type topologyOnly struct {
	Topology catalog.Choice[*topo.Graph] `yaml:"topology" doc:"Network of hosts, switches and links."`
}

// chooseTopology takes the argument for a kind, a graph file by its extension, or else a
// scenario file.
func (p *program) chooseTopology(argument, variant string, sets []string) (topology, error) {
	if _, known := p.reg.Topologies.Lookup(argument); known {
		if variant != "" {
			return topology{}, badInput(fmt.Errorf("--variant is for scenario files, and %q is a kind of topology; leave it out", argument))
		}
		choice, err := p.topologyOfKind(argument, sets)
		return topology{choice, strings.Join(append([]string{argument}, sets...), " ")}, err
	}
	info, missing := os.Stat(argument)
	if missing != nil && !strings.ContainsAny(argument, "./") {
		names := p.reg.Topologies.Names()
		if kind, options, ok := strings.Cut(argument, ":"); ok && slices.Contains(names, kind) {
			return p.chooseTopology(kind, variant, append(optionsOf(options), sets...))
		}
		return topology{}, badInput(fmt.Errorf("there is neither a topology nor a file %q; %s", argument, catalog.Remedy(argument, "topologies:", &p.reg.Topologies)))
	}
	_, err := topo.FormatOf(argument)
	if err == nil {
		choice, err := p.graphChoice(argument, "", variant, sets)
		return topology{choice, argument}, err
	}
	ext := strings.ToLower(filepath.Ext(argument))
	if missing == nil && info.Mode().IsRegular() && ext != ".yaml" && ext != ".yml" {
		return topology{}, badInput(fmt.Errorf("%w, as in weft topo graph --set file=%s --set format=csv; scenarios end in .yaml", err, argument))
	}
	f, err := scenario.Load(argument, p.reg, sets)
	if err != nil {
		return topology{}, err
	}
	s := f.Variants[0]
	if variant != "" {
		chosen, err := pick(f, []string{variant})
		if err != nil {
			return topology{}, err
		}
		s = chosen[0]
	}
	return topology{s.Topology, s.Variant}, nil
}

// topologyOfKind reads the options of a kind as a scenario would, with defaults
// for what is not set.
func (p *program) topologyOfKind(kind string, sets []string) (catalog.Choice[*topo.Graph], error) {
	var into topologyOnly
	dir, err := os.Getwd()
	if err != nil {
		return into.Topology, err
	}
	d := config.Decoder{Rosters: []catalog.Roster{&p.reg.Topologies}, Dir: dir}
	at := config.Place{Source: config.NewArgument("weft topo " + kind)}
	root, err := config.Nest(topologyKey+"."+config.KindKey, at, &config.Node{Kind: config.Scalar, Text: kind, Place: at})
	if err != nil {
		return into.Topology, err
	}
	errs := new(config.Error)
	for _, set := range sets {
		path, value, err := config.ParseArgument("--set", set)
		if err != nil {
			errs.Append(err)
			continue
		}
		over, err := config.Nest(topologyKey+"."+path, value.Place, value)
		if err == nil {
			root, err = d.Merge(root, over, reflect.TypeOf(into))
		}
		errs.Append(err)
	}
	if err := errs.Err(); err != nil {
		return into.Topology, err
	}
	_, err = d.Decode(root, &into)
	return into.Topology, err
}

// listedTopology is a topology as it is listed.
type listedTopology struct {
	Name    string          `json:"name"`
	Summary string          `json:"summary"`
	Source  string          `json:"source"`
	Params  []catalog.Param `json:"params"`
}

func (p *program) listTopologies(asJSON bool) error {
	var list []listedTopology
	for _, e := range p.reg.Topologies.Entries() {
		list = append(list, listedTopology{e.Name, e.Summary, e.Source, e.Info().Params()})
	}
	if asJSON {
		return writeJSON(p.stdout, list)
	}
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%s: %s [%s]\n", t.Name, t.Summary, t.Source)
	}
	b.WriteString("\nweft list KIND shows the options of a topology.\n")
	_, err := io.WriteString(p.stdout, b.String())
	return err
}

// topoSVG adds the flag for a picture and returns what draws it, which returns the
// file that it wrote.
func (p *program) topoSVG(c *cobra.Command) func(*topo.Graph, string) (string, error) {
	var path string
	c.Flags().StringVar(&path, "svg", "", "draw a network of up to 400 switches and 8000 links between them into this `file`")
	return func(g *topo.Graph, title string) (string, error) {
		if path == "" {
			return "", nil
		}
		if ext := filepath.Ext(path); !strings.EqualFold(ext, ".svg") {
			return "", badInput(fmt.Errorf("--svg %s: the picture is SVG; let the name end in .svg, as in %s.svg", path, strings.TrimSuffix(path, ext)))
		}
		return path, writeFile(path, func(w io.Writer) error {
			return badInput(draw.SVG(w, g, title))
		})
	}
}

// oneTopology demands at most one kind or file, and tells how options are written.
func (p *program) oneTopology(c *cobra.Command, args []string) error {
	for _, a := range args[min(1, len(args)):] {
		if strings.Contains(a, "=") {
			return fmt.Errorf("%q: options of a topology are written with --set, as in %s %s --set %s", a, c.CommandPath(), args[0], a)
		}
	}
	if len(args) < 2 {
		return nil
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = shellWord(a)
		if example := p.topologyExample(a); example != nil {
			words[i] = shellWord(a + ":" + strings.ReplaceAll(strings.Join(example, ","), " ", ""))
		}
	}
	return fmt.Errorf("%s shows one topology at a time, not %d; write %[1]s %[3]s, or compare them: weft analyze paths %[4]s", c.CommandPath(), len(args), words[0], strings.Join(words, " "))
}
