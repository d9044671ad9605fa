package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/unit"
)

// progress ends a run that makes no progress.
type progress struct {
	watched
	// The state at the last look.
	delivered, completed uint64
	due, lookedAt        unit.Time
	served               []fabric.Served // by port, where data can starve
	// deadlockSeen: a deadlock that a watchdog resolves was reported.
	deadlockSeen bool
}

func newProgress(w watched) *progress {
	p := &progress{watched: w, due: w.times.stuckAfter}
	if partOf[live](w.plan).Live != nil { // the source of outside packets decides itself when to give up
		p.due = unit.Forever
	}
	return p
}

// Due returns the time of the next look.
func (s *progress) Due() unit.Time { return s.due }

// Look ends a run that is stuck. At the end of a run it only looks for deadlocks.
func (s *progress) Look(m *watch.Moment) error {
	if s.due < unit.Forever && !m.Over && (m.Last && s.deadlocked() || !m.Last && m.Now >= s.due && s.stuck()) {
		m.Ended = record.Stuck
	}
	return nil
}

// stuck looks for progress since the last look: new data delivered, a message acknowledged
// in full, nothing left to do, or faults and repairs that happened or are still to come.
// Looks are stuckAfter apart, so a run is found stuck after one to two of these times. A
// deadlock is found at the first look, even if other messages make progress.
func (s *progress) stuck() bool {
	c := s.Transport.Counts()
	repairs := s.Repairs > 0 || s.Acted > s.lookedAt // a repair may resume progress
	s.due, s.lookedAt = s.Now.Plus(s.times.stuckAfter), s.Now
	if s.deadlocked() {
		return true
	}
	if c.Started == c.Completed { // nothing waits until a message starts
		s.due = max(s.Now, s.Network.Next()).Plus(s.times.stuckAfter)
	}
	if c.DeliveredBytes != s.delivered || c.Completed != s.completed || c.Started == c.Completed || repairs {
		s.delivered, s.completed = c.DeliveredBytes, c.Completed
		s.served = s.serve()
		return false
	}
	s.Blocked.Cause = s.diagnose()
	return true
}

// serve returns what ports have served, or nil if headers cannot starve data.
func (s *progress) serve() []fabric.Served {
	if trim := s.queues.port.Trim; trim == nil || trim.Ratio > 0 {
		return nil
	}
	served := make([]fabric.Served, 2*len(s.graph.Links))
	for id := range served {
		served[id] = s.Network.Served(topo.PortID(id), s.Now)
	}
	return served
}

// starving returns a port at which class 0 kept data waiting since the last look. It
// prefers a port of the path.
func (s *progress) starving(path []topo.PortID) (topo.PortID, bool) {
	now := s.serve()
	starves := func(id topo.PortID) bool {
		if s.served == nil { // nothing has moved since the start
			return now[id].Waits && now[id].Others == 0 && now[id].First > 0
		}
		before := s.served[id]
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

// diagnose names the message that has waited longest, and the cause.
func (s *progress) diagnose() string {
	m, ok := s.Transport.Oldest()
	if !ok {
		return "no message is in flight, yet not all are delivered"
	}
	g := s.graph
	name := func(h int32) string { return g.Nodes[g.Hosts[h]].Name }
	more := fmt.Sprintf("; weft explain DIR --flow %d", m.ID())
	if m.Delivered {
		more = ", and all delivered" // there is nothing to explain
	}
	flow := fmt.Sprintf("message %d of %q from %s to %s (%d of %d packets unacknowledged, started at %s%s)",
		m.Ordinal, s.groups[m.Group].Name, name(m.Src), name(m.Dst), m.Left, m.Packets, micros(m.Start), more)
	path, reached := s.Network.Path(m.Src, m.Dst, m.Entropy)
	for _, p := range path {
		if s.Network.Down(p) {
			if m.Hosted && s.Network.Reaches(m.Src, m.Dst) { // packets of a host transport do not keep to one path
				continue
			}
			if s.Network.Reaches(m.Src, m.Dst) {
				return fmt.Sprintf("%s: dead entropy: its packets keep entropy %d, whose path leads through %s, which is down; other paths are alive",
					flow, m.Entropy, g.PortName(p))
			}
			if from, to := g.Ends(p); s.routes.policy.Wanders() && g.Nodes[from].Kind == topo.Switch && g.Nodes[to].Kind == topo.Switch {
				return minimalPathDead(flow, g.PortName(p))
			}
			return fmt.Sprintf("%s: no path is alive: %s is down", flow, g.PortName(p))
		}
	}
	if !reached {
		at := g.Hosts[m.Src]
		if len(path) > 0 {
			_, at = g.Ends(path[len(path)-1])
		}
		return fmt.Sprintf("%s: no route from %s on%s", flow, g.Nodes[at].Name, s.deadPort(at, m.Dst))
	}
	back, _ := s.Network.Path(m.Dst, m.Src, m.Entropy)
	for _, p := range back {
		if s.Network.Down(p) {
			return fmt.Sprintf("%s: its acknowledgements are lost: %s is down", flow, g.PortName(p))
		}
	}
	if held := s.pausedWay(&m, path, back); held != "" {
		return flow + ": " + held
	}
	if messages, completed, came := s.Transport.Came(); m.Hosted && came {
		return fmt.Sprintf("all %d messages were delivered, but MessageCompleted was reported %d times; it must be reported once for each: senders do not learn of the delivery, or do not report it",
			messages, completed)
	}
	if port, ok := s.starving(path); ok {
		return fmt.Sprintf("%s: data starves at %s: headers, acknowledgements and pulls (class 0) always went first; let data go in between, as in --set fabric.trim.ratio=10",
			flow, g.PortName(port))
	}
	worst, drops := "", uint64(0)
	for _, p := range path {
		c := s.Network.Counters(p, s.Now)
		if sum := lostAt(&c); sum > drops {
			worst, drops = g.PortName(p), sum
		}
	}
	if drops > 0 {
		return fmt.Sprintf("%s: %s loses its packets (it dropped %d frames)", flow, worst, drops)
	}
	if m.Hosted {
		return flow + ": its transport waits for credit or for an answer that never comes"
	}
	return flow + ": " + s.blocked(&m)
}

// deadPort returns a port that is down, and that leads from a switch to a host when all
// links work.
func (s *progress) deadPort(at topo.NodeID, dst int32) string {
	if s.graph.Nodes[at].Kind != topo.Switch {
		return ""
	}
	for _, p := range s.tables.Hops(at, s.tables.Edge(s.graph.Hosts[dst])) {
		if s.Network.Down(p) {
			return fmt.Sprintf(": %s is down", s.graph.PortName(p))
		}
	}
	return ""
}
