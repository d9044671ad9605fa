// Package transport binds protocol cores to the hosts of a fabric: messages,
// connections, acknowledgement, retransmission timers, and the order in which a
// host serves them. Congestion control, entropy choice and reliability are
// separate cores (package protocol) that combine here.
//
// A message has its own packet numbers and its own selective acknowledgement; a connection has the
// congestion window and the entropy chooser. A connection carries one message, or all messages from
// one host to another, one after another.
//
// Connections may also form pools, of which each takes a message at a time, as TCP's do beneath an
// RPC library; and the NIC may queue what windows allow instead of pulling it.
//
// A balancer may divide a message into subflows. Each part is then sent like a message of its own,
// over a connection of its own; the message is complete when all parts are.
//
// With a receiver-driven congestion control (protocol.Credited) the sending end spends
// credit, and the receiving side of each host (protocol.Receiver), which is one for all
// its traffic, is told of what arrives and grants it. Pulls and requests are lost like
// other frames; credit is counted in totals, so that later frames make good for it, and a
// sender that waited for credit for a retransmission timeout asks again.
//
// A transport that serves a host as a whole (protocol.HostTransport: SIRD, Homa, and
// others) takes the place of connections: hosted.go carries its packets, chooses their
// entropies, and keeps the records of its messages.
//
// Header bytes: every data frame carries Params.Header beside its payload, and within it
// what a sender asks of its receiver. All other frames are of Params.AckSize:
// acknowledgements, reports of trimmed packets, pulls, requests for credit, probes and
// their echoes. Pulls and requests have random entropies, so that no dead path holds up a
// sender for ever; acknowledgements and echoes have that of the frame they answer.
//
// Simplifications: connections need no handshake, as between RDMA queue pairs
// that exist beforehand; the receiver knows a message's length from its first
// packet; a receiver has a buffer for every message. The acknowledgement of a
// single packet carries that packet and all before the first gap, and without
// Params.AckBitmap no bitmap: if it is lost while a gap stays open, its packet is sent
// again after a timeout.
package transport

