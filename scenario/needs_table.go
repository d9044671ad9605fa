package scenario

import (
	"cmp"
	"fmt"

	"weft/protocol"
)

// ampleQueue is the depth of a queue, in BDPs, from which on a transport that cannot handle
// drops gets away with it. It is as much as host transports with their defaults let pile up
// at a receiver.
const ampleQueue = 4

// The rows that belong to no feature: properties of ports and their queues, of routes, and
// of a transport for its own parts.
var (
	classNeed = need{
		noun:    "more priority classes",
		amount:  func(n *protocol.Needs, o *offers) bool { return n.Classes > 1 && o.first+n.Classes > o.classes },
		written: classesWritten,
		lack:    lackOfClasses,
	}
	trimmingNeed = need{
		need:    protocol.Trimming,
		noun:    "trimmed headers",
		has:     func(f *Fabric) bool { return f.Overflow == trimming && !f.Queue.Infinite },
		drops:   true,
		written: trimmingWritten,
		without: "with fabric.overflow: drop",
		lack:    lackOfTrimming,
	}
	markNeed = need{
		need:    protocol.Marks,
		noun:    "marks of congestion",
		has:     (*Fabric).marksAnywhere,
		written: keys("fabric.ecn other than off"),
		without: "with fabric.ecn: off",
		lack:    lackOfMarks,
	}
	symmetricNeed = need{
		need:    protocol.Symmetric,
		noun:    "data to retrace the path of the packet that it answers",
		written: keys("transport.balancer: " + onePath),
		without: "with a transport.balancer other than " + onePath,
		lack: func(q *inquiry) lack {
			if q.plan != nil && (q.plan.lacking.astray == errStrays || q.plan.lacking.astray == errExplicit) {
				return lack{path: "routing.policy", key: "routing.policy", why: q.plan.lacking.astray.Error(), remedy: "write policy: ecmp"}
			}
			if q.plan != nil && q.plan.lacking.astray != nil {
				return lack{path: "topology", why: q.plan.lacking.astray.Error(), remedy: "use a leaf-spine or a fat tree with all its links and routing without weights, or spanning trees: routing.policy: {kind: layers, scheme: past}"}
			}
			return lack{path: q.carrier.path + ".balancer", why: q.balancer() + " does not keep each flow to one path",
				remedy: fmt.Sprintf("write balancer: %s, which does", onePath)}
		},
	}
	onePathNeed = need{
		need:    protocol.OnePath,
		noun:    "flows that keep to one path",
		written: keys("transport.balancer: " + onePath),
		without: "with a transport.balancer other than " + onePath,
		lack: func(q *inquiry) lack {
			return lack{path: q.carrier.path + ".balancer", why: q.balancer() + " does not keep each flow to one path",
				remedy: fmt.Sprintf("write balancer: %s, which does", onePath)}
		},
	}
	ackClockNeed = need{
		need:    protocol.AckClock,
		noun:    "packets that are clocked out by acknowledgements",
		written: keys("a transport.congestion with a window (such as nscc)"),
		lack: func(q *inquiry) lack {
			if q.carrier.congestion.NewReceiver == nil {
				return lackOfConnections(q)
			}
			return lack{why: fmt.Sprintf("with %s receivers decide when packets go", q.carrier.t.Congestion.Kind),
				remedy: cmp.Or(q.needs.Otherwise, "choose another balancer, such as arcane") + ", or choose a control with a window, such as nscc"}
		},
	}
	packetAckNeed = need{
		need:    protocol.PacketAcks,
		noun:    "an acknowledgement for every packet",
		written: keys("transport.ack.every: 1"),
		lack: func(q *inquiry) lack {
			if every := q.carrier.t.Ack.Every; every > 1 && q.carrier.congestion.NewHost == nil {
				return lack{why: fmt.Sprintf("ack.every is %d", every), key: "ack.every", remedy: "write ack: {every: 1}, or " + q.another()}
			}
			return lackOfConnections(q)
		},
	}
	connectionNeed = need{
		need:    protocol.Connections,
		noun:    "connections to divide messages over",
		written: keys("a transport.congestion of connections (such as nscc)"),
		lack:    lackOfConnections,
	}
	echoNeed = need{
		need: protocol.PathEchoes,
		noun: "answers to its packets, from which it learns",
		lack: lackOfConnections,
	}
	deepQueueNeed = need{
		need:    protocol.DeepQueues,
		noun:    "buffers that hardly ever drop",
		has:     untilPlanned,
		written: keys(fmt.Sprintf("a fabric.queue of %dBDP or more", ampleQueue)),
		without: fmt.Sprintf("with a fabric.queue below %dBDP", ampleQueue),
		lack:    lackOfBuffers,
	}
	sharedBufferNeed = need{
		need:    protocol.SharedBuffer,
		noun:    "a buffer that the ports of a switch share",
		has:     func(f *Fabric) bool { return f.Buffer != nil },
		written: keys("fabric.buffer"),
		without: "without fabric.buffer",
		lack: func(q *inquiry) lack {
			return lack{why: "fabric.buffer is absent", key: "fabric.buffer", remedy: "write fabric: {buffer: 16MB}, or " + q.another()}
		},
	}
	pairNeed = need{
		need:    protocol.Pairs,
		noun:    "a connection for each pair of hosts",
		written: keys("transport.connection: " + perPair),
		without: "with a transport.connection other than " + perPair,
		lack: func(q *inquiry) lack {
			return lack{path: q.carrier.path + ".connection", key: "connection", why: fmt.Sprintf("connection: %s keeps no connection for each pair of hosts", q.carrier.t.Connection),
				remedy: fmt.Sprintf("write connection: %s", perPair)}
		},
	}
	layerNeed = need{
		need:    protocol.OneLayer,
		noun:    "routes without layers",
		has:     untilPlanned,
		written: keys("a routing.policy other than layers, ksp and paths"),
		without: "with routing.policy: layers, ksp or paths",
		lack: func(q *inquiry) lack {
			l := lack{does: "leaves the choice of a path to switches, so that all its packets would take layer 0",
				key: "routing.policy", why: "routing.policy is layers, of which the sender chooses", remedy: "choose another balancer, such as fatpaths, or write policy: ecmp"}
			if q.plan != nil && q.plan.explicit() {
				l = lack{does: "leaves the choice of a path to switches, so that all its packets would take the first one",
					key: "routing.policy", why: "routing.policy has explicit paths, of which the sender chooses", remedy: "choose another balancer, such as spritz, or write policy: ecmp"}
			}
			return l
		},
	}
)

