package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/problem"
	"weft/protocol"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// slowQueue is the least number of full frames that a queue holds at a slow link if its
// limit is in BDPs. It is the depth of NDP's queues.
const slowQueue = 8

// rule returns the rule of a switch port.
func (q *queueRules) rule(id topo.PortID) *queueRule {
	if q.of == nil || q.of[id] < 0 {
		return &q.fabric
	}
	return &q.others[q.of[id]]
}

// newQueueRules reads the rules of a fabric, and notes settings that are seldom meant.
func newQueueRules(g *topo.Graph, f *Fabric) (q queueRules, notices []string, err error) {
	q.fabric = queueRule{limit: f.Queue, limitKey: "fabric.queue", headersKey: "fabric.trim.queue", markingKey: "fabric.ecn"}
	if f.Trim != nil {
		q.fabric.headers = f.Trim.Queue
	}
	if q.fabric.marking, err = f.ECN.Build(); err != nil {
		return q, nil, at("fabric.ecn", err)
	}
	entries := f.Ports
	if len(entries) == 0 {
		return q, nil, nil
	}
	q.of = make([]int32, 2*len(g.Links))
	for i := range q.of {
		q.of[i] = -1
	}
	for i := range entries {
		ports, err := matchQueues(g, entries[i].Links)
		if err != nil {
			return q, nil, at(entryPath(i), err)
		}
		if err := q.apply(i, &entries[i], ports); err != nil {
			return q, nil, err
		}
	}
	return q, q.unused(entries), nil
}

// matchQueues returns the switch ports that match patterns.
func matchQueues(g *topo.Graph, patterns []string) ([]topo.PortID, error) {
	chosen := map[topo.PortID]bool{}
	for i, pattern := range patterns {
		key := "links"
		if len(patterns) > 1 {
			key += "[" + strconv.Itoa(i) + "]"
		}
		ports, err := g.MatchPorts(pattern)
		if err != nil {
			return nil, at(key, err)
		}
		any := false
		for _, id := range ports {
			if from, _ := g.Ends(id); g.Nodes[from].Kind == topo.Switch {
				chosen[id], any = true, true
			}
		}
		if !any {
			left, right, _ := strings.Cut(pattern, "->")
			return nil, at(key, fmt.Errorf("port pattern %q: only hosts send there, and NICs have no queues of their own; for the ports of switches write %q", pattern, right+"->"+left))
		}
	}
	ports := make([]topo.PortID, 0, len(chosen))
	for id := range chosen {
		ports = append(ports, id)
	}
	slices.Sort(ports)
	return ports, nil
}

// apply overrides the rules of ports with entry i of fabric.ports.
func (q *queueRules) apply(i int, e *PortQueue, ports []topo.PortID) error {
	path := entryPath(i)
	var marking protocol.Marking
	if e.ECN != nil {
		var err error
		if marking, err = e.ECN.Build(); err != nil {
			return at(path+".ecn", err)
		}
	}
	made := map[int32]int32{} // by the rule that the ports had before
	for _, id := range ports {
		had := q.of[id]
		rule, ok := made[had]
		if !ok {
			r := *q.rule(id)
			if e.Queue != nil {
				r.limit, r.limitKey = *e.Queue, path+".queue"
			}
			if e.Headers != nil {
				r.headers, r.headersKey = *e.Headers, path+".headers"
			}
			if e.ECN != nil {
				r.marking, r.markingKey = marking, path+".ecn"
			}
			rule = int32(len(q.others))
			q.others = append(q.others, r)
			made[had] = rule
		}
		q.of[id] = rule
	}
	return nil
}

// unused notes keys of fabric.ports that have no effect, since later entries override them
// at all ports.
func (q *queueRules) unused(entries []PortQueue) (notices []string) {
	holds := map[string]bool{}
	for _, rule := range q.of {
		if rule >= 0 {
			r := &q.others[rule]
			holds[r.limitKey], holds[r.headersKey], holds[r.markingKey] = true, true, true
		}
	}
	for i, e := range entries {
		for _, k := range []struct {
			key   string
			given bool
		}{{".queue", e.Queue != nil}, {".headers", e.Headers != nil}, {".ecn", e.ECN != nil}} {
			if key := entryPath(i) + k.key; k.given && !holds[key] {
				notices = append(notices, fmt.Sprintf("%s has no effect: later entries name all of its ports, and the last one counts; move it after them, or remove it", key))
			}
		}
	}
	return notices
}

