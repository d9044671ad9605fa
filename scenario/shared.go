package scenario

import (
	"reflect"

	"weft/problem"
	"weft/unit"
)

// receivers checks that all groups whose receivers grant credit agree on how they do so,
// since a host has one receiver for all of them.
func (v *validation) receivers(groups []carrier) {
	trims := v.s.Fabric.Overflow == trimming
	var f *carrier // the first such group
	for i := range groups {
		g := &groups[i]
		if g.congestion.NewReceiver == nil && g.congestion.NewHost == nil {
			continue
		}
		if f == nil {
			f = g
			continue
		}
		kind, same := g.t.Congestion.Kind, f.t.Congestion.Kind == g.t.Congestion.Kind
		switch hosted := g.congestion.NewHost != nil; {
		case hosted && same && g.sizes() != f.sizes():
			v.disagree(g.path+".payload", problem.New("payload, header or ack.size differ from those of %s, but a host has one transport for all its traffic of kind %s", f.path, kind).Mend("give both the same").Due("ack.size"))
		case hosted && same && g.classes(trims) != f.classes(trims):
			v.disagree(g.path+".class", problem.New("class or ack.class differ from those of %s, but a host has one transport for all its traffic of kind %s", f.path, kind).Mend("give both the same").Due("ack.class"))
		case g.congestion.NewReceiver != nil && same && g.frame() != f.frame():
			v.disagree(g.path+".payload", problem.New("payload plus header differs from that of %s, but a host has one receiver of kind %s, which grants full packets", f.path, kind).Mend("give both the same"))
		case (hosted || f.congestion.NewHost != nil) && !same:
			v.disagree(g.path+".congestion", problem.New("receivers grant credit as in %s, and those of %s as in %s; a host has one receiver for all its traffic", kind, f.path, f.t.Congestion.Kind).Mend("give both the same congestion"))
		case !reflect.DeepEqual(f.shared(), g.shared()):
			v.disagree(g.path+".congestion", problem.New("receivers grant credit with options other than those of %s, but a host has one receiver for all its traffic", f.path).Mend("give both the same options of %s", f.t.Congestion.Kind))
		default:
			continue
		}
		return
	}
}

// shared returns the options on which groups must agree: all options, unless the congestion
// control names some.
func (c *carrier) shared() any {
	if c.congestion.Receivers == nil {
		return c.t.Congestion.Options
	}
	return c.congestion.Receivers
}

// sizes returns the sizes of payload, header and control frames.
func (c *carrier) sizes() [3]unit.Bytes {
	return [...]unit.Bytes{c.t.Payload, c.t.Header, c.t.Ack.Size}
}

// classes returns the classes of data and of control frames.
func (c *carrier) classes(trims bool) [2]uint8 {
	data, ack := c.t.classes(trims)
	return [...]uint8{data, ack}
}

// frame returns the size of a full data frame.
func (c *carrier) frame() unit.Bytes { return c.t.Payload + c.t.Header }
