package scenario

import (
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/transport"
	"weft/unit"
)

// steadiness reads the backlog in the measured window, to judge whether the load was
// carried.
type steadiness struct {
	watched
	span     unit.Time
	due      unit.Time
	backlog  []unit.Bytes
	started  [2]uint64 // payload, at the first look and the last
	messages [2]uint64 // likewise those that started
	rtt      unit.Time
	loads    [][]transport.Load // of hosts, at the edges of quarters
	underWay unit.Bytes         // at the end of the window, of messages as if each were alone
	began    []transport.Load   // of hosts when the window began, if it ends
	least    *record.LeastHost
}

// newSteadiness plans the looks; there are none in a window that has no end.
func newSteadiness(w watched) *steadiness {
	to := min(w.times.to, w.times.until)
	if to == unit.Forever || to <= w.times.from {
		return &steadiness{watched: w, due: unit.Forever}
	}
	return &steadiness{watched: w, span: to - w.times.from, due: w.times.from, rtt: w.derived.rtt}
}

// Due returns when the backlog is read next.
func (s *steadiness) Due() unit.Time { return s.due }

// Look reads the backlog if that is due.
func (s *steadiness) Look(m *watch.Moment) error {
	if m.Now < s.due {
		return nil
	}
	c := s.Transport.Counts()
	if len(s.backlog) == 0 {
		s.started[0], s.messages[0] = c.StartedBytes, c.Started
	}
	s.started[1], s.messages[1] = c.StartedBytes, c.Started
	if quarter(len(s.backlog)) {
		s.loads = append(s.loads, s.Transport.Loads())
	}
	s.backlog = append(s.backlog, unit.Bytes(c.StartedBytes)-unit.Bytes(c.DeliveredBytes))
	s.due = unit.Forever
	if i := unit.Time(len(s.backlog)); i < record.StabilityLooks {
		const steps = record.StabilityLooks - 1
		s.due = max(m.Now+1, s.times.from+s.span/steps*i+s.span%steps*i/steps)
	}
	return nil
}

// Open notes what hosts have sent so far.
func (s *steadiness) Open(unit.Time) {
	if s.span > 0 {
		s.began = s.Transport.Loads()
	}
}

// Close tells how evenly hosts sent in the window; that is not known of one that has no end.
func (s *steadiness) Close(unit.Time) {
	if s.began == nil {
		return
	}
	hosts := make([]record.HostLoad, len(s.began))
	for i, now := range s.Transport.Loads() {
		was := s.began[i]
		hosts[i] = record.HostLoad{Had: now.Started - was.Sent, Sent: now.Sent - was.Sent}
	}
	s.began = nil
	s.least = record.LeastOf(hosts, func(host int) string { return s.hostName(int32(host)) })
}

// Section adds whether the load was carried, and by whom least.
func (s *steadiness) Section(_ *watch.Moment, res *record.Result) {
	res.Summary.Stability, res.Summary.LeastHost = s.judge(), s.least
}

// judge tells whether the load was carried; nil if that cannot be told.
func (s *steadiness) judge() *record.Stability {
	j := record.Judge(s.backlog, unit.Bytes(s.started[1])-unit.Bytes(s.started[0]))
	j.Doubt(s.span, s.rtt, s.messages[1]-s.messages[0])
	if j != nil && j.Unstable {
		load := 0.0
		if s.offering.load != nil {
			_, load, _ = s.offering.load.Over()
		}
		j.Allow(s.underWay, s.span, load)
	}
	return j
}

// Message adds what of a message that started in the window would not have arrived at its end if it had the
// links of its two hosts to itself.
func (s *steadiness) Message(m *transport.Message, _ bool) {
	if s.rtt == 0 || m.Start < s.times.from || m.Start >= s.times.from+s.span || m.End != transport.Unfinished && m.End < s.times.from+s.span {
		return
	}
	left := m.Size
	if gone := s.times.from + s.span - m.Start - s.rtt; gone > 0 {
		left = max(0, left-min(s.lineRate(m.Src), s.lineRate(m.Dst)).In(gone))
	}
	s.underWay += left
}