func classesWritten(n *protocol.Needs) []string {
	if n.Classes <= 1 {
		return nil
	}
	text := fmt.Sprintf("fabric.classes: %d or more", n.Classes)
	if n.FewerClasses {
		text += " (other options do with fewer)"
	}
	return []string{text}
}

func lackOfClasses(q *inquiry) lack {
	first, n := q.offers.first, q.needs.Classes
	l := lack{does: fmt.Sprintf("uses %d priority classes from class %d on", n, first), why: fmt.Sprintf("fabric.classes is %d", q.fabric.Classes), key: "fabric.classes"}
	fewer := fmt.Sprintf("options of %s with fewer priorities", q.kind)
	switch {
	case n > mostClasses && q.needs.FewerClasses:
		l.remedy = fmt.Sprintf("ports have %d at most: write %s", mostClasses, fewer)
		return l
	case n > mostClasses:
		l.remedy = fmt.Sprintf("ports have %d at most, so no scenario can run it: its entry must ask for fewer (Needs.Classes)", mostClasses)
		return l
	case first+n <= mostClasses:
		l.remedy = fmt.Sprintf("write fabric: {classes: %d}", first+n)
	case q.fabric.Overflow == trimming:
		l.remedy = fmt.Sprintf("ports have %d at most, and headers of trimmed frames take the first: write overflow: drop", mostClasses)
	default:
		l.remedy = fmt.Sprintf("ports have %d at most: write a class of %d at most", mostClasses, mostClasses-n)
	}
	if q.needs.FewerClasses {
		l.remedy += ", or " + fewer
	}
	return l
}

