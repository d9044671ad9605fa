package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/analysis/collisions"
	"weft/analysis/diversity"
	"weft/internal/nearest"
)

// published is a figure or table of a paper about graphs.
type published struct {
	name, about string
	// command is how other commands come to the same, after "weft analyze".
	command string
	// axis chooses the plots of the result that the figure shows by their axis of x;
	// all if it is empty.
	axis string
	// run computes it, with so many samples and graphs of random families.
	run func(p *program, c context.Context, o publishedOptions) (*analysis.Result, error)
}

type publishedOptions struct {
	samples, graphs, threads int
	seed                     uint64
	progress                 func(float64)
}

// deterministic are the fabrics of FatPaths' Table IV at their distance d', with
// about 10 000 hosts; equivalent are Jellyfish with the hardware of each.
func deterministic() []string {
	return []string{
		"clique:size=10k@2", "slim-fly:size=10k@3", "xpander:size=10k@3", "hyperx:size=10k@3", "dragonfly:size=10k@4", "fat-tree:tiers=3,size=10k@4",
	}
}

func equivalent() []string {
	return []string{
		"jellyfish:like=slim-fly,size=10k@3", "jellyfish:like=xpander,size=10k@3", "jellyfish:like=hyperx,size=10k@3",
		"jellyfish:like=dragonfly,size=10k@4", "jellyfish:like=fat-tree,size=10k@4",
	}
}

// at has fabrics with other lengths than their own.
func at(fabrics []string, lengths string) []string {
	out := make([]string, len(fabrics))
	for i, f := range fabrics {
		f, _, _ = strings.Cut(f, "@")
		out[i] = f + lengths
	}
	return out
}

func publishedFigures() []published {
	large := []string{"slim-fly:size=100k", "dragonfly:size=100k", "clique:size=100k"}
	all := append(deterministic(), equivalent()...)
	distributions := at([]string{"slim-fly:size=10k", "dragonfly:size=10k", "hyperx:size=10k", "xpander:size=10k", "fat-tree:tiers=3,size=10k", "jellyfish:like=slim-fly,size=10k", "jellyfish:like=dragonfly,size=10k"}, "")
	return []published{
		{
			name: "fatpaths-table4", about: "disjoint paths and interference of all topologies with about 10 000 hosts, at distance d'",
			command: "disjoint " + strings.Join(all, " "),
			run: func(p *program, ctx context.Context, o publishedOptions) (*analysis.Result, error) {
				return p.measure(ctx, all, nil, o)
			},
		},
		{
			name: "fatpaths-4", about: "colliding paths of a pair of routers, with about 100 000 hosts",
			command: "collisions " + strings.Join(large, " "),
			run: func(p *program, ctx context.Context, o publishedOptions) (*analysis.Result, error) {
				fabrics, err := p.fabrics(large, 1)
				if err != nil {
					return nil, err
				}
				patterns := collisions.Patterns()
				return diversity.Collisions(ctx, fabrics, diversity.CollisionOptions{
					Patterns: patterns[:len(patterns)-1], Trials: 1, Seed: o.seed, Progress: o.progress,
				})
			},
		},
		{
			name: "fatpaths-6", about: "lengths and counts of minimal paths, with about 10 000 hosts",
			command: "paths " + strings.Join(distributions, " "),
			run: func(p *program, ctx context.Context, o publishedOptions) (*analysis.Result, error) {
				fabrics, err := p.fabrics(distributions, 1)
				if err != nil {
					return nil, err
				}
				return diversity.Minimal(ctx, fabrics, diversity.MinimalOptions{Samples: o.samples, Seed: o.seed, Threads: o.threads, Progress: o.progress})
			},
		},
		{
			name: "fatpaths-7", about: "distributions of disjoint paths up to 2, 3 and 4 hops, with about 10 000 hosts",
			command: "disjoint --lengths 2,3,4 " + strings.Join(distributions, " "),
			axis:    "Disjoint paths",
			run: func(p *program, ctx context.Context, o publishedOptions) (*analysis.Result, error) {
				return p.measure(ctx, distributions, []int{2, 3, 4}, o)
			},
		},
		{
			name: "fatpaths-8", about: "distributions of path interference up to 2, 3 and 4 hops, with about 10 000 hosts",
			command: "disjoint --lengths 2,3,4 " + strings.Join(distributions, " "),
			axis:    "Path interference",
			run: func(p *program, ctx context.Context, o publishedOptions) (*analysis.Result, error) {
				return p.measure(ctx, distributions, []int{2, 3, 4}, o)
			},
		},
		{
			name: "fatpaths-18", about: "disjoint paths between growing sets of routers, with about 1000 hosts",
			command: "load slim-fly:size=1k dragonfly:size=1k fat-tree:tiers=3,size=1k",
			run: func(p *program, ctx context.Context, o publishedOptions) (*analysis.Result, error) {
				fabrics, err := p.fabrics([]string{"slim-fly:size=1k", "dragonfly:size=1k", "fat-tree:tiers=3,size=1k"}, 1)
				if err != nil {
					return nil, err
				}
				return diversity.Load(ctx, fabrics, diversity.LoadOptions{Lengths: []int{2, 3, 4}, Trials: 20, Seed: o.seed, Threads: o.threads, Progress: o.progress})
			},
		},
		{
			name: "fatpaths-19", about: "cables per host, and radix, over the number of hosts, up to 64 ports",
			command: "density",
			run: func(*program, context.Context, publishedOptions) (*analysis.Result, error) {
				return diversity.Density(figureRadix)
			},
		},
	}
}

