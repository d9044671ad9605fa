package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/record"
	"weft/record/section/convergence"
	"weft/unit"
)

// halving reports Figure 9: how long the long flow takes to make room for a burst, its rate
// during the burst, and how long it takes to recover. It reads these from the sender's port, in
// buckets of one frame's time.
func (b *bench) halving() string {
	bucket := b.Manifest.Interval
	from, to := b.scaled(0.1), b.scaled(0.9)
	all := b.series(record.Transmitted, "host0->tor0")
	sent, _ := sum(all, from, to)
	alone := b.share(sent, to-from)
	rate := map[int64]float64{} // relative to the flow's rate when it is alone
	for _, s := range all {
		rate[int64(s.Time/bucket)] = b.share(s.Value, bucket) / max(alone, 0.01)
	}
	rtt := b.scaled(0.00670064)
	var room, back []unit.Time
	var shares []float64
	bursts := b.bursts("burst")
	for _, f := range bursts {
		first, last := int64(f.Start/bucket), int64(f.End/bucket)
		for k := first; k < first+100; k++ {
			if rate[k] < 0.8 && rate[k]+rate[k+1]+rate[k+2] < 3*0.8 {
				room = append(room, unit.Time(k+1)*bucket-f.Start)
				break
			}
		}
		total, n := 0.0, 0
		for k := first + 40; k < last; k++ {
			total, n = total+rate[k], n+1
		}
		if n > 0 {
			shares = append(shares, total/float64(n))
		}
		for k := last; k < last+100; k++ {
			if rate[k] > 0.97 && rate[k+1] > 0.97 && rate[k+2] > 0.97 {
				back = append(back, unit.Time(k+1)*bucket-f.End)
				break
			}
		}
	}
	in := func(ms float64) float64 { return ms * float64(unit.Millisecond) / float64(rtt) }
	return fmt.Sprintf("%d bursts; %smakes room (%d) in p50 %.2f ms, p99 %.2f, %.2f and %.2f round trips; meanwhile %.3f of its rate alone; returns (%d) in p99 %.2f ms, %.2f round trips; alone %.3f of the link; queue at most %.0f frames",
		len(bursts), b.convergence(rtt), len(room), percentile(room, 50), percentile(room, 99), in(percentile(room, 50)), in(percentile(room, 99)),
		median(shares), len(back), percentile(back, 99), in(percentile(back, 99)), alone, float64(b.port("tor0->host2").QueueMax)/frame)
}

// bursts merges overlapping messages of a group. Each result lasts from the first start to the
// last end.
func (b *bench) bursts(group string) (list []record.Flow) {
	for _, f := range b.messages(group) {
		if n := len(list) - 1; n >= 0 && f.Start < list[n].End {
			list[n].End = max(list[n].End, f.End)
		} else {
			list = append(list, f)
		}
	}
	return list
}

// convergence reports the convergence times that the receiver measured, as the paper's testbed
// does.
func (b *bench) convergence(rtt unit.Time) string {
	c := convergence.Of(b.Summary.Sections)
	if c == nil {
		return ""
	}
	return fmt.Sprintf("converges at the receiver (%d) in p50 %.2f ms, p90 %.2f, p99 %.2f, at most %.2f, %.2f and %.2f round trips; ",
		c.Count, millis(c.P50), millis(c.P90), millis(c.P99), millis(c.Worst), float64(c.P50)/float64(rtt), float64(c.P99)/float64(rtt))
}

func median(values []float64) float64 {
	times := make([]unit.Time, len(values))
	for i, v := range values {
		times[i] = unit.Time(v * float64(unit.Millisecond))
	}
	return percentile(times, 50)
}

// degrees reports Figure 10: completion times of incasts by degree, and the rate of the long flow
// that runs with them.
func (b *bench) degrees() string {
	var parts []string
	var incasts []record.Flow
	for _, g := range groupsOf(b.Flows) {
		if strings.HasPrefix(g, "long") {
			continue
		}
		list := b.messages(g)
		incasts = append(incasts, list...)
		times := took(list)
		parts = append(parts, fmt.Sprintf("%s: n %d, p50 %.1f ms, p99 %.1f", g, len(times), percentile(times, 50), percentile(times, 99)))
	}
	drops := int64(0)
	for _, p := range b.Ports {
		drops += p.Total()
	}
	long, _ := sum(b.series(record.Transmitted, "host16->tor0"), 2*unit.Second, 122*unit.Second)
	return line(append(parts, fmt.Sprintf("long flow %.2f Mb/s, %.2f if the link were shared equally at each instant, %d drops, queue at most %.2f MB",
		100*windowPayload*b.share(long, 120*unit.Second), 100*windowPayload*left(incasts, 2*unit.Second, 122*unit.Second), drops, float64(b.port("tor0->host17").QueueMax)/1e6))...)
}

// capped is the largest share of the receiver's link that the long flow can have.
const capped = 0.77

// left returns the long flow's share of the receiver's link between two times if all active
// senders shared the link equally at each instant. It is the closed form of max-min fairness,
// without delays of paths and acknowledgements.
func left(incasts []record.Flow, from, to unit.Time) float64 {
	slices.SortStableFunc(incasts, func(a, c record.Flow) int { return cmp.Compare(a.Start, c.Start) })
	const link = float64(100*unit.Mbps) / 8 / float64(unit.Second) // bytes per picosecond
	var under []float64                                            // unsent bytes on the wire, by active message
	had, now := 0.0, float64(from)
	for next := 0; now < float64(to); {
		n := float64(len(under))
		each := max(1/(n+1), (1-capped)/max(1, n)) // share of each message
		until, first := float64(to), -1
		for i, bytes := range under {
			if at := now + bytes/(each*link); at < until {
				until, first = at, i
			}
		}
		if next < len(incasts) && float64(incasts[next].Start) < until {
			until, first = float64(incasts[next].Start), -1
		}
		had += (until - now) * min(capped, 1-n*each)
		for i := range under {
			under[i] -= (until - now) * each * link
		}
		switch {
		case first >= 0:
			under = slices.Delete(under, first, first+1)
		case next < len(incasts) && float64(incasts[next].Start) == until:
			under = append(under, float64(incasts[next].Bytes)/windowPayload)
			next++
		}
		now = until
	}
	return had / float64(to-from)
}
