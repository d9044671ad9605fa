package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/analysis/collisions"
	"weft/analysis/diversity"
)

func (p *program) analyzePaths() *cobra.Command {
	var (
		output analysisOutput
		o      diversity.MinimalOptions
	)
	c := &cobra.Command{
		Use:   "paths FABRIC...",
		Short: "Show lengths and counts of minimal paths, and how many share no link",
		Long: `Find the lengths and counts of minimal paths between all pairs of routers with
hosts. For random pairs, count how many of them share no link. The output includes
the diameter D, the mean length d and the total network load k'·N_r/d.

Source: FatPaths §IV-B1, §IV-B3, Figure 6.`,
		Example: `  weft analyze paths slim-fly:size=10k hyperx:size=10k
  weft analyze paths slim-fly:size=1M --sources 200 --out lengths.png`,
		Args: someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			fabrics, err := p.fabrics(args, 1)
			if err := errors.Join(err, o.Check()); err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "minimal paths", func(progress func(float64)) (*analysis.Result, error) {
				o.Progress = progress
				return diversity.Minimal(c.Context(), fabrics, o)
			})
		},
	}
	c.Flags().IntVar(&o.Sources, "sources", 0, "number of random source routers (default all)")
	c.Flags().IntVar(&o.Samples, "samples", 10000, "number of random pairs whose disjoint minimal paths are counted")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of random draws")
	threadsVar(c, &o.Threads, "parallel searches; does not change results (default all cores)")
	output.flags(c)
	return c
}

func (p *program) analyzeConnectivity() *cobra.Command {
	var (
		output analysisOutput
		o      diversity.ConnectivityOptions
	)
	c := &cobra.Command{
		Use:   "connectivity FABRIC...",
		Short: "Count paths of any length that share no link, for all pairs of routers",
		Long: `Find the edge connectivity of all pairs of routers with hosts: how many paths of any
length share no link. This takes one maximum flow per router.

Source: FatPaths Appendix B-B; Gusfield 1990 (equivalent flow trees).`,
		Example: `  weft analyze connectivity slim-fly:size=1k fat-tree:tiers=3,radix=8`,
		Args:    someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			fabrics, err := p.fabrics(args, 1)
			if err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "connectivity", func(progress func(float64)) (*analysis.Result, error) {
				o.Progress = progress
				return diversity.Connectivity(c.Context(), fabrics, o)
			})
		},
	}
	threadsVar(c, &o.Threads, "flows computed at a time; does not change results (default all cores)")
	output.flags(c)
	return c
}

func (p *program) analyzeLoad() *cobra.Command {
	var (
		output analysisOutput
		o      diversity.LoadOptions
	)
	c := &cobra.Command{
		Use:   "load FABRIC...",
		Short: "Count disjoint paths between growing sets of routers, up to a bisection",
		Long: `Count the paths that share no link from x random routers to x others, for limited and
for unlimited length. x grows from 1, a single pair, to half of the routers with
hosts, a random bisection.

Source: FatPaths §VIII-B, Figure 18.`,
		Example: `  weft analyze load slim-fly:size=1k dragonfly:size=1k --out load.png`,
		Args:    someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			fabrics, err := p.fabrics(args, 1)
			if err := errors.Join(err, o.Check()); err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "load", func(progress func(float64)) (*analysis.Result, error) {
				o.Progress = progress
				return diversity.Load(c.Context(), fabrics, o)
			})
		},
	}
	c.Flags().IntSliceVarP(&o.Lengths, "lengths", "l", []int{2, 3, 4}, "longest paths to count, in hops")
	c.Flags().IntVar(&o.Trials, "trials", 20, "random sets per x")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the sets")
	threadsVar(c, &o.Threads, "sets counted at a time; does not change results (default all cores)")
	output.flags(c)
	return c
}

func (p *program) analyzeCollisions() *cobra.Command {
	var (
		output   analysisOutput
		o        diversity.CollisionOptions
		patterns []string
	)
	c := &cobra.Command{
		Use:   "collisions FABRIC...",
		Short: "Count a traffic pattern's flows that share a pair of routers",
		Long: `Map the flows of traffic patterns to pairs of routers and count the flows of each
pair: so many paths collide, or so many disjoint ones are needed. Hosts are placed at
random; --linear leaves them in order.

Patterns: permutation, off-diagonal (s+c mod N), shuffle (bits rotated), 4-permutations
(at once), stencil (off-diagonals ±1 and ±42, or ±1337 beyond 10000 hosts), and
adversarial (an off-diagonal by the hosts of a router; use it with --linear).

Source: FatPaths §II-C, §IV-A, Figure 4.`,
		Example: `  weft analyze collisions slim-fly:size=100k clique:size=100k
  weft analyze collisions dragonfly:size=1k --patterns adversarial --linear`,
		Args: someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			fabrics, err := p.fabrics(args, 1)
			for _, text := range patterns {
				pattern, wrong := collisions.ParsePattern(text)
				err = errors.Join(err, wrong)
				o.Patterns = append(o.Patterns, pattern)
			}
			if err := errors.Join(err, o.Check()); err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "collisions", func(progress func(float64)) (*analysis.Result, error) {
				o.Progress = progress
				return diversity.Collisions(c.Context(), fabrics, o)
			})
		},
	}
	c.Flags().StringSliceVar(&patterns, "patterns", []string{"permutation", "off-diagonal", "shuffle", "4-permutations", "stencil"}, "traffic patterns")
	c.Flags().IntVar(&o.Offset, "offset", 1, "off-diagonal: the distance c")
	c.Flags().BoolVar(&o.Linear, "linear", false, "leave hosts in order instead of placing them at random")
	c.Flags().IntVar(&o.Trials, "trials", 1, "number of random placements")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of placements and permutations")
	output.flags(c)
	return c
}
