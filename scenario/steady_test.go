package scenario_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/record"
	"weft/unit"
)

// TestMD1 lets single packets of one size arrive by chance at one port and
// compares their mean wait with that of the M/D/1 queue, ρ/(2(1−ρ)) services
// (Pollaczek and Khinchine).
//
// A service is 1000 B at 10 Gb/s, 800 ns. Arrivals are those of 64 Poisson
// processes together, which is one again. Each crosses a link 40 times as fast on
// its way, where a packet takes 20 ns and finds another one before it with a
// probability of ρ/64·20/800 < 0.04 %: that adds less than 10 ps to the mean wait
// and takes nothing from the randomness of what arrives. Acknowledgements use the
// other directions of the links, and no message waits for one.
//
// Waits of packets near each other depend on each other, so that their standard
// error is that of the means of 40 batches in order of start, each of some
// hundreds of busy periods. With Student's t for 39 degrees of freedom the theory
// lies within 2.71 standard errors in 99 of 100 runs; the seed is fixed, so this
// one does or does not for good. For the test to have any power that must be less
// than 5 % of the wait.
func TestMD1(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const (
		service  = 800 * unit.Nanosecond
		size     = 1000
		senders  = 64
		messages = 200_000
		batches  = 40
		student  = 2.708
	)
	for _, load := range []float64{0.3, 0.5, 0.8} {
		t.Run(fmt.Sprint(load), func(t *testing.T) {
			until := unit.Time(messages / load * float64(service))
			res := simulate(t, fmt.Sprintf(`weft: 1
topology:
  kind: graph
  nodes: [{name: host0..host%d}, {name: sw}]
  links: [{a: host0, b: sw, rate: 10Gbps}, {a: host1..host%[1]d, b: sw, rate: 400Gbps}]
fabric: {queue: 64MiB, ecn: "off"}
transport: {payload: %dB, header: 0B, rto: 10ms, balancer: ecmp, congestion: {kind: constant, window: 1MiB}}
traffic:
  - name: packets
    pattern: incast
    size: %[2]dB
    arrival: {kind: poisson, load: %.10f%%}
until: %dps
measure: {from: 1ms, to: %[5]dps}
`, senders, size, 100*load*10/400/senders, until+unit.Millisecond, until))
			if res.Summary.Timeouts > 0 || res.Summary.Drops.Total() > 0 {
				t.Fatalf("%d timeouts, %d drops", res.Summary.Timeouts, res.Summary.Drops.Total())
			}
			flows := slices.Clone(res.Flows)
			slices.SortFunc(flows, func(a, b record.Flow) int { return int(a.Start - b.Start) })
			waits := make([]float64, len(flows))
			for i := range flows {
				waits[i] = float64(flows[i].FCT() - flows[i].Ideal)
			}
			mean, deviation := batchMeans(waits, batches)
			want := load / (2 * (1 - load)) * float64(service)
			bound := student * deviation
			t.Logf("%d packets waited %.1f ns, %.1f ± %.1f expected", len(waits), mean/1e3, want/1e3, bound/1e3)
			if math.Abs(mean-want) > bound {
				t.Errorf("packets waited %.1f ns on average, M/D/1 says %.1f, and %.1f are allowed", mean/1e3, want/1e3, bound/1e3)
			}
			if bound > want/20 || len(waits) < messages*9/10 {
				t.Errorf("%d packets tell the wait to %.1f ns only", len(waits), bound/1e3)
			}

			// Little's law, for the port: its mean queue is what packets spend in
			// it times the rate of their arrival, up to the ends of the window.
			p := port(t, res, "sw->host0")
			window := float64(until - unit.Millisecond)
			in := float64(len(waits)) * (mean + float64(service)) * size / window
			if math.Abs(p.QueueMean-in) > 1e-3*in {
				t.Errorf("the mean queue is %.1f B, by Little's law %.1f", p.QueueMean, in)
			}
		})
	}
}

// batchMeans returns the mean of a sequence and its standard error, from the
// means of batches of equal length.
func batchMeans(values []float64, batches int) (mean, deviation float64) {
	n := len(values) / batches
	means := make([]float64, batches)
	for b := range means {
		for _, v := range values[b*n : (b+1)*n] {
			means[b] += v / float64(n)
		}
		mean += means[b] / float64(batches)
	}
	for _, m := range means {
		deviation += (m - mean) * (m - mean)
	}
	return mean, math.Sqrt(deviation / float64(batches*(batches-1)))
}

