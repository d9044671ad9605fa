package analysis_test

import (
	"context"
	"testing"

	"weft/analysis"
)

// TestCredit holds the models of SIRD's section 4.2 and Figure 4 against its numbers.
func TestCredit(t *testing.T) {
	r, err := analysis.Run(context.Background(), "credit", params{"senders": "1,3,16"})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]float64{"1": 125_000, "3": 137_500} {
		if got := number(t, r, "least_b", at); got != want {
			t.Errorf("%s senders: B of %v, want %v", at, got, want)
		}
	}
	if got, limit := number(t, r, "least_b", "16"), number(t, r, "limit", "16"); got >= limit || limit != 150_000 {
		t.Errorf("16 senders: %v below %v, which is to be 150000", got, limit)
	}
	for _, l := range r.Plots[0].Lines {
		if last(l) >= r.Plots[0].Marks[0].Y {
			t.Errorf("%s reaches BDP + SThr", l.Name)
		}
	}
	r, err = analysis.Run(context.Background(), "outcast", params{"bdp": "216KB", "sthr": "108KB"})
	if err != nil {
		t.Fatal(err)
	}
	if got := number(t, r, "each", "3"); got != 108_000 {
		t.Errorf("each of three receivers has %v outstanding, want 108000", got)
	}
}

// TestSwitchBuffers holds what 0.8 and 2.3 MB are of a ToR's buffer against SIRD §6.2.1,
// and against the rate that a ToR has in its configuration Core.
func TestSwitchBuffers(t *testing.T) {
	for _, c := range []struct {
		queue, capacity string
		least, most     float64
	}{{"0.8MB", "3.2Tbps", 7.5, 8.5}, {"2.3MB", "3.2Tbps", 22.5, 23.5}, {"2.3MB", "2.4Tbps", 30.5, 31.5}} {
		r, err := analysis.Run(context.Background(), "switch-buffers", params{"queue": c.queue, "capacity": c.capacity})
		if err != nil {
			t.Fatal(err)
		}
		if got := number(t, r, "share", "Spectrum SN5600"); got < c.least || got > c.most {
			t.Errorf("%s of %s: %v %%, want %v to %v", c.queue, c.capacity, got, c.least, c.most)
		}
	}
}
