package fabric

import (
	"math/bits"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// slowHost is the state of a SlowHost.
type slowHost struct {
	SlowHost
	in     topo.PortID // the link to it
	delay  sim.Time    // of its pauses
	level  uint64      // backlog as of since, in 2⁻³² B
	since  sim.Time
	paused bool
	listed bool
	// resumed is when it last resumed its switch.
	resumed sim.Time
	hold
	sentPause
}

// slowHosts holds the slow hosts of a domain. It implements receiver.
type slowHosts struct {
	d       *Domain
	by      *pausing
	hosts   []*slowHost // by host number; nil for hosts that are not slow
	resting []int32     // hosts that have paused their switch
}

// addSlowHosts sets the rates at which slow hosts take frames off their NICs.
func (n *Network) addSlowHosts(c *PauseConfig) {
	if len(c.Slow) == 0 {
		return
	}
	for _, d := range n.domains {
		s := &slowHosts{d: d, by: d.pauses(), hosts: make([]*slowHost, len(d.nics))}
		d.hooks.receiver = s
		d.hooks.closed = append(d.hooks.closed, s.resumeResting)
	}
	n.hooks.cut = append(n.hooks.cut, n.liftSlow)
	for _, s := range c.Slow {
		at := n.nodes[n.graph.Hosts[s.Host]]
		d := n.domains[at.domain]
		up := topo.PortID(d.cold[d.nics[at.index].port].id)
		d.slow().hosts[at.index] = &slowHost{SlowHost: s, in: up.Reverse(), resumed: never, delay: n.pauseTime(up.Reverse()), hold: n.holdOf(&c.Quanta, up.Reverse())}
	}
}

// slow returns the slow hosts of a domain; nil if its network has none.
func (d *Domain) slow() *slowHosts {
	s, _ := d.hooks.receiver.(*slowHosts)
	return s
}

// liftSlow cancels the pauses of a slow host whose link fails in either direction.
func (n *Network) liftSlow(id topo.PortID, now sim.Time) {
	for _, id := range [2]topo.PortID{id, id.Reverse()} {
		if _, to := n.graph.Ends(id); n.graph.Nodes[to].Kind == topo.Host {
			at := n.nodes[to]
			all := n.domains[at.domain].slow()
			if s := all.hosts[at.index]; s != nil && s.paused {
				all.countRepeats(s, now)
				s.paused = false
			}
		}
	}
}

// drained returns how much a host takes in a given time, in 2⁻³² B.
func (s *slowHost) drained(took sim.Time) uint64 {
	hi, lo := bits.Mul64(uint64(took), uint64(s.Rate))
	const perByte = 8 * uint64(unit.Second) // bit·ps/s of a byte
	if hi >= perByte>>32 {
		return 1 << 63
	}
	q, _ := bits.Div64(hi<<32|lo>>32, lo<<32, perByte)
	return q
}

// resumes returns when the backlog falls to On, or Forever if that is beyond the clock.
func (s *slowHost) resumes() sim.Time {
	over := s.level - min(s.level, uint64(s.On)<<32)
	hi, lo := bits.Mul64(over, 8*uint64(unit.Second))
	hi, lo = hi>>32, hi<<32|lo>>32
	if hi >= uint64(s.Rate) {
		return sim.Forever
	}
	q, r := bits.Div64(hi, lo, uint64(s.Rate))
	if q >= uint64(sim.Forever-s.since) {
		return sim.Forever
	}
	if r > 0 {
		q++
	}
	return s.since + sim.Time(q)
}

// received implements receiver: it counts a frame that reached a slow host.
func (l *slowHosts) received(h int32, f *Frame, now sim.Time) {
	s := l.hosts[h]
	if s == nil || l.by.classes>>f.Priority()&1 == 0 {
		return
	}
	l.resume(s, now)
	s.level -= min(s.level, s.drained(now-s.since))
	s.since = now
	s.level += uint64(f.Size) << 32
	if (!s.paused || now >= s.until) && s.level >= uint64(s.Off)<<32 {
		s.paused = true
		s.began(&s.hold, now, now+s.delay)
		l.pauseSwitch(s, true, now)
		if !s.listed {
			s.listed = true
			l.resting = append(l.resting, h)
		}
	}
}

// resume resumes the switch of a host if that was due before now.
func (l *slowHosts) resume(s *slowHost, now sim.Time) {
	if !s.paused {
		return
	}
	if at := s.resumes(); at < now {
		l.countRepeats(s, at)
		s.paused = false
		if l.pauseSwitch(s, false, at) {
			s.resumed = at
		}
	}
}

// pauseSwitch makes the switch of a host pause or resume all lossless classes. It
// returns false if the link there is down.
func (l *slowHosts) pauseSwitch(s *slowHost, pause bool, t sim.Time) bool {
	d := l.d
	up := d.network.ports[s.in.Reverse()].index
	if d.ports[up].special&down != 0 {
		return false
	}
	tally := l.by.ends[up].counted()
	for k := range uint8(8) {
		if l.by.classes>>k&1 == 0 {
			continue
		}
		if pause {
			tally.sent[k]++
		} else {
			tally.resumes[k]++
		}
		l.by.notify(d.network.ports[s.in], notice{t + s.delay, k, about(pause)})
	}
	return true
}

// countRepeats counts the refreshes of a slow host's pause that ends at time t.
func (l *slowHosts) countRepeats(s *slowHost, t sim.Time) {
	n := s.repeats(&s.hold, t)
	if n == 0 {
		return
	}
	tally := l.by.ends[l.d.network.ports[s.in.Reverse()].index].counted()
	for k := range uint8(8) {
		if l.by.classes>>k&1 != 0 {
			tally.sent[k] += n
		}
	}
}

// add adjusts the counts of the link to the host with port i to the time now. It
// adds the refreshes of a current pause. It removes events after now: a drained run
// ends before its hosts have taken everything that waits at their NICs.
func (l *slowHosts) add(p *Pauses, i int32, now sim.Time) {
	h := l.by.ends[i].host
	if h < 0 || l.hosts[h] == nil {
		return
	}
	s := l.hosts[h]
	repeats, resumes := uint64(0), uint64(0)
	switch {
	case s.paused:
		repeats = s.repeats(&s.hold, now)
	case s.resumed > now:
		repeats, resumes = s.repeats(&s.hold, now)-s.repeats(&s.hold, s.resumed), 1
	}
	for k := range uint8(8) {
		if l.by.classes>>k&1 != 0 {
			p.Sent[k] += repeats // repeats may be negative, modulo 2⁶⁴
			p.Resumes[k] -= resumes
		}
	}
}

// resumedBy returns when a resume reaches the port of a directed link, if a slow
// host decided it after a given time; never if there is none.
func (n *Network) resumedBy(id topo.PortID, decided sim.Time) sim.Time {
	_, to := n.graph.Ends(id)
	at := n.nodes[to]
	d := n.domains[at.domain]
	if n.graph.Nodes[to].Kind != topo.Host || d.slow() == nil {
		return never
	}
	if s := d.slow().hosts[at.index]; s != nil && s.resumed > decided {
		return s.resumed + s.delay
	}
	return never
}

// resumeResting resumes the switches of hosts that may resume before the end of a
// window. It returns when the next host may.
func (l *slowHosts) resumeResting(end sim.Time) (next sim.Time) {
	next = sim.Forever
	rest := l.resting[:0]
	for _, h := range l.resting {
		s := l.hosts[h]
		l.resume(s, end)
		if !s.paused {
			s.listed = false
			continue
		}
		rest = append(rest, h)
		next = min(next, max(end, s.resumes()))
	}
	l.resting = rest
	return next
}
