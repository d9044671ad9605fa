// Package record holds the results of a finished run: one row per measured message, one row per
// port, recorded series, a summary and a manifest. It writes them into a folder that appears
// whole or not at all, reads such folders back, hashes results, and finds the first difference
// between two of them. It knows nothing about how a run is simulated.
package record

import (
	"math"

	"weft/unit"
)

// Result is everything that one run (one variant of a scenario) leaves.
type Result struct {
	Manifest Manifest
	Summary  Summary
	// Flows holds the recorded messages, in any order.
	Flows []Flow
	// Ports holds all directed links, in any order.
	Ports []Port
	// Series holds the recorded series in long form.
	Series []Series
	// Faults lists the periods in which ports were in abnormal states, in order of their begin,
	// at most MostFaults.
	Faults []Fault
	// Marks lists the instants that figures point out.
	Marks []Mark
	// Nodes lists the hosts and switches, in the order of the topology.
	Nodes []Node
	// Snapshots hold the activity of all ports in some tens of equal time spans of the run, for
	// maps. They are sorted by time, then by port in the order of the topology. Spans in which a
	// port did nothing are left out.
	Snapshots []Snapshot
	// Pauses lists the classes of links that were paused, or whose receiving ends paused others.
	Pauses []Pause
	// Jobs is the outcome of replayed traces.
	Jobs Jobs
}

// Flow is one message.
type Flow struct {
	// Group is the name of the traffic group.
	Group string
	// ID is unique in the run. It is the same in every variant that sends the same workload,
	// whatever is recorded: the index of the group in the scenario (from bit 58), the index of
	// the host in the topology (from bit 32), and the index of the message among those of this
	// host and group.
	ID uint64
	// Measured reports whether the message started in the measured window, or ended there if the
	// scenario counts by ends. Summaries and the result hash cover only measured messages.
	Measured bool
	// Src and Dst are host names.
	Src, Dst string
	// Bytes is the payload.
	Bytes unit.Bytes
	// Packets is the number of data packets that carry the payload.
	Packets int64
	// Start is when the message was handed to the transport.
	Start unit.Time
	// End is when its last byte was delivered at the receiver, or Unfinished.
	End unit.Time
	// SenderEnd is when the sender knew that all of it was acknowledged, or Unfinished.
	SenderEnd unit.Time
	// Ideal is the FCT of the same message alone in the fault-free network on a minimal path,
	// store-and-forward, with the headers of its own protocol.
	Ideal unit.Time
	// IdealRef is like Ideal but with a reference header that is the same for every protocol, so
	// that slowdowns are comparable across protocols.
	IdealRef unit.Time
	// IdealBare is a lower bound for any protocol in the fault-free network over any paths: the
	// least delays of any path, plus the payload at the rate at which data can get from sender to
	// receiver over all paths together (their minimum cut), without headers and as if switches
	// were cut-through.
	IdealBare unit.Time
	// IdealAck is Ideal plus the return of the last packet's acknowledgement, for SlowdownAck.
	IdealAck unit.Time
	// Retransmits counts retransmitted data packets, Timeouts expiries of the retransmission
	// timer, and Trims trimmed headers that reached the receiver. The first two may be Unknown.
	Retransmits, Timeouts, Trims int64
}

// Unknown stands for a count that was not measured, such as what real endpoints do for one
// message among many. Files and tables leave it out.
const Unknown int64 = -1

// sum adds counts, either of which may be unknown.
func sum(a, b int64) int64 {
	if a == Unknown || b == Unknown {
		return Unknown
	}
	return a + b
}

// nullable returns a count for JSON and tables, nil if it is unknown.
func nullable(n int64) *int64 {
	switch {
	case n == Unknown:
		return nil
	case n == 0: // the most common case: no allocation
		return &zero
	}
	return &n
}

// zero must not be written to.
var zero int64

// fromNullable is the inverse of nullable.
func fromNullable(n *int64) int64 {
	if n == nil {
		return Unknown
	}
	return *n
}

// Finished reports whether the last byte was delivered.
func (f *Flow) Finished() bool { return f.End != Unfinished }

// FCT returns the flow completion time, from start to the delivery of the last byte, or
// Unfinished.
func (f *Flow) FCT() unit.Time {
	if !f.Finished() {
		return Unfinished
	}
	return f.End - f.Start
}

// Slowdown returns FCT over Ideal, or NaN if the flow is unfinished or has no ideal.
func (f *Flow) Slowdown() float64 { return f.over(f.Ideal) }

// SlowdownRef returns FCT over IdealRef, or NaN if the flow is unfinished or has no such ideal.
func (f *Flow) SlowdownRef() float64 { return f.over(f.IdealRef) }

// SlowdownBare returns FCT over IdealBare, or NaN if the flow is unfinished or has no such ideal.
// This is SIRD's definition of slowdown (NSDI 2025). The denominator is the same for every
// protocol.
func (f *Flow) SlowdownBare() float64 { return f.over(f.IdealBare) }

// SlowdownAck returns the time until the sender knew that all was acknowledged, over IdealAck. It
// is NaN if that never happened or there is no such ideal. This is dcPIM's definition of slowdown
// (SIGCOMM 2022).
func (f *Flow) SlowdownAck() float64 {
	if f.SenderEnd == Unfinished || f.IdealAck <= 0 {
		return math.NaN()
	}
	return float64(f.SenderEnd-f.Start) / float64(f.IdealAck)
}

func (f *Flow) over(ideal unit.Time) float64 {
	if !f.Finished() || ideal <= 0 {
		return math.NaN()
	}
	return float64(f.FCT()) / float64(ideal)
}