// TestDCTCPQueue compares the queue of DCTCP flows that share a bottleneck with
// the analysis of Alizadeh et al., SIGCOMM 2010, §3.3: N flows whose windows rise
// and fall together, threshold K, and a bandwidth-delay product of C·RTT, all in
// packets, make a queue that oscillates between
//
//	Qmax = K + N and Qmin = Qmax − A, with A = ½·sqrt(2N(C·RTT + K)).
//
// The analysis lets the queue be a real number. Here a mark needs K+1 whole
// packets in the queue beside the one that is marked, so that the top is two
// packets higher. How far down the windows go depends on α, which is an average
// over the past; that blurs the bottom, by up to a packet a flow. The mean of a
// sawtooth is in its middle, which is granted a quarter of the amplitude.
func TestDCTCPQueue(t *testing.T) {
	oneThread(t)
	const (
		frame = 1500
		k     = 40
		until = 200 * unit.Millisecond
		from  = 50 * unit.Millisecond
	)
	for _, n := range []int{2, 4, 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: dumbbell, left: %d, right: %[1]d, rate: 10Gbps, delay: 8us, bottleneck_delay: 31us, switch_latency: 0s}
fabric: {queue: 1MiB, ecn: {kind: threshold, k: %dB}}
transport: {payload: 1460B, header: 40B, ack: {size: 40B}, balancer: ecmp, congestion: {kind: dctcp, largest: 20BDP}}
traffic: [{name: long, pattern: tornado, hosts: [host0..host%d], size: 1GiB, jitter: 500us}]
until: %dps
measure: {from: %dps}
record: {ports: "left->right", interval: 20us}
`, n, k*frame, n-1, until, from))
			// Three links there and back, with 1500 B and 40 B on each.
			rtt := 94*unit.Microsecond + 3*1200*unit.Nanosecond + 3*32*unit.Nanosecond
			product := float64((10 * unit.Gbps).In(rtt)) / frame
			amplitude := 0.5 * math.Sqrt(2*float64(n)*(product+k))
			const whole = 2
			top := float64(k + n + whole)
			bottom := top - amplitude

			p := port(t, res, "left->right")
			lowest, highest, mean := math.Inf(1), float64(p.QueueMax)/frame, p.QueueMean/frame
			for _, s := range res.Series {
				if s.Kind == record.Queue && s.Time >= from {
					lowest = min(lowest, float64(s.Value)/frame)
				}
			}
			t.Logf("%.1f to %.1f packets, %.1f on average; by the analysis %.1f to %.1f", lowest, highest, mean, bottom, top)
			if math.Abs(highest-top) > 1 {
				t.Errorf("the queue rose to %.1f packets, by the analysis to %.1f", highest, top)
			}
			if math.Abs(lowest-bottom) > float64(n)+whole {
				t.Errorf("the queue fell to %.1f packets, by the analysis to %.1f", lowest, bottom)
			}
			if math.Abs(mean-(top+bottom)/2) > amplitude/4 {
				t.Errorf("the mean queue was %.1f packets, by the analysis %.1f", mean, (top+bottom)/2)
			}
			saturated(t, p, until-from)
		})
	}
}

// saturated fails the test unless a port sent without a pause, up to the frames
// under way at the ends of the window.
func saturated(t testing.TB, p *record.Port, window unit.Time) {
	t.Helper()
	const frames = 2 * 4160
	if sent, most := unit.Bytes(p.SentBytes), p.Rate.In(window); sent < most-frames || sent > most+frames {
		t.Errorf("%s sent %v, and %v fit into %v", p.Name, sent, most, window)
	}
}

// TestFairShares lets 2, 4 and 8 flows that start at different times share a
// bottleneck. By Jain's index, (Σx)²/(n·Σx²), their shares are all but equal, and
// together they fill the link.
//
// With constant windows they are equal to the byte: every flow has 100 packets
// under way, all of them in one circle through one FIFO that never runs empty, so
// that each sends 100 in a turn, no matter who was first. The measured window is
// 40 turns of 8·100 packets of 4160 B at 100 Gb/s, or as many more of fewer flows.
func TestFairShares(t *testing.T) {
	oneThread(t)
	const (
		window = 40 * 8 * 100 * 4160 * 80 * unit.Picosecond
		from   = 5 * unit.Millisecond
		fair   = 0.95
	)
	for _, control := range []struct {
		name, text string
		equal      bool
	}{
		{"mprdma", "mprdma", false},
		{"dctcp", "dctcp", false},
		{"constant", "{kind: constant, window: 416000B}", true},
	} {
		for _, n := range []int{2, 4, 8} {
			t.Run(fmt.Sprint(control.name, n), func(t *testing.T) {
				res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: dumbbell, left: %d, right: %[1]d, rate: 100Gbps}
fabric: {queue: 16MiB, ecn: {kind: red, kmin: 50KiB, kmax: 200KiB}}
transport: {balancer: ecmp, rto: 50ms, congestion: %s}
traffic: [{name: long, pattern: tornado, hosts: [host0..host%d], size: 1GiB, jitter: 200us}]
until: %dps
measure: {from: %dps}
`, n, control.text, n-1, from+window, from))
				saturated(t, port(t, res, "left->right"), window)
				var shares []float64
				for i := range n {
					shares = append(shares, float64(port(t, res, fmt.Sprintf("right->host%d", n+i)).SentBytes))
				}
				jain, total := fairness(shares)
				t.Logf("Jain's index %.6f, shares of %.0f to %.0f B", jain, slices.Min(shares), slices.Max(shares))
				if jain < fair || control.equal && slices.Min(shares) != slices.Max(shares) {
					t.Errorf("Jain's index of the shares %.0f is %.6f", shares, jain)
				}
				if most := float64((100 * unit.Gbps).In(window)); total < 0.999*most {
					t.Errorf("the shares add up to %.0f of %.0f B", total, most)
				}
			})
		}
	}
}

// fairness returns Jain's index of shares, which is 1 only if they are equal, and
// their sum.
func fairness(shares []float64) (jain, sum float64) {
	squares := 0.0
	for _, x := range shares {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(shares)) * squares), sum
}
