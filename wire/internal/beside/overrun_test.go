package beside

import (
	"testing"

	"weft/unit"
)

// TestOverrun has carriers take their links for faster than they are, before a short queue: packets are marked and dropped. The
// messages come, and the simulator's carrier decides the same from what the hosts saw.
func TestOverrun(t *testing.T) {
	var sent []message
	for i := range 21 {
		sent = append(sent, message{from: 1 + i%7, start: unit.Time(i) * 1001 * unit.Microsecond, bytes: 120_000})
	}
	o, stations := setting{rate: rate * 6 / 5, limit: 30 * unit.KB, mark: 10 * unit.KB}.send(t, sent)
	for _, m := range o.messages {
		if m.end == 0 {
			t.Errorf("a message did not come: %+v", m)
		}
	}
	lost := uint64(0)
	for _, s := range stations {
		lost += s.Counts.Lost
	}
	if o.marks == 0 || lost == 0 {
		t.Errorf("%d packets were marked, %d were lost", o.marks, lost)
	}
}