import (
	"weft/fabric"
	"weft/internal/histogram"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// Params describes the transport of a group of traffic.
type Params struct {
	// Payload is the largest payload of a packet; Header is what a data frame
	// has beside it.
	Payload, Header unit.Bytes
	// AckSize is the size of acknowledgement frames.
	AckSize unit.Bytes
	// AckEvery is how many packets one acknowledgement reports. It is sent earlier when the message is complete, when the sender says that it must
	// wait for it, for a packet that arrived before, for a marked one if the
	// congestion control asks for that, when one bitmap would not cover what is
	// pending, and after AckDelay.
	AckEvery int
	// AckDelay is how long a packet waits at most for an acknowledgement that reports several, 0 for no limit: a
	// sender whose window shrinks meanwhile may not have asked.
	AckDelay unit.Time
	// Unmarked makes a coalesced acknowledgement return the entropies of all
	// unmarked packets that it reports, at most reliable.MaxEntropies, instead
	// of that of the packet that triggered it.
	Unmarked bool
	// AckBitmap makes every acknowledgement carry a bitmap of the
	// reliable.SelectiveBits packets from the first that is missed, so that one
	// acknowledgement makes good for those before it that were lost.
	AckBitmap bool
	// RTO is the time after which a packet that is not acknowledged is taken for lost, from when it leaves for the wire.
	RTO unit.Time
	// TimedFromQueue begins timeouts where packets enter the queue of the NIC (NICQueue) instead.
	TimedFromQueue bool
	// Adaptive makes RTO the least of a timeout that follows the connection's round trips (reliable.Patience).
	Adaptive bool
	// LeastRTO is the least of a timeout that follows, if that is longer than RTO, and FirstRTO its length until something was heard.
	LeastRTO, FirstRTO unit.Time
	// Recovery is how losses are made good for.
	Recovery Recovery
	// ConnectionTimer makes it the least timeout of a connection's one timer, which gives up all in flight (reliable.Timer).
	ConnectionTimer bool
	// Nagle holds the last packet of a message back, if it is not full, while anything of
	// its connection is in flight (RFC 896).
	Nagle bool
	// PerPair keeps one connection from each host to each other one, instead of one per message.
	PerPair bool
	// Pool, if not 0, is how many connections there are from each host to each other
	// one. A message takes the one that was freed last, waits for one if none is free,
	// first come first served, and frees it when all of it is acknowledged.
	Pool int
	// Turns makes messages take the connections of the pool in turn instead, busy ones too, behind the messages that
	// these carry already. Every message restarts its connection's window then, if its control is a protocol.Restarter.
	Turns bool
	// Reply is how many bytes longer the acknowledgement is that completes a message,
	// as if an answer to it went with it.
	Reply unit.Bytes
	// ReorderLimit is how many packets the newest may be ahead of the oldest one not acknowledged; 0 sets no limit.
	ReorderLimit uint32
	// Short is the largest message that switches may deflect; 0 is none.
	Short unit.Bytes
	// Class and AckClass are the priority classes of data and acknowledgements.
	Class, AckClass uint8
	// Ahead is how many classes before Class retransmissions travel, at most Class.
	Ahead uint8
	// Spray is the number of the balancer's way to spray in the network's table of them; [Sprays] sets it.
	Spray uint8

	Congestion protocol.CongestionControl
	Balancer   protocol.Balancer
	// Env is handed to the cores of each connection, with a stream of its own.
	Env protocol.Env
}

// Group is traffic with one transport.
type Group struct {
	Name string
	Params
	// Sources yields the messages of each host, nil for those without any.
	Sources []workload.Source
	// Twin is how many places further on, or back, the group is whose sources belong
	// to the same workload, so that those of one receive what those of the other
	// send; 0 without. A host has a source in one of both.
	Twin int
	// Tenant is whose traffic it is, and Members are the hosts that may send for it, in order; nil are
	// those with sources.
	Tenant  uint8
	Members []int32
	// Answers tells that the sources hear of the deliveries of the group before this one,
	// and not of those of their own, as replies do.
	Answers bool
}

// MaxGroups is the most groups, as many as a protocol.GroupSet has room for.
const MaxGroups = 32

// MaxPackets is the number of packets that a message can have at most.
const MaxPackets = 1<<31 - 1

// Config describes the transport of a network.
type Config struct {
	Seed   uint64
	Groups []Group
	// LineRate returns the rate of a host's link, for controls that pace, and for receivers
	// that grant credit or answer.
	LineRate func(host int32) unit.Rate
	// Classes is how many priority classes ports have, for transports of hosts as a
	// whole; 0 means 1.
	Classes int
	// Credits is the class of credits that ports have, for the same.
	Credits protocol.CreditClass
	// HostName returns the stable name of a host.
	HostName func(host int32) string
	// MeasureFrom and MeasureTo limit measured messages by their start.
	MeasureFrom, MeasureTo unit.Time
	// Hops returns how many switches a packet passes from a host to another. Only
	// controls that count hops need it.
	Hops func(src, dst int32) int
	// Paths, if not nil, appends the explicit paths from a host to another, for choosers that want to know them.
	Paths func(src, dst int32, list []protocol.Path) []protocol.Path
	// NIC, if not nil, queues frames at hosts. Without it the NIC pulls: connections
	// take turns when the wire is free.
	NIC *NICQueue
	// SourceMarks, if not nil, is how hosts mark for controls that ask for it. A NICQueue marks
	// itself.
	SourceMarks func(host int32) SourceMarks
	// Interrupts, if not 0, is the least time between two by which a host takes frames off its NIC. It goes without Watch.
	Interrupts unit.Time
	// Gauge, if not nil, measures what is delivered over time.
	Gauge *Gauge
	// Watch, if not nil, sees what the hosts do. The network must have one domain.
	Watch Watcher
}

// Message is the record of one measured message.
type Message struct {
	Group    int
	Src, Dst int32
	// Ordinal numbers the messages of a host in a group from 0. Frames carry it, so
	// that group, sending host and ordinal name a message at its receiver too.
	Ordinal uint64
	Size    unit.Bytes
	Packets uint32
	// Start is when the message was handed to the transport, End when its last
	// byte was delivered, SenderEnd when all was acknowledged; -1 if not yet.
	Start, End, SenderEnd unit.Time
	Retransmits           uint32
	Timeouts              uint32
	Trims                 uint32
}

// Unfinished marks an end that was not reached.
const Unfinished unit.Time = -1

// Transport is the transport of a whole network.
type Transport struct {
	seed        uint64
	groups      []Group
	names       []uint64 // hashes of the hosts' names
	from, to    unit.Time
	domains     int
	endpoints   []*Endpoint
	watch       Watcher
	lineRate    func(host int32) unit.Rate
	classes     int
	creditClass protocol.CreditClass
	gauge       *Gauge
	hops        func(src, dst int32) int
	paths       func(src, dst int32, list []protocol.Path) []protocol.Path
	reroutes    uint32 // how often paths changed
	nic         *NICQueue
	sourceMarks func(host int32) SourceMarks
	interrupts  unit.Time
	bundles     []int32 // by group, the one whose bundles it uses
}

// New returns a transport for a network of so many hosts and domains, without endpoints yet.
func New(c Config, hosts, domains int) *Transport {
	t := &Transport{seed: c.Seed, groups: c.Groups, from: c.MeasureFrom, to: c.MeasureTo, domains: domains, watch: c.Watch, lineRate: c.LineRate, classes: c.Classes, creditClass: c.Credits, gauge: c.Gauge, hops: c.Hops, paths: c.Paths, nic: c.NIC, interrupts: c.Interrupts, sourceMarks: c.SourceMarks, bundles: sharing(c.Groups)}
	t.names = make([]uint64, hosts)
	for i := range t.names {
		t.names[i] = sim.Hash(c.HostName(int32(i)))
	}
	return t
}

// Attach makes the endpoint of a domain's hosts, for fabric.Config. Domains are attached in their order.
func (t *Transport) Attach(d *fabric.Domain) fabric.Endpoint {
	e := &Endpoint{
		d: d, t: t,
		self: uint32(len(t.endpoints)), domains: uint32(t.domains),
		hosts: make([]host, len(d.Hosts)),
		idle:  make([][]*connection, len(t.groups)),

		packets: make([]Packets, len(t.groups)),
		rtts:    make([]*histogram.Histogram, len(t.groups)),
		gauge:   newGauge(t.gauge),
	}
	queues := make([]fabric.FrameID, queueStart*len(d.Hosts))
	tables := make([]entry, tableStart*len(d.Hosts))
	for h, id := range d.Hosts {
		host := &e.hosts[h]
		host.id, host.name = id, t.names[id]
		if t.lineRate != nil {
			host.line = t.lineRate(id)
		}
		host.control.buf = queues[h*queueStart : (h+1)*queueStart : (h+1)*queueStart]
		host.incoming.entries = tables[h*tableStart : (h+1)*tableStart : (h+1)*tableStart]
		e.openReceiver(host)
		e.openAnswers(host)
		e.openBacklog(host)
		e.openHosted(host)
		host.sources = make([]source, len(t.groups))
		for g := range t.groups {
			s := t.groups[g].Sources[id]
			receiver, _ := s.(workload.Receiver)
			signaller, _ := s.(workload.Signaller)
			host.sources[g] = source{Source: s, receiver: receiver, signaller: signaller, group: int32(g)}
			host.sources[g].hears = int32(g)
			switch next := g + 1; {
			case next < len(t.groups) && t.groups[next].Answers:
				host.sources[g].hears = int32(next)
			case t.groups[g].Answers:
				host.sources[g].hears = nobody
			}
			if w := g + t.groups[g].Twin; s == nil && t.groups[w].Sources[id] != nil {
				host.sources[g].hears = int32(w)
			}
			if receiver != nil {
				e.scheduleReceiver(0, int32(h), &host.sources[g])
				continue
			}
			e.schedule(0, int32(h), &host.sources[g])
		}
	}
	t.endpoints = append(t.endpoints, e)
	if t.watch != nil {
		e.watched = &watched{Endpoint: e, watcher: t.watch}
		return e.watched
	}
	if t.interrupts > 0 {
		return newThrottled(e, t.interrupts)
	}
	return e
}

// Counts returns the sums over all endpoints.
func (t *Transport) Counts() (c Counts) {
	for _, e := range t.endpoints {
		c.add(e.counts)
		for _, p := range e.packets {
			c.Packets += p.Arrived
			c.DeliveredBytes += uint64(p.Payload)
		}
	}
	return c
}

// Packets returns the data packets that arrived so far, by group.
func (t *Transport) Packets() []Packets {
	sum := make([]Packets, len(t.groups))
	for _, e := range t.endpoints {
		for g, p := range e.packets {
			sum[g].Arrived += p.Arrived
			sum[g].Payload += p.Payload
			sum[g].Marked += p.Marked
			sum[g].Kept += p.Kept
		}
	}
	return sum
}

// CompletedPayload returns the payload of the messages, and of the parts of divided
// ones, whose last byte was delivered so far.
func (t *Transport) CompletedPayload() (sum unit.Bytes) {
	for _, e := range t.endpoints {
		sum += unit.Bytes(e.arrived)
	}
	return sum
}

// Waiting describes a message that is not fully acknowledged.
type Waiting struct {
	Group    int
	Src, Dst int32
	Ordinal  uint64
	Start    unit.Time
	// Packets is the message's number of packets, Left how many of them are not
	// acknowledged.
	Packets, Left uint32
	// Entropy is that of the last copy sent of the oldest one among these.
	Entropy uint16
	// Window is the connection's congestion window, InFlight what of it is used.
	Window, InFlight unit.Bytes
	// Blocked is why the connection may not send. Until is, if it is ByPace, when it may again.
	Blocked Blocked
	Until   unit.Time
	// Hosted tells that a transport of the host as a whole has the message, of which
	// only size and times are known: Left is Packets, and what stands below it is 0.
	Hosted bool
	// Delivered tells that the receiver has all of the message, as of all that wait.
	Delivered bool
}

// ID names the message as Message.ID does.
func (w *Waiting) ID() uint64 { return identify(int32(w.Group), w.Src, uint32(w.Ordinal)) }

// Oldest returns the message that has waited longest for its acknowledgement: one that is not
// delivered, if there is any.
func (t *Transport) Oldest() (w Waiting, ok bool) {
	there := t.deliveries()
	if w, ok = t.oldest(func(e *Endpoint, m *message) bool { return !there(e, m) }); !ok {
		w, ok = t.oldest(func(*Endpoint, *message) bool { return true })
		w.Delivered = ok && !w.Hosted
	}
	return w, ok
}

// deliveries returns what tells whether the receiver of a message of a connection has all of it.
func (t *Transport) deliveries() func(e *Endpoint, m *message) bool {
	hosts := make([]*host, len(t.names))
	for _, e := range t.endpoints {
		for i := range e.hosts {
			hosts[e.hosts[i].id] = &e.hosts[i]
		}
	}
	return func(e *Endpoint, m *message) bool {
		table := &hosts[m.conn.dst].incoming
		if len(table.entries) == 0 {
			return false
		}
		en := table.find(m.slot*e.domains + e.self + 1)
		return en.key != 0 && en.serial == m.serial && en.inbound == complete
	}
}

// oldest returns the message that has waited longest of those that are asked for, and of those
// of transports of hosts.
func (t *Transport) oldest(asked func(*Endpoint, *message) bool) (w Waiting, ok bool) {
	for _, e := range t.endpoints {
		for _, m := range e.messages {
			if !m.live || ok && m.start > w.Start || !asked(e, m) {
				continue
			}
			src := e.hosts[m.conn.src].id
			if ok && m.start == w.Start && src > w.Src {
				continue
			}
			ok = true
			w = Waiting{
				Group: int(m.conn.group), Src: src, Dst: m.conn.dst, Ordinal: m.ordinal, Start: m.start,
				Packets: m.packets, Left: m.Left(), Entropy: m.OldestEntropy(),
				Window: m.conn.window, InFlight: m.conn.inflight, Blocked: e.blocked(m.conn), Until: m.conn.waitsUntil(),
			}
		}
	}
	for _, e := range t.endpoints {
		for i := range e.hosts {
			if e.hosts[i].hosted != nil {
				w, ok = e.oldestHosted(&e.hosts[i], w, ok)
			}
		}
	}
	return w, ok
}
