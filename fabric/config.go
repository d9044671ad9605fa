package fabric

import (
	"fmt"

	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
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
	// Scheduling is how ports with classes choose among these; not with lanes of one priority.
	Scheduling SchedulingConfig
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
	// Together are groups of hosts that signal to each other without delay. No host is in two, and the hosts
	// of each are in one domain. They need a SignalDelay.
	Together [][]int32
	// Follow, if not nil, sees the way of every frame. It needs a network of one
	// domain, and takes the place of Observe.
	Follow Follower
}

// groups returns which of so many classes count as one; nil if none do.
func (c *Config) groups(classes int) *grouping { return newGrouping(&c.LaneGroups, classes) }

func (c *Config) checkWalks() error {
	switch {
	case c.Scheduling.New != nil && c.LaneGroups.on():
		return fmt.Errorf("fabric: lanes of one priority go in the order of arrival, and have no scheduler")
	case c.Deflect.On() && c.Deflect.Lanes == LanePerToken && (c.Detours != nil || c.Tables.Paths() != nil):
		return fmt.Errorf("fabric: a lane for each token is enough where tables alone say how links follow each other, and not with detours or explicit paths")
	case c.Detours == nil && c.Lanes == NoLanes:
		return nil
	case c.Detours != nil && c.Tables.Paths() != nil:
		return fmt.Errorf("fabric: packets on explicit paths take no detours")
	case c.Deflect.On() && c.Lanes != NoLanes:
		return fmt.Errorf("fabric: deflected frames take more links than lanes of walks are for")
	case c.Control.On() && c.Lanes != NoLanes:
		return fmt.Errorf("fabric: a controller is of one class, and lanes have frames change theirs")
	}
	return nil
}
