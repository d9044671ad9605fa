package watch

import (
	"weft/fabric"
	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// Observer looks at a run from time to time, between events.
type Observer interface {
	// Due returns the next time at which the run must stop for the observer, or
	// unit.Forever.
	Due() unit.Time
	// Look does the work that is due at a moment, before any packet event of that instant.
	// The run calls it at every stop, and once when it is over.
	Look(m *Moment) error
	// Open is called when the measured window begins, Close when it ends. Each is called
	// once per run.
	Open(now unit.Time)
	Close(now unit.Time)
	// Section writes the records into a result, which has its rows of ports and sums of
	// messages by then. The network may already be freed.
	Section(m *Moment, res *record.Result)
}

// Some observers implement further interfaces.
type (
	// Recorder records values one after another, and their number is limited.
	Recorder interface {
		// Recorded returns the number of recorded values. It fails if there is no room for
		// more.
		Recorded(now unit.Time) (values int64, err error)
	}
	// Auditor counts something independently that must add up at any moment. Its error
	// describes what does not.
	Auditor interface{ Audit(now unit.Time) error }
	// Tabled is an observer whose section has many rows.
	Tabled interface{ Rows() int }
	// Listener receives every message at the end of a run.
	Listener interface {
		Message(m *transport.Message, measured bool)
	}
	// Doubter reports, at the end of a run, reasons to doubt its numbers.
	Doubter interface {
		Doubt(m *Moment, messages *transport.Messages, say func(kind record.NoticeKind, text string))
	}
	// Guard explains why frames wait forever although no message waits for them. It returns
	// "" if it does not know.
	Guard interface{ Waits() string }
)

// Moment is the state of a run at one of its stops. A run has one Moment, through which
// observers also exchange state.
type Moment struct {
	Now unit.Time
	// Next is a time before which nothing happens in the network.
	Next unit.Time
	// Last: the run ends now if no event prevents it. Over: the run has ended.
	Last, Over bool
	// Acted is the last time at which something outside the network changed the run.
	Acted unit.Time
	// Changes counts the changes of links still to come. Repairs also counts changes of
	// routes.
	Changes, Repairs int
	// Rerouted: routes have changed.
	Rerouted bool
	// Ended is how the run ended, or empty while it goes on. Blocked explains why it is
	// stuck.
	Ended   record.Ending
	Blocked Blocked
}

// Blocked is the reason why a run makes no progress.
type Blocked struct {
	Cause string
	// Deadlocked: paused links wait for each other.
	Deadlocked bool
}

// Scene is the network that observers look at. Network and Transport are nil once the run
// has freed them.
type Scene struct {
	Graph     *topo.Graph
	Network   *fabric.Network
	Transport *transport.Transport
	From, To  unit.Time // the measured window
}

// Host returns the name of a host.
func (s *Scene) Host(host int32) string { return s.Graph.Nodes[s.Graph.Hosts[host]].Name }

// Span returns the length of the measured window up to now.
func (s *Scene) Span(now unit.Time) unit.Time { return min(now, s.To) - min(s.From, now) }

// Nothing is an observer that does nothing. Observers embed it and override some methods.
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