// figureRadix is the largest radix of FatPaths' Figure 19.
const figureRadix = 64

// measure is weft analyze disjoint with the paper's method. Several graphs of a
// random family share the samples.
func (p *program) measure(ctx context.Context, args []string, lengths []int, o publishedOptions) (*analysis.Result, error) {
	fabrics, err := p.fabrics(args, o.graphs)
	if err != nil {
		return nil, err
	}
	return diversity.Disjoint(ctx, fabrics, diversity.Options{
		Lengths: lengths, Samples: o.samples, Seed: o.seed, Method: diversity.Greedy, Threads: o.threads, Progress: o.progress, Share: true,
	})
}

func (p *program) analyzeFigure() *cobra.Command {
	var (
		output analysisOutput
		o      publishedOptions
	)
	c := &cobra.Command{
		Use:   "figure [NAME]",
		Short: "Compute a paper's figure or table about graphs; without a name, list them",
		Long: `Compute a paper's figure or table about graphs, print its numbers, and draw it with
--out. Without a name, list the figures and the commands that give the same numbers.`,
		Example: `  weft analyze figure
  weft analyze figure fatpaths-table4
  weft analyze figure fatpaths-7 --out cdp.pdf`,
		Args:              atMost("one name of a figure"),
		ValidArgsFunction: argument(analyzedFigures),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.listPublished()
			}
			f, err := findPublished(args[0])
			if err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, f.name, func(progress func(float64)) (*analysis.Result, error) {
				o.progress = progress
				r, err := f.run(p, c.Context(), o)
				if err != nil {
					return nil, err
				}
				if f.axis != "" {
					r.Plots = plotsOver(r.Plots, f.axis)
				}
				return r, nil
			})
		},
	}
	c.Flags().IntVar(&o.samples, "samples", 10000, "samples per topology, shared by the graphs of a random one")
	c.Flags().IntVar(&o.graphs, "graphs", 10, "graphs per random topology, where several are compared")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "seed of random draws")
	threadsVar(c, &o.threads, "samples counted at a time; does not change results (default all cores)")
	output.flags(c)
	return c
}

// plotsOver keeps the plots whose axis of x begins like that.
func plotsOver(plots []analysis.Plot, axis string) []analysis.Plot {
	var out []analysis.Plot
	for _, q := range plots {
		if strings.HasPrefix(q.X, axis) {
			out = append(out, q)
		}
	}
	return out
}

func findPublished(name string) (published, error) {
	var names []string
	for _, f := range publishedFigures() {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return published{}, fmt.Errorf("no figure is called %q; %s", name, nearest.Remedy(name, "there are", names))
}

func (p *program) listPublished() error {
	for i, f := range publishedFigures() {
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		fmt.Fprintf(p.stdout, "%s: %s\n  weft analyze %s\n", f.name, f.about, f.command)
	}
	return nil
}

func (p *program) analyzeDensity() *cobra.Command {
	var output analysisOutput
	radix := figureRadix
	c := &cobra.Command{
		Use:   "density",
		Short: "Show cables per host and router radix over the size of families of topologies",
		Long: `Compute by closed forms how many cables each host needs and how many ports a router
has, over the number of hosts. The plot shows every member of each family up to the
largest radix.

Source: FatPaths Appendix D-1, Figure 19.`,
		Example: `  weft analyze density --radix 128 --out density.png`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.show(c.Context(), output, "density", func(func(float64)) (*analysis.Result, error) { return diversity.Density(radix) })
		},
	}
	c.Flags().IntVar(&radix, "radix", radix, "largest radix (ports of a router)")
	output.flags(c)
	return c
}
