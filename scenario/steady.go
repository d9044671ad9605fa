package scenario

import (
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/transport"
	"weft/unit"
)

// steadiness samples the backlog in the measured window, to judge whether the network
// carried the load.
type steadiness struct {
	watched
	span     unit.Time
	due      unit.Time
	backlog  []unit.Bytes
	started  [2]uint64 // payload, at the first and the last look
	messages [2]uint64 // started messages, at the first and the last look
	rtt      unit.Time
	loads    [][]transport.Load // of hosts, at the edges of quarters
	underWay unit.Bytes         // payload still under way at the end of the window if each message were alone
	began    []transport.Load   // of hosts at the start of the window, if it has an end
	least    *record.LeastHost
}

// newSteadiness plans the looks. There are none in a window without an end.
func newSteadiness(w watched) *steadiness {
	to := min(w.times.to, w.times.until)
	if to == unit.Forever || to <= w.times.from {
		return &steadiness{watched: w, due: unit.Forever}
	}
	return &steadiness{watched: w, span: to - w.times.from, due: w.times.from, rtt: w.derived.rtt}
}

// Due returns the time of the next look.
func (s *steadiness) Due() unit.Time { return s.due }

// Look samples the backlog if it is due.
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

// Open saves what hosts have sent before the window.
func (s *steadiness) Open(unit.Time) {
	if s.span > 0 {
		s.began = s.Transport.Loads()
	}
}

// Close finds the host that sent the least in the window. It does nothing in a window
// without an end.
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

// Section reports whether the load was carried, and the host that sent the least.
func (s *steadiness) Section(_ *watch.Moment, res *record.Result) {
	res.Summary.Stability, res.Summary.LeastHost = s.judge(), s.least
}

// judge decides whether the load was carried. It returns nil if that cannot be decided.
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

// Message adds the part of a message that would not have arrived by the end of the window
// even if the message had the links of both hosts to itself. It counts messages that
// started in the window.
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
