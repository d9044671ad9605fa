package scenario

import (
	"weft/fabric"
	"weft/record"
	"weft/record/section"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/transport"
)

// feature describes what a mechanism of the fabric or its hosts, or a kind of recording,
// does at each step from the file to the end of a run. Each feature has its own file, next
// to the one with its keys; features lists them all. A step at which it does nothing is
// nil.
type feature struct {
	// name is the feature's name in lists: its key, followed by a value if other values of
	// the key are unrelated.
	name string
	// conflicts lists the features that exclude it.
	conflicts []conflict
	// offers describes the need of other parts that the feature satisfies.
	offers *need
	// brings adds the defaults that the feature needs. It returns how many classes the
	// feature takes, and the reason.
	brings func(b *bringing) (classes int, why string)
	// check reports mistakes that the file alone shows.
	check func(v *validation, carriers []carrier)
	// plan runs once queues are planned, settle once groups of traffic are, and finish once
	// faults are planned and no conflict is left.
	plan   func(p *plan, f *Fabric) error
	settle func(p *plan, s *Spec)
	finish func(p *plan, s *Spec) error
	// group configures the transport of a group.
	group func(p *plan, o *transport.Params)
	// build configures the network; attach configures the hosts' sending and receiving.
	build  func(p *plan, c *fabric.Config)
	attach func(p *plan, c *transport.Config)
	// rows lists its derived values for the manifest, between the values of routes and of
	// queues.
	rows func(p *plan) []record.Derived
	// hint notes settings that are allowed but seldom meant.
	hint func(p *plan, s *Spec)
	// unlike describes how the simulation differs from real endpoints, and what to write
	// instead; "" for no difference.
	unlike func(p *plan, s *Spec) string
	// reroute describes how new routes impair the feature; "" if they do not.
	reroute func(p *plan, t *route.Tables) string
	// watch returns its observer, or nil if the plan does not use the feature.
	watch func(w watched, m *window) watch.Observer
	// section returns an empty section of the kind that summaries have if the file uses the
	// feature; nil otherwise.
	section func(s *Spec) section.Section
	// effects decide at the end of a run whether the feature acted.
	effects []effect
}

// partOf returns the state that a feature keeps in the plan, by its type.
func partOf[T any](p *plan) *T {
	for _, one := range p.parts {
		if found, ok := one.(*T); ok {
			return found
		}
	}
	found := new(T)
	p.parts = append(p.parts, found)
	return found
}
