package scenario

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/protocol"
	"weft/record"
	"weft/transport"
	"weft/unit"
)

// rows lists the derived values of a plan for the manifest.
func (p *plan) rows() []record.Derived {
	rows := p.derived.rows(p.graph)
	rows = append(rows, p.routeRows()...)
	rows = append(rows, p.walkRows()...)
	for _, f := range features() {
		if f.rows != nil {
			rows = append(rows, f.rows(p)...)
		}
	}
	rows = append(rows, p.queueRows()...)
	rows = append(rows, p.loadRows()...)
	rows = append(rows,
		record.DerivedCount("classes", float64(max(1, p.queues.port.Classes)), "", "priority classes of a port"),
		record.DerivedTime("stuck_after", p.times.stuckAfter, "time without progress after which the run is stuck"))
	if p.grouped.signals {
		rows = append(rows, record.DerivedTime("trigger_delay", fabric.LeastSignalDelay(p.graph), "delay of a trigger or barrier from one host to another: the least delay at which the network could be cut into domains"))
	}
	for i := range p.groups {
		g := &p.groups[i]
		env := g.Env
		env.Rand = new(rand.PCG)
		if g.Congestion.New != nil {
			control := g.Congestion.New(env)
			window := control.Window()
			if c, ok := control.(protocol.Credited); ok {
				window = min(window, c.Credit())
			}
			rows = append(rows, record.DerivedBytes("initial_window."+g.Name, window, "payload that a new connection of the group may have in flight"))
			if c, ok := control.(protocol.Pacer); ok && c.Pace().Rate > 0 {
				rows = append(rows, record.DerivedRate("initial_rate."+g.Name, c.Pace().Rate, "rate at which a new connection of the group sends"))
			}
		}
		rows = append(rows, p.settings(g)...)
		rows = append(rows,
			record.DerivedTime("rto."+g.Name, g.RTO, "retransmission timeout of the group"),
			record.DerivedCount("class."+g.Name, float64(g.Class), "", "priority class of the group's data"),
			record.DerivedCount("ack_class."+g.Name, float64(g.AckClass), "", "priority class of its acknowledgements"))
	}
	return rows
}

// settings lists the values that follow from the options of a group's control.
func (p *plan) settings(g *transport.Group) []record.Derived {
	if g.Congestion.Settings == nil {
		return nil
	}
	var rows []record.Derived
	for _, s := range g.Congestion.Settings(transport.HostEnv(&g.Params, len(p.graph.Hosts), p.queues.port.Classes, p.queues.port.Credit)) {
		name := s.Name + "." + g.Name
		switch v := s.Value.(type) {
		case unit.Bytes:
			rows = append(rows, record.DerivedBytes(name, v, s.Meaning))
		case unit.Time:
			rows = append(rows, record.DerivedTime(name, v, s.Meaning))
		case unit.Rate:
			rows = append(rows, record.DerivedRate(name, v, s.Meaning))
		case float64:
			rows = append(rows, record.DerivedCount(name, v, "", s.Meaning))
		}
	}
	return rows
}

// queueRows lists the limits and thresholds of queues for the manifest: of ports at the
// rate of the hosts' links, and of each kind of port that differs.
func (p *plan) queueRows() []record.Derived {
	kinds := slices.DeleteFunc(p.queueKinds(), func(k queueKind) bool { return sameQueue(p.config(k.rule, k.rate), p.queues.port) })
	slices.SortStableFunc(kinds, func(a, b queueKind) int { return cmp.Compare(a.rate, b.rate) })
	of := ""
	if len(kinds) > 0 {
		of = fmt.Sprintf(" at a link of %v, the hosts' rate", p.derived.hosts)
	}
	rows := limitRows(p.queues.port, "", of)
	if p.queues.buffer.Size > 0 {
		rows = append(rows, record.DerivedBytes("shared_buffer", p.queues.buffer.Size, "buffer that the ports of a switch share"))
	}
	rows = append(rows, p.pauseRows()...)
	if p.queues.port.Trim != nil {
		rows = append(rows, p.ratioRow())
	}
	more := len(kinds) - mostQueueRows
	for _, k := range kinds[:min(len(kinds), mostQueueRows)] {
		name, of := "."+k.rate.String(), fmt.Sprintf(" at a link of %v", k.rate)
		if k.rule != &p.queues.rules.fabric {
			name, of = "."+p.graph.PortName(k.first), fmt.Sprintf(" at %s, a link of %v, by fabric.ports", p.graph.PortName(k.first), k.rate)
		}
		if k.ports > 1 {
			of += fmt.Sprintf("; as at %d more ports", k.ports-1)
		}
		rows = append(rows, limitRows(p.config(k.rule, k.rate), name, of)...)
	}
	if more > 0 {
		rows = append(rows, record.DerivedCount("queue_kinds", float64(len(kinds)), "", fmt.Sprintf("kinds of ports whose queues differ from those at the hosts' rate; %d of them are listed", mostQueueRows)))
	}
	return rows
}
