package scenario_test

import (
	"fmt"
	"testing"

	"weft/record"
	"weft/unit"
)

// rdmaAlone sends some full packets over a row of switches, 66 B of acknowledgement for each.
func rdmaAlone(t *testing.T, control string, switches, packets int) (*record.Result, [2][]reaction) {
	t.Helper()
	hosts := make([]int, switches)
	hosts[0]++
	hosts[switches-1]++
	return watching(t, "weft: 1\n"+chain(hosts...)+fmt.Sprintf(`fabric: {pfc: 500KB, ecn: {kind: threshold, k: 100KB}}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, balancer: ecmp, congestion: %s}
traffic: [{name: lone, pattern: {kind: pairs, pairs: [host0->host1]}, size: %dB}]
`, control, packets*1456))
}

// TestControlsAlone has one flow of n packets cross k links, of 100 Gb/s and P = 1.5 µs each. The first packet is
// stored and forwarded, and the others come behind it at the rate R of the flow. With F the time of a frame at
// line rate:
//
//	FCT = k·(P + F) + (n-1)·F·C/R
//
// R is C but for HPCC and FNCC (below). Marks begin at 100 kB, and nothing is queued.
func TestControlsAlone(t *testing.T) {
	t.Parallel()
	oneThread(t)
	frame := rdmaLine.Transmit(rdmaFrame)
	for _, control := range []string{"{kind: constant, window: 64MiB}", "dcqcn", "dcqcn-nic", "timely", "{kind: timely, preset: paper}", "dctcp-rate"} {
		for switches := 1; switches <= 4; switches++ {
			for _, packets := range []int{1, 100, 2000} {
				res, _ := rdmaAlone(t, control, switches, packets)
				drained(t, res)
				links := unit.Time(switches + 1)
				if got, want := res.Flows[0].FCT(), links*(rdmaDelay+frame)+unit.Time(packets-1)*frame; got != want {
					t.Errorf("%s: %d packets over %d links take %v, want %v", control, packets, links, got, want)
				}
			}
		}
	}
}

// TestInFlightAlone does the same with HPCC and FNCC. They begin at line rate, with U = 1 and a window of C·T,
// which takes a round trip T to fill. The first acknowledgement, at T, leaves stamps. The second, F later, finds the
// links full, u = 1, and sets R = C·eta + A, where A is the additive increase. So the packets that begin by then
// take no longer than at line rate. They are n0 = T/F + 1, or what the window lets go, whose T does not know
// of stamps and answers.
//
// From then on R = R/(U/eta) + A, which settles at U = R/C = eta + A/C: that is above eta, so that there are no
// additive stages. A is 80/162500 of C, with preset code 1/2500.
//
// Before it settles, W of the second round trip meets the U of the first, so that R·eta/U is below eta, and then
// above: by shares of 1 - eta that fall from round trip to round trip. All that is lost by it is less than five
// such shares of a round trip.
func TestInFlightAlone(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for _, c := range []struct {
		control       string
		room          unit.Bytes // for stamps in data, and in acknowledgements
		stamp, answer unit.Bytes // of acknowledgements
		additive      float64
	}{
		{"hpcc-0", 42, 0, 0, 80.0 / 162_500},
		{"{kind: hpcc-0, preset: code}", 42, 0, 0, 1.0 / 2500},
		{"fncc-0", 0, 8, 4, 80.0 / 162_500},
		{"{kind: fncc-0, eta: 90%}", 0, 8, 4, 80.0 / 162_500},
	} {
		eta := 0.95
		if c.control != "hpcc-0" && c.control[len(c.control)-2] == '%' {
			eta = 0.9
		}
		share := eta + c.additive
		frame := rdmaLine.Transmit(rdmaFrame + c.room)
		for switches := 1; switches <= 4; switches++ {
			links := unit.Time(switches + 1)
			rtt := links * (2*rdmaDelay + frame)
			window := int((rtt+links*rdmaLine.Transmit(66+c.room)-1)/frame) + 1
			for k := range unit.Bytes(links) { // the host's link, and those behind each switch
				rtt += rdmaLine.Transmit(66 + c.room + c.answer + k*c.stamp)
			}
			within := min(int(rtt/frame)+1, window)
			alone := func(packets int) unit.Time {
				return links*(rdmaDelay+frame) + unit.Time(packets-1)*frame
			}
			took := map[int]unit.Time{}
			for _, packets := range []int{1, within, 2000, 4000} {
				res, notes := rdmaAlone(t, c.control, switches, packets)
				drained(t, res)
				took[packets] = res.Flows[0].FCT()
				if got := notes[0][0].rtt; got != rtt {
					t.Fatalf("%s over %d links: the first round trip takes %v, want %v", c.control, links, got, rtt)
				}
				if want := alone(packets); packets <= within && took[packets] != want {
					t.Errorf("%s: %d packets over %d links take %v, want %v", c.control, packets, links, took[packets], want)
				}
			}
			want := alone(2000) + unit.Time(float64(2000-within)*float64(frame)*(1/share-1))
			swing := unit.Time(5 * (1 - share) * float64(rtt))
			if got := took[2000]; got < want-swing || got > want+swing {
				t.Errorf("%s: 2000 packets over %d links take %v, want %v, or %v more", c.control, links, got, want, swing)
			}
			if got, want := float64(took[4000]-took[2000]), 2000*float64(frame)/share; got < 0.999*want || got > 1.001*want {
				t.Errorf("%s: 2000 packets more over %d links take %v, want %v", c.control, links, unit.Time(got), unit.Time(want))
			}
		}
	}
}
