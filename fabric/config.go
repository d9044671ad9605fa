package fabric

import (
	"math"

	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Config describes a network.
type Config struct {
	Graph  *topo.Graph
	Tables *route.Tables
	// Progress, if not nil, is told about which share of the network is built, from 0 to 1.
	Progress func(share float64)
	// Domain is the domain of each node, as topo.Partition returns it.
	Domain []int32
	Seed   uint64
	Queue  sim.QueueKind
	// Port configures the queue of a switch port. NICs have none: they pull.
	Port func(topo.PortID) PortConfig
	// Jitter is that of the NICs.
	Jitter Jitter
	// HostJitter is the most that a frame is delayed between its arrival at a host and the endpoint.
	HostJitter sim.Time
	// Sprays are the ways in which switches choose among equal next hops. Frames
	// carry a number in it (Frame.SetClass). The first must hash; nil is that alone.
	Sprays []protocol.Spray
	// Buffer is what the ports of each switch share.
	Buffer BufferConfig
	// Pause is how switches pause their neighbours.
	Pause PauseConfig
	// Telemetry is whether switches stamp frames.
	Telemetry Telemetry
	// Control is what runs at the queues of switches.
	Control ControlConfig
	// Deflect is how switches deflect short messages.
	Deflect DeflectConfig
	// Detours, if not nil, say when frames leave minimal paths, and Lanes when they change their class.
	Detours *route.Detours
	Lanes   WalkLanes
	// LaneGroups are the classes that are lanes of one priority.
	LaneGroups LaneGroups
	// Endpoint makes the transport side of a domain's hosts.
	Endpoint func(*Domain) Endpoint
	// Observe, if not nil, sees every event before it is handled. Events of one
	// domain come in order; domains may come side by side.
	Observe func(domain int, e Event)
	// SignalDelay, if not 0, lets hosts signal to each other, and is how long a
	// signal takes: at most what LeastSignalDelay returns. Windows are no longer.
	SignalDelay sim.Time
	// Follow, if not nil, sees the way of every frame. It needs a network of one
	// domain, and takes the place of Observe.
	Follow Follower
}

// PortConfig describes the queue of a port. The zero value is one FIFO that
// holds nothing.
type PortConfig struct {
	// Classes is the number of classes, 1 to 8; 0 means 1. They are served in strict priority, but for lanes.
	Classes int
	// Limit is what each class holds, or all lanes of one priority together, the frame in service included. A frame
	// that does not fit with what is already there is dropped or cut.
	Limit unit.Bytes
	// ECN marks by RED: never up to KMin, with a probability that rises to PMax
	// between KMin and KMax, and always from KMax. A threshold is KMin equal to
	// KMax, and marks above it. The queue is compared before the frame is added.
	ECN        bool
	KMin, KMax unit.Bytes
	PMax       unit.Ratio
	// SpareFirst lets the first frame above KMin after one that was not go unmarked, each
	// class by itself. It is of no use with MarkAtDequeue.
	SpareFirst bool
	// MarkAtDequeue takes the decision when transmission begins, by the queue
	// that the frame leaves behind.
	MarkAtDequeue bool
	// MarkByPort compares what all classes of the port hold, instead of the frame's
	// class alone. For SpareFirst, too, the classes are one queue then.
	MarkByPort bool
	// Marking, if not nil, makes a rule that marks, for each class; ECN is off then.
	Marking func(protocol.QueueEnv) protocol.Marker
	// Admission, if not nil, makes a rule for each class that must agree to take a frame.
	Admission func(protocol.QueueEnv) protocol.Admitter
	// Trim cuts frames that do not fit instead of dropping them.
	Trim *TrimConfig
	// Credit makes class 0 one for credits, which are neither marked nor trimmed. There
	// must be another class for all else, and no Trim, whose headers join class 0.
	Credit protocol.CreditClass
}

// TrimConfig describes how frames are cut. Headers join class 0.
type TrimConfig struct {
	// Header is what is left of a frame, in bytes.
	Header uint16
	// Limit is what class 0 holds.
	Limit unit.Bytes
	// Ratio, if positive, is how many frames of class 0 may pass while frames of other classes
	// wait, before one of these goes. Without, class 0 goes strictly first.
	Ratio int
	// Coin cuts the last frame of the queue in place of the arriving one with
	// probability one half (NDP, SIGCOMM 2017, §3.1).
	Coin bool
}

func (c *PortConfig) plain() bool {
	return c.Classes <= 1 && c.Trim == nil && !(c.ECN && c.MarkAtDequeue) && !c.Credit.On() && c.Marking == nil && c.Admission == nil
}

// configure gives a switch port its queue, one with classes if it has to be.
func (d *Domain) configure(p *port, cold *portCold, c PortConfig, lanes *LaneGroups, classes bool, seed, name uint64) {
	p.limit = clampBytes(c.Limit)
	if c.ECN {
		p.kmin, cold.kmax = clampBytes(c.KMin), clampBytes(c.KMax)
		cold.pmax = uint32(min(float64(c.PMax)*(1<<32), math.MaxUint32))
		sim.SeedStream(&cold.mark, seed, name, "ecn")
		if c.SpareFirst && !c.MarkAtDequeue {
			cold.spells = new(spells)
			for k := range cold.spells {
				cold.spells[k] = noFrame
			}
		}
	}
	if c.plain() && !classes {
		return
	}
	p.special |= classed
	if p.delay == 0 || c.Credit.On() {
		// Nothing would happen on the link after a transmission; or what waits may have to
		// wait for tokens.
		p.special |= stepped
	}
	p.disc = newDiscipline(&c, lanes, cold.rate, seed, name)
}

// setRate makes r the rate of frames whose transmission begins from now on.
func (p *port) setRate(r unit.Rate) {
	p.special |= uneven
	p.perByte = 0
	if t, whole := r.PerByte(); whole && t <= math.MaxUint32 {
		p.special &^= uneven
		p.perByte = uint32(t)
	}
}

// stage is a part of building that takes about a given share of the time.
type stage struct {
	report   func(share float64)
	from, to float64
}

// reached tells that some of a number of equal steps are done.
func (s stage) reached(done, of int) {
	const often = 1 << 10
	if s.report != nil && done%often == 0 {
		s.report(s.from + (s.to-s.from)*float64(done)/float64(of))
	}
}
