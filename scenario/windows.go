package scenario

import (
	"fmt"
	"strings"

	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// mostConnections is of how many connections windows are recorded.
const mostConnections = 256

// hostPairs is the pairs of hosts that a pattern names, by their places among
// the hosts.
type hostPairs struct{ from, to []bool }

// matchPairs finds the hosts that a pattern such as host0->host* names.
func matchPairs(g *topo.Graph, pattern string) (pairs hostPairs, err error) {
	left, right, ok := strings.Cut(pattern, "->")
	if !ok {
		return pairs, fmt.Errorf("pattern %q has no arrow; write %q for all connections of a host or %q for those to another", pattern, pattern+"->*", "host0->host1")
	}
	if pairs.from, err = matchHosts(g, left); err != nil {
		return pairs, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	if pairs.to, err = matchHosts(g, right); err != nil {
		return pairs, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return pairs, nil
}

func matchHosts(g *topo.Graph, pattern string) ([]bool, error) {
	nodes, err := g.MatchNodes(strings.TrimSpace(pattern))
	if err != nil {
		return nil, err
	}
	chosen := map[topo.NodeID]bool{}
	for _, n := range nodes {
		chosen[n] = true
	}
	hosts, some := make([]bool, len(g.Hosts)), false
	for i, n := range g.Hosts {
		hosts[i] = chosen[n]
		some = some || chosen[n]
	}
	if !some {
		return nil, fmt.Errorf("%s is a switch; connections are between hosts", g.Nodes[nodes[0]].Name)
	}
	return hosts, nil
}

// windows notes the congestion windows of connections at the start of every
// bucket of the recorded series.
type windows struct {
	ticks
	pairs []hostPairs
	list  []windowSeries
	// index finds a connection in the list, and count how many there are of two hosts.
	index map[transport.Connection]int
	count map[[2]int32]int
	// more tells that there were more than are recorded.
	more bool
}

// windowSeries is the record of one connection.
type windowSeries struct {
	transport.Connection
	number  int // among the connections of the same two hosts
	samples []windowSample
}

type windowSample struct {
	at               unit.Time
	window, inFlight unit.Bytes
	pace             unit.Rate
}

func newWindows(pairs []hostPairs, interval unit.Time) windows {
	if len(pairs) == 0 {
		return windows{ticks: noTicks}
	}
	return windows{pairs: pairs, ticks: newTicks(0, interval), index: map[transport.Connection]int{}, count: map[[2]int32]int{}}
}

func (w *windows) want(src, dst int32) bool {
	for i := range w.pairs {
		if w.pairs[i].from[src] && w.pairs[i].to[dst] {
			return true
		}
	}
	return false
}

// look notes the windows if that is due. Nothing happens before the time next.
func (w *windows) look(t *transport.Transport, now, next unit.Time) {
	if now < w.due {
		return
	}
	connections := t.Connections(w.want)
	for _, c := range connections {
		if s := w.series(c); s != nil {
			s.samples = append(s.samples, windowSample{now, c.Window, c.InFlight, c.Pace})
		}
	}
	w.advance(now, next, len(connections) == 0)
}

// series returns the record of a connection, nil if there is no room for it.
func (w *windows) series(c transport.Connection) *windowSeries {
	c = c.Identity()
	if i, known := w.index[c]; known {
		return &w.list[i]
	}
	if len(w.list) == mostConnections {
		w.more = true
		return nil
	}
	hosts := [2]int32{c.Src, c.Dst}
	w.index[c] = len(w.list)
	w.list = append(w.list, windowSeries{Connection: c, number: w.count[hosts]})
	w.count[hosts]++
	return &w.list[len(w.list)-1]
}

// name returns what the connection is called among those of its hosts.
func (s *windowSeries) name(host func(int32) string) string {
	name := host(s.Src) + "->" + host(s.Dst)
	if s.number > 0 {
		name = fmt.Sprintf("%s#%d", name, s.number)
	}
	return name
}

// rows returns the windows in long form.
func (w *windows) rows(host func(int32) string) (rows []record.Series) {
	for i := range w.list {
		s := &w.list[i]
		name := s.name(host)
		for _, v := range s.samples {
			rows = append(rows, record.Series{Kind: record.Window, Entity: name, Time: v.at, Value: int64(v.window)})
		}
		for _, v := range s.samples {
			rows = append(rows, record.Series{Kind: record.InFlight, Entity: name, Time: v.at, Value: int64(v.inFlight)})
		}
		for _, v := range s.samples {
			if v.pace > 0 {
				rows = append(rows, record.Series{Kind: record.Pace, Entity: name, Time: v.at, Value: int64(v.pace)})
			}
		}
	}
	return rows
}
