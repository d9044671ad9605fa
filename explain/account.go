package explain

import (
	"cmp"
	"slices"

	"weft/unit"
)

// Kind is a part of the completion time; see the package for what each includes.
type Kind uint8

// Parts of the completion time.
const (
	Serialisation Kind = iota
	Propagation
	QueueOwn
	QueueOthers
	HostWire
	Window
	ReorderLimit
	Credit
	HeldAck
	Retransmission
	LinkDown
	Pause

	Kinds = iota // their number
)

var kinds = [Kinds]struct{ word, title string }{
	Serialisation:  {"serialisation", "serialisation"},
	Propagation:    {"propagation", "propagation and switches"},
	QueueOwn:       {"queue_own", "queueing behind own packets"},
	QueueOthers:    {"queue_others", "queueing behind others"},
	HostWire:       {"host_wire", "host wire busy with others"},
	Window:         {"window", "waiting for window"},
	ReorderLimit:   {"reorder_limit", "waiting at reorder limit"},
	Credit:         {"credit", "waiting for credit"},
	HeldAck:        {"held_ack", "acknowledgement held back"},
	Retransmission: {"retransmission", "waiting for retransmission"},
	LinkDown:       {"link_down", "own link down"},
	Pause:          {"pause", "paused"},
}

// String returns the part's word in data.
func (k Kind) String() string { return kinds[k].word }

// Title returns the part's name for people.
func (k Kind) Title() string { return kinds[k].title }

// kind returns what waiting for a reason counts as.
func (r Reason) kind() Kind {
	switch r {
	case ByReorderLimit:
		return ReorderLimit
	case ByCredit:
		return Credit
	}
	return Window
}

// What is what happened in a segment, whatever it counts as.
type What uint8

// What happens on a path.
const (
	Serialising What = iota
	Propagating
	Queueing
	// Waiting is at a host.
	Waiting
	// Timeout is waiting for the retransmission timeout.
	Timeout
)

// String returns what happened in a word.
func (w What) String() string {
	return [...]string{"serialising", "propagating", "queueing", "waiting", "timeout"}[w]
}

// Segment is a piece of the critical path.
type Segment struct {
	From, To unit.Time
	Kind     Kind
	What     What
	// Frame and Packet say whose journey or wait it belongs to, Port where.
	Frame  FrameKind
	Packet uint32
	Port   int32
}

// same tells whether two segments differ in their times only.
func (s *Segment) same(o *Segment) bool {
	return s.Kind == o.Kind && s.What == o.What && s.Frame == o.Frame && s.Packet == o.Packet && s.Port == o.Port
}

// PortShare is what a port has in the critical path.
type PortShare struct {
	Port int32
	// Own and Others are queueing behind packets of the message and behind others.
	Own, Others unit.Time
	// Frames counts the frames of the path that waited there.
	Frames int
}

// Queueing returns all queueing at the port.
func (p PortShare) Queueing() unit.Time { return p.Own + p.Others }

// Account is the completion time of a message, accounted for.
type Account struct {
	// Total is the completion time, or that up to the end of the run.
	Total unit.Time
	// Parts add up to Total.
	Parts [Kinds]unit.Time
	// Path is the critical path in order of time.
	Path []Segment
	// Ports are those at which frames of the path queued, by queueing.
	Ports []PortShare
	// Rounds counts the acknowledgements on the path, Losses the lost copies.
	Rounds, Losses int
	// Unknown counts the steps of the path whose cause was not known.
	Unknown int
}

// Build accounts for the completion time of a message.
func Build(t *Trace) *Account {
	w := t.walk()
	a := &Account{Total: t.End - t.Start, Path: w.segments, Rounds: w.rounds, Losses: w.losses, Unknown: w.guesses}
	ports := map[int32]*PortShare{}
	type stop struct {
		port   int32
		frame  FrameKind
		packet uint32
	}
	var last stop
	for _, s := range a.Path {
		took := s.To - s.From
		a.Parts[s.Kind] += took
		here := stop{s.Port, s.Frame, s.Packet}
		if s.Kind == QueueOwn || s.Kind == QueueOthers {
			p := ports[s.Port]
			if p == nil {
				p = &PortShare{Port: s.Port}
				ports[s.Port] = p
			}
			if s.Kind == QueueOwn {
				p.Own += took
			} else {
				p.Others += took
			}
			if here != last {
				p.Frames++
			}
		} else {
			here = stop{port: None}
		}
		last = here
	}
	for _, p := range ports {
		a.Ports = append(a.Ports, *p)
	}
	slices.SortFunc(a.Ports, func(x, y PortShare) int {
		return cmp.Or(cmp.Compare(y.Queueing(), x.Queueing()), cmp.Compare(x.Port, y.Port))
	})
	return a
}
