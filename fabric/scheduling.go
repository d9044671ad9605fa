package fabric

import (
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// scheduler asks a rule of one port which class sends next.
type scheduler struct {
	rule   protocol.Scheduler
	ready  protocol.Ready
	others uint64 // decisions for another class than the first open one
	wrong  uint64 // decisions for a class that was not open
}

// placeSchedulers gives each port with several classes a scheduler, if there is one.
func (n *Network) placeSchedulers(c *Config) error {
	if c.Scheduling.New == nil {
		return nil
	}
	if c.LaneGroups.on() {
		return fmt.Errorf("fabric: lanes of one priority go in the order of arrival, and have no scheduler")
	}
	for _, d := range n.domains {
		for i := range d.ports {
			q := d.ports[i].disc
			if q == nil || len(q.classes) < 2 {
				continue
			}
			rule, err := c.Scheduling.New(protocol.SchedulerEnv{
				Rate: d.cold[i].rate, Classes: len(q.classes), Reserved: c.Reserved, Frame: c.Frame,
			})
			if err != nil {
				return err
			}
			q.scheduler = &scheduler{rule: rule}
			q.chooses, q.notes, q.more = true, true, true
		}
	}
	return nil
}

// schedule returns the class to serve of those that are open; k is the one that goes by strict priority and the ratio of headers.
func (q *discipline) schedule(d *Domain, k, open uint8) uint8 {
	s := q.scheduler
	if q.ratio > 0 { // which decided between class 0 and the others
		if k == 0 {
			return 0
		}
		open &^= first
	}
	s.ready.Waiting, s.ready.Open = q.occupied, open
	for i := range q.classes {
		s.ready.Heads[i] = 0
		if c := &q.classes[i]; c.head != c.tail {
			s.ready.Heads[i] = unit.Bytes(d.Packets[c.at(c.head).frame].Size)
		}
	}
	return s.next(k)
}

// next asks the rule. It keeps to the class that goes by strict priority, k, if the rule names one that is not open.
func (s *scheduler) next(k uint8) uint8 {
	chosen := s.rule.Next(&s.ready)
	switch {
	case chosen < 0 || chosen >= protocol.MaxClasses || s.ready.Open>>chosen&1 == 0:
		s.wrong++
		return k
	case uint8(chosen) != k:
		s.others++
	}
	return uint8(chosen)
}

// sole tells of a frame of class k that found the port idle, and goes at once.
func (s *scheduler) sole(k uint8, size uint32) {
	s.rule.Queued(int(k), unit.Bytes(size), true)
	s.ready.Waiting, s.ready.Open = 1<<k, 1<<k
	clear(s.ready.Heads[:])
	s.ready.Heads[k] = unit.Bytes(size)
	s.next(k)
}
