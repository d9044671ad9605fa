package workload

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"

	"weft/catalog"
	"weft/internal/userfile"
	"weft/problem"
	"weft/unit"
	"weft/workload/matrix"
)

// Connections makes hosts send what a connection matrix of htsim lists (package matrix), with
// triggers and barriers. The matrix names hosts by their index among the members.
//
// A trigger resides at the host where the first connection in the file activates it. Activations
// from other hosts, and starts at other hosts, take trigger_delay to get there. At the same host
// they take no time, as everywhere in htsim.
type Connections struct {
	File catalog.Path `yaml:"file" doc:"Connection matrix (.cm): starts in picoseconds, sizes in bytes, triggers."`
}

// Lists implements Ordered.
func (Connections) Lists() bool { return true }

// maxMatrix is the largest connection matrix: about 25 million connections.
const maxMatrix = unit.GiB

// Resolve implements Pattern.
func (o Connections) Resolve(s Setting) (Destinations, error) {
	f, err := userfile.Open(string(o.File), maxMatrix)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, problem.At("file", "file: %s is a folder", o.File).Mend("name a connection matrix (.cm), which weft matrix writes")
	case err != nil:
		return nil, problem.At("file", "file: the connection matrix cannot be read: %w", err).Mend("a relative path starts from the scenario's folder, and weft matrix writes such a file")
	}
	defer f.Close()
	m, err := matrix.Read(f, string(o.File))
	if err != nil {
		return nil, problem.At("file", "file: %w", err)
	}
	return newConnections(m, string(o.File), s)
}

// newConnections maps a matrix to the hosts of s.
func newConnections(m *matrix.Matrix, name string, s Setting) (*connections, error) {
	if m.Nodes > len(s.Members) {
		return nil, problem.At("file", "file: %s is for %d hosts (Nodes), but %d take part", name, m.Nodes, len(s.Members)).Mend("take a larger topology, or another file")
	}
	if n := len(m.Failures); n > 0 {
		return nil, problem.At("file", "file: %s has %d failures, which are faults of a scenario here", name, n).Mend("remove them there, and write as in faults: [{kind: link-down, links: tor0->spine1}]")
	}
	p := &connections{
		list: m.Connections, declared: m.Triggers, of: make([][]int32, s.Hosts), started: make([][]int32, s.Hosts),
		listens: make([]bool, s.Hosts), triggers: make([]trigger, len(m.Triggers)), members: s.Members,
	}
	index := make(map[uint32]int32, len(m.Triggers))
	for i, t := range m.Triggers {
		index[t.ID] = int32(i)
		p.triggers[i] = trigger{kind: t.Kind, left: t.Count, home: -1}
	}
	ref := func(id uint32) int32 {
		if id == 0 {
			return -1
		}
		return index[id]
	}
	beside := 0
	for i, c := range m.Connections {
		src, dst := p.members[c.Src], p.members[c.Dst]
		p.of[src] = append(p.of[src], int32(i))
		l := links{starts: ref(c.Trigger), sent: ref(c.SendDone), received: ref(c.RecvDone)}
		p.links = append(p.links, l)
		if l.starts >= 0 {
			t := &p.triggers[l.starts]
			t.targets = append(t.targets, int32(i))
		}
		for _, a := range []struct{ trigger, host int32 }{{l.sent, src}, {l.received, dst}} {
			if a.trigger < 0 {
				continue
			}
			p.reacts = true
			p.listens[a.host] = true
			if t := &p.triggers[a.trigger]; t.home < 0 {
				t.home = a.host
			}
		}
		if c.Message && !s.PerPair {
			return nil, problem.At("file", "file: %s has messages on existing connections (msg), but each message has its own connection", name).Mend("set transport.connection: pair")
		}
		if c.Priority != nil || c.Addon {
			beside++
		}
	}
	notices := m.Notices
	if len(m.Connections) == 0 {
		notices = append(notices, fmt.Sprintf("%s lists no messages, so that %s sends nothing", name, s.Group))
	}
	if beside > 0 {
		notices = append(notices, fmt.Sprintf("%s: prio and addon of %d connections have no effect here", name, beside))
	}
	if s.Notice != nil {
		for _, text := range notices {
			s.Notice(text)
		}
	}
	return p, nil
}

// connections is a connection matrix mapped to hosts.
type connections struct {
	list     []matrix.Connection
	declared []matrix.Trigger
	links    []links
	members  []int32   // host for each number in the file
	of       [][]int32 // connections by sending host
	triggers []trigger
	listens  []bool // hosts at which connections activate triggers
	reacts   bool   // any host does
	// started holds the connections that each host has started, by ordinal. Only that host writes
	// its list. Another host reads an entry after it has received that message, at least a link's
	// delay later.
	started [][]int32
}

// links holds the triggers of a connection, -1 for none: the one that starts it, and those that
// it activates when its sender or receiver is done.
type links struct{ starts, sent, received int32 }

// trigger is a trigger of the file. Only its home host changes it.
type trigger struct {
	kind    matrix.Kind
	home    int32
	left    int // activations that a barrier still needs
	next    int // next target of a multishot
	targets []int32
}

// Fan implements Destinations.
func (p *connections) Fan(host int32) int { return len(p.of[host]) }

