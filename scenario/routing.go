package scenario

import (
	"errors"
	"fmt"

	"weft/config"
	"weft/problem"
	"weft/record"
	"weft/route"
	"weft/topo"
	"weft/unit"
)

// planRouting computes the tables with all links.
func (p *plan) planRouting(r *Routing) (err error) {
	const path = "routing.policy"
	if p.routes.policy, err = r.Policy.Build(); err != nil {
		return at(path, err)
	}
	options := route.Options{Progress: p.telling("routes")}
	if p.routes.policy.Bytes != nil {
		need := networkBytes(p.graph) + p.routes.policy.Bytes(p.graph)
		have, lacking := lacking(need)
		if lacking {
			return at(path, problem.New("%d switches with their tables need at least %.1f GiB of memory, and %.1f GiB is available", p.switchCount(), gib(need), gib(have)).Mend("use fewer layers, or a smaller network"))
		}
		if have > 0 && p.pairsOfSwitches() >= manyPairs {
			options.Most = have - need
		}
		if need >= notableMemory {
			p.notice(fmt.Sprintf("a run takes about %.1f GiB of memory, beside messages under way", gib(need)))
		}
	}
	if p.routes.router, err = p.routes.policy.Prepare(p.graph, p.seed); err != nil {
		var wrong []error
		for _, one := range each(err) {
			wrong = append(wrong, at(path, one))
		}
		return errors.Join(wrong...)
	}
	p.routes.present, err = p.routes.router(options)
	if p.tables = p.routes.present; p.routes.policy.Minimal {
		return at("topology", err)
	}
	if err != nil {
		return at(path, err)
	}
	if !p.sharesTables() {
		if p.tables, err = route.Minimal(p.graph, options); err != nil {
			return at("topology", err)
		}
	}
	switch paths := p.routes.present.Paths(); {
	case paths != nil:
		p.routes.walks = []route.Walks{paths.Walks()}
		if w := &p.routes.walks[0]; w.Strays > 0 {
			p.notice(fmt.Sprintf("%d of %d pairs of switches with hosts have no explicit path, and take minimal ones (routing.policy)",
				w.Strays, int64(p.routes.present.Edges())*int64(p.routes.present.Edges()-1)))
		}
	case p.routes.present.Layered():
		p.measureLayers()
	}
	return nil
}

// manyPairs is the number of pairs of switches from which on separate minimal tables would
// cost notable memory.
const manyPairs = 1 << 22

// notableMemory is the size from which on the memory of a run is reported beforehand.
const notableMemory = unit.GiB

// pairsOfSwitches is the most pairs of switches that tables have entries for.
func (p *plan) pairsOfSwitches() int { return p.switchCount() * p.switchCount() }

// switchCount returns the number of switches of the topology.
func (p *plan) switchCount() int { return len(p.graph.Nodes) - len(p.graph.Hosts) }

// sharesTables reports whether the first layer can serve as the minimal tables. That is so
// in a large network in which all shortest paths between two switches take the same time,
// so that any of them will do.
func (p *plan) sharesTables() bool {
	g, t := p.graph, p.routes.present
	if !t.FirstIsMinimal() || p.pairsOfSwitches() < manyPairs {
		return false
	}
	var first *topo.Link
	latency := unit.Time(-1)
	for i := range g.Links {
		l := &g.Links[i]
		a, b := &g.Nodes[l.A], &g.Nodes[l.B]
		if a.Kind != topo.Switch || b.Kind != topo.Switch {
			continue
		}
		if first == nil {
			first, latency = l, a.Latency
		}
		if l.Rate != first.Rate || l.Delay != first.Delay || a.Latency != latency || b.Latency != latency {
			return false
		}
	}
	return true
}

// measureLayers measures the walks of each layer.
func (p *plan) measureLayers() {
	for layer := range p.routes.present.Layers() {
		p.routes.walks = append(p.routes.walks, p.routes.present.Walks(layer))
	}
	if strays := p.allWalks().Strays; strays > 0 {
		p.notice(fmt.Sprintf("%d pairs of switches have no route in a layer and take minimal paths there, of %d in %d layers (routing.policy); %s",
			strays, p.routes.walks[0].Pairs*int64(len(p.routes.walks)), len(p.routes.walks), p.routes.policy.Strays))
	}
}

// allWalks adds up the walks of all layers.
func (p *plan) allWalks() (all route.Walks) {
	for i := range p.routes.walks {
		all.Add(&p.routes.walks[i])
	}
	return all
}

// layered reports whether a packet's entropy chooses its layer or its explicit path.
func (p *plan) layered() bool { return len(p.routes.walks) > 0 }

// explicit reports whether packets follow explicit paths.
func (p *plan) explicit() bool { return p.routes.present.Paths() != nil }

// routeRows lists the measures of layers and explicit paths for the manifest.
func (p *plan) routeRows() []record.Derived {
	if !p.layered() {
		return nil
	}
	all := p.allWalks()
	if p.explicit() {
		pairs := int64(p.routes.present.Edges()) * int64(p.routes.present.Edges()-1)
		return []record.Derived{
			record.DerivedCount("paths", float64(all.Pairs)/float64(max(1, pairs-all.Strays)), "", "mean number of explicit paths of a pair of switches that has some, of which the entropy of a packet chooses one"),
			record.DerivedCount("path_hops", all.Mean(), "links", "mean length of explicit paths, between switches"),
			record.DerivedCount("path_longest", float64(all.Longest), "links", "longest explicit path, between switches"),
			record.DerivedCount("path_strays", float64(all.Strays), "pairs", "pairs of switches with hosts without an explicit path, which take minimal ones"),
		}
	}
	return []record.Derived{
		record.DerivedCount("layers", float64(len(p.routes.walks)), "", "layers of routing, of which the entropy of a packet chooses one"),
		record.DerivedCount("layer_hops", all.Mean(), "links", "mean length of paths in all layers, between switches"),
		record.DerivedCount("layer_longest", float64(all.Longest), "links", "longest path in any layer, between switches"),
		record.DerivedCount("layer_strays", float64(all.Strays), "pairs", "pairs of switches without a route in a layer, which take minimal paths there"),
	}
}

// timeBeyond returns the time that the links beyond the longest minimal path add to a round
// trip of full frames, if frames wait this long at every switch.
func (p *plan) timeBeyond(wait unit.Time) (t unit.Time) {
	if p.routes.beyond == 0 {
		return 0
	}
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		from, to := p.graph.Ends(id)
		if p.graph.Nodes[from].Kind != topo.Switch || p.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		l := &p.graph.Links[id.Link()]
		t = max(t, 2*(l.Rate.Transmit(p.frames.data)+l.Delay+p.graph.Nodes[to].Latency))
	}
	return t.Plus(wait).Times(int64(p.routes.beyond))
}

// plainPolicy writes a policy without options as its name alone. Policies used to be words,
// and studies identify their runs by this form.
func plainPolicy(root *config.Node) *config.Node {
	r := root.Get("routing")
	if r == nil {
		return root
	}
	policy := r.Get("policy")
	if policy == nil || len(policy.Fields) != 1 {
		return root
	}
	name := config.Field{Key: "policy", Place: policy.Place, Value: policy.Fields[0].Value}
	return root.With(config.Field{Key: "routing", Place: r.Place, Value: r.With(name)})
}
