package trace

import "fmt"

// Wrong is a way in which a trace cannot be replayed.
type Wrong string

// Ways in which a trace cannot be replayed.
const (
	// badPeer: the peer is not a rank of the trace.
	badPeer Wrong = "bad peer"
	// cycle: operations wait for each other.
	cycle Wrong = "cycle"
	// UnmatchedSend: no receive takes the message.
	UnmatchedSend Wrong = "unmatched send"
	// UnmatchedRecv: no message reaches the receive.
	UnmatchedRecv Wrong = "unmatched recv"
	// surplus: a rank with wildcards has more receives than messages, or fewer.
	surplus Wrong = "surplus"
	// Unbegun: operations that wait for others that never end.
	Unbegun Wrong = "never began"
)

// Fault is one place where a trace cannot be replayed.
type Fault struct {
	Wrong Wrong
	Rank  int
	// Name is the operation's label or number; empty if the fault is the rank's.
	Name string
	Text string
}

// String returns the fault with its place.
func (f Fault) String() string {
	if f.Name == "" {
		return fmt.Sprintf("rank %d: %s", f.Rank, f.Text)
	}
	return fmt.Sprintf("rank %d, %s: %s", f.Rank, f.Name, f.Text)
}

// Faults is what is wrong with a trace.
type Faults struct {
	// List has the first faults.
	List []Fault
	// Total counts all, and Most is how many the list has at most.
	Total, Most int
}

// Add adds a fault.
func (f *Faults) Add(fault Fault) {
	f.Total++
	if len(f.List) < f.Most {
		f.List = append(f.List, fault)
	}
}

// Fault returns a fault of an operation.
func (t *Trace) Fault(w Wrong, rank int, op uint32, format string, args ...any) Fault {
	return Fault{w, rank, t.Ranks[rank].Name(op), fmt.Sprintf(format, args...)}
}
