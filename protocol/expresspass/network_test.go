package expresspass

import (
	"testing"

	"weft/unit"
)

// TestShares lets flows share a receiver: they get the same, and use the link, in preset
// paper but for what its decreases take twice.
func TestShares(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		const senders = 4
		n := newNet(t, testOptions(preset), senders+1, 3)
		for i := range int32(senders) {
			n.Send(i+1, 0, 100*unit.MB, 0)
		}
		n.Run(unit.Millisecond)
		before := make([]unit.Bytes, 0, senders)
		for i := range n.hosts[0].inbox {
			before = append(before, n.hosts[0].inbox[i].arrived)
		}
		n.Run(3 * unit.Millisecond)
		sum, squares := 0.0, 0.0
		for i, b := range before {
			x := float64(n.hosts[0].inbox[i].arrived - b)
			sum += x
			squares += x * x
		}
		most := float64(rate.In(2*unit.Millisecond)) * 1460 / 1622
		if jain := sum * sum / senders / squares; jain < 0.95 {
			t.Errorf("%s: fairness %.3f", preset, jain)
		}
		// Small credits find room more often, so that those that go are a little below the mean.
		if use := sum / most; use < 0.75 || use > 1.005 {
			t.Errorf("%s: %.1f %% of the link used", preset, 100*use)
		}
		t.Logf("%s: %.1f %%", preset, 100*sum/most)
	}
}

// TestOutcast lets receivers share a sender, whose downlink drops the credits that are too
// many: the uplink is used, and they get the same.
func TestOutcast(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		const receivers = 4
		n := newNet(t, testOptions(preset), receivers+1, 3)
		for i := range int32(receivers) {
			n.Send(0, i+1, 100*unit.MB, 0)
		}
		n.Run(unit.Millisecond)
		var before [receivers]unit.Bytes
		for i := range before {
			before[i] = n.hosts[i+1].inbox[0].arrived
		}
		n.Run(3 * unit.Millisecond)
		sum, squares := 0.0, 0.0
		for i, b := range before {
			x := float64(n.hosts[i+1].inbox[0].arrived - b)
			sum += x
			squares += x * x
		}
		if n.Dropped == 0 {
			t.Errorf("%s: no credit was dropped", preset)
		}
		jain, use := sum*sum/receivers/squares, sum/(float64(rate.In(2*unit.Millisecond))*1460/1622)
		if jain < 0.9 || use < 0.75 || use > 1.005 {
			t.Errorf("%s: fairness %.3f, %.1f %% of the link used", preset, jain, 100*use)
		}
		t.Logf("%s: fairness %.3f, %.1f %%, %d credits dropped", preset, jain, 100*use, n.Dropped)
	}
}
