package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/analysis/achievable"
	"weft/analysis/layering"
	"weft/analysis/throughput"
	"weft/route/layers"
	"weft/topo"
)

// throughputFlags are what weft analyze throughput is asked.
type throughputFlags struct {
	achievable.Options
	pattern string
	layers  []int
	draws   int
}

func (p *program) analyzeThroughput() *cobra.Command {
	var output analysisOutput
	var f throughputFlags
	var l layerFlags
	c := &cobra.Command{
		Use:   "throughput FABRIC...",
		Short: "Bound the best throughput that layers and other schemes can achieve",
		Long: `Find the maximum achievable throughput T of routing schemes: the largest T such that
every demand gets T times its size at once, within the capacities of links, over the
scheme's paths. T lies between a flow that was found and an upper bound from the dual
of the linear program. The two are at most --gap apart.

Traffic is by default a worst case for each fabric: routers far from each other are
matched, and their hosts exchange. --pattern selects another. --intensity sets the
share of pairs that communicate, and --elephants the share of those that are elephants.

Schemes are those of weft analyze layers, with its flags. The last column compares
with a flow over any paths; --no-flow leaves it out.

Patterns: ` + strings.Join(patterns(), ", ") + `.

Source: FatPaths §VI and Figure 9; TopoBench, Jyothi et al., SC 2016.`,
		Example: `  weft analyze throughput slim-fly:size=1k --schemes overlap,sample,spain,past,shortest
  weft analyze throughput slim-fly:size=10k dragonfly:size=10k --schemes overlap,spain,past --no-flow
  weft analyze throughput hyperx:size=1k --layers 2,4,9,16 --intensity 0.2,0.55,1 --out figure.png
  weft analyze throughput slim-fly:size=1k --schemes overlap,spain,past --draws 20 --no-flow
  weft analyze throughput slim-fly:order=5 --exact`,
		Args: someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			if _, _, err := f.read(&l); err != nil {
				return badInput(err)
			}
			if len(f.Intensities) < 2 {
				output.plotless = "throughput is drawn over traffic intensity; give several, as in --intensity 0.2,0.55,1, or leave --out out"
			}
			if err := output.check(); err != nil {
				return badInput(err)
			}
			fabrics, err := p.achieving(args)
			if err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "throughput", func(progress func(float64)) (*analysis.Result, error) {
				return achievable.Draws(c.Context(), f.draws, progress, func(ctx context.Context, draw int, progress func(float64)) (*analysis.Result, error) {
					drawn := l
					drawn.options.Scheme.Seed += uint64(draw)
					o, schemes, err := f.read(&drawn)
					if err != nil {
						return nil, err
					}
					o.Progress = progress
					return achievable.Compare(ctx, fabrics, schemes, o)
				})
			})
		},
	}
	f.add(c)
	schemeFlags(c, &l)
	output.flags(c)
	c.Flags().Lookup("out").Usage += "; needs several intensities"
	return c
}

func patterns() (names []string) {
	for _, p := range throughput.Patterns() {
		names = append(names, string(p))
	}
	return names
}

func (f *throughputFlags) add(c *cobra.Command) {
	t := &f.Traffic
	c.Flags().StringVar(&f.pattern, "pattern", string(throughput.WorstCase), "who sends to whom")
	c.Flags().Float64SliceVar(&f.Intensities, "intensity", []float64{0.55}, "shares of host pairs that communicate [FatPaths Figure 9]")
	c.Flags().Float64Var(&t.Elephants, "elephants", 0.1, "share of communicating pairs that demand a full link")
	c.Flags().Float64Var(&t.Small, "small", 0.1, "demand of the other pairs, as a share of a link; 0 for elephants alone")
	c.Flags().IntVar(&t.Offset, "offset", 1, "off-diagonal: distance to the destination")
	c.Flags().BoolVar(&t.Random, "random-placement", false, "place hosts at random")
	c.Flags().BoolVar(&t.Ordered, "ordered", false, "worst-case: take the first of equally good matchings in order of routers, not a random one")
	c.Flags().IntVar(&f.draws, "draws", 1, "draws of traffic and layers, with consecutive seeds from --seed; numbers become means with 95 % intervals")
	c.Flags().Float64Var(&f.Gap, "gap", 0.02, "largest distance between the bounds, as a share")
	c.Flags().Float64Var(&f.FlowGap, "flow-gap", 0, "--gap for the flow over all paths; 0 for the same")
	c.Flags().Bool("no-flow", false, "leave out the flow over all paths, the slowest part")
	c.Flags().BoolVar(&f.Exact, "exact", false, "also ask CLP for the optimum; slow above some thousands of paths")
	f.Flow = true
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		off, err := c.Flags().GetBool("no-flow")
		f.Flow = !off
		return err
	}
	c.Flags().IntSliceVarP(&f.layers, "layers", "n", []int{9}, "layers (including the one with all links), trees, or shortest paths; several are compared; 0 for as many as SPAIN and PAST need [FatPaths §VII-B3]")
}

