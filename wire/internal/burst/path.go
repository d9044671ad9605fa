package burst

import (
	"fmt"
	"net/netip"

	"weft/unit"
)

// Peer is the far end of a path.
type Peer interface {
	// Probe writes a datagram of the given size that the peer will answer into b. It returns
	// false if nothing can be sent to the peer.
	Probe(now unit.Time, size int, b []byte) (port int, to netip.AddrPort, n int, ok bool)
	// Answers returns the number of probes that the peer has answered.
	Answers() uint64
	// Heard returns when something last arrived from the peer.
	Heard() unit.Time
}

type state uint8

// States of a path.
const (
	open     state = iota // bursts are sent
	checking              // only probes are sent in bursts, unless the path has passed a check before
	closed                // nothing is sent in bursts until the next check
)

// When to check a path.
const (
	// suspicion is the number of repairs, in a window of datagrams sent in bursts, that triggers
	// a check: about 1 in 128.
	suspicion = 32
	window    = 4096
	// unheard is the weight of a repair if nothing has arrived since the last burst, for at least
	// two round trips and for hush.
	unheard = 8
	hush    = unit.Millisecond
	// calm is how long a path that passed a check is not checked again. Meanwhile retransmissions
	// go in bursts too.
	calm = unit.Second
	// firstClosed is how long a path that failed gets no bursts. The time doubles after each
	// failure, up to mostClosed.
	firstClosed, mostClosed = 30 * unit.Second, 3600 * unit.Second
)

// Path holds what is known about bursts to a peer.
type Path struct {
	peer  Peer
	state state
	why   string // why it is closed
	// repairs and datagrams are counts in the window. size is the size of the largest datagram
	// meant for a burst.
	repairs, datagrams, size int
	last                     unit.Time // when a burst was last sent
	closed                   unit.Time // for how long the next time
	due                      unit.Time // the next check, or the end of its round
	quiet                    unit.Time // until then, repairs are ignored
	passed                   bool      // a check
	check                    check
}

// burstsOn reports whether to send bursts now. A path that has passed a check keeps its bursts
// until the next check fails for the first time, because most losses have other causes.
func (p *Path) burstsOn() bool {
	return p.state == open || p.state == checking && p.passed && p.check.failed == 0
}

// NewPath returns a path to a peer. It begins with bursts on.
func NewPath(p Peer) *Path { return &Path{peer: p, closed: firstClosed} }

// Closed reports whether a path gets no bursts now, and why.
func (p *Path) Closed() (why string, closed bool) { return p.why, p.why != "" }

// settled reports whether a repair may go in a burst: bursts were checked just before, and most
// datagrams in bursts need no repair.
func (p *Path) settled(now unit.Time) bool {
	if now < p.quiet {
		if p.repairs++; p.repairs < 8*suspicion || 2*p.repairs < p.datagrams {
			return true
		}
		p.quiet = now
	}
	return false
}

// sent counts a burst.
func (p *Path) sent(now unit.Time, datagrams int) {
	p.last = now
	if p.datagrams += datagrams; p.datagrams >= window {
		p.datagrams, p.repairs = p.datagrams/2, p.repairs/2
	}
}

// countRepair counts a repair and starts a check if there are many.
func (s *Sender) countRepair(now unit.Time, p *Path) {
	if p.state != open || p.datagrams == 0 {
		return
	}
	if p.repairs++; p.last > p.peer.Heard() && now-p.last >= s.hush {
		p.repairs += unheard - 1
	}
	if p.repairs >= suspicion {
		s.time(p)
		s.begin(now, p)
	}
}

// close turns bursts off for a while.
func (s *Sender) close(now unit.Time, p *Path, why string) {
	if p.state == closed {
		return
	}
	p.state, p.passed, p.why, p.due = closed, false, why, now+p.closed
	p.closed = min(2*p.closed, mostClosed)
	s.time(p)
}

// open turns bursts on again.
func (s *Sender) open(now unit.Time, p *Path) {
	p.state, p.why, p.repairs, p.datagrams = open, "", 0, 0
	p.quiet = now + calm
	s.Forget(p)
}

// time registers a path for Expire.
func (s *Sender) time(p *Path) {
	s.Forget(p)
	s.timed = append(s.timed, p)
}

// Forget removes a path from those that Expire handles, for example because its peer is gone.
func (s *Sender) Forget(p *Path) {
	for i, q := range s.timed {
		if p == q {
			s.timed = append(s.timed[:i], s.timed[i+1:]...)
			return
		}
	}
}

// Wake returns when to call Expire, or Forever.
func (s *Sender) Wake() unit.Time {
	at := unit.Forever
	for _, p := range s.timed {
		at = min(at, p.due)
	}
	return at
}

// Expire advances checks. It may be called at any time, and must be called when something arrived
// from a peer.
func (s *Sender) Expire(now unit.Time) {
	for i := 0; i < len(s.timed); i++ {
		p := s.timed[i]
		switch {
		case p.state == checking:
			s.advance(now, p)
		case p.due <= now:
			s.begin(now, p)
		}
		if i < len(s.timed) && s.timed[i] != p {
			i-- // it was removed
		}
	}
}

// verdict says how many probes of a check got no answer.
func verdict(lost [2]int) string {
	return fmt.Sprintf("of %d probes in bursts %d got no answer, of as many alone %d", rounds*probes, lost[1], lost[0])
}
