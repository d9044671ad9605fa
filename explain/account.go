package explain

import (
	"cmp"
	"slices"

	"weft/unit"
)

// Kind is a part of the completion time. The package comment defines each part.
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

	Kinds = iota // number of kinds
)

// kinds has the word, name and meaning of each part.
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

// String returns the word that stands for the part in data.
func (k Kind) String() string { return kinds[k].word }

// Title returns the part's name for readers.
func (k Kind) Title() string { return kinds[k].title }

// About returns one line on what the part includes. The package comment has the full definition.
func (k Kind) About() string { return kinds[k].about }

// kind returns the part that waiting for a reason counts as.
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

// What is what happens in a segment, whichever part it counts as.
type What uint8

// What happens on a path.
const (
	Serialising What = iota
	Propagating
	Queueing
	// Waiting is a wait at a host.
	Waiting
	// Late is the jitter of a host.
	Late
	// Timeout is a wait for the retransmission timeout.
	Timeout
)

// String returns a word for what happened.
func (w What) String() string {
	return [...]string{"serialising", "propagating", "queueing", "waiting", "late", "timeout"}[w]
}

// Segment is a piece of the critical path.
type Segment struct {
	From, To unit.Time
	Kind     Kind
	What     What
	// Frame and Packet identify the frame that travels or waits, Port is where.
	Frame  FrameKind
	Packet uint32
	Port   int32
	// Step is the index of the path's step that contains the segment.
	Step int
}

// same reports whether two segments differ only in their times.
func (s *Segment) same(o *Segment) bool {
	return s.Step == o.Step && s.Kind == o.Kind && s.What == o.What && s.Frame == o.Frame && s.Packet == o.Packet && s.Port == o.Port
}

// StepKind is the kind of a step of the critical path.
type StepKind uint8

// Steps of a critical path.
const (
	// LastJourney is the journey of the packet that completes the message.
	LastJourney StepKind = iota
	// Turn is a packet's wait for its turn on the host's wire.
	Turn
	// RoundTrip is the round trip of a packet and its acknowledgement, which the next
	// packet had to wait for.
	RoundTrip
	// CreditTrip is the round trip of a packet and the grant that its receiver sent
	// next, which the next packet had to wait for.
	CreditTrip
	// RequestTrip is the round trip of a request for credit and its grant.
	RequestTrip
	// Spacing is the time from the previous packet until the next one was due by the pace.
	Spacing
	// LostCopy is the journey of a lost copy, and the time until its sender knew of the loss.
	LostCopy
	// Standstill is a time during which nothing was sent.
	Standstill
	// Guess is a time that other messages of the connection caused.
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
	// Other reports that the packet belongs to another message of the connection.
	Other bool
	// From and To are when the step began and ended. Parts divides that time.
	From, To unit.Time
	Parts    [Kinds]unit.Time
	// Worst is the port at which the step queued longest, or None.
	Worst int32
	// Paused is the port at which the step was paused longest, or None.
	Paused int32
	// LostPort is where a copy was lost and Why the reason. LostPort is None if the
	// copy was only taken for lost.
	LostPort int32
	Why      string
}

// WasTrimmed is the reason for the loss of a copy whose header alone went on.
const WasTrimmed = "trimmed"

// PortShare is the share of a port in the critical path.
type PortShare struct {
	Port int32
	// Own and Others are the queueing behind packets of the message and behind other packets.
	Own, Others unit.Time
	// Paused is how long frames waited because the far end of the link had paused their class.
	Paused unit.Time
	// Frames counts the frames of the path that waited there.
	Frames int
}

// Queueing returns all queueing at the port.
func (p PortShare) Queueing() unit.Time { return p.Own + p.Others }

// Account divides the completion time of a message into its parts.
type Account struct {
	// Total is the completion time or, if the message is unfinished, the time up to
	// the end of the run.
	Total unit.Time
	// Parts add up to Total.
	Parts [Kinds]unit.Time
	// Path is the critical path in order of time. Steps are the links of its chain of
	// causes, without those that took no time.
	Path  []Segment
	Steps []Step
	// Ports are the ports at which frames of the path queued or were paused, sorted
	// by queueing, then by pauses.
	Ports []PortShare
	// Slow lists the links slower than the sender's, sorted by their share of the path.
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

// Build divides the completion time of a message into its parts.
func Build(t *Trace) *Account {
	w := t.walk()
	a := &Account{Total: t.End - t.Start, Path: w.segments}
	a.addSteps(w.steps)
	a.addPorts()
	a.addSlow(t)
	return a
}

// addSteps adds up the times of the path's steps.
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

// addPorts adds up queueing and pauses per port.
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
