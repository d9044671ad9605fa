package scenario

import (
	"fmt"
	"math/bits"

	"weft/fabric"
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// largestOnWire returns the size of the largest frame of any transport, with everything
// that can be added on its way through the given number of switches: lists of incasts,
// stamps, counts and replies in acknowledgements, credits, and notices of switches.
func (s *Spec) largestOnWire(switches int) unit.Bytes {
	largest := s.largestFrame()
	for _, t := range s.carriers() {
		f := t.frames(s.listsIncasts(), switches)
		largest = max(largest, f.data, f.back, f.own)
	}
	return largest
}

// listsIncasts reports whether messages of some traffic list the senders of their incast.
func (s *Spec) listsIncasts() bool {
	for i := range s.Traffic {
		if list := s.Traffic[i].LookAhead; list != "" && list != "none" {
			return true
		}
	}
	return false
}

// shortage reports links with less headroom than the bytes that can arrive after a pause
// was sent.
type shortage struct {
	port          topo.PortID // the link with the largest shortage
	given, needed unit.Bytes  // of that link
	links         int         // links with any shortage
}

// neededHeadroom returns the most bytes that can arrive over a directed link after a pause
// was sent. The formula counts one frame more than needed if only the frame that reached
// the threshold is paused. That frame covers hosts whose jitter is at most the default. A
// longer jitter adds the bytes of the time beyond it.
func (p *plan) neededHeadroom(id topo.PortID) unit.Bytes {
	link := p.graph.Links[id.Link()]
	from, to := p.graph.Ends(id)
	needed := fabric.Headroom(link.Rate, link.Delay, p.graph.Nodes[to].Latency, p.frames.onWire)
	if ruled := p.hostJitter(HostJitter{Auto: true}); p.graph.Nodes[from].Kind == topo.Host && p.ends.held > ruled {
		needed += link.Rate.In(p.ends.held - ruled)
	}
	return needed
}

// headroomShortage compares the headroom of all links into switches with their need.
func (p *plan) headroomShortage() (s shortage) {
	if p.queues.lossless == 0 || p.sharesWithoutEnd() {
		return s
	}
	for id := range topo.PortID(2 * len(p.graph.Links)) {
		_, to := p.graph.Ends(id)
		if p.graph.Nodes[to].Kind != topo.Switch {
			continue
		}
		needed := p.neededHeadroom(id)
		given := p.pausing().Limits(id).Headroom
		if given >= needed {
			continue
		}
		if s.links++; needed-given > s.needed-s.given {
			s.port, s.given, s.needed = id, given, needed
		}
	}
	return s
}

// sharesWithoutEnd reports whether headroom is never used. Headroom takes over when the
// shared buffer is full, but here the buffer has no limit.
func (p *plan) sharesWithoutEnd() bool {
	return p.queues.buffer.Size == 0 && (p.pausing().Of != fabric.OfIngress || p.pausing().PoolFirst)
}

// hintHeadroom notes headroom that is too small, and thresholds that no queue can reach.
func (p *plan) hintHeadroom(s *Spec) {
	c := s.Fabric.PFC
	if c == nil {
		return
	}
	if lack := p.headroomShortage(); lack.links > 0 {
		text := fmt.Sprintf("fabric.pfc.headroom is %v, but up to %v can come over %s after its pause was sent, %v more", lack.given, lack.needed, p.graph.PortName(lack.port), lack.needed-lack.given)
		if lack.links > 1 {
			text += fmt.Sprintf(", and %d more links lack some", lack.links-1)
		}
		text += "; what does not fit is dropped (headroom_full)"
		if p.pausing().Of == fabric.OfIngress && !p.pausing().PoolFirst && lack.given < p.frames.data {
			text += fmt.Sprintf(", and as it does not hold one frame of %v, links may never be paused", p.frames.data)
		}
		p.notice(text + fmt.Sprintf("; leave headroom out, or write headroom: %v", lack.needed))
	}
	if p.pausing().Of == fabric.OfEgress && p.queues.buffer.Size > 0 {
		l := p.pausing().Limits(0)
		queues := unit.Bytes(p.mostPorts() * bits.OnesCount8(p.queues.lossless))
		if n := p.derived.pool / max(1, l.Off); n < queues {
			p.notice(fmt.Sprintf("with fabric.pfc.of: egress %d queues fill what a switch shares, %v, before one of them reaches xoff, %v, so that frames are dropped (headroom_full) and nobody is paused; write of: ingress, or fabric: {buffer: %v} or more",
				n+1, p.derived.pool, l.Off, p.derived.kept+queues*l.Off))
		}
	}
}

// mostPorts returns the largest number of ports of any switch.
func (p *plan) mostPorts() (most int) {
	ports := make([]int, len(p.graph.Nodes))
	for _, l := range p.graph.Links {
		for _, n := range [2]topo.NodeID{l.A, l.B} {
			if ports[n]++; p.graph.Nodes[n].Kind == topo.Switch {
				most = max(most, ports[n])
			}
		}
	}
	return most
}

// overruns reports frames of lossless classes that found no headroom.
type overruns struct {
	watched
	window *window
}

func newOverruns(w watched, m *window) *overruns { return &overruns{w, m} }

// Doubt adds the notice.
func (s *overruns) Doubt(_ *watch.Moment, _ *transport.Messages, say func(kind record.NoticeKind, text string)) {
	if text := s.text(); text != "" {
		say(record.NoticeHeadroomLoss, text)
	}
}

// text explains why frames of lossless classes found no headroom, and what to write. It
// returns "" if there were none.
func (s *overruns) text() string {
	frames, bytes := uint64(0), uint64(0)
	for i := range s.window.counters {
		frames += s.window.counters[i].Drops[fabric.HeadroomFull]
		bytes += s.window.counters[i].LostBytes[fabric.HeadroomFull]
	}
	if frames == 0 {
		return ""
	}
	text := fmt.Sprintf("%d frames of lossless classes, %v, were dropped for want of headroom (headroom_full)", frames, unit.Bytes(bytes))
	switch lack := s.headroomShortage(); {
	case lack.links > 0:
		return text + fmt.Sprintf(": fabric.pfc.headroom is %v, and up to %v come over a link after its pause was sent; leave headroom out, or write headroom: %v", lack.given, lack.needed, lack.needed)
	case s.pausing().Quanta.Count > 0 && s.pausing().Quanta.Refresh == 0:
		return text + fmt.Sprintf(": pauses expire while switches are full (fabric.pfc.refresh: 0%%); write fabric: {pfc: {quanta: %d, refresh: 50%%}}, or leave quanta and refresh out",
			max(s.pausing().Quanta.Count, leastQuanta(s.frames.onWire, 0.5)))
	case s.pausing().Of != fabric.OfIngress:
		return text + ": the shared buffer was full before what is compared with xoff reached it; write of: ingress, a smaller xoff, or a larger fabric.buffer"
	case s.pausing().Watchdog.Forward && s.pausing().Watchdog.Detect > 0:
		return text + ": the watchdog sent frames in spite of pauses (action: forward); leave detect out, or write a time that is longer than pauses of congestion"
	case len(s.failing.timeline.Changes) > 0:
		return text + ": a link that fails forgets its pauses, so that more comes than headroom is for"
	}
	return text
}
