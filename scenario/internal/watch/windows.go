package watch

import (
	"fmt"
	"strings"

	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// mostConnections is the most connections whose windows are recorded.
const mostConnections = 256

// hostPairs is the set of host pairs that match a pattern, as marks on senders and
// receivers.
type hostPairs struct{ from, to []bool }

// matchPairs returns the pairs of hosts that match a pattern such as host0->host*.
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

// windows samples the congestion windows of connections at the start of every bucket of the
// recorded series.
type windows struct {
	Nothing
	ticks Ticks
	connections
	scene    *Scene
	interval unit.Time
}

// connections holds the connections of some hosts, in the order in which they were first
// seen.
type connections struct {
	pairs []hostPairs
	list  []windowSeries
	// index maps a connection to its place in the list. count is the number of connections
	// of a pair of hosts.
	index map[transport.Connection]int
	count map[[2]int32]int
	// more: there were more connections than can be recorded.
	more bool
}

// windowSeries is the time series of one connection.
type windowSeries struct {
	transport.Connection
	number  int // its number among the connections of the same pair of hosts
	samples []windowSample
}

type windowSample struct {
	at               unit.Time
	window, inFlight unit.Bytes
	pace             unit.Rate
}

func newWindows(s *Scene, r *Records) *windows {
	return &windows{ticks: NewTicks(0, r.Interval), connections: connectionsOf(r.pairs), scene: s, interval: r.Interval}
}

func connectionsOf(pairs []hostPairs) connections {
	return connections{pairs: pairs, index: map[transport.Connection]int{}, count: map[[2]int32]int{}}
}

func (w *connections) want(src, dst int32) bool {
	for i := range w.pairs {
		if w.pairs[i].from[src] && w.pairs[i].to[dst] {
			return true
		}
	}
	return false
}

// Due returns the time of the next sample.
func (w *windows) Due() unit.Time { return w.ticks.Due }

// Look samples the windows if that is due.
func (w *windows) Look(m *Moment) error {
	if m.Now < w.ticks.Due {
		return nil
	}
	connections := w.scene.Transport.Connections(w.want)
	for _, c := range connections {
		if s := w.series(c); s != nil {
			s.samples = append(s.samples, windowSample{m.Now, c.Window, c.InFlight, c.Pace})
		}
	}
	w.ticks.Advance(m.Now, m.Next, len(connections) == 0)
	return nil
}

// series returns the time series of a connection, or nil if there is no room for it.
func (w *connections) series(c transport.Connection) *windowSeries {
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

// name returns the connection's name, unique within its pair of hosts.
func (s *windowSeries) name(host func(int32) string) string {
	name := host(s.Src) + "->" + host(s.Dst)
	if s.number > 0 {
		name = fmt.Sprintf("%s#%d", name, s.number)
	}
	return name
}

// Recorded counts the samples, with up to three values each.
func (w *windows) Recorded(unit.Time) (values int64, err error) {
	for i := range w.list {
		values += 3 * int64(len(w.list[i].samples))
	}
	return values, nil
}

// Section adds the windows in long form.
func (w *windows) Section(_ *Moment, res *record.Result) {
	rows := res.Series
	for i := range w.list {
		s := &w.list[i]
		name := s.name(w.scene.Host)
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
	res.Series = rows
	res.Manifest.Interval = w.interval
	if w.more {
		res.Manifest.Notices = append(res.Manifest.Notices, fmt.Sprintf("congestion windows of %d connections are recorded, but more match record.windows", mostConnections))
	}
}
