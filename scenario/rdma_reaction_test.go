package scenario_test

import (
	"fmt"
	"testing"

	"weft/unit"
)

// firstCut returns when the rate of a sender first falls from what it settled at before, after a time.
func firstCut(t *testing.T, notes []reaction, after unit.Time) unit.Time {
	t.Helper()
	settled := unit.Rate(0)
	for _, r := range notes {
		if r.at < after || settled == 0 {
			settled = r.rate
			continue
		}
		if float64(r.rate) < 0.9999*float64(settled) {
			return r.at
		}
	}
	t.Fatalf("after %v the rate stays at %v", after, settled)
	return 0
}

// TestFirstCut has flow 0 fill three switches and flow 1 join at 300 µs, at the first, second or third of them
// (FNCC, Figures 9 and 11). When does flow 0 hear of it?
//
// Each link takes P = 1.5 µs, a full frame F = 121.44 ns on it, or 124.8 ns with room for HPCC's stamps, and an
// acknowledgement little: at most 66 + 42 B, 9 ns. The first frame of flow 1 is at its switch at 300 µs + F + P.
// From then on, the port sends without gaps, and a queue grows.
//
//	FNCC: the next acknowledgement that comes to the switch says so. It has k links to go to the sender,
//	where k is the switch's number from 1:            300 µs + F + P + k·P
//	HPCC: the next frame that the port sends says so. It has 4-k links to go to the receiver, and its
//	acknowledgement 4 back:                            300 µs + F + P + (4-k)·(P+F) + 4·P
//
// and the acknowledgement's time on each link it crosses. The next of either comes within two frames. So HPCC
// hears (4-k)·(2P+F) and some acknowledgements later: 9.4, 6.2 and 3.1 µs.
func TestFirstCut(t *testing.T) {
	const joins, ack = 300 * unit.Microsecond, 66 + 42
	for k := 1; k <= 3; k++ {
		hosts := []int{1, 0, 1}
		hosts[k-1]++
		flow0, flow1 := "host0->host2", "host1->host2"
		took := map[string]unit.Time{}
		for _, control := range []string{"hpcc", "fncc"} {
			_, notes := watching(t, "weft: 1\n"+chain(hosts...)+fmt.Sprintf(`fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, balancer: ecmp}
traffic:
- {name: flow0, pattern: {kind: pairs, pairs: [%s]}, size: 6MB, transport: {congestion: %s-0}}
- {name: flow1, pattern: {kind: pairs, pairs: [%s]}, size: 2MB, start: 300us, transport: {congestion: %s-1}}
until: 330us
`, flow0, control, flow1, control))
			frame := rdmaLine.Transmit(rdmaFrame)
			want := joins + frame + rdmaDelay + unit.Time(k)*rdmaDelay
			if control == "hpcc" {
				frame = rdmaLine.Transmit(rdmaFrame + 42)
				want = joins + frame + rdmaDelay + unit.Time(4-k)*(rdmaDelay+frame) + 4*rdmaDelay
			}
			got := firstCut(t, notes[0], joins)
			took[control] = got - joins
			if most := want + 2*frame + 4*rdmaLine.Transmit(ack); got < want || got > most {
				t.Errorf("switch %d: %s cuts at %v; want %v to %v", k, control, got, want, most)
			}
			// Nearer to the receiver than flow 0, flow 1 has acknowledgements sooner than HPCC's sender 0.
			if later := firstCut(t, notes[1], joins); later < got && (k == 1 || control == "fncc") {
				t.Errorf("switch %d: flow 1 cuts at %v, before flow 0, which knows at %v", k, later, got)
			}
		}
		frame := rdmaLine.Transmit(rdmaFrame)
		want := unit.Time(4-k) * (2*rdmaDelay + frame)
		if saved := took["hpcc"] - took["fncc"]; saved < want-2*frame || saved > want+2*frame {
			t.Errorf("switch %d: FNCC hears %v sooner, want %v", k, saved, want)
		}
	}
}
