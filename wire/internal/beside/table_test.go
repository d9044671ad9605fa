package beside

import (
	"fmt"
	"slices"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// rows returns the table of docs/wire.md: what came of the same messages in the simulator and on the wire.
func rows(t testing.TB, sim, wire *outcome) (list []string) {
	us := func(v unit.Time) string { return fmt.Sprintf("%.1f", float64(v)/float64(unit.Microsecond)) }
	row := func(what, alone, bound, sim, wire string) {
		list = append(list, fmt.Sprintf("| %s | %s | %s | %s | %s |", what, alone, bound, sim, wire))
	}
	for _, size := range []unit.Bytes{8, 85_000, 1_700_000} {
		alone := lone(t, size, reckoned())
		a, b := sim.of(size), wire.of(size)
		middle, last := len(a)/2, len(a)-1
		slowdowns := func(took []unit.Time) string {
			over := func(v unit.Time) float64 { return float64(v) / float64(alone) }
			return fmt.Sprintf("%s, %s (%.2f, %.2f)", us(took[middle]), us(took[last]), over(took[middle]), over(took[last]))
		}
		row(fmt.Sprintf("%d of %v, µs", len(a), size), us(alone), "", slowdowns(a), slowdowns(b))
	}
	most := float64(rate) * 0.99 * float64(payload) / float64(packet)
	row("payload, Mb/s", "", fmt.Sprintf("%.1f", most/1e6), fmt.Sprintf("%.1f", sim.rate()/1e6), fmt.Sprintf("%.1f", wire.rate()/1e6))
	row("longest queue at the receiver's port", "", unit.Bytes(mostQueue).String(), sim.queue.String(), wire.queue.String())
	row("most credit that the receiver had out", "", unit.Bytes(mostCredit).String(), sim.credit.String(), wire.credit.String())
	row("packets sent again", "", "", fmt.Sprint(sim.again()), fmt.Sprint(wire.again()))
	return list
}

// of returns how long the messages of a size took, in order.
func (o *outcome) of(size unit.Bytes) (took []unit.Time) {
	for _, m := range o.messages {
		if m.bytes == size {
			took = append(took, m.end-m.start)
		}
	}
	slices.Sort(took)
	return took
}

// rate returns the payload that came in a second, on average from the first start to the last end.
func (o *outcome) rate() float64 {
	sum, first, last := unit.Bytes(0), unit.Forever, unit.Time(0)
	for _, m := range o.messages {
		sum, first, last = sum+m.bytes, min(first, m.start), max(last, m.end)
	}
	return float64(8*sum) / (float64(last-first) / float64(unit.Second))
}

// again counts packets of payload that were sent before.
func (o *outcome) again() (n int) {
	for _, list := range o.sent {
		for _, d := range list {
			if d.packet.Flags&protocol.Resent != 0 {
				n++
			}
		}
	}
	return n
}
