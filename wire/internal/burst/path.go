package burst

import (
	"fmt"
	"net/netip"

	"weft/unit"
)

// Peer is the far end of a path.
type Peer interface {
	// Probe writes a datagram of a size that the peer answers; false if it cannot be sent to.
	Probe(now unit.Time, size int, b []byte) (port int, to netip.AddrPort, n int, ok bool)
	// Answers is how many probes the peer has answered.
	Answers() uint64
	// Heard is when something came of the peer.
	Heard() unit.Time
}

type state uint8

// States of a path.
const (
	open     state = iota // bursts go
	checking              // all goes alone but probes, unless the path has passed a check before
	closed                // all goes alone, until the next check
)

// When a path is checked.
const (
	// suspicion is what a window of datagrams in bursts may have of repairs, about 1 in 128.
	suspicion = 32
	window    = 4096
	// unheard is for how much a repair counts if nothing was heard since a burst was sent, for two round trips, and for hush.
	unheard = 8
	hush    = unit.Millisecond
	// calm is how long a path that passed a check is not checked again. What is sent again meanwhile goes in bursts too.
	calm = unit.Second
	// firstClosed is how long a path that did not pass has no bursts. It doubles each time, up to mostClosed.
	firstClosed, mostClosed = 30 * unit.Second, 3600 * unit.Second
)

// Path is what is known of bursts to a peer.
type Path struct {
	peer  Peer
	state state
	why   string // it is closed
	// repairs and datagrams are those of the window, and size is that of the largest that was to go in a burst.
	repairs, datagrams, size int
	last                     unit.Time // a burst was sent
	closed                   unit.Time // for how long next
	due                      unit.Time // the next check, or the end of its round
	quiet                    unit.Time // until then repairs say nothing
	passed                   bool      // a check
	check                    check
}

// takes tells whether bursts go now. A path that has passed a check keeps them until the next one fails for the first time:
// most losses are for other reasons.
func (p *Path) takes() bool {
	return p.state == open || p.state == checking && p.passed && p.check.failed == 0
}

// NewPath returns a path to a peer, on which bursts are sent.
func NewPath(p Peer) *Path { return &Path{peer: p, closed: firstClosed} }

// Closed tells whether a path has no bursts now, and why.
func (p *Path) Closed() (why string, closed bool) { return p.why, p.why != "" }

// settled tells whether what repairs a loss may go in a burst: bursts were checked just now, and not most of what they
// had is sent again.
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

// blame counts what repairs a loss, and has the path checked if that is much.
func (s *Sender) blame(now unit.Time, p *Path) {
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

// close has a path send no bursts for a while.
func (s *Sender) close(now unit.Time, p *Path, why string) {
	if p.state == closed {
		return
	}
	p.state, p.passed, p.why, p.due = closed, false, why, now+p.closed
	p.closed = min(2*p.closed, mostClosed)
	s.time(p)
}

// open lets a path send bursts again.
func (s *Sender) open(now unit.Time, p *Path) {
	p.state, p.why, p.repairs, p.datagrams = open, "", 0, 0
	p.quiet = now + calm
	s.Forget(p)
}

// time has Expire look at a path.
func (s *Sender) time(p *Path) {
	s.Forget(p)
	s.timed = append(s.timed, p)
}

// Forget looks at a path no more, whose peer is gone.
func (s *Sender) Forget(p *Path) {
	for i, q := range s.timed {
		if p == q {
			s.timed = append(s.timed[:i], s.timed[i+1:]...)
			return
		}
	}
}

// Wake returns when to call Expire; Forever for never.
func (s *Sender) Wake() unit.Time {
	at := unit.Forever
	for _, p := range s.timed {
		at = min(at, p.due)
	}
	return at
}

// Expire goes on with checks. It may be called at any time, and has to be when something came of a peer.
func (s *Sender) Expire(now unit.Time) {
	for i := 0; i < len(s.timed); i++ {
		p := s.timed[i]
		switch {
		case p.state == checking:
			s.goOn(now, p)
		case p.due <= now:
			s.begin(now, p)
		}
		if i < len(s.timed) && s.timed[i] != p {
			i-- // it is looked at no more
		}
	}
}

// verdict says how many probes of a check got no answer.
func verdict(lost [2]int) string {
	return fmt.Sprintf("of %d probes in bursts %d got no answer, of as many alone %d", rounds*probes, lost[1], lost[0])
}
