package burst

import (
	"errors"
	"net/netip"

	"weft/unit"
	"weft/wire/internal/socket"
)

// Parameters of a check.
const (
	probes = 8 // per round
	rounds = 8 // of either kind
	// patience is how long a round waits for answers.
	patience = 50 * unit.Millisecond
)

// check compares probes sent alone, in even rounds, with probes in bursts, in odd rounds.
type check struct {
	round  int
	before uint64 // answers when the round began
	lost   [2]int // alone, and in bursts
	bad    int    // burst rounds with losses
	failed int    // consecutive checks that bursts failed
	was    string // why the path was closed before
}

// begin starts a check.
func (s *Sender) begin(now unit.Time, p *Path) {
	p.check = check{was: p.why}
	p.state = checking
	s.send(now, p)
}

// advance ends a round if it is over and starts the next one.
func (s *Sender) advance(now unit.Time, p *Path) {
	c := &p.check
	answers := int(p.peer.Answers() - c.before)
	if answers < probes && now < p.due {
		return
	}
	if answers < probes {
		c.lost[c.round%2] += probes - answers
		c.bad += c.round % 2
	}
	if c.round++; c.round == 2*rounds {
		s.judge(now, p)
		return
	}
	s.send(now, p)
}

// judge ends a check. With this margin, bursts that always lose their last datagram fail, and
// random losses do not. A busy host answers late, which looks like losses in a few rounds of
// either kind.
func (s *Sender) judge(now unit.Time, p *Path) {
	const margin = rounds / 2
	c := &p.check
	fails := c.lost[1] > 2*c.lost[0]+margin && c.bad >= rounds/2
	switch unclear := c.lost[0] > rounds*probes/2; {
	case fails && c.failed == 0:
		*c = check{failed: 1, was: c.was}
		s.send(now, p)
	case fails:
		s.close(now, p, verdict(c.lost))
	case unclear && c.was != "":
		s.close(now, p, c.was)
	default:
		p.passed = p.passed || !unclear
		s.open(now, p)
	}
}

// send sends the probes of a round.
func (s *Sender) send(now unit.Time, p *Path) {
	c := &p.check
	c.before, p.due = p.peer.Answers(), now+patience
	size := min(p.size, s.datagram, socket.MostBurst/probes)
	var list [][]byte
	var port int
	var to netip.AddrPort
	for range probes {
		b := make([]byte, size+slack)
		first := len(list) == 0
		from, at, n, ok := p.peer.Probe(now, size, b)
		if !ok {
			s.giveUp(now, p)
			return
		}
		if first {
			port, to = from, at
		}
		list = append(list, b[:n])
	}
	if c.round%2 == 0 {
		for _, data := range list {
			_ = s.link.Send(port, to, data) // an unsent probe gets no answer
		}
		return
	}
	var refused *socket.RefusedError
	if err := s.link.SendBurst(port, to, list); errors.As(err, &refused) {
		if s.Counts.Refused++; s.oneByOne(Way{Port: port, To: to}, list, nil) {
			s.close(now, p, "the kernel refused one: "+refused.Err.Error())
		}
	}
}

// giveUp ends a check that cannot go on.
func (s *Sender) giveUp(now unit.Time, p *Path) {
	if p.check.was != "" {
		s.close(now, p, p.check.was)
	} else {
		s.open(now, p)
	}
}
