package main

import (
	"fmt"

	"weft/record"
	"weft/record/section/credits"
	"weft/unit"
)

const (
	// bdp is the bandwidth-delay product of SIRD's experiments, in bytes.
	bdp = 216_912.0
	// idle is the credit, in BDP, that the outcast's sender holds in its role as a receiver.
	// Nobody sends to it, so the credit stays unused, but sums over hosts include it.
	idle = 1.5
)

// incast reports Figure 3: how long the client waits for requests with their replies, and the
// receiver's throughput.
func (b *bench) incast() string {
	var parts []string
	for _, group := range []string{"small", "large"} {
		requests, replies := b.messages(group), b.messages(group+"-replies")
		var times []unit.Time
		next := 0
		for i, q := range requests { // a reply starts before the next request does
			for next < len(replies) && replies[next].Start < q.Start {
				next++
			}
			if next < len(replies) && (i+1 == len(requests) || replies[next].Start < requests[i+1].Start) {
				times = append(times, replies[next].End-q.Start)
			}
		}
		if len(times) > 1 {
			parts = append(parts, fmt.Sprintf("%s: n %d, p50 %.2f ms, p99 %.2f, worst %.2f", group, len(times), percentile(times, 50), percentile(times, 99), percentile(times, 100)))
		}
	}
	p := b.port("tor0->host0")
	sent, n := sum(b.series(record.Transmitted, p.Name), b.scaled(5), b.scaled(55))
	window := unit.Time(n) * b.Manifest.Interval
	return line(append(parts, fmt.Sprintf("payload %.1f %% of the link, queue %.1f frames in the mean, %.1f at most",
		100*sirdPayload*b.share(sent, max(1, window)), p.QueueMean/frame, float64(p.QueueMax)/frame))...)
}

// outcast reports Figure 4: where credit sits and what receivers get, by stage.
func (b *bench) outcast() string {
	var parts []string
	for _, stage := range [][2]float64{{7, 25}, {32, 50}, {57, 75}, {82, 100}, {107, 125}} {
		from, to := b.scaled(stage[0]), b.scaled(stage[1])
		mean := func(kind string) float64 {
			s, n := sum(b.series(kind, credits.Entity), from, to)
			return float64(s) / float64(max(1, n)) / bdp
		}
		text := fmt.Sprintf("credit at senders %.3f, at the three receivers %.3f BDP, payload", mean(credits.AtSenders), mean(credits.AtReceivers)-idle)
		for _, link := range []string{"host0->tor0", "tor0->host1", "tor0->host2", "tor0->host3"} {
			sent, _ := sum(b.series(record.Transmitted, link), from, to)
			text += fmt.Sprintf(" %.4f", sirdPayload*b.share(sent, to-from))
		}
		parts = append(parts, text)
	}
	return line(parts...)
}