// Destination implements Destinations.
func (p *connections) Destination(host int32, n int64, _ *rand.PCG) int32 {
	return p.members[p.list[p.of[host][n%int64(len(p.of[host]))]].Dst]
}

// Total implements Schedule.
func (p *connections) Total(Traffic) (messages int64, size unit.Bytes, err error) {
	for _, c := range p.list {
		size += c.Size
	}
	return int64(len(p.list)), size, nil
}

// Sources implements Schedule.
func (p *connections) Sources(t Traffic, s Setting) ([]Source, error) {
	for i := range p.list {
		if err := s.fits(p.list[i].Size); err != nil {
			return nil, err
		}
	}
	list := make([]Source, s.Hosts)
	for h := range int32(s.Hosts) {
		if len(p.of[h]) == 0 && !p.listens[h] {
			continue
		}
		c := connector{connections: p, host: h, base: t.Start}
		for _, i := range p.of[h] {
			if p.links[i].starts < 0 {
				c.timed = append(c.timed, i)
			}
		}
		slices.SortStableFunc(c.timed, func(a, b int32) int { return int(min(1, max(-1, p.list[a].Start-p.list[b].Start))) })
		if !p.reacts {
			list[h] = &timed{c}
			continue
		}
		p.started[h] = make([]int32, len(p.of[h]))
		list[h] = &c
	}
	return list, nil
}

// connector yields the connections of one host.
type connector struct {
	*connections
	host    int32
	base    unit.Time
	timed   []int32   // with a start time and not yet started, in order
	ready   []waiting // started by a trigger
	count   int       // connections started
	signals []signal  // to send
}

type waiting struct {
	at   unit.Time
	conn int32
}

type signal struct {
	to    int32
	value uint32
}

// A signal carries the trigger that it activates, or the connection that it starts.
func activates(trigger int32) uint32 { return uint32(trigger) << 1 }
func starts(conn int32) uint32       { return uint32(conn)<<1 | 1 }

// sends reports whether the host sends any connections.
func (c *connector) sends() bool { return len(c.of[c.host]) > 0 }

// Due implements Receiver.
func (c *connector) Due() (unit.Time, bool) {
	switch {
	case len(c.ready) > 0 && (len(c.timed) == 0 || c.ready[0].at < sum(c.list[c.timed[0]].Start, c.base)):
		return c.ready[0].at, true
	case len(c.timed) > 0:
		return sum(c.list[c.timed[0]].Start, c.base), true
	}
	return 0, false
}

// Next implements Source.
func (c *connector) Next() (Message, bool) {
	at, ok := c.Due()
	if !ok {
		return Message{}, false
	}
	var i int32
	if len(c.timed) > 0 && at == sum(c.list[c.timed[0]].Start, c.base) {
		i, c.timed = c.timed[0], c.timed[1:]
	} else {
		i, c.ready = c.ready[0].conn, c.ready[1:]
	}
	if c.reacts {
		c.started[c.host][c.count] = i
		c.count++
	}
	return Message{At: at, Dst: c.members[c.list[i].Dst], Size: c.list[i].Size}, true
}

// Completed implements Source.
func (c *connector) Completed(now unit.Time, ordinal uint64) {
	c.activate(now, c.links[c.started[c.host][ordinal]].sent)
}

// Received implements Receiver.
func (c *connector) Received(now unit.Time, src int32, ordinal uint64) {
	c.activate(now, c.links[c.started[src][ordinal]].received)
}

// Emit implements Signaller.
func (c *connector) Emit() (to int32, value uint32, ok bool) {
	if len(c.signals) == 0 {
		return 0, 0, false
	}
	s := c.signals[0]
	c.signals = c.signals[1:]
	return s.to, s.value, true
}

// Signalled implements Signaller.
func (c *connector) Signalled(now unit.Time, _ int32, value uint32) {
	if value&1 != 0 {
		c.start(now, int32(value>>1))
	} else {
		c.activate(now, int32(value>>1))
	}
}

// activate activates a trigger, or tells its home host to do so.
func (c *connector) activate(now unit.Time, trigger int32) {
	if trigger < 0 {
		return
	}
	t := &c.triggers[trigger]
	switch {
	case t.home != c.host:
		c.signals = append(c.signals, signal{t.home, activates(trigger)})
		return
	case t.kind == matrix.Multishot:
		if t.next < len(t.targets) {
			c.start(now, t.targets[t.next])
			t.next++
		}
		return
	case t.kind == matrix.Barrier:
		if t.left--; t.left > 0 {
			return
		}
	}
	for _, i := range t.targets {
		c.start(now, i)
	}
}

// start starts a connection, or tells its sender to do so.
func (c *connector) start(now unit.Time, conn int32) {
	if src := c.members[c.list[conn].Src]; src != c.host {
		c.signals = append(c.signals, signal{src, starts(conn)})
		return
	}
	c.ready = append(c.ready, waiting{now, conn})
}

// timed yields the connections of a host in a matrix without triggers. It is not a Receiver.
type timed struct{ c connector }

// Next implements Source.
func (t *timed) Next() (Message, bool) { return t.c.Next() }

// Completed implements Source.
func (t *timed) Completed(unit.Time, uint64) {}
