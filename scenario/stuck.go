package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/topo"
)

// stuck looks for progress: new data delivered or a message acknowledged in full
// since the last look, nothing left to do, or faults and repairs since then or still to come.
// Looks are stuckAfter apart, so that a run is found stuck after between one and
// two of these. A deadlock is found at the first look, also if other messages still get on.
func (r *run) stuck() bool {
	c := r.transport.Counts()
	repairs := r.repairs() || r.acted > r.lookedAt // may set it going
	r.lookAt, r.lookedAt = r.now.Plus(r.stuckAfter), r.now
	if r.deadlocked() {
		return true
	}
	if c.Started == c.Completed { // nothing waits until something starts
		r.lookAt = max(r.now, r.network.Next()).Plus(r.stuckAfter)
	}
	if c.DeliveredBytes != r.delivered || c.Completed != r.completed || c.Started == c.Completed || repairs {
		r.delivered, r.completed = c.DeliveredBytes, c.Completed
		r.served = r.serve()
		return false
	}
	r.cause = r.diagnose()
	return true
}

// repairs tells whether changes of links or routes are still to come.
func (r *run) repairs() bool { return len(r.changes)+len(r.reroutes) > 0 }

// serve returns what ports have served, if headers can keep data waiting for good.
func (r *run) serve() []fabric.Served {
	if trim := r.queue.Trim; trim == nil || trim.Ratio > 0 {
		return nil
	}
	served := make([]fabric.Served, 2*len(r.graph.Links))
	for id := range served {
		served[id] = r.network.Served(topo.PortID(id), r.now)
	}
	return served
}

// starving returns a port at which class 0 has kept data waiting since the last look: one of a
// path, or else any.
func (r *run) starving(path []topo.PortID) (topo.PortID, bool) {
	now := r.serve()
	starves := func(id topo.PortID) bool {
		if r.served == nil { // nothing has moved since the start
			return now[id].Waits && now[id].Others == 0 && now[id].First > 0
		}
		before := r.served[id]
		return before.Waits && now[id].Waits && now[id].Others == before.Others && now[id].First != before.First
	}
	if now == nil {
		return 0, false
	}
	for _, id := range path {
		if starves(id) {
			return id, true
		}
	}
	for id := range topo.PortID(len(now)) {
		if starves(id) {
			return id, true
		}
	}
	return 0, false
}

// diagnose names the message that has waited longest, and what holds it up.
func (r *run) diagnose() string {
	m, ok := r.transport.Oldest()
	if !ok {
		return "no message is in flight, yet not all are delivered"
	}
	g := r.graph
	name := func(h int32) string { return g.Nodes[g.Hosts[h]].Name }
	more := fmt.Sprintf("; weft explain DIR --flow %d", m.ID())
	if m.Delivered {
		more = ", and all delivered" // so that there is nothing to explain
	}
	flow := fmt.Sprintf("message %d of %q from %s to %s (%d of %d packets unacknowledged, started at %s%s)",
		m.Ordinal, r.groups[m.Group].Name, name(m.Src), name(m.Dst), m.Left, m.Packets, micros(m.Start), more)
	path, reached := r.network.Path(m.Src, m.Dst, m.Entropy)
	for _, p := range path {
		if r.network.Down(p) {
			if m.Hosted && r.network.Reaches(m.Src, m.Dst) { // no packet keeps to a path
				continue
			}
			if r.network.Reaches(m.Src, m.Dst) {
				return fmt.Sprintf("%s: dead entropy: its packets keep entropy %d, whose path leads through %s, which is down; other paths are alive",
					flow, m.Entropy, g.PortName(p))
			}
			if from, to := g.Ends(p); r.policy.Detours != nil && g.Nodes[from].Kind == topo.Switch && g.Nodes[to].Kind == topo.Switch {
				return fmt.Sprintf("%s: its minimal path is dead, and routes do not follow (reconverge): %s is down; only packets that take a detour can arrive", flow, g.PortName(p))
			}
			return fmt.Sprintf("%s: no path is alive: %s is down", flow, g.PortName(p))
		}
	}
	if !reached {
		at := g.Hosts[m.Src]
		if len(path) > 0 {
			_, at = g.Ends(path[len(path)-1])
		}
		return fmt.Sprintf("%s: no route from %s on%s", flow, g.Nodes[at].Name, r.deadWay(at, m.Dst))
	}
	back, _ := r.network.Path(m.Dst, m.Src, m.Entropy)
	for _, p := range back {
		if r.network.Down(p) {
			return fmt.Sprintf("%s: its acknowledgements are lost: %s is down", flow, g.PortName(p))
		}
	}
	if held := r.pausedWay(&m, path, back); held != "" {
		return flow + ": " + held
	}
	if messages, completed, came := r.transport.Came(); m.Hosted && came {
		return fmt.Sprintf("all %d messages were delivered, but MessageCompleted was reported %d times; it must be reported once for each: senders do not learn of the delivery, or do not report it",
			messages, completed)
	}
	if port, ok := r.starving(path); ok {
		return fmt.Sprintf("%s: data starves at %s: headers, acknowledgements and pulls (class 0) always went first; let data go in between, as in --set fabric.trim.ratio=10",
			flow, g.PortName(port))
	}
	worst, drops := "", uint64(0)
	for _, p := range path {
		c := r.network.Counters(p, r.now)
		sum := uint64(0)
		for why, n := range c.Drops {
			if fabric.Reason(why) != fabric.CreditQueueFull {
				sum += n
			}
		}
		if sum > drops {
			worst, drops = g.PortName(p), sum
		}
	}
	if drops > 0 {
		return fmt.Sprintf("%s: %s loses its packets (it dropped %d frames)", flow, worst, drops)
	}
	if m.Hosted {
		return flow + ": its transport waits for credit or for an answer that never comes"
	}
	return flow + ": " + r.blocked(&m)
}

// deadWay names a port that leads from a switch to a host when all links work, and is down.
func (r *run) deadWay(at topo.NodeID, dst int32) string {
	if r.graph.Nodes[at].Kind != topo.Switch {
		return ""
	}
	for _, p := range r.tables.Hops(at, r.tables.Edge(r.graph.Hosts[dst])) {
		if r.network.Down(p) {
			return fmt.Sprintf(": %s is down", r.graph.PortName(p))
		}
	}
	return ""
}
