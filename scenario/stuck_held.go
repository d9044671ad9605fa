package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// Waits explains where frames wait in a network in which nothing happens any more although
// all messages are acknowledged. Such frames are copies.
func (s *progress) Waits() string {
	if set := s.Network.Deadlock(); len(set) > 0 {
		return s.nameDeadlock(set)
	}
	const all = "all messages are acknowledged, but copies of packets wait for good"
	for _, p := range s.Network.Held() {
		return fmt.Sprintf("%s: %s", all, s.pausedBy(p))
	}
	return all
}

// pausedBy explains why a class of a port is paused, and what waits there.
func (s *progress) pausedBy(p fabric.PausedClass) string {
	text := fmt.Sprintf("class %d of %s is paused", p.Class, s.graph.PortName(p.Port))
	if p.Waiting > 0 {
		text += fmt.Sprintf(" (%v wait)", p.Waiting)
	}
	_, to := s.graph.Ends(p.Port)
	if rate, slow := s.takes(to); slow {
		text += fmt.Sprintf(": %s takes frames at %v (fabric.pfc.slow_hosts)", s.graph.Nodes[to].Name, rate)
	}
	return text
}

// takes returns the rate at which a slow host receives frames.
func (s *progress) takes(n topo.NodeID) (rate unit.Rate, slow bool) {
	for host, rate := range s.ends.slow {
		if s.graph.Hosts[host] == n {
			return rate, true
		}
	}
	return 0, false
}

// pausedOn returns the last port of a path, the host's NIC included, that is paused in a
// class. The cause of its pause also holds up the ports before it.
func (s *progress) pausedOn(path []topo.PortID, class uint8) (fabric.PausedClass, bool) {
	if s.queues.lossless>>class&1 == 0 {
		return fabric.PausedClass{}, false
	}
	waiting := map[topo.PortID]unit.Bytes{}
	for _, p := range s.Network.Held() {
		if p.Class == class {
			waiting[p.Port] = p.Waiting
		}
	}
	for _, id := range slices.Backward(path) {
		if s.Network.Pauses(id, s.Now).Paused>>class&1 != 0 {
			return fabric.PausedClass{Port: id, Class: class, Waiting: waiting[id]}, true
		}
	}
	return fabric.PausedClass{}, false
}

// pausedWay explains which pause holds up a message's data or its acknowledgements. It
// returns "" if none does.
func (s *progress) pausedWay(m *transport.Waiting, path, back []topo.PortID) string {
	g := &s.groups[m.Group]
	if p, paused := s.pausedOn(path, g.Class); paused {
		return s.pausedBy(p)
	}
	if p, paused := s.pausedOn(back, g.AckClass); paused {
		return "its acknowledgements wait: " + s.pausedBy(p)
	}
	return ""
}

// blocked explains why a connection does not send.
func (s *progress) blocked(m *transport.Waiting) string {
	g := &s.groups[m.Group]
	if m.Blocked == transport.ByPace && m.Until == 0 {
		return "it waits for a connection of its pool"
	}
	switch m.Blocked {
	case transport.ByWindow:
		return fmt.Sprintf("its window of %v does not let it send", m.Window)
	case transport.ByReorderLimit:
		return fmt.Sprintf("the oldest packet is not acknowledged, and transport.reorder_limit lets no packet be %d ahead of it", g.ReorderLimit)
	case transport.ByCredit:
		return "all its credit is spent, and its receiver grants no more"
	case transport.ByPace:
		return fmt.Sprintf("its congestion control spaces packets, and the next one is due at %s", micros(m.Until))
	case transport.NothingToSend:
		return fmt.Sprintf("all its packets were sent, and neither an acknowledgement nor a timeout has come (rto is %v or more)", g.RTO)
	}
	return "its next packet waits for the host's wire"
}
