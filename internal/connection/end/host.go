package end

import (
	"math/rand/v2"

	"weft/internal/packet"
	"weft/unit"
)

// Host is what the ends of connections at a host share.
type Host struct {
	// ID is its number in the network, Local the one among the hosts of its carrier, and Name a hash of its name.
	ID, Local int32
	Name      uint64
	// Line is the rate of its link, 0 if that is not known.
	Line unit.Rate
	// Out are the packets that wait to be sent, but for those that are decided only when the wire is free.
	Out    Outbox
	Agenda Agenda
	// GrantPaths draws the entropies of pulls and requests; nil unless the receivers of the host grant credit.
	GrantPaths *rand.PCG
}

// Carrier is what the ends of connections stand on: a simulated fabric, or sockets. Hosts are numbered among its own.
type Carrier interface {
	// SetTimer asks for attention to a host's agenda at a time or before. An earlier time that is set stays.
	SetTimer(host int32, at unit.Time)
	// Delivered tells that a message has arrived at a host in full.
	Delivered(now unit.Time, host int32, d Delivery)
	// Completed tells that all of a message of a host is acknowledged.
	Completed(now unit.Time, host int32, c Completion)
}

// Site is what either side of some hosts stands on.
type Site struct {
	Store   *packet.Store
	Network *Network
	Hosts   []Host
	Carrier Carrier
	Counts  *Counts
}

// Await adds a deadline to the agenda of a host.
func (s *Site) Await(h *Host, d Deadline) {
	h.Agenda.Push(d)
	s.Carrier.SetTimer(h.Local, h.Agenda[0].At)
}

// Delivery is a message that arrived in full: of a group, from a host, with its ordinal there modulo 2³².
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

// Tally is what is counted of a message that is measured, while it is sent.
type Tally struct {
	// Completed is when all of it was acknowledged, which is left to the carrier.
	Completed                    unit.Time
	Retransmits, Timeouts, Trims uint32
}
