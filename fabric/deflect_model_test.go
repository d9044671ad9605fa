package fabric_test

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/fault"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// deflectModel follows all frames of a network of one domain, and keeps tables and queues of its own: plain
// lists, searched from end to end. It knows neither the hash of switches nor what they draw. A port that
// was not drawn must be the minimal one that all frames of the same hosts and entropy take.
type deflectModel struct {
	g        *topo.Graph
	tables   *route.Tables
	cfg      fabric.DeflectConfig
	layers   []int32
	changes  []fault.Change
	together bool // all classes are lanes of one priority
	d        *fabric.Domain

	rows    map[topo.NodeID][]modelRow
	queues  map[topo.PortID][]modelFrame
	arrived map[fabric.FrameID]modelArrival
	minimal map[modelFlow]topo.PortID
	later   []modelCheck

	counts fabric.Deflections
	aged   uint64          // rows that were freed before the end
	hops   map[uint32]int  // deflections of each frame
	done   map[uint32]bool // messages whose last frame arrived
	wrong  []string
}

type modelRow struct {
	message uint32
	tokens  int
	port    topo.PortID
	last    sim.Time
}

type modelFrame struct {
	id      fabric.FrameID
	size    unit.Bytes
	class   uint8
	departs sim.Time
}

type modelArrival struct {
	over  topo.PortID
	frame fabric.Frame
	at    sim.Time
}

type modelFlow struct {
	at       topo.NodeID
	src, dst int32
	entropy  uint16
}

// modelCheck is a deflection whose minimal port is not known yet.
type modelCheck struct {
	flow      modelFlow
	positions map[topo.PortID]unit.Bytes
	chosen    topo.PortID
}

func newDeflectModel(g *topo.Graph, t *route.Tables, cfg fabric.DeflectConfig, changes []fault.Change) *deflectModel {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b fault.Change) int { return cmp.Compare(a.At, b.At) })
	m := &deflectModel{
		g: g, tables: t, cfg: cfg, changes: changes,
		rows: map[topo.NodeID][]modelRow{}, queues: map[topo.PortID][]modelFrame{},
		arrived: map[fabric.FrameID]modelArrival{}, minimal: map[modelFlow]topo.PortID{},
		hops: map[uint32]int{}, done: map[uint32]bool{},
	}
	m.layers, _ = fabric.LinkLayers(g, t)
	return m
}

func (m *deflectModel) errorf(format string, args ...any) {
	if len(m.wrong) < 5 {
		m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
	}
}

func (m *deflectModel) isSwitch(n topo.NodeID) bool { return m.g.Nodes[n].Kind == topo.Switch }

// Arrived implements fabric.Follower.
func (m *deflectModel) Arrived(now sim.Time, over topo.PortID, id fabric.FrameID, _ sim.Time) {
	if _, to := m.g.Ends(over); m.isSwitch(to) {
		m.arrived[id] = modelArrival{over, *m.d.Frame(id), now}
	} else if f := m.d.Frame(id); f.Bits&ending != 0 {
		m.done[f.Message] = true
	}
}

// Queued implements fabric.Follower.
func (m *deflectModel) Queued(now sim.Time, link topo.PortID, id fabric.FrameID) {
	m.decided(now, link, id)
	m.enter(link, id, sim.Forever)
}

// Sent implements fabric.Follower.
func (m *deflectModel) Sent(link topo.PortID, id fabric.FrameID, begin, departs sim.Time) {
	if a, ok := m.arrived[id]; ok { // a plain port tells at once
		m.decided(a.at, link, id)
		m.enter(link, id, departs)
		return
	}
	if k := m.place(link, id); k >= 0 {
		m.queues[link][k].departs = departs
		return
	}
	m.enter(link, id, departs)
}

// place returns that of a frame at a port, which it may have come to before.
func (m *deflectModel) place(link topo.PortID, id fabric.FrameID) int {
	for k := len(m.queues[link]) - 1; k >= 0; k-- {
		if m.queues[link][k].id == id {
			return k
		}
	}
	return -1
}

func (m *deflectModel) enter(link topo.PortID, id fabric.FrameID, departs sim.Time) {
	f := m.d.Frame(id)
	m.queues[link] = append(m.queues[link], modelFrame{id, unit.Bytes(f.Size), f.Priority(), departs})
}

