package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/analysis/layering"
	"weft/internal/nearest"
	"weft/route/layers"
	"weft/topo"
	"weft/unit"
)

// layerFlags are the options of schemes on the command line.
type layerFlags struct {
	options layering.Options
	kinds   []string
	density float64
	trees   string
	reading string
	memory  string
}

func (p *program) analyzeLayers() *cobra.Command {
	var output analysisOutput
	var f layerFlags
	c := &cobra.Command{
		Use:   "layers FABRIC...",
		Short: "Build routing layers and baselines, and count the paths they give",
		Long: `Build the forwarding tables of routing layers, or of the baselines. Report how many
paths a pair of routers has through all layers, how long these paths are and how many
share no link.

  overlap   layers whose paths overlap little. --min-hops, --max-hops and --paths set
            what the paper leaves open; a rule sets them by default
  sample    layers of random links, with a share --density of all links
  minimal   all links in every layer; each draws its minimal next hops anew
  spain     SPAIN: one layer with all links, and the trees with the most links;
            --layers 0 for as many as SPAIN needs
  past      PAST: trees for all pairs; --layers 0 for one per host
  shortest  k shortest paths, without layers

Layer 0 has all links: traffic without a route in its own layer falls back to it.
PAST's trees reach every router, and explicit paths need no tables.

Source: FatPaths §V and Appendix C, Listings 1 to 5.`,
		Example: `  weft analyze layers slim-fly:size=1k
  weft analyze layers slim-fly:size=10k dragonfly:size=10k --schemes overlap,sample --layers 9
  weft analyze layers fat-tree:tiers=3,radix=8 --schemes spain,past --layers 0`,
		Args: someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.read()
			if err != nil {
				return badInput(err)
			}
			fabrics, err := p.layered(args)
			if err := errors.Join(err, o.Check()); err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "layers", func(progress func(float64)) (*analysis.Result, error) {
				o.Progress = progress
				return layering.Compare(c.Context(), fabrics, o)
			})
		},
	}
	f.add(c)
	output.tablesOnly(c)
	return c
}

func (f *layerFlags) add(c *cobra.Command) {
	s := &f.options.Scheme
	c.Flags().StringSliceVar(&f.kinds, "schemes", []string{"overlap"}, "one or more of overlap, sample, minimal, spain, past and shortest")
	c.Flags().IntVarP(&s.Layers, "layers", "n", 9, "layers (including the one with all links), trees, or shortest paths [FatPaths §VII-B3]")
	c.Flags().Float64Var(&f.density, "density", 0.6, "sample: share of all links in a layer, ρ [FatPaths §VII-C]")
	c.Flags().IntVar(&s.MinHops, "min-hops", 0, "overlap: shortest path allowed, L_min; 0 for the rule's")
	c.Flags().IntVar(&s.MaxHops, "max-hops", 0, "overlap: longest path allowed, L_max; 0 for the rule's")
	c.Flags().IntVar(&s.Paths, "paths", 0, "overlap: most paths added to a layer, M; 0 for the rule's")
	c.Flags().IntVar(&s.SpainPaths, "spain-paths", 3, "spain: paths from a source to a destination, k")
	c.Flags().StringVar(&f.trees, "trees", string(layers.PastRandom), "past: bfs, random, weighted or non-minimal")
	c.Flags().StringVar(&f.reading, "reading", string(layers.Undirected), "sample and overlap: links in both directions, undirected, or as-printed")
	c.Flags().Uint64Var(&s.Seed, "seed", 1, "seed of layers, next hops and samples")
	c.Flags().StringVar(&f.memory, "memory", "8GiB", "memory limit of tables and trees")
	c.Flags().IntVar(&f.options.Samples, "samples", 10000, "random pairs of routers whose paths are counted; 0 for all pairs")
	threadsVar(c, &f.options.Threads, "threads; does not change results (default all cores)")
}

func (f *layerFlags) read() (layering.Options, error) {
	o := f.options
	o.Scheme.Density = unit.Ratio(f.density)
	o.Scheme.Trees = layers.PastTrees(f.trees)
	o.Scheme.Reading = layers.Reading(f.reading)
	err := o.Scheme.Memory.UnmarshalText([]byte(f.memory))
	if err != nil {
		err = fmt.Errorf("--memory: %w", err)
	}
	for _, name := range f.kinds {
		kind := layers.Kind(name)
		if !slices.Contains(layers.Kinds(), kind) {
			err = errors.Join(err, unknownScheme(name))
			continue
		}
		o.Kinds = append(o.Kinds, kind)
	}
	return o, err
}

func unknownScheme(name string) error {
	var names []string
	for _, k := range layers.Kinds() {
		names = append(names, string(k))
	}
	return fmt.Errorf("unknown scheme %q; %s", name, nearest.Remedy(name, "there are", names))
}

// layered reads arguments that name fabrics.
func (p *program) layered(args []string) ([]layering.Fabric, error) {
	var out []layering.Fabric
	for i, arg := range args {
		t, err := p.topology(arg, i == 0)
		if err != nil {
			return nil, err
		}
		out = append(out, layering.Fabric{Name: t.title, Graph: func(context.Context) (*topo.Graph, error) { return t.build(0) }})
	}
	return out, nil
}
