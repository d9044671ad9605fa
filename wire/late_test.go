package wire_test

import (
	"testing"
	"time"

	"weft/unit"
	"weft/wire"
)

// TestPacing: what a slow endpoint sends waits for its rate, and how late it left is counted.
func TestPacing(t *testing.T) {
	server, client := echo(t, wire.Config{}), open(t, wire.Config{Rate: 100 * unit.Mbps})
	p, err := client.Dial(t.Context(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if s := client.Stats(); s.Paced != 0 || s.Late != 0 || s.LateP99 != 0 {
		t.Errorf("before anything is sent: %+v", s)
	}
	const size = 2_000_000
	if err := p.Send(t.Context(), make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	s := client.Stats()
	// A burst may leave at once, and all else waits.
	if s.Paced < 1000 || s.Paced > s.Sent {
		t.Errorf("%d datagrams were paced of %d", s.Paced, s.Sent)
	}
	if s.LateP50 > s.LateP99 || s.Late < time.Duration(s.Paced/2)*s.LateP50*9/10 {
		t.Errorf("they were late by %v in all, by %v and %v", s.Late, s.LateP50, s.LateP99)
	}
}