// Dropped implements fabric.Follower.
func (m *deflectModel) Dropped(now sim.Time, link topo.PortID, id fabric.FrameID, why fabric.Reason) {
	if _, ok := m.arrived[id]; ok && why != fabric.NoRoute {
		m.decided(now, link, id)
	}
	delete(m.arrived, id)
	if k := m.place(link, id); k >= 0 {
		if why == fabric.Loss { // it is sent all the same
			m.queues[link][k].id = -1
			return
		}
		m.queues[link] = slices.Delete(m.queues[link], k, k+1)
	}
}

// Paused implements fabric.Follower.
func (m *deflectModel) Paused(sim.Time, topo.PortID, uint8, bool) {}

// Trimmed implements fabric.Follower.
func (m *deflectModel) Trimmed(sim.Time, topo.PortID, fabric.FrameID) {}

// position is what a port sends before a frame of a class.
func (m *deflectModel) position(now sim.Time, link topo.PortID, class uint8) (sum unit.Bytes) {
	m.queues[link] = slices.DeleteFunc(m.queues[link], func(f modelFrame) bool { return f.departs <= now })
	for _, f := range m.queues[link] {
		if m.together || f.class <= class {
			sum += f.size
		}
	}
	return sum
}

func (m *deflectModel) isDown(now sim.Time, link topo.PortID) (down bool) {
	for _, c := range m.changes {
		if c.Port == link && c.At <= now && (c.What == fault.Down || c.What == fault.Up) {
			down = c.What == fault.Down
		}
	}
	return down
}

// lane is the class of a frame with so many tokens left.
func (m *deflectModel) lane(class uint8, tokens int) uint8 {
	switch m.cfg.Lanes {
	case fabric.TwoLanes:
		return m.cfg.Class - 1 + uint8(min(tokens, 1))
	case fabric.LanePerToken:
		return m.cfg.Class + uint8(tokens) - uint8(m.cfg.Tokens)
	}
	return class
}

// may tells whether a frame may be deflected to a port.
func (m *deflectModel) may(a *modelArrival, port, minimal topo.PortID, tokens int) bool {
	came, at := m.g.Ends(a.over)
	from, to := m.g.Ends(port)
	if from != at || !m.isSwitch(to) || to == came || port == minimal || m.isDown(a.at, port) {
		return false
	}
	hopped := a.frame.Priority() != m.lane(a.frame.Priority(), tokens)
	return m.cfg.Lanes != fabric.LanePerToken || hopped || m.layers[a.over] < m.layers[port]
}

// decided checks what a switch decided on a frame: it goes on by a port.
func (m *deflectModel) decided(now sim.Time, chosen topo.PortID, id fabric.FrameID) {
	a, ok := m.arrived[id]
	delete(m.arrived, id)
	if !ok {
		return
	}
	f, was := m.d.Frame(id), &a.frame
	_, at := m.g.Ends(a.over)
	before, had := was.Tokens()
	after, has := f.Tokens()
	if had != has || after > before || after < before-1 {
		m.errorf("%s: frame %d came with %d tokens and left with %d", m.g.Nodes[at].Name, name(f), before, after)
	}
	if had && f.Priority() != m.lane(was.Priority(), before) {
		m.errorf("%s: frame %d with %d tokens travels in class %d", m.g.Nodes[at].Name, name(f), before, f.Priority())
	}
	if had {
		m.counts.Links++
		if came, _ := m.g.Ends(a.over); !m.isSwitch(came) {
			m.counts.Links++
		}
	}
	host := m.g.Hosts[f.Dst()]
	deflected := after < before
	if m.tables.Edge(host) == m.tables.Edge(at) {
		if _, to := m.g.Ends(chosen); deflected || to != host {
			m.errorf("%s: frame %d was not sent to its host", m.g.Nodes[at].Name, name(f))
		}
		return
	}
	flow := modelFlow{at, f.Src(), f.Dst(), f.Entropy}
	if !deflected {
		if known, ok := m.minimal[flow]; ok && known != chosen || !slices.Contains(m.tables.Hops(at, m.tables.Edge(host)), chosen) {
			m.errorf("%s: frame %d left by %s, not by its minimal port", m.g.Nodes[at].Name, name(f), m.g.PortName(chosen))
		}
		m.minimal[flow] = chosen
	}
	if had {
		m.look(now, &a, f, chosen, before, deflected)
	}
}