// schemeFlags adds the flags of weft analyze layers, but for those that the command
// has already and those that say how paths are counted.
func schemeFlags(c *cobra.Command, l *layerFlags) {
	var all cobra.Command
	l.add(&all)
	all.Flags().Lookup("samples").Hidden = true
	c.Flags().AddFlagSet(all.Flags())
}

// read returns the options and the schemes, each with every number of layers.
func (f *throughputFlags) read(l *layerFlags) (achievable.Options, []achievable.Scheme, error) {
	o := f.Options
	o.Traffic.Pattern = throughput.Pattern(f.pattern)
	o.Traffic.Seed = l.options.Scheme.Seed
	if e := o.Traffic.Elephants; o.Traffic.Small == 0 && e >= 0 && e <= 1 {
		o.Traffic.Elephants = 0
	}
	lo, err := l.read()
	if o.Exact {
		if _, missing := exec.LookPath("clp"); missing != nil {
			err = errors.Join(err, throughput.ErrNoCLP)
		}
	}
	err = errors.Join(err, o.Check())
	if f.draws < 1 || f.draws > achievable.MaxDraws {
		err = errors.Join(err, fmt.Errorf("--draws is %d; use 1 to %d", f.draws, achievable.MaxDraws))
	}
	var schemes []achievable.Scheme
	for _, kind := range lo.Kinds {
		var wrong error
		for _, n := range f.layers {
			s := lo.Scheme
			s.Kind, s.Layers = kind, n
			schemes = append(schemes, routing(s, lo.Threads))
			switch {
			case wrong != nil:
				// The same may be wrong with every number of layers.
			case n == 0 && kind != layers.KindSpain && kind != layers.KindPast:
				wrong = fmt.Errorf("%s has no natural number of layers; use --layers 1 or more", kind)
			default:
				wrong = s.Check()
			}
		}
		err = errors.Join(err, wrong)
	}
	return o, schemes, err
}

// routing makes the paths of a scheme. With PAST's tree for each address, demands to
// an address take its own tree alone.
func routing(s layers.Scheme, threads int) achievable.Scheme {
	name := fmt.Sprintf("%s n=%d", s.Kind, s.Layers)
	if s.Layers == 0 {
		name = string(s.Kind)
	}
	return achievable.Scheme{Name: name, Route: func(ctx context.Context, g *topo.Graph, progress func(float64)) (achievable.Routed, error) {
		var out achievable.Routed
		r, err := layers.NewRouters(g, nil)
		if err != nil {
			return out, err
		}
		w := layers.Work{Workers: threads, Progress: progress}
		if s.Kind == layers.KindPast && s.Layers == 0 {
			trees, err := layers.Past{Trees: s.Trees, Seed: s.Seed}.Addresses(ctx, r, w)
			if err != nil {
				return out, fmt.Errorf("scheme %s: %w", s.Kind, err)
			}
			var path []topo.PortID
			out.Hosts = func(from topo.NodeID, host int32, yield func([]topo.PortID)) {
				path = trees.AppendPath(path[:0], r.Router(from), int(host))
				yield(path)
			}
			out.Layers = trees.Trees().Layers()
			return out, nil
		}
		routes, err := s.Build(ctx, r, w)
		if err != nil {
			return out, err
		}
		out.Layers = routes.Layers
		if note := layering.Unreached(routes); note != "" {
			out.Notes = append(out.Notes, note)
		}
		out.Pairs, err = routes.Routes()
		return out, err
	}}
}

// achieving reads arguments that name fabrics.
func (p *program) achieving(args []string) ([]achievable.Fabric, error) {
	list, err := p.layered(args)
	if err != nil {
		return nil, err
	}
	var out []achievable.Fabric
	for _, f := range list {
		out = append(out, achievable.Fabric{Name: f.Name, Graph: func() (*topo.Graph, error) { return f.Graph(context.Background()) }})
	}
	return out, nil
}
