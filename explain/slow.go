package explain

import (
	"cmp"
	"slices"

	"weft/unit"
)

// SlowLink is a link on the path of a message that was slower than the sender's own link.
type SlowLink struct {
	Port int32
	// Rate is the lowest rate at which it carried data of the message. Host is the
	// rate of the sender's link at that time.
	Rate, Host unit.Rate
	// Took is its share of the critical path: serialisation there, queueing before
	// it, and the wait after losses there.
	Took unit.Time
}

// addSlow finds the links slower than the sender's, sorted by their share of the path.
func (a *Account) addSlow(t *Trace) {
	slow := map[int32]*SlowLink{}
	for _, f := range t.Frames {
		if f.Kind != Data || f.LostAt != Never || f.TrimmedAt != Never || len(f.Hops) == 0 {
			continue
		}
		first := f.Hops[0].took()
		for _, h := range f.Hops[1:] {
			if took := h.took(); first > 0 && took > first+first/clocks {
				l := slow[h.Port]
				if l == nil {
					l = &SlowLink{Port: h.Port}
					slow[h.Port] = l
				}
				if rate := rateOf(f.Size, took); l.Rate == 0 || rate < l.Rate {
					l.Rate, l.Host = rate, rateOf(f.Size, first)
				}
			}
		}
	}
	for _, s := range a.Path {
		port := s.Port
		switch {
		case s.Kind == Retransmission:
			port = a.Steps[s.Step].LostPort
		case s.What != Queueing && s.What != Serialising:
			continue
		}
		if l := slow[port]; l != nil {
			l.Took += s.To - s.From
		}
	}
	for _, l := range slow {
		a.Slow = append(a.Slow, *l)
	}
	slices.SortFunc(a.Slow, func(x, y SlowLink) int { return cmp.Or(cmp.Compare(y.Took, x.Took), cmp.Compare(x.Port, y.Port)) })
}

// clocks sets how close two rates must be to count as equal: the clocks of hosts
// may differ by less than one part in so many.
const clocks = 200

// took returns how long the frame's serialisation took, or 0 if it did not end.
func (h *Hop) took() unit.Time {
	if h.Begin == Never || h.Departs == Never {
		return 0
	}
	return h.Departs - h.Begin
}

// rateOf returns the rate that carries size in a time, to three digits. Times are
// whole picoseconds, so a small frame allows no more.
func rateOf(size unit.Bytes, took unit.Time) unit.Rate {
	const second = int64(unit.Second)
	bits := 8 * int64(size)
	rate := bits*(second/1_000_000)/int64(took)*1_000_000 + bits*(second/1_000_000)%int64(took)*1_000_000/int64(took)
	digit := int64(1)
	for rate/digit >= 1000 {
		digit *= 10
	}
	return unit.Rate((rate + digit/2) / digit * digit)
}
