package main

import (
	"fmt"
	"strings"

	"weft/record"
	"weft/record/section/convergence"
	"weft/unit"
)

// halving is Figure 9: how long the long flow takes to make room for a burst, its share meanwhile, and how long it takes to return. It is
// read from the port of its sender, in buckets of a frame's time.
func (b *bench) halving() string {
	bucket := b.Manifest.Interval
	rate := map[int64]float64{}
	for _, s := range b.series(record.Transmitted, "host0->tor0") {
		rate[int64(s.Time/bucket)] = float64(s.Value) / frame
	}
	rtt := b.scaled(0.00670064)
	var room, back []unit.Time
	var shares []float64
	for _, f := range b.messages("burst") {
		first, last := int64(f.Start/bucket), int64(f.End/bucket)
		for k := first; k < first+100; k++ {
			if rate[k] < 0.8 {
				room = append(room, unit.Time(k)*bucket-f.Start)
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
				back = append(back, unit.Time(k)*bucket-f.End)
				break
			}
		}
	}
	in := func(ms float64) float64 { return ms * float64(unit.Millisecond) / float64(rtt) }
	alone, n := sum(b.series(record.Transmitted, "host0->tor0"), b.scaled(0.1), b.scaled(0.9))
	return fmt.Sprintf("%d bursts; %smakes room (%d) in p50 %.2f ms, p99 %.2f, %.2f and %.2f round trips; share meanwhile %.3f; returns (%d) in p99 %.2f ms, %.2f round trips; alone %.3f; queue at most %.0f frames",
		len(b.messages("burst")), b.convergence(rtt), len(room), percentile(room, 50), percentile(room, 99), in(percentile(room, 50)), in(percentile(room, 99)),
		median(shares), len(back), percentile(back, 99), in(percentile(back, 99)), float64(alone)/float64(max(1, n))/frame, float64(b.port("tor0->host2").QueueMax)/frame)
}

// convergence is what the receiver measured, as the paper's testbed does.
func (b *bench) convergence(rtt unit.Time) string {
	c := convergence.Of(b.Summary.Sections)
	if c == nil {
		return ""
	}
	ms := func(t unit.Time) float64 { return float64(t) / float64(unit.Millisecond) }
	return fmt.Sprintf("converges at the receiver (%d) in p50 %.2f ms, p90 %.2f, p99 %.2f, at most %.2f, %.2f and %.2f round trips; ",
		c.Count, ms(c.P50), ms(c.P90), ms(c.P99), ms(c.Worst), float64(c.P50)/float64(rtt), float64(c.P99)/float64(rtt))
}

func median(values []float64) float64 {
	times := make([]unit.Time, len(values))
	for i, v := range values {
		times[i] = unit.Time(v * float64(unit.Millisecond))
	}
	return percentile(times, 50)
}

// degrees is Figure 10: incasts by their degree, and the long flow beside them.
func (b *bench) degrees() string {
	var parts []string
	for _, g := range groupsOf(b.Flows) {
		if strings.HasPrefix(g, "long") {
			continue
		}
		times := took(b.messages(g))
		parts = append(parts, fmt.Sprintf("%s: n %d, p50 %.1f ms, p99 %.1f", g, len(times), percentile(times, 50), percentile(times, 99)))
	}
	drops := int64(0)
	for _, p := range b.Ports {
		drops += p.Total()
	}
	long, _ := sum(b.series(record.Transmitted, "host16->tor0"), 2*unit.Second, 122*unit.Second)
	return line(append(parts, fmt.Sprintf("long flow %.2f Mb/s, %d drops, queue at most %.2f MB",
		100*windowPayload*b.share(long, 120*unit.Second), drops, float64(b.port("tor0->host17").QueueMax)/1e6))...)
}
