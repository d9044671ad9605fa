package main

import (
	"fmt"
	"slices"

	"weft/record"
	"weft/unit"
)

// flows returns completion times of rings and of flows over a slow link (Figures 9 and 10a), and
// the goodput of hosts.
func (b *bench) flows() string {
	var parts []string
	for _, g := range groupsOf(b.Flows) {
		if list := b.messages(g); len(list) > 0 {
			times := took(list)
			parts = append(parts, fmt.Sprintf("%s: n %d, p1 %.1f ms, p10 %.1f, p50 %.1f, p90 %.1f, p99 %.1f", g, len(list),
				percentile(times, 1), percentile(times, 10), percentile(times, 50), percentile(times, 90), percentile(times, 99)))
		}
	}
	hosts := unit.Rate(max(1, b.Summary.Hosts))
	parts = append(parts, fmt.Sprintf("goodput %.2f Mb/s a host", float64(b.Summary.Goodput/hosts)/float64(unit.Mbps)))
	if least := b.Summary.LeastHost; least != nil {
		parts = append(parts, fmt.Sprintf("%s sends the least, %.3f of the mean", least.Host, least.Share))
	}
	return line(parts...)
}

func groupsOf(flows []record.Flow) (names []string) {
	for i := range flows {
		if !slices.Contains(names, flows[i].Group) {
			names = append(names, flows[i].Group)
		}
	}
	return names
}

// down reports Figure 10b: the frames lost from the moment a link fails, and when senders avoid
// the link. They avoid it from the last frame after which none is sent to it for a round trip of
// the unloaded network. For a blackhole, this comes from the series of ports, with the resolution
// of a bucket.
func (b *bench) down() string {
	lost := int64(0)
	for _, p := range b.Ports {
		lost += p.Total()
	}
	parts := []string{fmt.Sprintf("%d frames lost, for whatever reason", lost)}
	for i := range b.Faults {
		f := &b.Faults[i]
		switch f.Kind {
		case record.FaultDown:
			parts = append(parts, fmt.Sprintf("%s lost %d, left alone after %s, last frame after %s", f.Port, f.Lost, after(f.Avoided, f.From), after(f.LastOffered, f.From)))
		case record.FaultLoss:
			left, last := b.avoided(f)
			parts = append(parts, fmt.Sprintf("%s lost %d, a first interval of %v without a frame after %v, last one after %v", f.Port, f.Lost, b.Manifest.Interval, left, last))
		}
	}
	return line(parts...)
}

// after formats the time from one instant to another.
func after(t, from unit.Time) string {
	if t == record.Unfinished {
		return "never"
	}
	return fmt.Sprintf("%.0f ms", millis(t-from))
}

// avoided returns how long after a fault the first interval without a frame to its port begins,
// and how long after it the last interval with a frame ends.
func (b *bench) avoided(f *record.Fault) (left, last unit.Time) {
	accepted, end := map[unit.Time]int64{}, f.From
	for _, s := range b.series(record.Accepted, f.Port) {
		accepted[s.Time] = s.Value
		end = max(end, s.Time)
	}
	interval := b.Manifest.Interval
	for at := f.From / interval * interval; at <= end; at += interval {
		if accepted[at] > 0 {
			last = at + interval - f.From
		}
	}
	for accepted[f.From/interval*interval+left] > 0 {
		left += interval
	}
	return left, last
}
