package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/fault"
	"weft/internal/readable"
	"weft/topo"
)

// The checks of the fabric's rules at the end of a run.

func (v *review) actedMarking() {
	packets := v.Transport.Packets()
	marked := v.sum.Marks + v.total.SourceMarks
	for i := range packets {
		marked += packets[i].Marked
	}
	if marked > 0 || !v.queues.marks {
		return
	}
	kind := v.s.Fabric.ECN.Kind
	if d := v.depths.marks; d.known {
		v.never("fabric.ecn", kind, "no frame was marked; %s, and marking begins above %v", v.nearest(d), d.at)
		return
	}
	v.never("fabric.ecn", kind, "no frame was marked")
}

// lossesOfRoom counts frames that a queue or a buffer had no room for.
func (v *review) lossesOfRoom() uint64 {
	return v.sum.Trims + v.sum.Drops[fabric.QueueFull] + v.sum.Drops[fabric.HeaderQueueFull] + v.sum.Drops[fabric.HeadroomFull]
}

// actedLimit reports a queue limit that no queue reached. A marking threshold that is a
// share of the limit counts as its effect.
func (v *review) actedLimit() {
	m := &v.queues.rules.fabric.marking
	if v.lossesOfRoom() > 0 || v.s.Fabric.Queue.Infinite || (m.KMin.Share > 0 || m.KMax.Share > 0) && v.sum.Marks > 0 {
		return
	}
	switch d := v.depths.limit; {
	case v.queues.lossless != 0 && v.allLossless(0, v.queues.port.Classes):
		v.never("fabric.queue", "", "every class is lossless (fabric.pfc), and has no limit")
	case d.known && v.queues.lossless == 0:
		v.never("fabric.queue", "", "no queue was full; %s, and the limit is %v", v.nearest(d), d.at)
	default:
		v.never("fabric.queue", "", "no queue was full")
	}
}

// nearest describes the occupancy that came nearest to a threshold. Thresholds apply to one
// class, but with several classes only the port's total is known.
func (v *review) nearest(d depth) string {
	if v.queues.port.Classes > 1 {
		return fmt.Sprintf("the port that came nearest held %v in all its classes", d.most)
	}
	return fmt.Sprintf("the queue that came nearest held %v", d.most)
}

func (v *review) actedTrimming() {
	if v.queues.port.Trim == nil || v.sum.Trims+v.sum.Drops[fabric.HeaderQueueFull] > 0 {
		return
	}
	path := "fabric.overflow"
	if !v.s.wrote(path) {
		path = "fabric.trim"
	}
	v.never(path, "", "no frame was cut, since no queue was full")
}

// actedPorts reports entries of fabric.ports whose ports no frame reached.
func (v *review) actedPorts() {
	for i := range v.s.Fabric.Ports {
		ports, err := matchQueues(v.graph, v.s.Fabric.Ports[i].Links)
		if err != nil || len(ports) == 0 {
			continue
		}
		met := uint64(0)
		for _, p := range ports {
			met += v.Network.Met(p, v.Now)
		}
		if met == 0 {
			v.never(entryPath(i), "", "no frame came to the %s that it names", readable.Count(len(ports), "port"))
		}
	}
}

func (v *review) actedAdmission() {
	if a := v.s.Fabric.Admission; a != nil && v.queues.port.Admission != nil && v.ruled.Unadmitted == 0 {
		v.never("fabric.admission", a.Kind, "the rule refused no frame")
	}
}

// actedBuffer reports a buffer that refused no frame. It is silent about lossless classes,
// since pause thresholds and headroom also depend on the size of the buffer.
func (v *review) actedBuffer() {
	if v.queues.buffer.Size > 0 && v.queues.lossless == 0 && v.queues.port.Admission == nil && v.ruled.Unshared == 0 {
		v.never("fabric.buffer", "", "no frame was refused for want of room or of a share of the %v that the ports of a switch have together", v.queues.buffer.Size)
	}
}

// actedPolicy reports routing that had only one path, detours that no packet took, and
// weights that are all equal.
func (v *review) actedPolicy() {
	const path = "routing.policy"
	kind := v.s.Routing.Policy.Kind
	switch {
	case v.layered():
	case v.routes.policy.Wanders():
		v.idleWalks(path, kind)
	case !v.routes.policy.Minimal && !v.routes.policy.ByRate:
	case singlePath(v.graph, v.tables):
		v.never(path, kind, "there is one path between any two hosts")
	case v.routes.policy.ByRate && v.sameRates():
		v.never(path, kind, "all links between switches have one rate, so that all weights are alike")
	}
}

// sameRates reports whether all links between switches have one rate throughout the run.
func (v *review) sameRates() bool {
	var first *topo.Link
	for i := range v.graph.Links {
		l := &v.graph.Links[i]
		if v.graph.Nodes[l.A].Kind != topo.Switch || v.graph.Nodes[l.B].Kind != topo.Switch {
			continue
		}
		if first == nil {
			first = l
		}
		if l.Rate != first.Rate {
			return false
		}
	}
	for _, c := range v.failing.timeline.Changes {
		if c.Rate != 0 {
			return false
		}
	}
	return true
}

// actedReconverge reports a reconvergence time without a change that routes could follow.
func (v *review) actedReconverge() {
	if v.Rerouted {
		return
	}
	const path = "routing.reconverge"
	switch {
	case !v.plan.changes(v.moves):
		v.never(path, "", "no link failed or came back")
	case !v.s.Routing.Reconverge.Never:
		v.never(path, "", "the run ended at %v, before routes had followed a failure", v.end())
	}
}

// moves reports whether routes follow a change.
func (p *plan) moves(c fault.Change) bool {
	return c.What == fault.Down || c.What == fault.Up || c.What == fault.SetRate && p.routes.policy.ByRate
}
