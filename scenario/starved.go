package scenario

import (
	"fmt"
	"slices"

	"weft/internal/readable"
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// A host is starved if, in each quarter of the measured window, it sent next to nothing
// although it always had more to send than the mean host sent. This excludes hosts with
// little to send, and hosts that only wait for their turn once. Amounts are measured
// relative to the rate of the host's link.
const (
	quarters = 4
	// nextToNothing is the share of the mean host's amount below which a host has sent next
	// to nothing.
	nextToNothing = 0.01
	// leastQuarter is the least length of a quarter, in base round trips. leastPackets is
	// the least number of packets that the mean host must send in it: of fewer packets, a
	// hundredth would be less than one.
	leastQuarter, leastPackets = 10, 100
	// leastOvertaken is the number of messages that must overtake a starving one if a host
	// transport serves short messages first.
	leastOvertaken = 10
	// mostAsked is the most hosts that are checked for that. One is enough for a notice.
	mostAsked = 64
)

// quarter reports whether a look is at the edge of a quarter.
func quarter(look int) bool { return look%((record.StabilityLooks-1)/quarters) == 0 }

// Doubt reports hosts that send next to nothing while others make progress.
func (s *steadiness) Doubt(m *watch.Moment, messages *transport.Messages, say func(kind record.NoticeKind, text string)) {
	loads := s.loads
	if len(loads) != quarters+1 || s.span < quarters*leastQuarter*s.derived.rtt || m.Ended == record.Stuck {
		return
	}
	unchanged := s.unchangedHosts()
	starved := slices.Clone(unchanged)
	mean := 0.0
	for q := range quarters {
		share := s.keepStarved(starved, loads[q], loads[q+1])
		if share == 0 {
			return
		}
		mean += share
	}
	s.keepUnhindered(starved, unchanged, messages)
	if s.grouped.hosted != "" {
		s.keepOvertaken(starved, messages)
	}
	first, others := -1, -1
	for h, so := range starved {
		if !so {
			continue
		}
		if others++; first < 0 {
			first = h
		}
	}
	if first < 0 {
		return
	}
	text := fmt.Sprintf("%s sent %s of what the mean host sent, and less than %s of it in each quarter of the measured window, though it had more to send all along",
		s.hostName(int32(first)), readable.Percent(s.byLink(first, loads[quarters][first].Sent-loads[0][first].Sent)/mean), readable.Percent(nextToNothing))
	if others > 0 {
		text += fmt.Sprintf("; so it is with %s", readable.Count(others, "more host"))
	}
	say(record.NoticeStarved, text)
}

// unchangedHosts reports for each host whether its link is free of faults.
func (s *steadiness) unchangedHosts() []bool {
	hosts := make([]bool, len(s.uplinks))
	changed := map[topo.LinkID]bool{}
	for _, c := range s.failing.timeline.Changes {
		changed[c.Port.Link()] = true
	}
	for h, up := range s.uplinks {
		hosts[h] = !changed[up.Link()]
	}
	return hosts
}

// byLink converts bytes that a host sent to seconds at the rate of its link.
func (s *steadiness) byLink(host int, sent unit.Bytes) float64 {
	return 8 * float64(sent) / float64(s.lineRate(int32(host)))
}

// keepStarved keeps the marks of hosts that starved between two readings. It returns the
// amount of the mean host, or 0 if that is too little to judge.
func (s *steadiness) keepStarved(starved []bool, from, to []transport.Load) (mean float64) {
	senders, packets := 0, unit.Bytes(0)
	for h := range from {
		if to[h].Started > from[h].Sent {
			senders++
			mean += s.byLink(h, to[h].Sent-from[h].Sent)
			packets += (to[h].Sent - from[h].Sent) / s.derived.payload
		}
	}
	if packets < unit.Bytes(leastPackets*senders) || senders == 0 {
		return 0
	}
	mean /= float64(senders)
	for h := range starved {
		waited := s.byLink(h, from[h].Started-from[h].Sent)
		starved[h] = starved[h] && waited >= mean && s.byLink(h, to[h].Sent-from[h].Sent) < nextToNothing*mean
	}
	return mean
}

// keepUnhindered unmarks hosts with a receiver whose link is slower or changes, since such
// receivers limit them. It also unmarks hosts whose receivers are unknown.
func (s *steadiness) keepUnhindered(starved, unchanged []bool, messages *transport.Messages) {
	alike := !slices.Contains(unchanged, false)
	for h := range s.uplinks {
		alike = alike && s.lineRate(int32(h)) == s.derived.hosts
	}
	if alike || !slices.Contains(starved, true) {
		return
	}
	known := make([]bool, len(starved)) // hosts with known receivers
	for m := range messages.All() {
		known[m.Src] = true
		if !unchanged[m.Dst] || s.lineRate(m.Dst) < s.lineRate(m.Src) {
			starved[m.Src] = false
		}
	}
	for h := range starved {
		starved[h] = starved[h] && known[h]
	}
}

// keepOvertaken keeps the marks of hosts whose oldest message was overtaken by many other
// messages that began later and are no shorter. A host transport may rightly serve short
// messages first, and long messages one by one.
func (s *steadiness) keepOvertaken(starved []bool, messages *transport.Messages) {
	oldest := make([]*transport.Message, len(starved))
	for m := range messages.All() {
		if o := oldest[m.Src]; starved[m.Src] && m.End == transport.Unfinished && (o == nil || m.Start < o.Start) {
			copied := *m
			oldest[m.Src] = &copied
		}
	}
	var asked []int // the hosts to check
	for h, o := range oldest {
		if starved[h] = o != nil && len(asked) < mostAsked; starved[h] {
			asked = append(asked, h)
		}
	}
	passed := make([]int, len(starved))
	for m := range messages.All() {
		if m.End == transport.Unfinished {
			continue
		}
		for _, h := range asked {
			if o := oldest[h]; m.Group == o.Group && m.Start > o.Start && m.Size >= o.Size && m.Src != int32(h) {
				passed[h]++
			}
		}
	}
	for _, h := range asked {
		starved[h] = passed[h] >= leastOvertaken
	}
}
