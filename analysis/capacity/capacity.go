// Package capacity computes what a set of uplinks can carry, what is lost while one is down, and
// the cost of acknowledgements (ARCANE §3.2, §4.3.2, §4.5.1).
package capacity

import (
	"fmt"
	"math"

	"weft/unit"
)

// Uplinks describes flows that share the uplinks of a switch, where some uplinks are slow (ARCANE
// §4.3.2, Figure 3).
type Uplinks struct {
	// Flows of Size payload bytes each come from separate hosts at HostRate.
	Flows    int
	Size     unit.Bytes
	HostRate unit.Rate
	// Uplinks run at Rate, except Slow of them, which run at SlowRate.
	Uplinks  int
	Rate     unit.Rate
	Slow     int
	SlowRate unit.Rate
	// Packets carry MTU bytes of payload plus Header bytes.
	MTU, Header unit.Bytes
}

func (u Uplinks) check() error {
	switch {
	case u.Flows < 1 || u.Uplinks < 1:
		return fmt.Errorf("%d flows over %d uplinks; there must be at least 1 of each", u.Flows, u.Uplinks)
	case u.Slow < 0 || u.Slow > u.Uplinks:
		return fmt.Errorf("%d slow uplinks of %d; there can be 0 to %d", u.Slow, u.Uplinks, u.Uplinks)
	case u.Size < 1 || u.MTU < 1 || u.Header < 0:
		return fmt.Errorf("flows of %v in packets of %v with headers of %v; sizes must be positive", u.Size, u.MTU, u.Header)
	case u.HostRate <= 0 || u.Rate <= 0 || u.SlowRate < 0:
		return fmt.Errorf("hosts at %v and uplinks at %v and %v; only slow uplinks may have rate 0", u.HostRate, u.Rate, u.SlowRate)
	}
	return nil
}

// Bounds holds lower bounds of the completion time of the last flow, in seconds, without
// propagation delay. They are infinite if something never arrives.
type Bounds struct {
	// Host is the time that a flow takes at its host's rate. No spraying is faster.
	Host float64
	// Uniform is the time if every uplink gets the same share of the packets. The slowest uplink
	// determines it.
	Uniform float64
	// Adaptive is the time if each uplink gets what it can carry.
	Adaptive float64
	// UniformRate and AdaptiveRate are the payload rates of a flow at these times, in bit/s.
	UniformRate, AdaptiveRate float64
}

// Bounds computes the bounds. It fails if a field is invalid.
func (u Uplinks) Bounds() (Bounds, error) {
	if err := u.check(); err != nil {
		return Bounds{}, err
	}
	packets := (u.Size + u.MTU - 1) / u.MTU
	flow := 8 * float64(u.Size+packets*u.Header)
	all := flow * float64(u.Flows)
	slowest := float64(u.Rate)
	if u.Slow > 0 {
		slowest = min(slowest, float64(u.SlowRate))
	}
	// Rates are whole bits per second, exact up to 2^53.
	sum := float64(u.Uplinks-u.Slow)*float64(u.Rate) + float64(float64(u.Slow)*float64(u.SlowRate))
	b := Bounds{Host: flow / float64(u.HostRate)}
	b.Uniform = max(b.Host, over(all/float64(u.Uplinks), slowest))
	b.Adaptive = max(b.Host, over(all, sum))
	b.UniformRate = 8 * float64(u.Size) / b.Uniform
	b.AdaptiveRate = 8 * float64(u.Size) / b.Adaptive
	return b, nil
}

func over(bits, rate float64) float64 {
	if rate == 0 {
		return math.Inf(1)
	}
	return bits / rate
}

// Packets returns how many packets of a size leave at a rate in a time, possibly a fraction.
// These are lost while a link is down and nobody knows (ARCANE §3.2, which ignores congestion
// control).
func Packets(rate unit.Rate, during unit.Time, packet unit.Bytes) float64 {
	seconds := float64(during) / float64(unit.Second)
	return float64(rate) * seconds / 8 / float64(packet)
}

// AckOverhead returns the bytes of acknowledgements relative to the data that they acknowledge,
// with one acknowledgement for every every packets.
func AckOverhead(ack, packet unit.Bytes, every int) float64 {
	return float64(ack) / (float64(packet) * float64(every))
}
