package transport

import (
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestIdealAgainstRecursion compares the closed form with the departure of every
// packet at every hop, computed one after another.
func TestIdealAgainstRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var path []Hop
		for range rapid.IntRange(1, 7).Draw(t, "hops") {
			path = append(path, Hop{
				Rate:  unit.Rate(rapid.Int64Range(1e8, 8e11).Draw(t, "rate")),
				Delay: unit.Time(rapid.Int64Range(0, 2e6).Draw(t, "delay")),
			})
		}
		payload := unit.Bytes(rapid.Int64Range(1, 9000).Draw(t, "payload"))
		header := unit.Bytes(rapid.Int64Range(0, 100).Draw(t, "header"))
		size := unit.Bytes(rapid.Int64Range(1, 200_000).Draw(t, "size"))

		free := make([]unit.Time, len(path))
		var arrival unit.Time
		for left := size; left > 0; left -= payload {
			arrival = 0
			for i, h := range path {
				free[i] = max(free[i], arrival) + h.Rate.Transmit(min(left, payload)+header)
				arrival = free[i] + h.Delay
			}
		}
		if got := Ideal(path, size, payload, header); got != arrival {
			t.Errorf("Ideal = %d, packet by packet %d", got, arrival)
		}
	})
}