// Port is one directed link with the counters of the port that feeds it.
type Port struct {
	// Name is unique in the run, such as "tor0->spine3". From and To are the nodes at its ends.
	Name string `parquet:"name,dict" json:"name"`
	From string `parquet:"from,dict" json:"from"`
	To   string `parquet:"to,dict" json:"to"`
	// Rate is the nominal rate, without faults.
	Rate unit.Rate `parquet:"rate_bps" json:"rate_bps"`
	// Frames and Bytes were accepted for the port, including those sent to a dead link.
	Frames int64 `parquet:"accepted_frames" json:"accepted_frames"`
	Bytes  int64 `parquet:"accepted_bytes" json:"accepted_bytes"`
	// SentFrames and SentBytes were serialized in full.
	SentFrames int64 `parquet:"transmitted_frames" json:"transmitted_frames"`
	SentBytes  int64 `parquet:"transmitted_bytes" json:"transmitted_bytes"`
	Drops
	// DroppedBytes are the bytes of dropped frames.
	DroppedBytes int64 `parquet:"dropped_bytes" json:"dropped_bytes"`
	// FlushedFrames and FlushedBytes count the drops that had been accepted before: a failing
	// link loses its queue.
	FlushedFrames int64 `parquet:"flushed_frames" json:"flushed_frames"`
	FlushedBytes  int64 `parquet:"flushed_bytes" json:"flushed_bytes"`
	// Marks counts frames marked with ECN congestion experienced.
	Marks int64 `parquet:"ecn_marks" json:"ecn_marks"`
	// Trims counts frames cut to their header here, and TrimmedBytes the bytes cut off.
	Trims        int64 `parquet:"trims" json:"trims"`
	TrimmedBytes int64 `parquet:"trimmed_bytes" json:"trimmed_bytes"`
	// QueueMean is the mean queue over the measured time in bytes, and QueueMax its exact
	// maximum. The queue consists of the whole frames that are accepted and not yet fully
	// serialized.
	QueueMean float64    `parquet:"queue_mean_bytes" json:"queue_mean_bytes"`
	QueueMax  unit.Bytes `parquet:"queue_max_bytes" json:"queue_max_bytes"`
}

// Unlimited is the window of a control that does not limit the data in flight, such as one that
// only paces.
const Unlimited = 1 << 40

// Kinds of series.
const (
	// Accepted is the bytes accepted for a port in the bucket that begins at Time. Bytes sent to
	// a dead link count, so it can exceed the line rate.
	Accepted = "accepted"
	// Transmitted is the bytes serialized in the bucket. A frame that spans several buckets is
	// divided among them by time.
	Transmitted = "transmitted"
	// Queue is the queue in bytes at Time.
	Queue = "queue"
	// Dropped is the number of frames dropped at a port in the bucket, for any reason.
	Dropped = "dropped"
	// Paused is the time in the bucket during which some lossless class of a port was paused, in
	// picoseconds.
	Paused = "paused"
	// Window is the congestion window of a connection in bytes at Time, Unlimited or more if it
	// limits nothing. InFlight is what the connection has sent and not had acknowledged. The
	// entity is the connection, as in "host0->host5" or "host0->host5#2".
	Window   = "window"
	InFlight = "in_flight"
	// Pace is the rate in bit/s at which the control of a connection spaces its packets at Time,
	// if it does.
	Pace = "pace"
	// Buffer is the mean buffer occupancy of a switch over the bucket that begins at Time, in
	// bytes. Its buckets are the intervals of the summary's Buffers and lie in the measured window.
	Buffer = "buffer"
)

// Series is one value of a recorded series. The length of a bucket is the manifest's Interval. A
// bucket without a row has the value 0.
type Series struct {
	// Kind is the kind of value: Accepted, Transmitted, Queue or another of the kinds above.
	Kind string `parquet:"kind,dict" json:"kind"`
	// Entity names what was recorded: for the kinds above, a port, connection or switch.
	Entity string `parquet:"entity,dict" json:"entity"`
	// Time is the start of the bucket.
	Time unit.Time `parquet:"time_ps,delta" json:"time_ps"`
	// Value is in the unit of its kind, mostly bytes.
	Value int64 `parquet:"value,delta" json:"value"`
}

// Mark is an instant that figures point out, such as a fault.
type Mark struct {
	At   unit.Time `json:"at"`
	What string    `json:"what"`
}

// Node is a host or switch of the topology.
type Node struct {
	Name string `parquet:"name" json:"name"`
	// Kind is "host" or "switch".
	Kind string `parquet:"kind,dict" json:"kind"`
	// Tier is the number of links to the nearest host: 0 for hosts, 1 for the switches that hosts
	// are attached to, and so on.
	Tier int32 `parquet:"tier" json:"tier"`
}

// Snapshot is the activity of one port in one time span.
type Snapshot struct {
	// Time is the start of the span. The manifest's SnapshotInterval is its length.
	Time unit.Time `parquet:"time_ps,delta" json:"time_ps"`
	// Port is the port's name.
	Port string `parquet:"port,dict" json:"port"`
	// Transmitted is the bytes serialized in the span.
	Transmitted int64 `parquet:"transmitted_bytes" json:"transmitted_bytes"`
	// Queue is the queue in bytes at the end of the span.
	Queue int64 `parquet:"queue_bytes" json:"queue_bytes"`
	// Dropped is the number of frames dropped in the span.
	Dropped int64 `parquet:"dropped_frames" json:"dropped_frames"`
}