// config returns the queue of a port with a rule and a rate.
func (p *plan) config(r *queueRule, rate unit.Rate) fabric.PortConfig {
	c := fabric.PortConfig{Classes: p.queues.port.Classes, Credit: p.queues.port.Credit, Admission: p.queues.port.Admission}
	bdp := rate.In(p.derived.rtt)
	least := func(a unit.Amount, whole unit.Bytes) unit.Bytes {
		n := a.Resolve(bdp, whole)
		if a.BDPs > 0 && rate < p.derived.hosts {
			n = max(n, min(a.Resolve(p.derived.bdp, whole), slowQueue*p.frames.data))
		}
		return n
	}
	c.Limit = mostQueued
	if !r.limit.Infinite {
		c.Limit = least(r.limit.Amount, 0)
	}
	if p.queues.port.Trim != nil {
		trim := *p.queues.port.Trim
		trim.Limit = least(r.headers, c.Limit)
		c.Trim = &trim
	}
	switch m := &r.marking; {
	case m.New != nil:
		c.Marking = m.New
	case m.On:
		c.ECN, c.MarkAtDequeue, c.PMax = true, m.AtDequeue, m.PMax
		c.SpareFirst, c.MarkByPort = m.SpareFirst, m.ByPort
		c.KMin, c.KMax = m.KMin.Resolve(bdp, c.Limit), m.KMax.Resolve(bdp, c.Limit)
	}
	return c
}

// port returns the queue of a switch port.
func (p *plan) port(id topo.PortID) fabric.PortConfig {
	r := p.queues.rules.rule(id)
	c := p.config(r, p.graph.Links[id.Link()].Rate)
	if _, to := p.graph.Ends(id); r.marking.Core && p.graph.Nodes[to].Kind == topo.Host {
		c.ECN, c.MarkAtDequeue, c.Marking = false, false, nil
	}
	return c
}

// bytesAhead returns the most bytes that a switch port serves before a frame that arrives in a
// priority class. These are full queues of its class and of the classes before, or a full
// shared buffer. Queues of a lossless class have no limit. There, a full shared buffer may
// be ahead, or everything that a switch without one accepts before the links into it have
// stopped. Pauses of the port itself are not included; adaptive timeouts follow them.
func (p *plan) bytesAhead(id topo.PortID, class uint8) unit.Bytes {
	if p.queues.lossless>>class&1 != 0 {
		if p.queues.buffer.Size > 0 {
			return p.queues.buffer.Size
		}
		from, _ := p.graph.Ends(id)
		return p.queues.held[from]
	}
	c := p.port(id)
	n := c.Limit * unit.Bytes(cmp.Or(p.queues.ahead[class], int(class)+1))
	if c.Trim != nil {
		n += c.Trim.Limit - c.Limit // the queue of class 0
	}
	if p.queues.buffer.Size > 0 {
		n = min(n, p.queues.buffer.Size) // the switch holds no more
	}
	return n
}

// checkQueues checks the queues of ports.
func (p *plan) checkQueues() error {
	if b := &p.queues.buffer; b.Size > 0 {
		most := unit.Bytes(min(float64(b.Size), b.Alpha*float64(b.Size)))
		if most < p.derived.packet {
			return at("fabric.buffer", problem.New("a buffer of %v with alpha %v cannot take one frame of %v, even when empty", b.Size, b.Alpha, p.derived.packet).Mend("make it larger"))
		}
	}
	if err := p.checkQueue(&p.queues.rules.fabric, p.derived.hosts, ""); err != nil {
		return err
	}
	for _, k := range p.queueKinds() {
		where := fmt.Sprintf(" at %s, a link of %v,", p.graph.PortName(k.first), k.rate)
		if err := p.checkQueue(k.rule, k.rate, where); err != nil {
			return err
		}
	}
	return nil
}

