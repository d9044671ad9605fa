package scenario

import (
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/scenario/internal/watch"
	"weft/topo"
)

// deadlocked finds classes of links that wait for each other forever. Only a failure, which
// lifts pauses, or a watchdog would free them. With a watchdog the first deadlock is a
// notice and the run goes on.
func (s *progress) deadlocked() bool {
	if s.queues.lossless == 0 || s.Changes > 0 || settled(s.Transport) {
		return false
	}
	set := s.Network.Deadlock()
	for _, p := range set {
		if s.Network.Pauses(p.Port, s.Now).Paused>>p.Class&1 == 0 { // the pause has not arrived yet, and frames may still leave
			return false
		}
	}
	switch {
	case len(set) == 0:
		return false
	case s.pausing().Watchdog.Detect > 0:
		if !s.deadlockSeen {
			s.deadlockSeen = true
			s.notes.notices = append(s.notes.notices, fmt.Sprintf("at %s: %s; the watchdog ends it", micros(s.Now), s.nameDeadlock(set)))
		}
		return false
	}
	s.Blocked = watch.Blocked{Cause: s.nameDeadlock(set), Deadlocked: true}
	return true
}

// nameDeadlock names the links between switches that wait for each other, and the hosts
// behind them.
func (s *progress) nameDeadlock(set []fabric.PausedClass) string {
	var hosts []string
	links := set[:0:0]
	for _, p := range set {
		if from, _ := s.graph.Ends(p.Port); s.graph.Nodes[from].Kind == topo.Switch {
			links = append(links, p)
		} else if name := s.graph.Nodes[from].Name; !slices.Contains(hosts, name) {
			hosts = append(hosts, name)
		}
	}
	chain(s.graph, links)
	var names []string
	for _, p := range links {
		names = append(names, fmt.Sprintf("%s class %d (%v wait)", s.graph.PortName(p.Port), p.Class, p.Waiting))
	}
	text := fmt.Sprintf("deadlock: %d classes of links wait for each other: %s", len(links), fewNamed(names))
	switch len(hosts) {
	case 0:
		return text
	case 1:
		return fmt.Sprintf("%s; host %s waits behind them", text, hosts[0])
	}
	return fmt.Sprintf("%s; hosts %s wait behind them", text, fewNamed(hosts))
}

// chain orders paused links so that each is followed, if possible, by one that starts where
// it ends.
func chain(g *topo.Graph, links []fabric.PausedClass) {
	for k := 1; k < len(links); k++ {
		_, end := g.Ends(links[k-1].Port)
		next := slices.IndexFunc(links[k:], func(p fabric.PausedClass) bool {
			from, _ := g.Ends(p.Port)
			return from == end && p.Class == links[k-1].Class
		})
		if next > 0 {
			p := links[k+next]
			copy(links[k+1:], links[k:k+next])
			links[k] = p
		}
	}
}

// fewNamed joins the first few names, and counts the others.
func fewNamed(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(names[:mostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}
