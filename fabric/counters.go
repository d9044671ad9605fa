package fabric

import "weft/unit"

// Reason tells why a frame was dropped.
type Reason uint8

// Reasons for a drop.
const (
	// QueueFull: the frame did not fit its queue.
	QueueFull Reason = iota
	// HeaderQueueFull: the trimmed header did not fit either.
	HeaderQueueFull
	// LinkDown: the link was down, or failed under the frame.
	LinkDown
	// Loss: the link lost the frame at random.
	Loss
	// NoRoute: the switch knew no next hop.
	NoRoute
	// CreditQueueFull: a credit did not fit the queue of credits, which is how ports
	// tell receivers to send fewer.
	CreditQueueFull
	// HeadroomFull: a frame of a lossless class fitted neither the shared buffer nor the headroom
	// of the link over which it came.
	HeadroomFull
	// Watchdogged: the frame waited, or came, for a class that was paused for too long.
	Watchdogged

	Reasons = iota // their number
)

// String returns the reason's name in results.
func (r Reason) String() string {
	return [...]string{"queue_full", "header_queue_full", "link_down", "loss", "no_route", "credit_queue_full", "headroom_full", "pause_watchdog"}[r]
}

// IsFault tells whether a fault is the reason, and not congestion: a link that is
// down or loses frames, or a switch that has no route left.
func (r Reason) IsFault() bool { return r >= LinkDown && r <= NoRoute }

// limits tells whether a limiter is the reason, which drops what is too much on purpose.
func (r Reason) limits() bool { return r == CreditQueueFull }

// PortCounters counts what happened at a port.
type PortCounters struct {
	// Frames and Bytes were accepted: queued or put on the wire.
	Frames, Bytes uint64
	// SentFrames and SentBytes were fully serialised.
	SentFrames, SentBytes uint64
	// Drops counts frames by reason, DroppedBytes their bytes as dropped.
	Drops        [Reasons]uint64
	DroppedBytes uint64
	// LostBytes are the same by reason.
	LostBytes [Reasons]uint64
	// FlushedFrames and FlushedBytes are those among the drops that had been
	// accepted before and were not fully serialised: a failing link empties its queue.
	FlushedFrames, FlushedBytes uint64
	// RefusedFrames and RefusedBytes were sent to the port while its link was
	// down; they are among the drops.
	RefusedFrames, RefusedBytes uint64
	// Marks counts ECN marks.
	Marks uint64
	// Trims counts frames cut here, TrimmedBytes what was cut off.
	Trims, TrimmedBytes uint64
	// QueueMax is the largest queue in bytes, the frame in service included.
	QueueMax uint32
	// QueueByteTime is the integral of the queue over time in byte-picoseconds.
	QueueByteTime float64
}

// dropped counts a frame.
func (c *PortCounters) dropped(why Reason, bytes uint64) {
	c.Drops[why]++
	c.DroppedBytes += bytes
	c.LostBytes[why] += bytes
}

// flushed counts a frame.
func (c *PortCounters) flushed(bytes uint32) {
	c.FlushedFrames++
	c.FlushedBytes += uint64(bytes)
}

// refused counts a frame.
func (c *PortCounters) refused(bytes uint32) {
	c.RefusedFrames++
	c.RefusedBytes += uint64(bytes)
}

// Since returns what was counted since an earlier reading. QueueMax is not a sum
// and stays.
func (c PortCounters) Since(o PortCounters) PortCounters {
	c.Frames -= o.Frames
	c.Bytes -= o.Bytes
	c.SentFrames -= o.SentFrames
	c.SentBytes -= o.SentBytes
	for r := range c.Drops {
		c.Drops[r] -= o.Drops[r]
		c.LostBytes[r] -= o.LostBytes[r]
	}
	c.DroppedBytes -= o.DroppedBytes
	c.FlushedFrames -= o.FlushedFrames
	c.FlushedBytes -= o.FlushedBytes
	c.RefusedFrames -= o.RefusedFrames
	c.RefusedBytes -= o.RefusedBytes
	c.Marks -= o.Marks
	c.Trims -= o.Trims
	c.TrimmedBytes -= o.TrimmedBytes
	c.QueueByteTime -= o.QueueByteTime
	return c
}

// Served is what a port with priorities has begun to send.
type Served struct {
	// First and Others count the frames of class 0 and of all other classes, modulo 2³².
	First, Others uint32
	// Waits tells that a frame of another class than 0 waits.
	Waits bool
}

// Totals counts frames and bytes from injection at a NIC to their end.
type Totals struct {
	Injected, InjectedBytes   uint64
	Delivered, DeliveredBytes uint64
	Dropped, DroppedBytes     uint64
	TrimmedBytes              uint64
	// StampedBytes is by how much frames grew as switches stamped them.
	StampedBytes uint64
	// Originated counts frames that switches made: notices of controllers.
	Originated, OriginatedBytes uint64
}

func (t *Totals) add(o Totals) {
	t.Injected += o.Injected
	t.InjectedBytes += o.InjectedBytes
	t.Delivered += o.Delivered
	t.DeliveredBytes += o.DeliveredBytes
	t.Dropped += o.Dropped
	t.DroppedBytes += o.DroppedBytes
	t.TrimmedBytes += o.TrimmedBytes
	t.StampedBytes += o.StampedBytes
	t.Originated += o.Originated
	t.OriginatedBytes += o.OriginatedBytes
}

// MostQueued is the most that one class of a port can hold, whatever its limit.
const MostQueued = 1<<32 - 1 - MaxFrame

// clampBytes fits a size into a port's 32-bit counters.
func clampBytes(b unit.Bytes) uint32 {
	return uint32(min(max(b, 0), MostQueued))
}
