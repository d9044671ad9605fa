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
	Paced
	ReorderLimit
	Credit
	Grants
	HeldAck
	Retransmission
	LinkDown
	Pause
	LateHost

	Kinds = iota // their number
)

// kinds are the words, names and meanings of the parts.
var kinds = [Kinds]struct{ word, title, about string }{
	Serialisation:  {"serialisation", "serialisation", "own packets on a wire, once per link of the path"},
	Propagation:    {"propagation", "propagation and switches", "delays of links and latencies of switches"},
	QueueOwn:       {"queue_own", "queueing behind own packets", "at ports that sent other packets of the message"},
	QueueOthers:    {"queue_others", "queueing behind others", "at ports that sent anything else"},
	HostWire:       {"host_wire", "host wire busy with others", "the host's NIC sent other messages or control packets, or held a frame back (fabric.nic_jitter)"},
	Window:         {"window", "waiting for window", "the part of round trips that a larger window would have filled"},
	Paced:          {"paced", "paced", "the congestion control spaces packets, and the next one was not due while the host's wire was idle"},
	ReorderLimit:   {"reorder_limit", "waiting at reorder limit", "the oldest packet had to be acknowledged first"},
	Credit:         {"credit", "waiting for credit", "the sender had no credit; requests, data and credit were in flight, in no queue"},
	Grants:         {"receiver", "receiver had not granted", "the receiver knew of the message but had granted it nothing: it served others, kept to its limits or its pace, or its credit was outstanding, with lost packets or with senders that could not use it"},
	HeldAck:        {"held_ack", "acknowledgement held back", "the receiver waited for more packets to acknowledge"},
	Retransmission: {"retransmission", "waiting for retransmission", "from a packet's loss until its sender knew of it"},
	LinkDown:       {"link_down", "own link down", "the sender's own link was down"},
	LateHost:       {"host_jitter", "host jitter", "hosts were late, on the way out of one and on the way in at one (fabric.host_jitter)"},
	Pause:          {"pause", "paused", "the far end of a link, or of the host's, did not let the packet's class be sent (fabric.pfc)"},
}

// String returns the part's word in data.
func (k Kind) String() string { return kinds[k].word }

// Title returns the part's name for people.
func (k Kind) Title() string { return kinds[k].title }

// About says in a line what the part includes; the package comment says all.
func (k Kind) About() string { return kinds[k].about }

