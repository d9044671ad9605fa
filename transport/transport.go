// Package transport is the carrier of transports in the simulator: it binds connections (package
// internal/connection) and transports of hosts (protocol.HostTransport) to the hosts of a fabric. It hands them the
// messages of workloads, asks them for the next packet when a host's wire is free, keeps their deadlines, and the
// records of their messages.
//
// A transport that serves a host as a whole (SIRD, Homa, and others) takes the place of connections: hosted.go carries
// its packets, chooses their entropies, and keeps the records of its messages. A host may have both.
package transport

import (
	"fmt"

	"weft/fabric"
	"weft/internal/connection"
	"weft/internal/connection/end"
	"weft/internal/connection/sending"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// What groups of traffic are given, and what connections tell.
type (
	// Params describes the transport of a group of traffic.
	Params = end.Params
	// Recovery is a kind of recovery with its options.
	Recovery = end.Recovery
	// RecoveryKind is how losses are made good for.
	RecoveryKind = end.RecoveryKind
	// NICQueue is a FIFO at each host in which frames wait for the wire.
	NICQueue = end.NICQueue
	// SourceMarks is by which rule a host marks what would have waited in a queue of its NIC.
	SourceMarks = end.SourceMarks
	// Counts sums up what endpoints did.
	Counts = end.Counts
	// Packets counts data packets that arrived for the first time and whole.
	Packets = end.Packets
	// Load is what a host was given to send, and what of it was sent.
	Load = end.Load
	// Breach tells that a protocol broke its promise.
	Breach = end.Breach
	// Connection is what can be seen of a connection while it carries a message.
	Connection = sending.Connection
	// Sending is a message that a connection sends.
	Sending = sending.Sending
	// Waiting describes a message that is not fully acknowledged.
	Waiting = sending.Waiting
	// Blocked tells why a connection may not send.
	Blocked = sending.Blocked
	// Acted tells what the options of a group of traffic ever did.
	Acted = sending.Acted
)

// Kinds of recovery.
const (
	Selective = end.Selective
	GoBackN   = end.GoBackN
	IRN       = end.IRN
	SACK      = end.SACK
	Order     = end.Order
)

// Reasons not to send.
const (
	NotBlocked     = sending.NotBlocked
	NothingToSend  = sending.NothingToSend
	ByWindow       = sending.ByWindow
	ByReorderLimit = sending.ByReorderLimit
	ByCredit       = sending.ByCredit
	ByPace         = sending.ByPace
)

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
	// Convergence, if not nil, measures how long senders take to take notice of others.
	Convergence *Convergence
	// Watch, if not nil, sees what the hosts do. The network must have one domain.
	Watch Watcher
	// Outside, if not nil, carries all messages. The network must have one domain.
	Outside Outside
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
	net       *end.Network
	groups    []Group
	from, to  unit.Time
	domains   int
	endpoints []*Endpoint
	watch     Watcher
	env       hostedEnv
	gauge     *Gauge
	// convergence has the window in which receivers measure, nil if nobody asks; converging are what those of each domain did.
	convergence *Convergence
	converging  []*Convergence
	// interrupts is the least time between two by which a host takes frames off its NIC, or 0.
	interrupts unit.Time
	throttled  []*throttled
	outside    Outside             // nil without
	carried    map[uint64]carriage // by it
	located    []location          // of all hosts, with it
}

// New returns a transport for a network of so many hosts and domains, without endpoints yet.
func New(c Config, hosts, domains int) *Transport {
	net := &end.Network{
		Seed: c.Seed, Groups: make([]end.Group, len(c.Groups)), Names: make([]uint64, hosts),
		LineRate: c.LineRate, Hops: c.Hops, Paths: c.Paths, Queue: c.NIC, SourceMarks: c.SourceMarks,
		Tenants: tenants(c.Groups),
	}
	for i := range net.Names {
		net.Names[i] = sim.Hash(c.HostName(int32(i)))
	}
	for i := range c.Groups {
		net.Groups[i] = end.Group{Params: c.Groups[i].Params, Tenant: c.Groups[i].Tenant}
	}
	end.ShareBundles(net.Groups)
	return &Transport{
		outside: c.Outside, carried: map[uint64]carriage{},
		net: net, groups: c.Groups, from: c.MeasureFrom, to: c.MeasureTo, domains: domains, watch: c.Watch,
		env: hostedEnv{classes: c.Classes, credits: c.Credits}, gauge: c.Gauge, convergence: c.Convergence, interrupts: c.Interrupts,
	}
}

// Attach makes the endpoint of a domain's hosts, for fabric.Config. Domains are attached in their order.
func (t *Transport) Attach(d *fabric.Domain) fabric.Endpoint {
	e := &Endpoint{d: d, t: t, hosts: make([]host, len(d.Hosts)), sources: make([]source, len(d.Hosts)*len(t.groups)), gauge: newGauge(t.gauge)}
	cfg := connection.Config{
		Store: &d.Store, Network: t.net, Carrier: e, Hosts: d.Hosts,
		Stride: uint32(t.domains), Offset: uint32(len(t.endpoints)), Tokens: d.Tokens(),
	}
	if e.gauge != nil {
		cfg.Gauge = e.gauge
	}
	if t.convergence != nil && t.outside == nil {
		own := t.convergence.Anew()
		t.converging = append(t.converging, own)
		cfg.Convergence = own
	}
	if t.watch != nil {
		e.watched = &watched{Endpoint: e, watcher: t.watch}
		cfg.Observer = e.watched
	}
	e.Open(cfg)
	for h := range d.Hosts {
		e.hosts[h].Host = e.Host(int32(h))
		if t.outside == nil {
			e.openHosted(&e.hosts[h])
		}
		e.openSources(int32(h))
	}
	t.endpoints = append(t.endpoints, e)
	if e.watched != nil {
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
		c.Add(e.Sum())
	}
	return c
}

// Packets returns the data packets that arrived so far, by group.
func (t *Transport) Packets() []Packets {
	sum := make([]Packets, len(t.groups))
	for _, e := range t.endpoints {
		for g, p := range e.Receiving.Packets {
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
		sum += unit.Bytes(e.Receiving.Arrived)
	}
	return sum
}

// Convergence returns what all receivers measured; nil if none does.
func (t *Transport) Convergence() *Convergence {
	if t.convergence == nil {
		return nil
	}
	if t.outside != nil {
		return t.outside.Convergence()
	}
	sum := t.convergence.Anew()
	for _, one := range t.converging {
		sum.Times.Merge(&one.Times)
	}
	return sum
}

// Check reports whether bundles have their books in order, and credit is conserved: no sender sent more than it was granted and
// allowed without grant, and none was granted what no receiver gave.
func (t *Transport) Check() error {
	for _, e := range t.endpoints {
		if err := e.Sending.Check(); err != nil {
			return fmt.Errorf("transport: %w", err)
		}
		for i := range e.hosts {
			h := &e.hosts[i]
			if h.hosted == nil {
				continue
			}
			if err := h.hosted.Check(); err != nil {
				return fmt.Errorf("transport: host %d: %w", h.ID, err)
			}
		}
	}
	if c := t.Counts(); c.CreditReceived > c.CreditGranted {
		return fmt.Errorf("transport: senders received credit for %d B, but receivers granted only %d B", c.CreditReceived, c.CreditGranted)
	}
	return nil
}
