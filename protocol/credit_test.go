package protocol_test

import (
	"testing"

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
