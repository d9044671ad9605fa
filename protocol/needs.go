package protocol

// Need is a set of things that a part of a scenario relies on. For each there is a row in the
// table of package scenario, which says why a scenario does not have it and what to write.
type Need uint32

// Needs of parts.
const (
	// AckClock is that acknowledgements clock packets out, as a window does: what a receiver
	// pulls comes when the receiver decides.
	AckClock Need = 1 << iota
	// PacketAcks is an acknowledgement for every packet.
	PacketAcks
	// PathEchoes is that senders are told the entropy and the mark of packets that arrived.
	PathEchoes
	// Connections is that hosts have connections, which messages can be divided over.
	Connections
	// Marks is that ports mark congestion (ECN).
	Marks
	// Trimming is that switches trim packets for which a queue has no room to their headers.
	Trimming
	// Credits is that ports limit credits, in class 0, which carries nothing else.
	Credits
	// Symmetric is that data retraces the path of what it answers: switches hash
	// symmetrically, and routes lead back over the same links.
	Symmetric
	// OnePath is that a flow keeps to one path, at least for round trips at a time.
	OnePath
	// DeepQueues is that queues hold what piles up at a receiver, so that they hardly ever drop.
	DeepQueues
	// Telemetry is that switches stamp packets with what their queues hold.
	Telemetry
	// Pauses is that switches pause their neighbours in place of dropping (PFC).
	Pauses
	// SharedBuffer is that the ports of a switch share a buffer.
	SharedBuffer

	// OneLayer is that routes have no layers, of which entropies choose: a balancer that leaves
	// all to switches gives its packets one entropy.
	OneLayer
	// Pairs is that hosts keep a connection for each pair, on which messages wait for each other.
	Pairs

	// AllNeeds is all of them.
	AllNeeds Need = 1<<iota - 1
)

// Has tells whether all of a set are in n.
func (n Need) Has(m Need) bool { return n&m == m }

// Needs is what a part of a scenario relies on: a balancer, a congestion control or
// transport of hosts, or a rule of marking or admission. The zero value is nothing.
type Needs struct {
	// Must is what the part cannot do without: a scenario that lacks any of it is refused.
	Must Need
	// Otherwise is how the part's own options do without AckClock, as a remedy says it: "take cut
	// out of change"; empty if none do.
	Otherwise string
	// Wants is what it can do without, but then not as meant: a scenario that lacks any of it
	// gets a notice.
	Wants []Want
	// Classes is how many priority classes ports must have, from the first on that the
	// transport uses; 0 and 1 are any.
	Classes int
	// FewerClasses tells that with other options fewer will do.
	FewerClasses bool
	// OneClass is the option with which one class will do, as in "priority: none"; empty if none does.
	OneClass string
	// TrimRatio is how many frames of class 0, that of headers, switches let pass while
	// data wait before they send a data frame, where the scenario does not say; 0 if class 0
	// goes strictly first.
	TrimRatio int
}

// Want is one thing that a part can do without, but not as meant.
type Want struct {
	Need Need
	// Without is what the part does without it, as a sentence that begins with its name goes
	// on: "slows down for losses only".
	Without string
}

// LateLosses is what transports do without DeepQueues that learn of losses from silence.
const LateLosses = "assumes buffers that hardly ever drop, and detects losses late"

// Requires returns what the balancer relies on: its needs, and what follows from its other
// fields.
func (b *Balancer) Requires() Needs {
	n := b.Needs
	if !b.Oblivious {
		n.Must |= PathEchoes
	}
	if b.Subflows > 1 {
		n.Must |= Connections
	}
	return n
}

// Provides returns what a transport finds with the balancer.
func (b *Balancer) Provides() Need {
	if b.InOrder() && b.Subflows <= 1 {
		return Symmetric | OnePath
	}
	return 0
}

// InOrder tells whether the packets of a connection, or of each subflow, keep to one path of the
// tables, so that none overtakes another unless routes change.
func (b *Balancer) InOrder() bool { return b.OnePath && b.Spray.Way == ByHash }

// Provides returns what a balancer finds with the control.
func (c *CongestionControl) Provides() Need {
	switch {
	case c.NewHost != nil && c.Echoes:
		return PacketAcks | PathEchoes
	case c.NewHost != nil:
		return 0
	case c.NewReceiver != nil: // receivers clock packets out
		return PacketAcks | PathEchoes | Connections
	}
	return AckClock | PacketAcks | PathEchoes | Connections
}

// Wanted tells whether the control wants all of a set of needs, though it can do without.
func (c *CongestionControl) Wanted(n Need) bool {
	for _, w := range c.Needs.Wants {
		if w.Need.Has(n) {
			return true
		}
	}
	return false
}
