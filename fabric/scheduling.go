package fabric

import (
	"weft/protocol"
	"weft/unit"
)

// SchedulingConfig describes the schedulers of ports with several classes. The zero value is strict priority.
type SchedulingConfig struct {
	// New makes the scheduler of one port, as in protocol.Scheduling.
	New func(env protocol.SchedulerEnv) (protocol.Scheduler, error)
	// Reserved and Frame are as in protocol.SchedulerEnv.
	Reserved int
	Frame    unit.Bytes
}

// scheduler asks a rule of one port which class sends next.
type scheduler struct {
	rule   protocol.Scheduler
	ready  protocol.Ready
	others uint64 // decisions for another class than the first open one
	wrong  uint64 // decisions for a class that was not open
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
