package watch

import (
	"weft/fabric"
	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// Observer looks at a run at times, between events.
type Observer interface {
	// Due returns when the run must stop for it next, unit.Forever if it need not.
	Due() unit.Time
	// Look does what is due at a moment, before any packet event of its instant. It is called whenever the run stops, and once when it
	// is over.
	Look(m *Moment) error
	// Open is called when the measured window begins, Close when it ends. Each is called once in a run.
	Open(now unit.Time)
	Close(now unit.Time)
	// Section writes what it noted into a result, which has the rows of ports and the sums of messages then. The network may be gone.
	Section(m *Moment, res *record.Result)
}

// Some observers do more than that.
type (
	// Recorder notes values one after another, of which there must not be too many.
	Recorder interface {
		// Recorded returns how many values are noted. The error says that there is no room for more.
		Recorded(now unit.Time) (values int64, err error)
	}
	// Auditor counts something one by one that must add up at any moment. The error says what does not.
	Auditor interface{ Audit(now unit.Time) error }
	// Tabled has many rows in its section.
	Tabled interface{ Rows() int }
	// Listener is shown every message at the end of a run.
	Listener interface {
		Message(m *transport.Message, measured bool)
	}
	// Doubter says at the end of a run why its numbers are to be doubted.
	Doubter interface {
		Doubt(m *Moment, messages *transport.Messages, say func(kind record.NoticeKind, text string))
	}
	// Guard says why frames wait for good in a network in which no message waits for them; "" if it does not know.
	Guard interface{ Waits() string }
)

// Moment is a run at one of its stops. There is one for the whole run, in which observers also note what others go by.
type Moment struct {
	Now unit.Time
	// Next is a time before which nothing happens in the network.
	Next unit.Time
	// Last tells that the run ends now if it goes on so far, Over that it has ended.
	Last, Over bool
	// Acted is when something outside the network last acted on the run.
	Acted unit.Time
	// Changes and Repairs are how many changes of links, and of routes too, are still to come.
	Changes, Repairs int
	// Rerouted tells that routes changed.
	Rerouted bool
	// Ended is how the run ended, empty while it goes on; Blocked is why it is stuck.
	Ended   record.Ending
	Blocked Blocked
}

// Blocked is what holds up a run that makes no progress.
type Blocked struct {
	Cause string
	// Deadlocked tells that pauses wait for each other.
	Deadlocked bool
}

// Scene is what observers look at. Network and Transport are nil once a run has let go of them.
type Scene struct {
	Graph     *topo.Graph
	Network   *fabric.Network
	Transport *transport.Transport
	From, To  unit.Time // measured
}

// Host returns the name of a host.
func (s *Scene) Host(host int32) string { return s.Graph.Nodes[s.Graph.Hosts[host]].Name }

// Span returns how much of the measured window a run has had.
func (s *Scene) Span(now unit.Time) unit.Time { return min(now, s.To) - min(s.From, now) }

// Nothing is an observer that does nothing. Others embed it, and say what they do.
type Nothing struct{}

// Due returns Forever.
func (Nothing) Due() unit.Time { return unit.Forever }

// Look does nothing.
func (Nothing) Look(*Moment) error { return nil }

// Open does nothing.
func (Nothing) Open(unit.Time) {}

// Close does nothing.
func (Nothing) Close(unit.Time) {}

// Section writes nothing.
func (Nothing) Section(*Moment, *record.Result) {}
