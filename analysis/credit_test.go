package analysis_test

import (
	"context"
	"math"
	"strings"
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

// TestSThr writes the threshold of SIRD as scenarios have it.
func TestSThr(t *testing.T) {
	for _, c := range []struct {
		model, sthr, number, at string
		want                    float64
	}{
		{"credit", "0.5BDP", "limit", "1", 324_000},
		{"credit", "108KB", "limit", "1", 324_000},
		{"outcast", "0.5BDP", "at_sender", "3", 108_000},
		{"outcast", "inf", "at_sender", "3", 432_000},
		{"outcast", "inf", "each", "3", 216_000},
	} {
		r, err := analysis.Run(context.Background(), c.model, params{"bdp": "216KB", "sthr": c.sthr})
		if err != nil {
			t.Fatal(err)
		}
		if got := number(t, r, c.number, c.at); got != c.want {
			t.Errorf("%s of %s with %s: %v, want %v", c.number, c.model, c.sthr, got, c.want)
		}
	}
	for _, c := range [][3]string{
		{"credit", "inf", "no B is enough"},
		{"credit", "50%", "a share of what?"},
		{"outcast", "50%", "a share of what?"},
		{"credit", "0B", "every sender with any credit is congested"},
		{"outcast", "0BDP", "every sender with any credit is congested"},
		{"outcast", "0.5BPD", `did you mean "BDP"?`},
	} {
		if _, err := analysis.Run(context.Background(), c[0], params{"sthr": c[1]}); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s with %s: %v, want %q", c[0], c[1], err, c[2])
		}
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

// TestMessageSizes holds the shares of SIRD's WKa against the paper's (§6.2.2: about 99 % and 40 %).
func TestMessageSizes(t *testing.T) {
	r := run(t, "message-sizes", params{"workload": "wka", "below": "100KB"})
	if m, b := number(t, r, "messages", "100KB"), number(t, r, "bytes", "100KB"); math.Round(m) != 100 || math.Abs(b-40) > 4 {
		t.Errorf("%v %% of messages and %v %% of bytes are not above 100 KB", m, b)
	}
	if got := number(t, r, "bytes", "all"); math.Abs(got-100) > 1e-9 {
		t.Errorf("all messages have %v %% of the bytes", got)
	}
	for _, c := range []struct {
		of   params
		want string
	}{
		{params{"workload": "wka", "cdf": "x.csv"}, "give one of them"},
		{params{"rule": "log"}, "leave rule out"},
		{params{"cdf": "missing.csv"}, "missing.csv"},
	} {
		if _, err := analysis.Run(context.Background(), "message-sizes", c.of); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.of, err, c.want)
		}
	}
}
