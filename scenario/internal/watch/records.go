package watch

import (
	"fmt"

	"weft/fabric"
	"weft/topo"
	"weft/unit"
)

// Records configures what is recorded of a run.
type Records struct {
	Ports    []topo.PortID // ports with time series
	pairs    []hostPairs   // the connections whose windows are recorded
	Reaction *unit.Time    // the moment that rates react to; nil for none
	Credit   bool          // record the credit granted by receivers
	Interval unit.Time     // of series
	Switches []topo.NodeID // switches whose buffer occupancy is recorded
	Buffers  BufferOptions
	Spans    int // approximate number of snapshots; 0 for none
}

// AddWindows records the windows of connections that match a pattern such as host0->host*.
func (r *Records) AddWindows(g *topo.Graph, pattern string) error {
	pairs, err := matchPairs(g, pattern)
	if err == nil {
		r.pairs = append(r.pairs, pairs)
	}
	return err
}

// BufferOptions configures how buffer occupancy is averaged.
type BufferOptions struct {
	Interval unit.Time
	// Waiting leaves out frames in service.
	Waiting bool
}

// Of returns the observers that make the records of a scene. rtt is the base round-trip
// time.
func Of(s *Scene, r *Records, rtt unit.Time) (list []Observer) {
	if r.Spans > 0 {
		list = append(list, newSnapshots(s, r.Spans, rtt))
	}
	if len(r.Ports) > 0 {
		list = append(list, newPorts(s, r))
	}
	if len(r.pairs) > 0 {
		list = append(list, newWindows(s, r))
	}
	if r.Reaction != nil {
		list = append(list, newReactions(s, r))
	}
	if r.Credit {
		list = append(list, newCredit(s, r))
	}
	if len(r.Switches) > 0 {
		list = append(list, newBuffers(s, r))
	}
	return list
}

// full returns the error for series that have no room for more buckets. key is the option
// with their interval.
func full(key string, interval unit.Time, now unit.Time) error {
	return fmt.Errorf("record.%s is %v, and a series has %d buckets by %v, which is the most; write %s: %v or more, or end the run earlier, as in until: %v",
		key, interval, fabric.MostBuckets, now, key, 10*interval, now/10)
}
