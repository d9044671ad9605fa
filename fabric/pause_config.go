package fabric

import (
	"fmt"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// PauseConfig describes priority flow control (IEEE 802.1Qbb). A switch that holds
// too many bytes of a class from one link makes the far end of that link pause the
// class. The zero value has no pauses.
//
// Simplifications: a pause frame of 64 B takes its serialisation time at the link's
// initial rate, but does not occupy the wire. A link failure cancels the pauses of
// both ends at once. A link whose reverse direction is down cannot be paused, so
// frames may arrive for which there is no headroom. An account within its reserve
// pauses nobody, while HPCC's simulator pauses it when the shared buffer is full.
type PauseConfig struct {
	// Classes has a bit for every lossless class.
	Classes uint8
	// Of selects the quantity that is compared with the thresholds.
	Of PauseScope
	// Limits returns the limits of a directed link into a switch, which apply to each lossless class.
	Limits func(topo.PortID) PauseLimits
	// PoolFirst uses headroom only when the shared buffer is full, as Broadcom's
	// switches do. Otherwise headroom is also used above the threshold.
	PoolFirst bool
	// Watchdog ends pauses that last too long.
	Watchdog Watchdog
	// Quanta sets how long a pause holds.
	Quanta Quanta
	// Slow lists the hosts that take frames more slowly than their links deliver them.
	Slow []SlowHost
}

func (c *PauseConfig) on() bool { return c.Classes != 0 }

// PauseScope is the quantity that is compared with the threshold of a link.
type PauseScope uint8

// Scopes of pauses.
const (
	// OfIngress: the bytes of the class that came over the link, beyond the reserve.
	OfIngress PauseScope = iota
	// OfEgress: the bytes of the class at the port that the frame joins.
	OfEgress
	// OfSwitch: all bytes that the switch holds.
	OfSwitch
)

// PauseLimits are the limits of a link into a switch, for each lossless class.
type PauseLimits struct {
	// Off is the threshold at which the link is paused. If it is 0, with scope
	// OfIngress, the threshold is Alpha times the free shared buffer.
	Off   unit.Bytes
	Alpha float64
	// Gap is how far below the threshold the link resumes. With scope OfIngress it
	// also resumes when nothing exceeds the reserve.
	Gap unit.Bytes
	// Reserve and Headroom are set aside for the link and class.
	Reserve, Headroom unit.Bytes
}

// PauseFrame is the size of a pause frame on the wire.
const PauseFrame unit.Bytes = 64

// Headroom returns how much can still arrive over a link after the switch at its end
// decides to pause it. It covers the propagation both ways, the latency of the switch,
// a frame in service at each end, the pause, and the frame that triggered it.
func Headroom(rate unit.Rate, propagation, latency unit.Time, frame unit.Bytes) unit.Bytes {
	return rate.In(2*propagation+latency) + 1 + 3*frame + PauseFrame
}

// check reports errors in a pause configuration.
func (c *PauseConfig) check(g *topo.Graph, port func(topo.PortID) PortConfig) error {
	if !c.on() {
		return nil
	}
	if err := c.Quanta.check(); err != nil {
		return err
	}
	for id := range topo.PortID(2 * len(g.Links)) {
		from, to := g.Ends(id)
		if g.Nodes[from].Kind == topo.Switch {
			p := port(id)
			switch {
			case p.Trim != nil:
				return fmt.Errorf("fabric: a port trims frames where pauses keep them from being lost")
			case c.Classes>>max(1, p.Classes) != 0:
				return fmt.Errorf("fabric: classes %08b are lossless, of %d", c.Classes, max(1, p.Classes))
			case p.limited() && c.Classes&first != 0:
				return fmt.Errorf("fabric: class 0 has credits, which cannot be paused")
			}
		}
		if g.Nodes[to].Kind == topo.Switch {
			if l := c.Limits(id); l.Off <= 0 && (l.Alpha <= 0 || c.Of != OfIngress) {
				return fmt.Errorf("fabric: a link has no threshold to pause at")
			}
		}
	}
	return nil
}

// Watchdog ends pauses of switch ports that last too long, as operating systems of switches
// do. It watches each queue by itself. It fires for a queue that holds frames, sends none
// and stays paused for the detection time. The queue's frames, and those that arrive, are
// then dropped, or the queue sends as if it were not paused. Normal operation returns once
// the queue has not been paused for the restoration time. The zero value has no watchdog.
type Watchdog struct {
	Detect, Restore sim.Time
	// Forward sends the frames instead of dropping them.
	Forward bool
}

func (w *Watchdog) on() bool { return w.Detect > 0 }

// SlowHost is a host that takes frames off its NIC at a given rate. The backlog at
// the NIC counts bytes on the wire, of lossless classes only. The host pauses its
// switch when the backlog reaches Off, and resumes it when it falls to On.
//
// Simplifications: messages count as delivered when their frames reach the NIC, not when the
// host has taken them. A host's pauses leave at once, without waiting for a frame in service.
type SlowHost struct {
	Host    int32 // index in the graph
	Rate    unit.Rate
	Off, On unit.Bytes
}