// kind returns what waiting for a reason counts as.
func (r Reason) kind() Kind {
	switch r {
	case ByReorderLimit:
		return ReorderLimit
	case ByCredit:
		return Credit
	case ByPace:
		return Paced
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
	// Late is the inexactness of a host.
	Late
	// Timeout is waiting for the retransmission timeout.
	Timeout
)

// String returns what happened in a word.
func (w What) String() string {
	return [...]string{"serialising", "propagating", "queueing", "waiting", "late", "timeout"}[w]
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
	// Step is the number of the path's step that it belongs to.
	Step int
}

// same tells whether two segments differ in their times only.
func (s *Segment) same(o *Segment) bool {
	return s.Step == o.Step && s.Kind == o.Kind && s.What == o.What && s.Frame == o.Frame && s.Packet == o.Packet && s.Port == o.Port
}

// StepKind tells what a step of the critical path is.
type StepKind uint8

// Steps of a critical path.
const (
	// LastJourney is that of the packet that completes the message.
	LastJourney StepKind = iota
	// Turn is a packet's wait for its turn on the host's wire.
	Turn
	// RoundTrip is that of a packet and its acknowledgement, without which the
	// next one was not allowed.
	RoundTrip
	// CreditTrip is that of a packet and of the grant that its receiver sent next,
	// without which the next one was not allowed.
	CreditTrip
	// RequestTrip is the same of a request for credit.
	RequestTrip
	// Spacing is the time from the packet before until the next one was due by the pace.
	Spacing
	// LostCopy is the journey of a copy that was lost, and the time until its
	// sender knew.
	LostCopy
	// Standstill is a time in which nothing was sent.
	Standstill
	// Guess is a time whose cause lies with other messages of the connection.
	Guess
)

// String returns the step's name.
func (k StepKind) String() string {
	return [...]string{"last journey", "turn", "round trip", "credit round trip", "request round trip", "spacing", "lost copy", "standstill", "other messages"}[k]
}

// Step is a link in the chain of causes.
type Step struct {
	Does   StepKind
	Packet uint32
	// Other tells that the packet is of another message of the connection.
	Other bool
	// From and To are when it began and ended, Parts what it took.
	From, To unit.Time
	Parts    [Kinds]unit.Time
	// Worst is the port at which it queued longest, or None.
	Worst int32
	// Paused is the port at which it was paused longest, or None.
	Paused int32
	// LostPort is where a lost copy ended and Why the reason; None if it was only taken
	// for lost.
	LostPort int32
	Why      string
}

// WasTrimmed is why a copy is lost of which only the header went on.
const WasTrimmed = "trimmed"

// PortShare is what a port has in the critical path.
type PortShare struct {
	Port int32
	// Own and Others are queueing behind packets of the message and behind others.
	Own, Others unit.Time
	// Paused is the time in which a frame waited there because its class was paused, by the far end of the link.
	Paused unit.Time
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
	// Path is the critical path in order of time, Steps the links of its chain of
	// causes; those that took no time are left out.
	Path  []Segment
	Steps []Step
	// Ports are those at which frames of the path queued or were paused, by queueing and then by pauses.
	Ports []PortShare
	// Slow are links that were slower than the sender's, by what they took.
	Slow []SlowLink
}

// Count returns how many steps of a kind the path has.
func (a *Account) Count(k StepKind) (n int) {
	for i := range a.Steps {
		if a.Steps[i].Does == k {
			n++
		}
	}
	return n
}

// Build accounts for the completion time of a message.
func Build(t *Trace) *Account {
	w := t.walk()
	a := &Account{Total: t.End - t.Start, Path: w.segments}
	a.addSteps(w.steps)
	a.addPorts()
	a.addSlow(t)
	return a
}

// addSteps adds up the steps of the path.
func (a *Account) addSteps(steps []Step) {
	number := -1
	queued, paused := map[int32]unit.Time{}, map[int32]unit.Time{} // in the step
	for i := range a.Path {
		s := &a.Path[i]
		took := s.To - s.From
		a.Parts[s.Kind] += took
		if s.Step != number {
			number = s.Step
			step := steps[number]
			step.From, step.Worst, step.Paused = s.From, None, None
			a.Steps = append(a.Steps, step)
			clear(queued)
			clear(paused)
		}
		s.Step = len(a.Steps) - 1
		step := &a.Steps[s.Step]
		step.To = s.To
		step.Parts[s.Kind] += took
		if s.Kind == QueueOwn || s.Kind == QueueOthers {
			queued[s.Port] += took
			if step.Worst == None || queued[s.Port] > queued[step.Worst] {
				step.Worst = s.Port
			}
		}
		if s.Kind == Pause {
			paused[s.Port] += took
			if step.Paused == None || paused[s.Port] > paused[step.Paused] {
				step.Paused = s.Port
			}
		}
	}
}

// addPorts adds up queueing and pauses by port.
func (a *Account) addPorts() {
	ports := map[int32]*PortShare{}
	type stop struct {
		port   int32
		frame  FrameKind
		packet uint32
	}
	var last stop
	for _, s := range a.Path {
		took := s.To - s.From
		here := stop{s.Port, s.Frame, s.Packet}
		if s.Kind == QueueOwn || s.Kind == QueueOthers || s.Kind == Pause {
			p := ports[s.Port]
			if p == nil {
				p = &PortShare{Port: s.Port}
				ports[s.Port] = p
			}
			switch s.Kind {
			case QueueOwn:
				p.Own += took
			case Pause:
				p.Paused += took
			default:
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
		return cmp.Or(cmp.Compare(y.Queueing(), x.Queueing()), cmp.Compare(y.Paused, x.Paused), cmp.Compare(x.Port, y.Port))
	})
}
