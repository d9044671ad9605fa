package record

import (
	"math"

	"weft/unit"
)

// Capacity knows what each link could carry at any time: its nominal rate, another rate during a
// rate fault, and nothing while it was down or missing. All utilizations are relative to it.
type Capacity struct {
	nominal map[string]unit.Rate
	stays   map[string][]Fault
}

// Capacity returns the capacities of a run's links.
func (r *Result) Capacity() *Capacity {
	c := &Capacity{nominal: make(map[string]unit.Rate, len(r.Ports)), stays: map[string][]Fault{}}
	for i := range r.Ports {
		c.nominal[r.Ports[i].Name] = r.Ports[i].Rate
	}
	for _, f := range r.Faults {
		if f.Kind == FaultDown || f.Kind == FaultMissing || f.Kind == FaultRate {
			c.stays[f.Port] = append(c.stays[f.Port], f)
		}
	}
	return c
}

// Bytes returns the number of bytes that a port's link could carry in a time span, and for how
// long of it the link was up.
func (c *Capacity) Bytes(port string, from, to unit.Time) (bytes float64, up unit.Time) {
	nominal := c.nominal[port]
	stays := c.stays[port]
	if len(stays) == 0 {
		up = max(to-from, 0)
		return carried(nominal, up), up
	}
	for from < to {
		// The state is constant until the next fault begins or ends.
		until, rate := to, nominal
		for i := range stays {
			f := &stays[i]
			switch {
			case f.From > from:
				until = min(until, f.From)
			case f.To == Unfinished || f.To > from:
				if f.To != Unfinished {
					until = min(until, f.To)
				}
				if f.Kind != FaultRate {
					rate = 0
				} else if rate > 0 {
					rate = f.Rate
				}
			}
		}
		if rate > 0 {
			up += until - from
		}
		bytes += carried(rate, until-from)
		from = until
	}
	return bytes, up
}

// Share returns bytes as a share of the capacity of a port's link in a time span. It is NaN if
// the link could carry nothing.
func (c *Capacity) Share(port string, bytes float64, from, to unit.Time) float64 {
	room, _ := c.Bytes(port, from, to)
	return ShareOf(bytes, room)
}

// ShareOf is Share for a given capacity, such as the sum over several links.
func ShareOf(bytes, room float64) float64 {
	if room <= 0 {
		return math.NaN()
	}
	return bytes / room
}

func carried(rate unit.Rate, t unit.Time) float64 {
	return float64(rate) / 8 * float64(t) / float64(unit.Second)
}