func trimmingWritten(n *protocol.Needs) []string {
	list := []string{"fabric.overflow: " + trimming, "a limit of fabric.queue"}
	if n.TrimRatio > 0 {
		list = append(list, fmt.Sprintf("fabric.trim.ratio: %d (its default)", n.TrimRatio))
	}
	return list
}

func lackOfTrimming(q *inquiry) lack {
	frame := q.carrier.t.Payload + q.carrier.t.Header
	l := lack{does: "learns of lost packets from their trimmed headers"}
	switch f := q.fabric; {
	case f.Overflow != trimming && f.Queue.Infinite:
		l.key = "fabric.overflow"
		l.why = fmt.Sprintf("with fabric.overflow: drop switches trim no frame, nor is any queue ever full with queue: %s", infinite)
		l.remedy = fmt.Sprintf("write fabric: {overflow: %s, queue: %v} for 8 frames", trimming, 8*frame)
	case f.Overflow != trimming:
		l.key = "fabric.overflow"
		l.why = "with fabric.overflow: drop switches drop packets whole"
		l.remedy = fmt.Sprintf("write fabric: {overflow: %s}", trimming)
	default:
		l.path = "fabric.queue"
		l.why = fmt.Sprintf("with queue: %s no queue is ever full", infinite)
		l.remedy = fmt.Sprintf("write a limit of at least a full frame, %v, and at most %v, as in queue: %v for 8 frames", frame, mostQueued, 8*frame)
	}
	l.remedy += ", or " + q.another()
	return l
}

func lackOfMarks(q *inquiry) lack {
	l := lack{does: "learns of congestion from marks, and without them from losses only"}
	f := q.fabric
	write, is := "{kind: threshold, k: 1.25BDP}", f.ECN.Kind
	if !f.Queue.Infinite && f.NIC != fifo {
		write = "red" // red needs a limit; queues at hosts need a threshold
	}
	l.key = "fabric.ecn"
	l.why = fmt.Sprintf("with fabric.ecn: %s no port marks congestion", is)
	if q.plan != nil {
		l.remedy = fmt.Sprintf("write fabric: {%s} for ports that do", q.marking())
		return l
	}
	l.remedy = fmt.Sprintf("write fabric: {ecn: %s}, or ", write)
	if q.sort == aBalancer {
		l.remedy += q.another()
	} else {
		l.remedy += "choose a control that uses delay, such as swift"
	}
	return l
}

// marking writes the marking rule that would be brought by default, scaled to the queues of
// the network. A threshold above everything that the queues hold would mark nothing.
func (q *inquiry) marking() string {
	s := fabricSetup{law: defaultSetup.law, queue: defaultSetup.queue}
	if c := &q.carrier.congestion.Setup; c.Marking.On() && c.Marking.Value.Name != noMarks {
		s.law, s.queue = c.Marking.Value, c.Queue.Value
	}
	l := limit{infinite: true} // makes shares absolute
	if queued, bdp := q.plan.shallowest(); float64(queued) < s.queue.BDPs*float64(bdp) {
		l = limit{bdps: float64(queued) / float64(bdp), given: true}
	}
	text := fmt.Sprintf("ecn: %s", written(lawNode(l.fit(s))))
	if q.fabric.NIC == fifo { // the host's own queue would be marked, whatever the path
		text = "nic: pull, " + text
	}
	return text
}

// lackOfConnections explains the lack of properties that only connections have. Host
// transports need not have connections.
func lackOfConnections(q *inquiry) lack {
	return lack{why: fmt.Sprintf("%s is a host transport, which has none", q.carrier.t.Congestion.Kind),
		remedy: q.another()}
}

// lackOfBuffers explains the lack of deep queues, whose limits only the network shows.
func lackOfBuffers(q *inquiry) lack {
	limit, bdp := q.plan.shallowest()
	happens := "drop"
	if q.fabric.Overflow == trimming {
		happens = "trim"
	}
	return lack{why: fmt.Sprintf("queues of %v (%.1f BDP) %s the backlog at a receiver", limit, float64(limit)/float64(bdp), happens),
		remedy: fmt.Sprintf("write fabric: {queue: %dBDP} or more, or infinite", ampleQueue)}
}
