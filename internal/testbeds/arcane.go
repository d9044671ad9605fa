package main

import (
	"fmt"
	"slices"

	"weft/record"
	"weft/unit"
)

// flows is goodput of hosts, and completion times, of rings and of flows over a slow link (Figures 9 and 10a).
func (b *bench) flows() string {
	var parts []string
	for _, g := range groupsOf(b.Flows) {
		list := b.messages(g)
		if len(list) == 0 {
			continue
		}
		by := map[string]unit.Bytes{}
		first, last := list[0].Start, list[0].End
		for _, f := range list {
			by[f.Src] += f.Bytes
			first, last = min(first, f.Start), max(last, f.End)
		}
		var rates []float64
		for _, n := range by {
			rates = append(rates, float64(n.Over(last-first))/float64(unit.Mbps))
		}
		slices.Sort(rates)
		mean := 0.0
		for _, r := range rates {
			mean += r / float64(len(rates))
		}
		times := took(list)
		parts = append(parts, fmt.Sprintf("%s: n %d, p50 %.1f ms, p99 %.1f; hosts get %.1f Mb/s in the mean, %.1f to %.1f", g, len(list),
			percentile(times, 50), percentile(times, 99), mean, rates[0], rates[len(rates)-1]))
	}
	hosts := unit.Rate(max(1, b.Summary.Hosts))
	return line(append(parts, fmt.Sprintf("goodput %.1f Mb/s a host", float64(b.Summary.Goodput/hosts)/float64(unit.Mbps)))...)
}

func groupsOf(flows []record.Flow) (names []string) {
	for i := range flows {
		if !slices.Contains(names, flows[i].Group) {
			names = append(names, flows[i].Group)
		}
	}
	return names
}

// down is Figure 10b: what a link loses from when it fails, and when senders leave it alone.
func (b *bench) down() string {
	fails, ends := 10*unit.Second, 20*unit.Second
	lost := int64(0)
	for _, p := range b.Ports {
		lost += p.Total()
	}
	text := fmt.Sprintf("%d frames lost", lost)
	for _, link := range []string{"tor0->spine0", "spine0->tor0"} {
		accepted := map[unit.Time]int64{}
		for _, s := range b.series(record.Accepted, link) {
			accepted[s.Time] = s.Value
		}
		// Left is the first bucket, about a round trip, without a frame.
		left, stray, frames := unit.Time(0), unit.Time(0), int64(0)
		for accepted[fails+left] > 0 {
			left += b.Manifest.Interval
		}
		for at := fails; at < ends-unit.Second/2; at += b.Manifest.Interval {
			if accepted[at] > 0 {
				stray, frames = at+b.Manifest.Interval-fails, frames+accepted[at]/frame
			}
		}
		text += fmt.Sprintf("; %s left after %v, last frame after %v, %d frames", link, left, stray, frames)
	}
	return text
}
