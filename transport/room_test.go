package transport

import (
	"testing"

	"weft/unit"
)

// TestChoosersAreToldTheRoom sends ten packets in a window of four: every
// acknowledgement makes room for one, and when nothing is left to send the room
// grows by what is acknowledged.
func TestChoosersAreToldTheRoom(t *testing.T) {
	p := params(4 * payload)
	e := count(&p)
	l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(10*payload))}}}.build(t)
	l.finish(t)
	if len(e.acks) != 10 {
		t.Fatalf("%d acknowledgements, want 10", len(e.acks))
	}
	for i, a := range e.acks {
		want := unit.Bytes(max(1, i-5)) * payload
		if a.Room != want {
			t.Errorf("acknowledgement %d leaves room for %d bytes, want %d", i, a.Room, want)
		}
	}
}
