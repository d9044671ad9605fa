package watch

import (
	"weft/record"
	"weft/record/section/credits"
	"weft/transport"
	"weft/unit"
)

// credit samples where the credit granted by receivers is, at the start of every bucket of
// the recorded series.
type credit struct {
	Nothing
	ticks    Ticks
	scene    *Scene
	interval unit.Time
	samples  []creditSample
}

type creditSample struct {
	at     unit.Time
	places transport.CreditPlaces
}

func newCredit(s *Scene, r *Records) *credit {
	return &credit{ticks: NewTicks(0, r.Interval), scene: s, interval: r.Interval}
}

// Due returns the time of the next sample.
func (c *credit) Due() unit.Time { return c.ticks.Due }

// Look takes a sample if it is due.
func (c *credit) Look(m *Moment) error {
	if m.Now < c.ticks.Due {
		return nil
	}
	places, ok := c.scene.Transport.Credit()
	if !ok {
		c.ticks = NoTicks()
		return nil
	}
	c.samples = append(c.samples, creditSample{m.Now, places})
	c.ticks.Advance(m.Now, m.Next, true)
	return nil
}

// Recorded counts the samples, with three values each.
func (c *credit) Recorded(unit.Time) (int64, error) { return 3 * int64(len(c.samples)), nil }

// Section adds the series in long form, and the means.
func (c *credit) Section(_ *Moment, res *record.Result) {
	if len(c.samples) == 0 {
		res.Manifest.Notices = append(res.Manifest.Notices, "record.credit: true recorded nothing, since no transport here tracks credit at both ends, as sird and homa do")
		return
	}
	res.Manifest.Interval = c.interval
	for _, k := range []struct {
		kind  string
		value func(transport.CreditPlaces) unit.Bytes
	}{
		{credits.AtReceivers, func(p transport.CreditPlaces) unit.Bytes { return p.AtReceivers }},
		{credits.AtSenders, func(p transport.CreditPlaces) unit.Bytes { return p.AtSenders }},
		{credits.InFlight, func(p transport.CreditPlaces) unit.Bytes { return p.InFlight }},
	} {
		for _, s := range c.samples {
			res.Series = append(res.Series, record.Series{Kind: k.kind, Entity: credits.Entity, Time: s.at, Value: int64(k.value(s.places))})
		}
	}
	if m := c.mean(); m != nil {
		res.Summary.Sections.Add(m)
	}
}

// mean returns the means over the measured window, or nil without samples.
func (c *credit) mean() *credits.Places {
	var m credits.Places
	n := 0.0
	for _, s := range c.samples {
		if s.at < c.scene.From || s.at >= c.scene.To {
			continue
		}
		n++
		m.AtReceivers += float64(s.places.AtReceivers)
		m.AtSenders += float64(s.places.AtSenders)
		m.InFlight += float64(s.places.InFlight)
	}
	if n == 0 {
		return nil
	}
	return &credits.Places{AtReceivers: m.AtReceivers / n, AtSenders: m.AtSenders / n, InFlight: m.InFlight / n}
}