// look checks a decision on a frame with tokens against the table.
func (m *deflectModel) look(now sim.Time, a *modelArrival, f *fabric.Frame, chosen topo.PortID, tokens int, deflected bool) {
	_, at := m.g.Ends(a.over)
	where := fmt.Sprintf("%v: %s: frame %d of message %d", now, m.g.Nodes[at].Name, name(f), f.Message)
	if deflected {
		m.counts.Hops++
		m.hops[name(f)]++
		_, to := m.g.Ends(chosen)
		edge := m.tables.Edge(m.g.Hosts[f.Dst()])
		extra := int64(1 + m.tables.Distance(to, edge) - m.tables.Distance(at, edge))
		m.counts.Extra += extra
		m.counts.ExtraBytes += extra * int64(f.Size)
	}
	rows := slices.DeleteFunc(m.rows[at], func(r modelRow) bool { return m.cfg.Age > 0 && now-r.last > m.cfg.Age })
	m.aged += uint64(len(m.rows[at]) - len(rows))
	m.counts.Aged += uint64(len(m.rows[at]) - len(rows))
	defer func() { m.rows[at] = rows }()
	first, last := ends(nil, f)
	if k := slices.IndexFunc(rows, func(r modelRow) bool { return r.message == f.Message && r.tokens == tokens }); k >= 0 {
		if !deflected || chosen != rows[k].port {
			m.errorf("%s left by %s, but its row has %s", where, m.g.PortName(chosen), m.g.PortName(rows[k].port))
		}
		if rows[k].last = now; last {
			rows = slices.Delete(rows, k, k+1)
		}
		return
	}
	if !first {
		if deflected {
			m.errorf("%s was deflected without a row", where)
		}
		return
	}
	flow := modelFlow{at, f.Src(), f.Dst(), f.Entropy}
	if !deflected {
		if m.position(now, chosen, f.Priority()) <= m.cfg.Threshold {
			m.counts.Refused[fabric.BelowThreshold]++
		} else if tokens == 0 {
			m.counts.Refused[fabric.NoTokens]++
		} else if !last && len(rows) == m.cfg.Table {
			m.counts.Refused[fabric.TableFull]++
		} else {
			m.counts.Refused[fabric.NoPort]++
			for port := range topo.PortID(2 * len(m.g.Links)) {
				if m.may(a, port, chosen, tokens) {
					m.errorf("%s was not deflected, though %s may take it", where, m.g.PortName(port))
				}
			}
		}
		return
	}
	m.counts.Messages++
	if !m.may(a, chosen, -1, tokens) {
		m.errorf("%s was deflected to %s", where, m.g.PortName(chosen))
	}
	c := modelCheck{flow, map[topo.PortID]unit.Bytes{}, chosen}
	for _, p := range m.tables.Hops(at, m.tables.Edge(m.g.Hosts[f.Dst()])) {
		c.positions[p] = m.position(now, p, f.Priority())
	}
	m.later = append(m.later, c)
	if !last {
		rows = append(rows, modelRow{f.Message, tokens, chosen, now})
		m.counts.Rows++
		m.counts.Most = max(m.counts.Most, len(rows))
		if len(rows) > m.cfg.Table {
			m.errorf("%s: a table of %d has %d rows", where, m.cfg.Table, len(rows))
		}
	}
}

// finish returns what is wrong in the end.
func (m *deflectModel) finish(now sim.Time, got fabric.Deflections) []string {
	for _, c := range m.later {
		minimal, known := m.minimal[c.flow]
		if len(c.positions) == 1 {
			for minimal = range c.positions {
				known = true
			}
		}
		if !known {
			continue
		}
		if c.positions[minimal] <= m.cfg.Threshold || c.chosen == minimal {
			m.errorf("%s: a message was deflected from %s, where %v were queued, to %s",
				m.g.Nodes[c.flow.at].Name, m.g.PortName(minimal), c.positions[minimal], m.g.PortName(c.chosen))
		}
	}
	for id, n := range m.hops {
		if n > m.cfg.Tokens {
			m.errorf("frame %d was deflected %d times", id, n)
		}
	}
	for at, rows := range m.rows {
		for _, r := range rows {
			if m.cfg.Age > 0 && now-r.last > m.cfg.Age {
				m.counts.Aged++
			} else {
				m.counts.Left++
			}
			if m.done[r.message] && m.aged == 0 { // else the last frame may have lost its way
				m.errorf("%s remembers message %d, whose last frame arrived", m.g.Nodes[at].Name, r.message)
			}
		}
	}
	got.Held = 0
	if got != m.counts {
		m.errorf("switches counted %+v, want %+v", got, m.counts)
	}
	return m.wrong
}
