package end

import (
	"math/rand/v2"

	"weft/internal/packet"
	"weft/unit"
)

// Host is the state that all ends of connections at a host share.
type Host struct {
	// ID is its number in the network, Local its number among the carrier's hosts, and Name a
	// hash of its name.
	ID, Local int32
	Name      uint64
	// Line is the rate of its link, 0 if unknown.
	Line unit.Rate
	// Out queues packets to send. Data packets are not in it unless the NIC has a queue: they are
	// built when the wire is free.
	Out    Outbox
	Agenda Agenda
	// GrantPaths draws the entropies of pulls and requests. It is nil unless the host's receivers
	// grant credit.
	GrantPaths *rand.PCG
}

// Carrier is what runs the ends of connections: a simulated fabric, or sockets. It numbers its
// own hosts.
type Carrier interface {
	// SetTimer asks the carrier to look at a host's agenda no later than a given time. An earlier
	// timer stays in force.
	SetTimer(host int32, at unit.Time)
	// Delivered reports that a message has arrived at a host in full.
	Delivered(now unit.Time, host int32, d Delivery)
	// Completed reports that a host's message is fully acknowledged.
	Completed(now unit.Time, host int32, c Completion)
}

// Site is the environment of one side of some hosts.
type Site struct {
	Store   *packet.Store
	Network *Network
	Hosts   []Host
	Carrier Carrier
	Counts  *Counts
}

// Await adds a deadline to a host's agenda.
func (s *Site) Await(h *Host, d Deadline) {
	h.Agenda.Push(d)
	s.Carrier.SetTimer(h.Local, h.Agenda[0].At)
}

// Delivery is a message that arrived in full. Serial is its ordinal among the messages of its
// sender and group, modulo 2³².
type Delivery struct {
	Group    uint8
	Measured bool
	Src      int32
	Serial   uint32
}

// Completion is a message that is fully acknowledged.
type Completion struct {
	Group   int32
	Ordinal uint64
	Tally   *Tally // nil if the message is not measured
}

// Tally counts events of a measured message while it is sent.
type Tally struct {
	// Completed is when all of it was acknowledged. The carrier sets it.
	Completed                    unit.Time
	Retransmits, Timeouts, Trims uint32
}
