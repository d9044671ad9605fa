package scenario

import (
	"testing"

	"weft/fabric"
	"weft/record"
)

// TestReasonsForDropsAreRecorded finds for each reason of the fabric its place in results, and no other.
func TestReasonsForDropsAreRecorded(t *testing.T) {
	var c fabric.PortCounters
	for why := range fabric.Reasons {
		c.Drops[why] = 1 << why
	}
	drops := dropsOf(&c)
	for why := range fabric.Reasons {
		if got := drops.Dropped(fabric.Reason(why).String()); got != 1<<why {
			t.Errorf("%v: %d frames, want %d", fabric.Reason(why), got, 1<<why)
		}
	}
	if want := (record.Drops{QueueFull: 1, HeaderQueueFull: 2, LinkDown: 4, Loss: 8, NoRoute: 16, CreditQueueFull: 32, HeadroomFull: 64, PauseWatchdog: 128}); drops != want {
		t.Errorf("%+v, want %+v", drops, want)
	}
}
