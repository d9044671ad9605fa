// Package transport is the carrier of transports in the simulator. It binds connections
// (package internal/connection) and host transports (protocol.HostTransport) to the
// hosts of a fabric. It submits the messages of workloads, asks for the next packet
// when a host's wire is free, keeps deadlines, and records messages.
//
// A host transport (SIRD, Homa, and others) owns all messages of a host and
// replaces connections. hosted.go carries its packets, chooses their entropies, and
// records its messages. A host may have both.
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

// Configuration of groups of traffic, and what connections report.
type (
	// Params describes the transport of a group of traffic.
	Params = end.Params
	// Recovery is a kind of loss recovery with its options.
	Recovery = end.Recovery
	// RecoveryKind is a way to recover from losses.
	RecoveryKind = end.RecoveryKind
	// NICQueue is a FIFO at each host in which frames wait for the wire.
	NICQueue = end.NICQueue
	// SourceMarks is the rule by which a host marks frames that would have waited in its NIC's queue.
	SourceMarks = end.SourceMarks
	// Counts sums up what endpoints did.
	Counts = end.Counts
	// Packets counts data packets that arrived for the first time and untrimmed.
	Packets = end.Packets
	// Load is how much a host was given to send, and how much of that it has sent.
	Load = end.Load
	// Breach reports that a protocol broke its promise.
	Breach = end.Breach
	// Connection is the visible state of a connection that carries a message.
	Connection = sending.Connection
	// Sending is a message that a connection is sending.
	Sending = sending.Sending
	// Waiting describes a message that is not fully acknowledged.
	Waiting = sending.Waiting
	// Blocked is why a connection may not send.
	Blocked = sending.Blocked
	// Acted records which options of a group of traffic have ever acted.
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
	// Sources yields the messages of each host; nil for a host without messages.
	Sources []workload.Source
	// Twin is the offset to the other group of the same workload, 0 if there is none.
	// The sources of one group hear what the other group receives. A host has a source
	// in only one of the two.
	Twin int
	// Tenant is the owner of the traffic. Members are the hosts that may send for it,
	// in order; nil means the hosts with sources.
	Tenant  uint8
	Members []int32
	// Answers reports that the sources are told of deliveries to the group before
	// this one instead of their own group, because they send replies.
	Answers bool
}

// MaxGroups is the most groups, limited by the size of a protocol.GroupSet.
const MaxGroups = 32

// MaxPackets is the most packets of a message.
const MaxPackets = 1<<31 - 1

// Config describes the transport of a network.
type Config struct {
	Seed   uint64
	Groups []Group
	// LineRate returns the rate of a host's link. Controls that pace need it, and
	// receivers that grant credit or answer.
	LineRate func(host int32) unit.Rate
	// Classes is the number of priority classes of ports, for host transports; 0 means 1.
	Classes int
	// Credits is the class of credits at ports, for host transports.
	Credits protocol.CreditClass
	// HostName returns the stable name of a host.
	HostName func(host int32) string
	// MeasureFrom and MeasureTo select the measured messages by their start:
	// [MeasureFrom, MeasureTo).
	MeasureFrom, MeasureTo unit.Time
	// Hops returns how many switches a packet passes from one host to another. Only
	// controls that count hops need it.
	Hops func(src, dst int32) int
	// Paths, if not nil, appends the explicit paths from one host to another, for
	// choosers that use them.
	Paths func(src, dst int32, list []protocol.Path) []protocol.Path
	// NIC, if not nil, queues frames at hosts. Otherwise the NIC pulls: connections
	// take turns when the wire is free.
	NIC *NICQueue
	// SourceMarks, if not nil, is how hosts mark frames for controls that ask for it.
	// A NICQueue marks its frames itself.
	SourceMarks func(host int32) SourceMarks
	// Interrupts, if not 0, is the least time between two interrupts by which a host
	// takes frames off its NIC. It excludes Watch.
	Interrupts unit.Time
	// Gauge, if not nil, measures deliveries over time.
	Gauge *Gauge
	// Convergence, if not nil, measures how long senders take to notice others.
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
	// that group, sending host and ordinal identify a message at its receiver, too.
	Ordinal uint64
	Size    unit.Bytes
	Packets uint32
	// Start is when the message was handed to the transport, End when its last byte was delivered,
	// SenderEnd when everything was acknowledged. End and SenderEnd are Unfinished until then.
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
	// convergence has the window in which receivers measure; nil if nobody asks.
	// converging holds the measurements of each domain.
	convergence *Convergence
	converging  []*Convergence
	// interrupts is the least time between two interrupts of a host, or 0.
	interrupts unit.Time
	throttled  []*throttled
	outside    Outside             // or nil
	carried    map[uint64]carriage // by outside
	located    []location          // of all hosts, for outside
}

// New returns a transport for a network with the given numbers of hosts and
// domains, without endpoints.
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

// Attach makes the endpoint of a domain's hosts, for fabric.Config. Call it for
// each domain in order.
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

// Packets returns the counts of data packets that have arrived, by group.
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

// CompletedPayload returns the payload of all messages, and parts of divided
// messages, whose last byte has been delivered.
func (t *Transport) CompletedPayload() (sum unit.Bytes) {
	for _, e := range t.endpoints {
		sum += unit.Bytes(e.Receiving.Arrived)
	}
	return sum
}

// Convergence merges the measurements of all receivers; nil if none measures.
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

// Check checks that the books of bundles are in order and that credit is conserved.
// No sender may send more than it was granted plus what it may send without a
// grant. No sender may be granted more than receivers gave.
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
