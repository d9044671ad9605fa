package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/analysis/diversity"
)

func (p *program) analyzeDisjoint() *cobra.Command {
	var (
		output analysisOutput
		o      diversity.Options
		method string
		graphs int
	)
	c := &cobra.Command{
		Use:   "disjoint FABRIC...",
		Short: "Count paths of bounded length that share no link, and their interference",
		Long: `Count how many paths of at most l hops share no link (CDP), for random pairs of
routers. Measure how far the paths of random pairs of pairs interfere (PI). Both are in
percent of k', a router's links to other routers. Only routers with hosts are drawn.

--method greedy removes shortest paths one after another, as FatPaths does. --method
flow is exact up to 3 hops, and an upper bound beyond.

Source: FatPaths §IV-B, Table IV, Figures 7 and 8.`,
		Example: `  weft analyze disjoint slim-fly:size=1k --lengths 2,3,4
  weft analyze disjoint slim-fly:size=10k@3 dragonfly:size=10k@4 --samples 10000
  weft analyze disjoint jellyfish:like=slim-fly,size=10k --graphs 10 --out cdp.png`,
		Args: someFabrics,
		RunE: func(c *cobra.Command, args []string) error {
			o.Method = diversity.Method(method)
			fabrics, err := p.fabrics(args, graphs)
			if err := errors.Join(err, o.Check()); err != nil {
				return badInput(err)
			}
			return p.show(c.Context(), output, "disjoint paths", func(progress func(float64)) (*analysis.Result, error) {
				o.Progress = progress
				return diversity.Disjoint(c.Context(), fabrics, o)
			})
		},
	}
	c.Flags().IntSliceVarP(&o.Lengths, "lengths", "l", []int{2, 3, 4}, "longest paths to count, in hops")
	c.Flags().IntVar(&o.Samples, "samples", 10000, "random pairs, and pairs of pairs, per graph")
	c.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the samples")
	c.Flags().StringVar(&method, "method", string(diversity.Greedy), "counting method: greedy, as FatPaths counts, or flow")
	c.Flags().BoolVar(&o.Shuffle, "shuffle", false, "visit neighbours in random order in greedy searches")
	c.Flags().BoolVar(&o.Worded, "worded", false, "also show interference by the paper's wording")
	c.Flags().IntVar(&graphs, "graphs", 1, "graphs per topology that has a seed, with consecutive seeds")
	threadsVar(c, &o.Threads, "samples counted at a time; does not change results (default all cores)")
	output.flags(c)
	return c
}
