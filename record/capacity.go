package record

import (
	"math"

	"weft/unit"
)

// Capacity knows what each link could carry at which time: its rate, another one while a fault
// gives it that, and nothing while it was down or missing. All utilizations are by it.
type Capacity struct {
	nominal map[string]unit.Rate
	stays   map[string][]Fault
}

// Capacity returns what the links of a run could carry.
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

// Bytes returns how many bytes the link of a port could carry in a span of time, and for how long
// of it the link was up.
func (c *Capacity) Bytes(port string, from, to unit.Time) (bytes float64, up unit.Time) {
	nominal := c.nominal[port]
	stays := c.stays[port]
	if len(stays) == 0 {
		up = max(to-from, 0)
		return carried(nominal, up), up
	}
	for from < to {
		// The state is the same until the next begin or end of a stay.
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

// Share returns the share of what the link of a port could carry in a span of time that some bytes
// are; NaN if it could carry nothing.
func (c *Capacity) Share(port string, bytes float64, from, to unit.Time) float64 {
	room, _ := c.Bytes(port, from, to)
	return ShareOf(bytes, room)
}

// ShareOf is Share of several links whose capacities are added up.
func ShareOf(bytes, room float64) float64 {
	if room <= 0 {
		return math.NaN()
	}
	return bytes / room
}

func carried(rate unit.Rate, t unit.Time) float64 {
	return float64(rate) / 8 * float64(t) / float64(unit.Second)
}