// checkQueue checks the queue of a rule at a rate. where names the port in errors, unless
// all ports have this queue.
func (p *plan) checkQueue(r *queueRule, rate unit.Rate, where string) error {
	c, m := p.config(r, rate), &r.marking
	const noShare = "a share of the port's limit, but with %s: %s there is none; write bytes or bandwidth-delay products"
	switch {
	case c.Limit < p.derived.packet:
		return at(r.limitKey, problem.New("a queue of %v%s does not hold one frame of %v", c.Limit, where, p.derived.packet).Mend("make it at least that large"))
	case r.limit.Infinite && m.Marks() && (m.KMin.Share != 0 || m.KMax.Share != 0):
		return at(r.markingKey, fmt.Errorf("marking begins at "+noShare+", as in {kind: threshold, k: 1.25BDP}, or off", r.limitKey, infinite))
	case c.KMin > c.KMax:
		return at(r.markingKey, problem.At("kmin", "kmin is %v%s which is above kmax, %v", c.KMin, cmp.Or(where, ","), c.KMax))
	case c.Trim == nil:
	case r.limit.Infinite && r.headers.Share != 0:
		return at(r.headersKey, fmt.Errorf(noShare, r.limitKey, infinite))
	case c.Trim.Limit < unit.Bytes(c.Trim.Header):
		return at(r.headersKey, fmt.Errorf("a queue of %v%s does not hold one header of %v", c.Trim.Limit, where, unit.Bytes(c.Trim.Header)))
	}
	return nil
}

// queueKind is a set of switch ports with the same rule and rate.
type queueKind struct {
	rule  *queueRule
	rate  unit.Rate
	first topo.PortID
	ports int
}

// queueKinds returns the kinds of ports, ordered by their first port.
func (p *plan) queueKinds() []queueKind {
	type key struct {
		rule *queueRule
		rate unit.Rate
	}
	var kinds []queueKind
	place := map[key]int{}
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		if from, _ := p.graph.Ends(id); p.graph.Nodes[from].Kind != topo.Switch {
			continue
		}
		k := key{p.queues.rules.rule(id), p.graph.Links[id.Link()].Rate}
		i, known := place[k]
		if !known {
			i = len(kinds)
			place[k] = i
			kinds = append(kinds, queueKind{k.rule, k.rate, id, 0})
		}
		kinds[i].ports++
	}
	return kinds
}

// mostQueueRows is the most kinds of ports whose limits and thresholds are listed.
const mostQueueRows = 16

// ratioRow describes for the manifest how ports serve headers and data.
func (p *plan) ratioRow() record.Derived {
	meaning := "frames of class 0 that may pass a waiting data frame before it goes"
	switch {
	case p.queues.port.Trim.Ratio == 0:
		meaning = "0: class 0, which holds trimmed headers, always goes before data"
	case p.queues.ratioOf != "":
		meaning += "; that of " + p.queues.ratioOf + ", since fabric.trim.ratio is absent"
	}
	return record.DerivedCount("trim_ratio", float64(p.queues.port.Trim.Ratio), "", meaning)
}

// sameQueue reports whether two ports have the same limits and marking.
func sameQueue(a, b fabric.PortConfig) bool {
	headers := func(c fabric.PortConfig) unit.Bytes {
		if c.Trim == nil {
			return 0
		}
		return c.Trim.Limit
	}
	return a.Limit == b.Limit && a.ECN == b.ECN && a.KMin == b.KMin && a.KMax == b.KMax && headers(a) == headers(b)
}

// limitRows lists the limits and thresholds of ports for the manifest.
func limitRows(c fabric.PortConfig, name, of string) []record.Derived {
	rows := []record.Derived{record.DerivedBytes("queue_limit"+name, c.Limit, "limit of a queue"+of)}
	if c.ECN {
		rows = append(rows,
			record.DerivedBytes("ecn_kmin"+name, c.KMin, "queue up to which no frame is marked"+of),
			record.DerivedBytes("ecn_kmax"+name, c.KMax, "queue from which every frame is marked"+of))
	}
	if c.Trim != nil {
		rows = append(rows, record.DerivedBytes("header_queue_limit"+name, c.Trim.Limit, "limit of class 0, which holds trimmed headers"+of))
	}
	return rows
}
