// Package achievable compares fabrics and routing schemes by their maximum achievable throughput:
// Figure 9 of FatPaths (Besta et al., SC 2020, §VI), and the same for other traffic, layers and
// topologies.
package achievable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"weft/analysis"
	"weft/analysis/throughput"
	"weft/topo"
)

// Fabric is a topology that is built when it is needed.
type Fabric struct {
	Name  string
	Graph func() (*topo.Graph, error)
}

// Routed is the result of routing a graph with a scheme. Hosts is set if each destination host
// has paths of its own, and Pairs otherwise.
type Routed struct {
	Pairs throughput.Routes
	Hosts throughput.HostRoutes
	// Layers is the number of layers, trees or paths per pair.
	Layers int
	// Notes say what the reader should know about the paths.
	Notes []string
}

// Scheme is a routing scheme.
type Scheme struct {
	Name string
	// Route computes the paths. progress may be nil.
	Route func(ctx context.Context, g *topo.Graph, progress func(float64)) (Routed, error)
}

// Options configures Compare.
type Options struct {
	Traffic throughput.Traffic
	// Intensities lists the traffic intensities to compare. If it is empty, Traffic's is
	// used.
	Intensities []float64
	// Gap is the largest relative difference between the bounds, as a share of the upper one.
	Gap float64
	// Flow adds the throughput when all paths of the network may be used. FlowGap is its gap; 0
	// means Gap.
	Flow    bool
	FlowGap float64
	// Exact also solves with CLP.
	Exact bool
	// Progress, if not nil, is called with the share that is done.
	Progress func(share float64)
}

// Check reports invalid options before anything is built.
func (o Options) Check() error {
	var err error
	for _, gap := range []float64{o.Gap, o.FlowGap} {
		if gap != 0 && !(gap >= 1e-6 && gap < 1) {
			err = errors.Join(err, fmt.Errorf("a gap of %v; it must be a share from 0.000001 to 1, such as 0.02", gap))
		}
	}
	for _, x := range o.Intensities {
		if !(x > 0 && x <= 1) {
			err = errors.Join(err, fmt.Errorf("an intensity of %v; it must be a share of pairs above 0, up to 1", x))
		}
	}
	return errors.Join(err, o.Traffic.Check())
}

// comparison collects the results of Compare.
type comparison struct {
	Options
	result *analysis.Result
	schemes,
	fabrics []analysis.Row
	lines []analysis.Line
	// done out of steps are finished.
	done, steps int
}

