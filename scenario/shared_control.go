package scenario

import (
	"reflect"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

var controllerFeature = feature{
	name:  "a control of switches (rocc, rcp)",
	check: (*validation).controllers,
}

// controllers checks that all groups whose controls run in switches agree on the
// computation and on its class.
func (v *validation) controllers(groups []carrier) {
	trims := v.s.Fabric.Overflow == trimming
	var f *carrier // the first such group
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
			v.disagree(g.path+".congestion", problem.New("switches compute rates with other options than for %s, but a queue has one controller", f.path).Mend("give both the same congestion"))
		case class != first:
			v.disagree(g.path+".class", problem.New("class is not that of %s, but switches compute rates for the queues of one class", f.path).Mend("give both the same"))
		default:
			continue
		}
		return
	}
}

// checkNotices refuses switches that send notices faster than a link can carry them: in a
// lossless class the notices would pile up without end.
func (p *plan) checkNotices(c *protocol.Controller) error {
	every := max(c.Period, c.NoticeGap)
	if !c.On() || c.NoticeBytes == 0 || every == 0 { // a period of 0 means one round trip
		return nil
	}
	slowest := p.graph.Links[0].Rate
	for i := range p.graph.Links {
		slowest = min(slowest, p.graph.Links[i].Rate)
	}
	if takes := slowest.Transmit(c.NoticeBytes); takes > every {
		return problem.New("a switch may tell a flow of its queue every %v, but a notice of %v takes %v on a link of %v, so that notices pile up", every, c.NoticeBytes, takes, slowest).Mend("write a period or a gap of %v or more, or smaller notices", takes.RoundUp(unit.Nanosecond))
	}
	return nil
}
