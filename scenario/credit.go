package scenario

import (
	"weft/record"
	"weft/transport"
	"weft/unit"
)

// credit notes at the start of every bucket of the recorded series where the credit is that
// receivers grant.
type credit struct {
	ticks              // never if it is not recorded
	from, to unit.Time // measured
	samples  []creditSample
}

type creditSample struct {
	at     unit.Time
	places transport.CreditPlaces
}

func newCredit(p *plan) credit {
	if !p.credit {
		return credit{ticks: noTicks}
	}
	return credit{ticks: newTicks(0, p.interval), from: p.from, to: p.to}
}

// look notes the credit if that is due. Nothing happens before the time next.
func (c *credit) look(t *transport.Transport, now, next unit.Time) {
	if now < c.due {
		return
	}
	places, ok := t.Credit()
	if !ok {
		c.ticks = noTicks
		return
	}
	c.samples = append(c.samples, creditSample{now, places})
	c.advance(now, next, true)
}

// rows returns the series in long form.
func (c *credit) rows() (rows []record.Series) {
	for _, k := range []struct {
		kind  string
		value func(transport.CreditPlaces) unit.Bytes
	}{
		{record.CreditAtReceivers, func(p transport.CreditPlaces) unit.Bytes { return p.AtReceivers }},
		{record.CreditAtSenders, func(p transport.CreditPlaces) unit.Bytes { return p.AtSenders }},
		{record.CreditInFlight, func(p transport.CreditPlaces) unit.Bytes { return p.InFlight }},
	} {
		for _, s := range c.samples {
			rows = append(rows, record.Series{Kind: k.kind, Entity: record.CreditEntity, Time: s.at, Value: int64(k.value(s.places))})
		}
	}
	return rows
}

// mean returns the means over the measured window, nil if there is nothing to average.
func (c *credit) mean() *record.Credit {
	var m record.Credit
	n := 0.0
	for _, s := range c.samples {
		if s.at < c.from || s.at >= c.to {
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
	return &record.Credit{AtReceivers: m.AtReceivers / n, AtSenders: m.AtSenders / n, InFlight: m.InFlight / n}
}
