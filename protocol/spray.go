package protocol

import (
	"fmt"

	"weft/unit"
)

// Way is a way in which switches choose among equal next hops.
type Way uint8

// Ways to choose a next hop.
const (
	// ByHash hashes source, destination and entropy with the switch's salt.
	ByHash Way = iota
	// ByRandom draws a port from the switch's own random stream.
	ByRandom
	// ByLoad takes the port with the least load.
	ByLoad
	// ByRoundRobin takes the ports of a next-hop set in turn.
	ByRoundRobin
	// ByFlowlet keeps to a flow's port until the flow pauses, and draws another.
	ByFlowlet
	// BySymmetricHash hashes the unordered pair of hosts and the entropy, with a salt that
	// the switches of a tier share, so that what goes back retraces the path.
	BySymmetricHash

	ways
)

// Load is what ByLoad compares.
type Load uint8

// Loads of a port. Both count all priority classes.
const (
	// QueuedBytes is what the port accepted and has not fully serialised: the
	// whole frame in service included.
	QueuedBytes Load = iota
	// QueuedTime is how long the port's link takes to send what is queued, the
	// rest of the frame in service included. It knows of different rates.
	QueuedTime
)

// Tie is how ByLoad chooses among ports of equal load.
type Tie uint8

// Ways to break ties.
const (
	// RandomTie draws from the switch's own random stream.
	RandomTie Tie = iota
	// FirstTie takes the first in the order of the next-hop set, which all switches share.
	FirstTie
	// RankedTie takes the first in an order of the switch's own.
	RankedTie
)

// Spray tells how switches choose among equal next hops for a packet. The zero
// value hashes. Where a next-hop set repeats a port to give it more weight, ByHash,
// ByRandom and ByFlowlet draw it as much more often, ByRoundRobin takes it as much
// more often, and ByLoad gives it no more than a better chance in a tie.
type Spray struct {
	Way Way

	// Load is what ByLoad compares, in whole multiples of Bin bytes, or of Step
	// for QueuedTime; 0 compares exactly.
	Load Load
	Bin  unit.Bytes
	Step unit.Time
	Tie  Tie
	// Shuffled makes ByRoundRobin draw a new order of the ports for each round, from the switch's
	// own random stream.
	Shuffled bool
	// HashBelow is the size on the wire below which frames are hashed instead, whatever the way.
	HashBelow unit.Bytes
	// Choices is how many ports ByLoad draws (with replacement) and compares; 0
	// compares all.
	Choices int
	// AvoidDown makes ByLoad pass over ports whose own link is down, unless all
	// are. Otherwise the switch goes on as if the port sent what it is given.
	AvoidDown bool

	// Gap is the pause of a flow after which ByFlowlet draws again; if it is 0,
	// GapRTTs is that pause as a share of the unloaded round-trip time.
	Gap     unit.Time
	GapRTTs unit.Ratio
	// Flowlets is the size of ByFlowlet's table at each switch: a power of two.
	// Flows with the same place in it share an entry.
	Flowlets int
}

// MaxFlowlets bounds the table of ByFlowlet.
const MaxFlowlets = 1 << 20

// Check tells what is wrong with a policy.
func (s Spray) Check() error {
	switch {
	case s.Way >= ways:
		return fmt.Errorf("switches have no way %d to choose a next hop", s.Way)
	case s.Bin < 0 || s.Step < 0:
		return fmt.Errorf("the granularity of loads is negative")
	case s.HashBelow < 0:
		return fmt.Errorf("the size below which frames are hashed is negative")
	case s.Choices < 0:
		return fmt.Errorf("the number of ports to compare is %d; it must be at least 1, or 0 for all", s.Choices)
	case s.Way == ByFlowlet && (s.Flowlets < 1 || s.Flowlets > MaxFlowlets || s.Flowlets&(s.Flowlets-1) != 0):
		return fmt.Errorf("a table of %d flowlets is not possible; give it a power of two up to %d", s.Flowlets, MaxFlowlets)
	case s.Gap < 0 || !(s.GapRTTs >= 0):
		return fmt.Errorf("the gap between flowlets is negative or not a number")
	}
	return nil
}

// Resolved returns the policy with its gap as a time.
func (s Spray) Resolved(baseRTT unit.Time) Spray {
	if s.Way == ByFlowlet && s.Gap == 0 {
		s.Gap = unit.Forever
		if gap := float64(s.GapRTTs) * float64(baseRTT); gap < float64(unit.Forever) {
			s.Gap = unit.Time(gap)
		}
	}
	s.GapRTTs = 0
	return s
}
