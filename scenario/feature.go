package scenario

import (
	"weft/fabric"
	"weft/record"
	"weft/record/section"
	"weft/route"
	"weft/scenario/internal/watch"
	"weft/transport"
)

// feature is a mechanism of the fabric or of its hosts, or something that is recorded, by what it does at each step from a file to
// the end of a run. It stands in a file of its own, beside that with its keys; features lists all. A step at which it does nothing is
// nil.
type feature struct {
	// name is how lists name it: by its key, with a value where others have nothing to do with it.
	name string
	// conflicts are what excludes it.
	conflicts []conflict
	// offers is what parts of a scenario may need of it.
	offers *need
	// brings makes room in the file for what the feature takes: how many classes, and what for.
	brings func(b *bringing) (classes int, why string)
	// check finds what does not go with it that the file shows.
	check func(v *validation, carriers []carrier)
	// plan resolves it, once queues are planned, settle once groups of traffic are, too, and finish once faults are and nothing
	// excludes it.
	plan   func(p *plan, f *Fabric) error
	settle func(p *plan, s *Spec)
	finish func(p *plan, s *Spec) error
	// group tells the transport of a group of it.
	group func(p *plan, o *transport.Params)
	// build configures the network, and attach what hosts send and take frames with.
	build  func(p *plan, c *fabric.Config)
	attach func(p *plan, c *transport.Config)
	// rows lists what it comes to, for the manifest: behind what routes come to, and before queues.
	rows func(p *plan) []record.Derived
	// hint notes what is allowed and seldom meant.
	hint func(p *plan, s *Spec)
	// unlike says what the simulation of a file has otherwise than real endpoints, and what to write; "" is nothing.
	unlike func(p *plan, s *Spec) string
	// reroute says what routes that a run changes to do to it; "" is nothing.
	reroute func(p *plan, t *route.Tables) string
	// watch returns its observer, nil where a plan does not have it.
	watch func(w watched, m *window) watch.Observer
	// section returns an empty one of those that summaries of a file with the feature are meant to have, nil without.
	section func(s *Spec) section.Section
	// effects tell at the end of a run whether it acted.
	effects []effect
}

// partOf returns what a plan has of a feature, by its type.
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
