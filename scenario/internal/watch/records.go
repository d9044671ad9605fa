package watch

import (
	"fmt"

	"weft/fabric"
	"weft/topo"
	"weft/unit"
)

// Records is what of a run is to be noted.
type Records struct {
	Ports    []topo.PortID // with series
	pairs    []hostPairs   // of whose connections windows are noted
	Reaction *unit.Time    // a moment to which rates of connections react; nil if there is none
	Credit   bool          // that receivers grant
	Interval unit.Time     // of series
	Switches []topo.NodeID // of which buffering is noted
	Buffers  BufferOptions
	Spans    int // of snapshots, about; 0 takes none
}

// AddWindows has the windows of connections noted that a pattern such as host0->host* names.
func (r *Records) AddWindows(g *topo.Graph, pattern string) error {
	pairs, err := matchPairs(g, pattern)
	if err == nil {
		r.pairs = append(r.pairs, pairs)
	}
	return err
}

// BufferOptions say how the buffering of switches is averaged.
type BufferOptions struct {
	Interval unit.Time
	// Waiting leaves out frames in service.
	Waiting bool
}

// Of returns what looks at a scene for some records, whose base round-trip time is rtt.
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

// full says that series of an interval, which a key gives, have no room for more buckets.
func full(key string, interval unit.Time, now unit.Time) error {
	return fmt.Errorf("record.%s is %v, and a series has %d buckets by %v, which is the most; write %s: %v or more, or end the run earlier, as in until: %v",
		key, interval, fabric.MostBuckets, now, key, 10*interval, now/10)
}
