package dart

import "weft/unit"

// senders is the set of the hosts that send to a receiver, by tenant (the AUSS of §III-B).
type senders struct {
	list  []sender
	index map[name]int32
	// newest and oldest are the ends of the list of those in the set, in the order in which they were
	// heard last.
	newest, oldest int32

	tenants []tenant
	// weight is the sum of the weights of the tenants that have a message under way.
	weight   uint64
	weightOf func(tenant uint8) uint64
	// entered counts how often one came into the set.
	entered uint64
}

// name is that of a sender: a host that sends for two tenants is two senders.
type name struct {
	tenant uint8
	host   int32
}

type sender struct {
	name
	// begun are its messages that began to arrive and have not arrived in full, expected those that a list named.
	begun, expected int32
	heard           unit.Time
	newer, older    int32
	// life tells those apart that were taken for dead in between.
	life uint32
	// entry is its number among those that came into the set, and notice what is measured of it.
	entry  uint64
	notice notice
}

type tenant struct {
	senders int32 // in the set
	live    int32 // of them, those with a message begun
}

const nobody = -1

func newSenders(weightOf func(tenant uint8) uint64) senders {
	return senders{index: map[name]int32{}, newest: nobody, oldest: nobody, weightOf: weightOf}
}

// find returns the number of a sender, which may not be in the set.
func (s *senders) find(n name) int32 {
	i, known := s.index[n]
	if !known {
		i = int32(len(s.list))
		s.list = append(s.list, sender{name: n, newer: nobody, older: nobody, notice: unaware})
		s.index[n] = i
		for int(n.tenant) >= len(s.tenants) {
			s.tenants = append(s.tenants, tenant{})
		}
	}
	return i
}

// change adds to the messages of a sender.
func (s *senders) change(now unit.Time, i int32, begun, expected int32) {
	p := &s.list[i]
	t := &s.tenants[p.tenant]
	was, lived := p.begun+p.expected > 0, p.begun > 0
	p.begun += begun
	p.expected += expected
	if is := p.begun+p.expected > 0; is != was {
		if is {
			t.senders++
			p.heard = now
			s.entered++
			p.entry = s.entered
			s.link(i)
		} else {
			t.senders--
			s.unlink(i)
			p.notice.leave()
		}
	}
	if lives := p.begun > 0; lives != lived {
		if lives {
			if t.live++; t.live == 1 {
				s.weight += s.weightOf(p.tenant)
			}
		} else if t.live--; t.live == 0 {
			s.weight -= s.weightOf(p.tenant)
		}
	}
}

// touch notes that a sender was heard.
func (s *senders) touch(now unit.Time, i int32) {
	p := &s.list[i]
	if p.begun+p.expected == 0 {
		return
	}
	s.unlink(i)
	p.heard = now
	s.link(i)
}

// stale returns a sender of the set that was not heard for idle, nobody if all were.
func (s *senders) stale(now, idle unit.Time) int32 {
	if s.oldest != nobody && now-s.list[s.oldest].heard > idle {
		return s.oldest
	}
	return nobody
}

// forget takes a sender out of the set.
func (s *senders) forget(now unit.Time, i int32) {
	p := &s.list[i]
	p.life++
	s.change(now, i, -p.begun, -p.expected)
}

// empty tells whether the set is.
func (s *senders) empty() bool { return s.oldest == nobody }

// share returns that of a tenant's senders, each.
func (s *senders) share(tenant uint8) share {
	t := &s.tenants[tenant]
	own, sum := s.weightOf(tenant), s.weight
	if t.live == 0 {
		sum += own
	}
	n := uint64(max(1, t.senders))
	if own == sum { // of one tenant, n says it all
		return share{parts: 1, whole: n}
	}
	return share{parts: own, whole: sum * n}
}

// link makes a sender the newest.
func (s *senders) link(i int32) {
	p := &s.list[i]
	p.newer, p.older = nobody, s.newest
	if s.newest == nobody {
		s.oldest = i
	} else {
		s.list[s.newest].newer = i
	}
	s.newest = i
}

func (s *senders) unlink(i int32) {
	p := &s.list[i]
	if p.newer == nobody {
		s.newest = p.older
	} else {
		s.list[p.newer].older = p.older
	}
	if p.older == nobody {
		s.oldest = p.newer
	} else {
		s.list[p.older].newer = p.newer
	}
}
