package congestion

import (
	"math"

	"weft/protocol"
	"weft/unit"
)

// roccPoint is RoCC's control point at an egress queue (CoNEXT 2020): a proportional-integral controller of
// the queue q. All rates are in units of 10 Mb/s and queues in quanta. Every period, with the rate F, at
// most that of the link C, and p the queue of the period before:
//
//	q >= most and F > C/8:        F = least
//	q - p >= middle and F > C/8:  F = F/2
//	else:                         F -= a·(q - reference) + b·(q - p)
//
// a is alpha/k and b is beta/k, where k is 1, 2, 4, … 32, the larger the smaller F is: C/(2k) <= F below
// k = 32. F is kept between least and C.
type roccPoint struct {
	rate                     float64
	before                   int64
	least, link, alpha, beta float64
	reference, middle, most  int64
	quantum                  unit.Bytes
}

// roccUnit is that of rates.
const roccUnit = 10 * unit.Mbps

// point returns the controller of a queue of a link.
func (o *RoCC) point(rate unit.Rate) *roccPoint {
	alpha := roccGain(rate)
	if o.Alpha != nil {
		alpha = *o.Alpha
	}
	beta := 5 * alpha
	if o.Beta != nil {
		beta = *o.Beta
	}
	link := float64(rate) / float64(roccUnit)
	size := func(given *unit.Bytes, at roccSizes) int64 {
		bytes := at.of(rate)
		if given != nil {
			bytes = float64(*given)
		}
		return int64(bytes) / int64(o.Quantum)
	}
	return &roccPoint{
		rate: link, link: link, least: min(link, float64(o.Least)/float64(roccUnit)), alpha: alpha, beta: beta,
		reference: size(o.Reference, roccSizes{75e3, 150e3, 300e3}),
		middle:    size(o.Middle, roccSizes{150e3, 300e3, 600e3}),
		most:      size(o.Most, roccSizes{210e3, 360e3, 660e3}),
		quantum:   o.Quantum,
	}
}

// roccSizes are sizes of queues in bytes at links of 10, 40 and 100 Gb/s.
type roccSizes [3]float64

// of returns the size at a rate: interpolated, and in proportion to the rate beyond the table.
func (s roccSizes) of(rate unit.Rate) float64 {
	switch g := float64(rate) / float64(unit.Gbps); {
	case g <= 10:
		return s[0] * g / 10
	case g <= 40:
		return between(g, 10, 40, s[0], s[1])
	case g <= 100:
		return between(g, 40, 100, s[1], s[2])
	default:
		return s[2] * g / 100
	}
}

// roccGain returns alpha at a rate: interpolated, and constant beyond the table.
func roccGain(rate unit.Rate) float64 {
	switch g := float64(rate) / float64(unit.Gbps); {
	case g <= 40:
		return 0.3
	case g <= 100:
		return between(g, 40, 100, 0.3, 0.45)
	case g <= 200:
		return between(g, 100, 200, 0.45, 0.6)
	case g <= 400:
		return between(g, 200, 400, 0.6, 0.9)
	}
	return 0.9
}

// between interpolates: y is low at x0 and high at x1.
func between(x, x0, x1, low, high float64) float64 {
	return low + float64((high-low)*(x-x0)/(x1-x0))
}

// Tick implements protocol.QueueController. The notice is the rate in bit/s.
func (c *roccPoint) Tick(_ unit.Time, queue unit.Bytes) (protocol.Notice, bool) {
	q := int64(queue / c.quantum)
	switch grown := q - c.before; {
	case q >= c.most && c.rate > c.link/8:
		c.rate = c.least
	case grown >= c.middle && c.rate > c.link/8:
		c.rate /= 2
	default:
		k := c.region()
		c.rate -= float64(c.alpha/k*float64(q-c.reference)) + float64(c.beta/k*float64(grown))
	}
	c.rate = min(max(c.rate, c.least), c.link)
	c.before = q
	return protocol.Notice{uint64(math.Round(c.rate * float64(roccUnit)))}, true
}

// region returns by how much the gains are less.
func (c *roccPoint) region() float64 {
	level := 2.0
	for c.rate < c.link/level && level < 64 {
		level *= 2
	}
	return level / 2
}

// Settled implements protocol.QueueController.
func (c *roccPoint) Settled() bool { return c.rate == c.link && c.before == 0 }
