package connection

import (
	"fmt"

	"weft/internal/connection/end"
	"weft/internal/connection/receiving"
	"weft/internal/connection/sending"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// Config is what the connections of some hosts stand on.
type Config struct {
	Store   *packet.Store
	Network *end.Network
	Carrier end.Carrier
	// Hosts are their numbers in the network.
	Hosts []int32
	// Stride, Offset, Tokens and Observer are those of the sending side. A Stride of 0 is 1.
	Stride, Offset uint32
	Tokens         int
	Observer       sending.Observer
	// Gauge is that of the receiving side.
	Gauge receiving.Gauge
	// Convergence is that of the receiving side.
	Convergence protocol.Convergence
}

// Hosts are the connections of some hosts.
type Hosts struct {
	Sending   *sending.Side
	Receiving *receiving.Side
	Counts    end.Counts

	store *packet.Store
	queue *end.NICQueue
	hosts []end.Host
}

// Open makes the connections of hosts, none of which exists yet.
func (c *Hosts) Open(cfg Config) {
	c.store, c.queue = cfg.Store, cfg.Network.Queue
	c.hosts = make([]end.Host, len(cfg.Hosts))
	queues := make([]packet.ID, packet.QueueStart*len(cfg.Hosts))
	for i, id := range cfg.Hosts {
		h := &c.hosts[i]
		h.ID, h.Local, h.Name = id, int32(i), cfg.Network.Names[id]
		if cfg.Network.LineRate != nil {
			h.Line = cfg.Network.LineRate(id)
		}
		h.Out.Queue = packet.NewQueue(queues[i*packet.QueueStart : (i+1)*packet.QueueStart : (i+1)*packet.QueueStart])
	}
	site := end.Site{Store: cfg.Store, Network: cfg.Network, Hosts: c.hosts, Carrier: cfg.Carrier, Counts: &c.Counts}
	c.Receiving = receiving.New(receiving.Config{Site: site, Gauge: cfg.Gauge, Convergence: cfg.Convergence})
	c.Sending = sending.New(sending.Config{
		Site: site, Stride: max(1, cfg.Stride), Offset: cfg.Offset, Tokens: cfg.Tokens, Observer: cfg.Observer,
	})
}

// Host returns what the ends at a host share.
func (c *Hosts) Host(local int32) *end.Host { return &c.hosts[local] }

// Start hands over a message to send.
func (c *Hosts) Start(now unit.Time, local int32, m *sending.Message) { c.Sending.Start(now, local, m) }

// Receive takes over a packet that reached its host.
func (c *Hosts) Receive(now unit.Time, local int32, id packet.ID) {
	p := c.store.At(id)
	switch p.Kind {
	case end.Data:
		c.ReceiveData(now, local, id)
	case end.Ack:
		c.Sending.Ack(now, local, id)
	case end.Nack:
		if p.Originated() {
			c.Sending.Notice(now, local, id)
		} else {
			c.Sending.Nack(now, local, id)
		}
	case end.Pull:
		c.Sending.Pull(now, local, id)
	case end.Request:
		c.Receiving.Request(now, local, id)
	case end.Probe:
		c.Receiving.Probe(local, id)
	case end.Echo:
		c.Sending.Echo(now, local, id)
	case end.Withdrawal:
		c.Receiving.Withdraw(now, local, id)
	case end.Advice:
		c.Sending.Advised(now, local, id)
	default:
		panic(fmt.Sprintf("connection: packet of kind %d", p.Kind))
	}
}

// ReceiveData is Receive for data.
func (c *Hosts) ReceiveData(now unit.Time, local int32, id packet.ID) {
	c.Receiving.Data(now, local, id)
	if c.Receiving.Advises() {
		c.Receiving.Advise(local)
	}
	if c.hosts[local].GrantPaths != nil {
		c.Receiving.Grant(now, local)
	}
}

// Cancel takes back a message of a host that is not fully acknowledged, and tells whether there was one.
func (c *Hosts) Cancel(now unit.Time, local, group int32, ordinal uint64) bool {
	return c.Sending.Cancel(now, local, group, ordinal)
}

// Forget ends all that a host has to do with another one, in both directions, as when that is gone. A host of the same
// number that comes later is a new one.
func (c *Hosts) Forget(now unit.Time, local, peer int32) {
	c.Sending.Forget(now, local, peer)
	c.Receiving.Forget(now, local, peer)
}

// Ready tells whether a host has something to send.
func (c *Hosts) Ready(local int32) bool {
	return c.hosts[local].Out.Ready() || c.Sending.Ready(local)
}

// Next yields the next packet that a host sends, now that its wire is free, and whether there will be another one
// right after it. Control packets go first; then connections take turns, a packet each. With a queue at the NIC, that
// has all in order.
func (c *Hosts) Next(now unit.Time, local int32) (id packet.ID, more, ok bool) {
	out := &c.hosts[local].Out
	if out.Paused() || c.queue != nil {
		if id, ok = c.Control(now, local); ok {
			return id, c.Ready(local), true
		}
	} else if !out.Empty() {
		return out.Pop(), !out.Empty() || c.Sending.Ready(local), true
	}
	return c.Sending.Next(now, local)
}

// Control yields the next packet of a host's queue.
func (c *Hosts) Control(now unit.Time, local int32) (id packet.ID, ok bool) {
	out := &c.hosts[local].Out
	if out.Paused() {
		id, ok = out.Next(c.store)
	} else if ok = !out.Empty(); ok {
		id = out.Pop()
	}
	if ok && c.queue != nil {
		if p := c.store.At(id); p.Kind == end.Data {
			c.Sending.Departed(now, local, p)
		}
	}
	return id, ok
}

// Expire acts on a deadline of a host, and keeps it in the host's agenda if it is to come again.
func (c *Hosts) Expire(now unit.Time, local int32, d end.Deadline) {
	again := false
	switch d.What {
	case end.OverdueReport:
		d.At, again = c.Receiving.Report(now, local, d)
	case end.DueGrant:
		c.Receiving.Due(now, local)
	default:
		d.At, again = c.Sending.Expire(now, local, d)
	}
	if again {
		c.hosts[local].Agenda.Push(d)
	}
}

// Pause tells that from now on a host must not send packets of some classes, a bit each, but of all others.
func (c *Hosts) Pause(now unit.Time, local int32, classes uint8) {
	c.Sending.Freed(now, local, c.hosts[local].Out.Pause(classes))
}

// Sum returns the counts, with those of arrived data packets.
func (c *Hosts) Sum() end.Counts {
	sum := c.Counts
	for _, p := range c.Receiving.Packets {
		sum.Packets += p.Arrived
		sum.DeliveredBytes += uint64(p.Payload)
	}
	return sum
}

// Warm reads, without effect, what a busy window will need of all hosts, if that is not more than so much. What it
// returns is of no use but to keep the reads.
func (c *Hosts) Warm(most uint64) (sum uint64) {
	if uint64(len(c.hosts)+c.Sending.Size()+c.Receiving.Size()) > most {
		return 0
	}
	for i := range c.hosts {
		sum += c.hosts[i].Out.Warm()
	}
	return sum + c.Receiving.Warm() + c.Sending.Warm()
}
