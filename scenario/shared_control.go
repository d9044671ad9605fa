package scenario

import "reflect"

// controllers checks that all groups with which switches compute something for their queues agree on what, and
// for which class.
func (v *validation) controllers(groups []carrier) {
	trims := v.s.Fabric.Overflow == trimming
	var f *carrier // the first one
	for i := range groups {
		g := &groups[i]
		if !g.congestion.Controller.On() {
			continue
		}
		if f == nil {
			f = g
			continue
		}
		class, _ := g.t.classes(trims)
		first, _ := f.t.classes(trims)
		switch {
		case g.t.Congestion.Kind != f.t.Congestion.Kind || !reflect.DeepEqual(f.shared(), g.shared()):
			v.disagree(g.path+".congestion", "switches compute rates with other options than for %s, but a queue has one controller; give both the same congestion", f.path)
		case class != first:
			v.disagree(g.path+".class", "class is not that of %s, but switches compute rates for the queues of one class; give both the same", f.path)
		default:
			continue
		}
		return
	}
}
