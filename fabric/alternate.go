package fabric

import (
	"fmt"

	"weft/sim"
	"weft/topo"
)

// Alternate is a stage of switches that is asked when a port refuses a frame because its
// queue is full, before the frame is dropped. It may name another port of the switch.
type Alternate struct {
	// Limit is how often one frame may be sent elsewhere on its way, from 1 to MaxAlternates.
	Limit int
	// Port returns the port to try instead of the one that refused. It is told how often the
	// frame was sent elsewhere before. Several domains ask at once: what it returns must depend
	// only on what it is given.
	Port func(at topo.NodeID, refused topo.PortID, f *Frame, times int) (topo.PortID, bool)
}

// MaxAlternates is how often a frame can be sent elsewhere, which it carries in its flags.
const MaxAlternates = 7

const (
	timesShift = 5
	timesUnit  = Flags(1 << timesShift)
)

func (a *Alternate) check() error {
	if a != nil && (a.Limit < 1 || a.Limit > MaxAlternates) {
		return fmt.Errorf("fabric: a frame may be sent elsewhere %d times; write 1 to %d", a.Limit, MaxAlternates)
	}
	return nil
}

// refuse sends a frame that port i does not take elsewhere, or drops it.
func (d *Domain) refuse(i int32, id FrameID, why Reason, now sim.Time) {
	if d.network.alternate != nil && why == QueueFull {
		if port, ok := d.elsewhere(i, id); ok {
			d.frames[id].Flags += timesUnit
			d.accept(port, &d.frames[id], id, now)
			return
		}
	}
	d.drop(i, id, why, now)
}

// elsewhere asks for another port of the switch of port i.
func (d *Domain) elsewhere(i int32, id FrameID) (port int32, ok bool) {
	n := d.network
	f := &d.frames[id]
	times := int(f.Flags >> timesShift)
	if times >= n.alternate.Limit {
		return 0, false
	}
	refused := topo.PortID(d.cold[i].id)
	at, _ := n.graph.Ends(refused)
	other, ok := n.alternate.Port(at, refused, f, times)
	if !ok {
		return 0, false
	}
	if from, _ := n.graph.Ends(other); from != at {
		panic(fmt.Sprintf("fabric: the alternate to %s is %s, a port of another node", n.graph.PortName(refused), n.graph.PortName(other)))
	}
	return n.ports[other].index, true
}
