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
	// Progress, if not nil, receives the share of the network that has been built, from 0 to 1.
	Progress func(share float64)
	// Domain is the domain of each node, as topo.Partition returns it.
	Domain []int32
	Seed   uint64
	Queue  sim.QueueKind
	// Port configures the queue of a switch port. NICs have no queue: they pull
	// frames from the endpoint.
	Port func(topo.PortID) PortConfig
	// Jitter configures the timing of NICs.
	Jitter Jitter
	// HostJitter is the longest delay of a frame between its arrival at a host and the endpoint.
	HostJitter sim.Time
	// Sprays are the policies by which switches choose among equal next hops. Each frame carries
	// an index into them (Frame.SetClass). The first must hash. Nil means that one alone.
	Sprays []protocol.Spray
	// Buffer is the buffer that the ports of each switch share.
	Buffer BufferConfig
	// Pause configures how switches pause their neighbours.
	Pause PauseConfig
	// Telemetry configures whether switches stamp frames.
	Telemetry Telemetry
	// Control configures the controllers at the queues of switches.
	Control ControlConfig
	// Deflect configures how switches deflect short messages.
	Deflect DeflectConfig
	// Detours, if not nil, sets when frames leave minimal paths. Lanes sets when they change class.
	Detours *route.Detours
	Lanes   WalkLanes
	// Scheduling is how ports with classes choose among these; not with lanes of one priority.
	Scheduling SchedulingConfig
	// LaneGroups are the classes that are lanes of one priority.
	LaneGroups LaneGroups
	// Endpoint makes the transport side of a domain's hosts.
	Endpoint func(*Domain) Endpoint
	// Observe, if not nil, sees every event before it is handled. Events of one
	// domain come in order. Several domains may call it concurrently.
	Observe func(domain int, e Event)
	// SignalDelay, if not 0, lets hosts signal to each other and is the time that a
	// signal takes: at most LeastSignalDelay. It also limits the length of windows.
	SignalDelay sim.Time
	// Together are groups of hosts that signal to each other without delay. The hosts of a group
	// must be in one domain, and no host may be in two groups. Groups need a SignalDelay.
	Together [][]int32
	// Follow, if not nil, sees the path of every frame. It needs a network of one
	// domain and replaces Observe.
	Follow Follower
}

// groups returns which of so many classes count as one queue; nil if none do.
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
