package fabric

import (
	"fmt"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// PauseConfig describes priority flow control (IEEE 802.1Qbb): a switch that holds too much of what came over
// a link, in a class, has the far end of the link pause that class. The zero value is none.
//
// Simplifications: a pause frame of 64 B takes its time on the wire, at
// the rate that the link has at first, but does not occupy it. A failure of a link takes back the pauses of
// both its ends at once. A link whose reverse direction is down cannot be paused, so that frames may come for which
// there is no headroom. An account within its reserve pauses nobody, where HPCC's simulator does once nothing of
// the shared buffer is free.
type PauseConfig struct {
	// Classes has a bit for every class that is lossless.
	Classes uint8
	// Of says what is compared with the thresholds.
	Of PauseScope
	// Limits returns those of a directed link into a switch, for each lossless class.
	Limits func(topo.PortID) PauseLimits
	// PoolFirst takes headroom only when the shared buffer is full, as Broadcom's switches do, and
	// not also above the threshold.
	PoolFirst bool
	// Watchdog ends pauses that last too long.
	Watchdog Watchdog
	// Quanta is for how long a pause holds.
	Quanta Quanta
	// Slow are the hosts that do not take frames at the rate of their links.
	Slow []SlowHost
}

func (c *PauseConfig) on() bool { return c.Classes != 0 }

// PauseScope is what is compared with the threshold of a link.
type PauseScope uint8

// Scopes of pauses.
const (
	// OfIngress: what the switch holds of what came over the link in the class, beyond the reserve.
	OfIngress PauseScope = iota
	// OfEgress: the class of the port that the frame joins.
	OfEgress
	// OfSwitch: all that the switch holds.
	OfSwitch
)

// PauseLimits are those of a link into a switch, for each lossless class.
type PauseLimits struct {
	// Off is the threshold, at which it is paused; 0 with scope OfIngress has Alpha times the free shared buffer instead.
	Off   unit.Bytes
	Alpha float64
	// Gap is how far below the threshold the link resumes. With scope OfIngress it also resumes when
	// nothing is beyond the reserve.
	Gap unit.Bytes
	// Reserve and Headroom are kept apart for the link and class.
	Reserve, Headroom unit.Bytes
}

// PauseFrame is the size of a pause frame on the wire.
const PauseFrame unit.Bytes = 64

// Headroom returns what can still come over a link after the switch at its end decided to pause it: both ways
// of propagation, the latency of the switch, a frame in service at each end, the pause, and the frame for
// which it is decided.
func Headroom(rate unit.Rate, propagation, latency unit.Time, frame unit.Bytes) unit.Bytes {
	return rate.In(2*propagation+latency) + 1 + 3*frame + PauseFrame
}

// check tells what is wrong with a configuration of pauses.
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

// Watchdog ends pauses of switch ports that last too long, as operating systems of switches do. It watches each queue by itself: one that
// holds frames, sends none and stays paused for the detection time fires. Then the queue's frames are dropped, and those that come, or
// it sends as if nothing were paused. Once the queue was not paused for the restoration time, all is as before. The zero value
// is none.
type Watchdog struct {
	Detect, Restore sim.Time
	// Forward sends, in place of dropping.
	Forward bool
}

func (w *Watchdog) on() bool { return w.Detect > 0 }

// SlowHost is a host that takes frames off its NIC at some rate. What waits there counts in bytes on the wire, of lossless classes
// only; above Off the host pauses its switch, and resumes it at On.
//
// Simplifications: messages are delivered when their frames reach the NIC, not when the host has taken them. Pauses of hosts leave
// at once, and do not wait for a frame in service.
type SlowHost struct {
	Host    int32 // of the graph
	Rate    unit.Rate
	Off, On unit.Bytes
}
