package protocol_test

import (
	"slices"
	"testing"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
)

// TestCheckWait takes a wait of four base round-trip times and none below, and names a bound
// in whole microseconds.
func TestCheckWait(t *testing.T) {
	env := protocol.HostEnv{BaseRTT: 6_124_400}
	if err := env.CheckWait("silence", 24_497_600); err != nil {
		t.Error(err)
	}
	const want = "silence is 24us, but an answer can take as long; it must be at least 4 base round-trip times, 25us"
	if err := env.CheckWait("silence", 24*unit.Microsecond); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestCheckControl takes control packets up to the size of full ones, and blames the key of larger ones.
func TestCheckControl(t *testing.T) {
	env := protocol.HostEnv{Control: 140}
	env.Packet = 140
	if err := env.CheckControl(); err != nil {
		t.Error(err)
	}
	env.Control++
	err := env.CheckControl()
	if err == nil || err.Error() != "control frames of 141B are larger than full data frames of 140B; make ack.size smaller" {
		t.Fatal(err)
	}
	if p := problem.Of(err); !slices.Equal(p.Because, []string{"ack.size"}) || p.Remedy != "make ack.size smaller" {
		t.Errorf("%+v", p)
	}
}
