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

// Config is the environment of some hosts' connections.
type Config struct {
	Store   *packet.Store
	Network *end.Network
	Carrier end.Carrier
	// Hosts lists their numbers in the network.
	Hosts []int32
	// Stride, Offset, Tokens and Observer go into sending.Config. A Stride of 0 counts as 1.
	Stride, Offset uint32
	Tokens         int
	Observer       sending.Observer
	// Gauge goes into receiving.Config.
	Gauge receiving.Gauge
	// Convergence goes into receiving.Config.
	Convergence protocol.Convergence
}

// Hosts holds both ends of the connections of some hosts.
type Hosts struct {
	Sending   *sending.Side
	Receiving *receiving.Side
	Counts    end.Counts

	store *packet.Store
	queue *end.NICQueue
	hosts []end.Host
}

// Open initializes the connections of hosts. None exists yet.
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

// Host returns the state that the ends at a host share.
func (c *Hosts) Host(local int32) *end.Host { return &c.hosts[local] }

// Start hands over a message to send.
func (c *Hosts) Start(now unit.Time, local int32, m *sending.Message) { c.Sending.Start(now, local, m) }

// Receive handles a packet that reached its host.
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

// ReceiveData is Receive for data packets.
func (c *Hosts) ReceiveData(now unit.Time, local int32, id packet.ID) {
	c.Receiving.Data(now, local, id)
	if c.Receiving.Advises() {
		c.Receiving.Advise(local)
	}
	if c.hosts[local].GrantPaths != nil {
		c.Receiving.Grant(now, local)
	}
}

// Cancel withdraws a host's message that is not yet fully acknowledged. It returns false if there
// is no such message.
func (c *Hosts) Cancel(now unit.Time, local, group int32, ordinal uint64) bool {
	return c.Sending.Cancel(now, local, group, ordinal)
}

// Forget discards all of a host's state about another host, in both directions, as when that host
// is gone. A later host with the same number is a new one.
func (c *Hosts) Forget(now unit.Time, local, peer int32) {
	c.Sending.Forget(now, local, peer)
	c.Receiving.Forget(now, local, peer)
}

// Ready reports whether a host has something to send.
func (c *Hosts) Ready(local int32) bool {
	return c.hosts[local].Out.Ready() || c.Sending.Ready(local)
}

// Next returns the next packet to send now that a host's wire is free, and whether another one
// could follow at once. Control packets go first; then connections take turns, one packet each.
// With a queue at the NIC, all packets go in the queue's order.
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

// Control returns the next packet of a host's queue.
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

// Expire handles a deadline of a host. It puts the deadline back into the host's agenda if it
// must come again.
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

// Pause sets the priority classes that a host must not send, one bit per class. Other classes may
// be sent.
func (c *Hosts) Pause(now unit.Time, local int32, classes uint8) {
	c.Sending.Freed(now, local, c.hosts[local].Out.Pause(classes))
}

// Sum returns the counts, including arrived data packets.
func (c *Hosts) Sum() end.Counts {
	sum := c.Counts
	for _, p := range c.Receiving.Packets {
		sum.Packets += p.Arrived
		sum.DeliveredBytes += uint64(p.Payload)
	}
	return sum
}

// Warm touches the memory that a busy window will need for all hosts, to load it into the cache.
// It does nothing if there are more than most objects. The result only keeps the compiler from
// removing the reads.
func (c *Hosts) Warm(most uint64) (sum uint64) {
	if uint64(len(c.hosts)+c.Sending.Size()+c.Receiving.Size()) > most {
		return 0
	}
	for i := range c.hosts {
		sum += c.hosts[i].Out.Warm()
	}
	return sum + c.Receiving.Warm() + c.Sending.Warm()
}
