package scenario

import (
	"weft/record"
	"weft/unit"
)

// cutShare is below which share of its earlier rate a sender counts as slower.
const cutShare = 0.999

// reactions tells how the recorded connections reacted to what happened at a moment, from their samples and the queues of
// the recorded ports; nil if the scenario does not ask.
func (r *run) reactions() *record.Reactions {
	if r.reactionTo == nil {
		return nil
	}
	since := *r.reactionTo
	out := &record.Reactions{Since: since}
	for _, s := range r.series {
		for b := int((since + s.Interval - 1) / s.Interval); b < len(s.Queue); b++ {
			out.QueueMax = max(out.QueueMax, unit.Bytes(s.Queue[b]))
		}
	}
	for i := range r.windows.list {
		if c, ok := r.windows.list[i].reaction(since); ok {
			c.Connection = r.windows.list[i].name(r.hostName)
			out.Connections = append(out.Connections, c)
		}
	}
	return out
}

// reaction returns how the connection reacted to what happened at a moment; false if it had no rate then.
func (s *windowSeries) reaction(since unit.Time) (c record.Reaction, ok bool) {
	c.Cut = record.None
	for _, v := range s.samples {
		switch {
		case v.pace == 0: // it is not paced
		case v.at <= since:
			c.Before, c.Least = v.pace, v.pace
		case c.Before == 0:
			return c, false
		default:
			c.Least = min(c.Least, v.pace)
			if c.Cut == record.None && float64(v.pace) < cutShare*float64(c.Before) {
				c.Cut = v.at - since
			}
		}
	}
	return c, c.Before > 0
}
