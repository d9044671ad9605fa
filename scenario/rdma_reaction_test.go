package scenario_test

import (
	"fmt"
	"strings"
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
//
//	direct: the queue crosses its threshold of 5 KB as its fourth frame comes. Of these the first may wait or be in
//	service when flow 1 comes, and flow 0 sends at 95 % at least; the queue looks at itself every 0.1 µs. So it is
//	between 2·F and 3·F/0.95 + 0.1 µs after F + P that the notice of 64 B leaves, which has k links to go.
func TestFirstCut(t *testing.T) {
	t.Parallel()
	const joins, ack = 300 * unit.Microsecond, 66 + 42
	for k := 1; k <= 3; k++ {
		hosts := []int{1, 0, 1}
		hosts[k-1]++
		flow0, flow1 := "host0->host2", "host1->host2"
		took := map[string]unit.Time{}
		for _, control := range []string{"hpcc", "fncc", "direct"} {
			other := strings.Replace(control, "direct", "fncc", 1) // of two with the same controller both would have to be the same kind
			_, notes := watching(t, "weft: 1\n"+chain(hosts...)+fmt.Sprintf(`fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, balancer: ecmp}
traffic:
- {name: flow0, pattern: {kind: pairs, pairs: [%s]}, size: 6MB, transport: {congestion: %s-0}}
- {name: flow1, pattern: {kind: pairs, pairs: [%s]}, size: 2MB, start: 300us, transport: {congestion: %s-1}}
until: 330us
`, flow0, control, flow1, other))
			frame := rdmaLine.Transmit(rdmaFrame)
			want := joins + frame + rdmaDelay + unit.Time(k)*rdmaDelay
			if control == "hpcc" {
				frame = rdmaLine.Transmit(rdmaFrame + 42)
				want = joins + frame + rdmaDelay + unit.Time(4-k)*(rdmaDelay+frame) + 4*rdmaDelay
			}
			most := want + 2*frame + 4*rdmaLine.Transmit(ack)
			got := firstCut(t, notes[0], joins)
			if control == "direct" {
				got = firstNotice(t, notes[0])
				most = want + frame*300/95 + 100*unit.Nanosecond + unit.Time(k)*rdmaLine.Transmit(64)
				want += 2 * frame
			}
			took[control] = got - joins
			if got < want || got > most {
				t.Errorf("switch %d: %s cuts at %v; want %v to %v", k, control, got, want, most)
			}
			// Nearer to the receiver than flow 0, flow 1 has acknowledgements sooner than HPCC's sender 0.
			if later := firstCut(t, notes[1], joins); later < got && (k == 1 || control == "fncc") && control != "direct" {
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

// firstNotice returns when a switch first told a sender of its queue.
func firstNotice(t *testing.T, notes []reaction) unit.Time {
	t.Helper()
	for _, r := range notes {
		if r.told {
			return r.at
		}
	}
	t.Fatal("no switch told of its queue")
	return 0
}

// TestDirectNotifies has two flows begin at once at the first of three switches. Frames of both come to it together, one
// of each every F = 121.44 ns from F + P on, so that it holds n+1 frames when the n-th two have come. With more than a
// threshold of so many frames, it looks at itself at the next multiple of the period, and its notice has one link to go to each
// sender of which a frame waits. Other senders' frame is in service. There is no acknowledgement for 12.5 µs.
func TestDirectNotifies(t *testing.T) {
	frame := rdmaLine.Transmit(rdmaFrame)
	for _, c := range []struct {
		n      unit.Time // pairs of frames until the queue is above the threshold
		above  unit.Bytes
		period unit.Time
	}{{1, 1518, 100 * unit.Nanosecond}, {3, 5000, 100 * unit.Nanosecond}, {3, 5000, 700 * unit.Nanosecond}, {20, 20 * 1518, unit.Nanosecond}, {30, 30 * 1518, 2 * unit.Microsecond}} {
		_, notes := watching(t, "weft: 1\n"+chain(2, 0, 1)+fmt.Sprintf(`fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, balancer: ecmp, congestion: {kind: direct-0, threshold: %dB, period: %dns}}
traffic: [{name: flows, pattern: {kind: pairs, pairs: [host0->host2, host1->host2]}, size: 2MB}]
until: 30us
`, c.above, c.period/unit.Nanosecond))
		crossed := frame + rdmaDelay + (c.n-1)*frame
		told := (crossed + c.period - 1) / c.period * c.period
		want := told + rdmaLine.Transmit(64) + rdmaDelay
		heard := 0
		for _, r := range notes[0] {
			if !r.told || r.at > want {
				break
			}
			if heard++; r.at != want || r.rate > rdmaLine*951/1000 {
				t.Errorf("%+v: told at %v, and the rate is %v; want %v", c, r.at, r.rate, want)
			}
		}
		if heard != int(min(c.n, 2)) {
			t.Errorf("%+v: %d senders are told at %v, want all with a frame that waits; the first note is %+v", c, heard, want, notes[0][0])
		}
	}
}