// Compare computes the throughput of every scheme on every fabric. It fails if a scheme has no
// path for some pair. If ctx ends, the error is an *analysis.Interrupted, and the result has what
// was finished.
func Compare(ctx context.Context, fabrics []Fabric, schemes []Scheme, o Options) (*analysis.Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if len(o.Intensities) == 0 {
		o.Intensities = []float64{o.Traffic.Intensity}
	}
	if o.FlowGap == 0 {
		o.FlowGap = o.Gap
	}
	c := &comparison{Options: o, result: &analysis.Result{
		Model: "throughput", Source: "FatPaths §VI, Figure 9; TopoBench, Jyothi et al., SC 2016",
		Params: o.params(),
	}}
	c.notes()
	c.steps = len(fabrics) * (len(schemes)*(1+len(o.Intensities)) + len(o.Intensities))
	for _, f := range fabrics {
		err := c.fabric(ctx, f, schemes)
		if err != nil && ctx.Err() != nil {
			c.result.Rows = append(c.fabrics, c.schemes...)
			return c.result, c.stopped(fabrics, schemes, ctx.Err())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	c.result.Rows = append(c.fabrics, c.schemes...)
	if len(o.Intensities) > 1 {
		c.result.Plots = []analysis.Plot{{X: "traffic intensity", Y: "maximum achievable throughput", Lines: c.lines}}
	}
	return c.result, nil
}

// stopped returns the error that names what is missing after the rows of schemes so far.
func (c *comparison) stopped(fabrics []Fabric, schemes []Scheme, cause error) error {
	e := &analysis.Interrupted{Of: "schemes of fabrics", Done: len(c.schemes), Cause: cause}
	for _, f := range fabrics {
		for _, s := range schemes {
			for _, x := range c.Intensities {
				if e.All++; e.All > e.Done {
					e.Missing = append(e.Missing, f.Name+" "+s.Name+c.suffix(x))
				}
			}
		}
	}
	return e
}

// suffix returns the end of names when several intensities are compared.
func (c *comparison) suffix(intensity float64) string {
	if len(c.Intensities) < 2 {
		return ""
	}
	return " at " + number(intensity)
}

func (o Options) params() map[string]string {
	t := o.Traffic
	p := map[string]string{
		"pattern": string(t.Pattern), "seed": strconv.FormatUint(t.Seed, 10), "gap": number(o.Gap),
		"elephants": number(t.Elephants), "small": number(t.Small),
	}
	for i, x := range o.Intensities {
		if i > 0 {
			p["intensity"] += ","
		}
		p["intensity"] += number(x)
	}
	return p
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// notes adds the notes that apply to all traffic and paths.
func (c *comparison) notes() {
	c.result.Notes = []string{
		"T is the share of every demand that is carried at once; it is certified to lie between T and at most.",
		"T leaves out host links; hosts allow shows the throughput that they allow.",
	}
	if c.Traffic.Small > 0 {
		c.result.Notes = append(c.result.Notes, fmt.Sprintf("%v %% of the pairs demand 1, the others %v; FatPaths prints neither.", 100*c.Traffic.Elephants, c.Traffic.Small))
	}
}

// advance reports progress: share of the current step is done. A share of 1 completes the step.
func (c *comparison) advance(share float64) {
	if c.Progress != nil {
		c.Progress((float64(c.done) + share) / float64(c.steps))
	}
	if share == 1 {
		c.done++
	}
}

func (c *comparison) fabric(ctx context.Context, f Fabric, schemes []Scheme) error {
	g, err := f.Graph()
	if err != nil {
		return err
	}
	n, err := throughput.NewNetwork(g)
	if err != nil {
		return err
	}
	loads := make([]load, len(c.Intensities))
	for i, x := range c.Intensities {
		loads[i], err = c.load(ctx, f.Name, n, x)
		if err != nil {
			return err
		}
	}
	for _, s := range schemes {
		routed, err := s.Route(ctx, g, func(share float64) { c.advance(min(share, 0.99)) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		for _, note := range routed.Notes {
			c.result.Notes = append(c.result.Notes, fmt.Sprintf("%s, %s: %s", f.Name, s.Name, note))
		}
		c.advance(1)
		line := analysis.Line{Name: f.Name + " " + s.Name}
		for _, l := range loads {
			r, err := c.solve(ctx, n, l, routed)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			c.row(f.Name, s.Name, l, routed, r)
			line.X = append(line.X, l.intensity)
			line.Y = append(line.Y, r.Lower)
			c.advance(1)
		}
		c.lines = append(c.lines, line)
	}
	return nil
}

// load is traffic on a network.
type load struct {
	intensity   float64
	suffix      string
	demands     []throughput.Demand
	commodities []throughput.Commodity
	// flow is the throughput over all paths, or nil if it was not requested.
	flow *throughput.Result
}

func (c *comparison) load(ctx context.Context, name string, n *throughput.Network, intensity float64) (load, error) {
	t := c.Traffic
	t.Intensity = intensity
	l := load{intensity: intensity, suffix: c.suffix(intensity)}
	var err error
	if l.demands, err = t.Demands(n); err != nil {
		return l, err
	}
	var local float64
	l.commodities, local = n.Aggregate(l.demands)
	if len(l.commodities) == 0 {
		return l, fmt.Errorf("all %d pairs of hosts are on one router each, so no link between routers is used; choose another pattern or more intensity", len(l.demands))
	}
	distance, err := n.MeanDistance(l.commodities)
	if err != nil {
		return l, err
	}
	size := 0.0
	for _, k := range l.commodities {
		size += k.Size
	}
	row := analysis.Row{Name: name + l.suffix, Of: "fabric", Numbers: []analysis.Number{
		analysis.Exact("routers", float64(len(n.EdgeRouters())), "", "routers with hosts"),
		analysis.Exact("hosts", float64(len(n.Graph().Hosts)), "", "hosts"),
		analysis.Exact("pairs", float64(len(l.demands)), "", "pairs of hosts that communicate"),
		analysis.Exact("commodities", float64(len(l.commodities)), "", "pairs of routers that communicate"),
		analysis.Exact("demand", size, "", "sum of the demands between routers, in host links"),
		analysis.Exact("local", local, "", "sum of the demands within routers"),
		analysis.Exact("distance", distance, "", "mean distance of demands, in links"),
		analysis.Exact("hosts allow", n.EndpointBound(l.demands), "", "throughput that host links allow"),
	}}
	if c.Flow {
		r, _, err := n.SolveFlow(ctx, l.commodities, throughput.Options{Gap: c.FlowGap, Progress: c.progress(c.FlowGap)})
		if err != nil {
			return l, fmt.Errorf("flow over all paths: %w", err)
		}
		l.flow = r
		row.Numbers = append(row.Numbers,
			analysis.Exact("flow", r.Lower, "", "throughput with all paths: a flow reaches it"),
			analysis.Exact("flow at most", r.Upper, "", "upper bound of it"))
	}
	c.fabrics = append(c.fabrics, row)
	c.advance(1)
	return l, nil
}

// progress converts converging bounds to a share of a step.
func (c *comparison) progress(target float64) func(lower, upper float64) {
	if target == 0 {
		target = throughput.DefaultGap
	}
	return func(lower, upper float64) {
		if gap := 1 - lower/upper; gap > 0 && gap < 1 {
			c.advance(max(0, min(0.99, math.Log(gap)/math.Log(target))))
		}
	}
}

// solved is a throughput with the size of its problem.
type solved struct {
	*throughput.Result
	paths, commodities int
	// exact is CLP's value, or 0.
	exact float64
}

func (c *comparison) solve(ctx context.Context, n *throughput.Network, l load, routed Routed) (solved, error) {
	var p *throughput.Problem
	var err error
	if routed.Hosts != nil {
		p, err = n.RestrictHosts(l.demands, routed.Hosts)
	} else {
		p, err = n.Restrict(l.commodities, routed.Pairs)
	}
	if err != nil {
		return solved{}, err
	}
	r, err := throughput.Solve(ctx, p, throughput.Options{Gap: c.Gap, Progress: c.progress(c.Gap)})
	if err != nil {
		return solved{}, err
	}
	s := solved{Result: r, paths: p.Paths(), commodities: p.Commodities()}
	if c.Exact {
		if s.exact, err = throughput.Exact(ctx, p); err != nil {
			return solved{}, err
		}
		// CLP writes 8 digits.
		if s.exact < r.Lower*(1-1e-6) || s.exact > r.Upper*(1+1e-6) {
			return solved{}, fmt.Errorf("CLP finds %v, which is not between the bounds %v and %v; please report this bug", s.exact, r.Lower, r.Upper)
		}
	}
	return s, nil
}

func (c *comparison) row(fabric, scheme string, l load, routed Routed, r solved) {
	row := analysis.Row{Name: fabric + " " + scheme + l.suffix, Of: "scheme", Among: fabric + l.suffix, Numbers: []analysis.Number{
		analysis.Exact("T", r.Lower, "", "maximum achievable throughput: a flow reaches it"),
		analysis.Exact("at most", r.Upper, "", "upper bound of T, certified by prices of links"),
		analysis.Exact("gap", 100*r.Gap(), "%", "difference of the bounds"),
		analysis.Exact("layers", float64(routed.Layers), "", "layers, trees, or most paths of a pair"),
		analysis.Exact("paths", float64(r.paths)/float64(r.commodities), "", "mean number of different paths per commodity"),
	}}
	if l.flow != nil {
		row.Numbers = append(row.Numbers, analysis.Exact("of flow", 100*r.Lower/l.flow.Lower, "%", "share of the flow over all paths"))
	}
	if c.Exact {
		row.Numbers = append(row.Numbers, analysis.Exact("CLP", r.exact, "", "optimum by CLP"))
	}
	c.schemes = append(c.schemes, row)
}
