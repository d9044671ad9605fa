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

// A host is starved if in each quarter of the measured window it had more to send, all along, than the mean host sent, and sent next to
// nothing. So a host that had little is none, nor is one that waits for its turn once. What it sent is measured by the rate of its link.
const (
	quarters = 4
	// nextToNothing is less than this share of what the mean host sent.
	nextToNothing = 0.01
	// leastQuarter is how many base round trips a quarter has at least, and leastPackets how many packets the mean host sends in it: of
	// fewer a hundredth is no packet.
	leastQuarter, leastPackets = 10, 100
	// leastOvertaken is how many messages overtook one that starves, where a transport of hosts serves short ones first.
	leastOvertaken = 10
	// mostAsked is how many hosts are asked that at most: one is enough.
	mostAsked = 64
)

// quarter tells whether a look is at the edge of a quarter.
func quarter(look int) bool { return look%((record.StabilityLooks-1)/quarters) == 0 }

// Doubt notes hosts that send next to nothing while others go on.
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

// unchangedHosts tells of each host whether no fault changes its link.
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

// byLink measures what a host sends by the rate of its link, in seconds.
func (s *steadiness) byLink(host int, sent unit.Bytes) float64 {
	return 8 * float64(sent) / float64(s.lineRate(int32(host)))
}

// keepStarved keeps those hosts that starved between two readings, and returns what the mean host sent; 0 if that is too little to tell.
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

// keepUnhindered drops hosts that may send to others whose links are slower, or change: these receive no more.
func (s *steadiness) keepUnhindered(starved, unchanged []bool, messages *transport.Messages) {
	alike := !slices.Contains(unchanged, false)
	for h := range s.uplinks {
		alike = alike && s.lineRate(int32(h)) == s.derived.hosts
	}
	if alike || !slices.Contains(starved, true) {
		return
	}
	known := make([]bool, len(starved)) // to whom it sends
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

// keepOvertaken keeps those hosts whose oldest message was overtaken by many that are no shorter and began later: a transport of hosts may
// serve short messages first, and one long message after the other.
func (s *steadiness) keepOvertaken(starved []bool, messages *transport.Messages) {
	oldest := make([]*transport.Message, len(starved))
	for m := range messages.All() {
		if o := oldest[m.Src]; starved[m.Src] && m.End == transport.Unfinished && (o == nil || m.Start < o.Start) {
			copied := *m
			oldest[m.Src] = &copied
		}
	}
	var asked []int // hosts, a few of them
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
