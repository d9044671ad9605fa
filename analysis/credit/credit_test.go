package credit

import (
	"strings"
	"testing"

	"weft/unit"
)

const kB = 1000

// TestWorstFanout holds Equation 3 against Equation 2: of all fan-outs that make k
// senders a bottleneck, k + 1 needs the most credit, and never BDP + SThr.
func TestWorstFanout(t *testing.T) {
	before := 0.0
	for k := 1; k <= 40; k++ {
		worst, at := 0.0, 0
		for f := k + 1; f <= 200; f++ {
			b, err := Receiver{BDP: 100 * kB, SThr: 50 * kB, Senders: k, Fanout: f}.Needed()
			if err != nil {
				t.Fatal(err)
			}
			if b > worst {
				worst, at = b, f
			}
		}
		want := 100e3 + 50e3*float64(k)/float64(k+1)
		if diff := worst - want; at != k+1 || diff > 1e-6 || diff < -1e-6 {
			t.Errorf("%d senders: worst fan-out %d with %v, want %d with %v", k, at, worst, k+1, want)
		}
		r := Receiver{BDP: 100 * kB, SThr: 50 * kB, Senders: k, Fanout: k + 1}
		if worst <= before || worst >= r.Limit() || r.NeededLast() < worst {
			t.Errorf("%d senders need %v after %v, limit %v, last in turn %v", k, worst, before, r.Limit(), r.NeededLast())
		}
		before = worst
	}
}

func TestSendersThatAreNoBottleneckAreRefused(t *testing.T) {
	_, err := Receiver{BDP: 100 * kB, SThr: 50 * kB, Senders: 3, Fanout: 3}.Needed()
	if err == nil || !strings.Contains(err.Error(), "Equation 1") {
		t.Errorf("three senders with three receivers each: %v", err)
	}
}

// TestOutcast adds up: what receivers have outstanding is at the sender or in flight,
// and 1 BDP is in flight.
func TestOutcast(t *testing.T) {
	for n := 1; n <= 8; n++ {
		o := Outcast{BDP: 216 * kB, SThr: 108 * kB, Receivers: n}
		for name, s := range map[string]Shares{"informed": o.Informed(), "uninformed": o.Uninformed()} {
			if flight := s.Each*float64(n) - s.AtSender; flight < 216e3-1e-6 || flight > 216e3+1e-6 {
				t.Errorf("%d receivers, %s: %v in flight", n, name, flight)
			}
		}
	}
	if got := (Outcast{BDP: 216 * kB, SThr: 108 * kB, Receivers: 3}).Informed().Each; got != 108e3 {
		t.Errorf("each of three receivers has %v outstanding, want 108000", got)
	}
}

func TestLeastSThr(t *testing.T) {
	if got := LeastSThr(100 * kB); got < 14.2e3 || got > 14.3e3 {
		t.Errorf("least SThr of 100 kB is %v", got)
	}
	for _, tt := range []struct {
		packet unit.Bytes
		want   float64
	}{{1500, 15000}, {1458, 14580}, {15 * kB, 15000}, {20 * kB, 20000}} {
		if got := LeastSThrPackets(100*kB, tt.packet); got != tt.want {
			t.Errorf("in packets of %v it is %v, want %v", tt.packet, got, tt.want)
		}
	}
	if got := LeastSThrPackets(105*kB, 1500); got != 15000 {
		t.Errorf("of ten packets it is %v", got)
	}
}
