package fabric

import "weft/unit"

// Reason is why a frame was dropped.
type Reason uint8

// Reasons for a drop.
const (
	// QueueFull: the frame did not fit into its queue.
	QueueFull Reason = iota
	// HeaderQueueFull: the header of a trimmed frame did not fit either.
	HeaderQueueFull
	// LinkDown: the link was down, or failed while the frame was on it or queued for it.
	LinkDown
	// Loss: the link lost the frame at random.
	Loss
	// NoRoute: the switch had no next hop for the frame.
	NoRoute
	// CreditQueueFull: a credit did not fit into the queue of credits. Such drops
	// make receivers send fewer credits.
	CreditQueueFull
	// HeadroomFull: a frame of a lossless class fitted into neither the shared buffer
	// nor the headroom of the link over which it came.
	HeadroomFull
	// Watchdogged: the frame waited in, or arrived for, a class that was paused for too long.
	Watchdogged

	Reasons = iota // number of reasons
)

// String returns the reason's name in results.
func (r Reason) String() string {
	return [...]string{"queue_full", "header_queue_full", "link_down", "loss", "no_route", "credit_queue_full", "headroom_full", "pause_watchdog"}[r]
}

// IsFault reports whether a fault caused the drop rather than congestion: a link
// that is down or loses frames, or a switch without a route.
func (r Reason) IsFault() bool { return r >= LinkDown && r <= NoRoute }

// limits reports whether a limiter dropped the frame, which is its purpose.
func (r Reason) limits() bool { return r == CreditQueueFull }

// PortCounters counts what happened at a port.
type PortCounters struct {
	// Frames and Bytes count what was accepted: queued or put on the wire.
	Frames, Bytes uint64
	// SentFrames and SentBytes count what was fully serialised.
	SentFrames, SentBytes uint64
	// Drops counts frames by reason. DroppedBytes counts their bytes at the time of the drop.
	Drops        [Reasons]uint64
	DroppedBytes uint64
	// LostBytes splits DroppedBytes by reason.
	LostBytes [Reasons]uint64
	// FlushedFrames and FlushedBytes count drops of frames that had been accepted but
	// not fully serialised: a failing link empties its queue.
	FlushedFrames, FlushedBytes uint64
	// RefusedFrames and RefusedBytes count frames sent to the port while its link was
	// down. They are among the drops.
	RefusedFrames, RefusedBytes uint64
	// Marks counts ECN marks.
	Marks uint64
	// Trims counts frames trimmed here, TrimmedBytes the bytes cut off.
	Trims, TrimmedBytes uint64
	// QueueMax is the largest queue in bytes, the frame in service included.
	QueueMax uint32
	// QueueByteTime is the integral of the queue over time in byte-picoseconds.
	QueueByteTime float64
}

// dropped counts a dropped frame.
func (c *PortCounters) dropped(why Reason, bytes uint64) {
	c.Drops[why]++
	c.DroppedBytes += bytes
	c.LostBytes[why] += bytes
}

// flushed counts a frame that a failing link loses from its queue.
func (c *PortCounters) flushed(bytes uint32) {
	c.FlushedFrames++
	c.FlushedBytes += uint64(bytes)
}

// refused counts a frame sent to the port while its link is down.
func (c *PortCounters) refused(bytes uint32) {
	c.RefusedFrames++
	c.RefusedBytes += uint64(bytes)
}

// Since returns the counts since an earlier reading o. QueueMax is no sum and stays as it is.
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

// Served counts the frames that a port with priorities has begun to send.
type Served struct {
	// First counts frames of class 0 and Others frames of all other classes, modulo 2³².
	First, Others uint32
	// Waits reports whether a frame of a class other than 0 waits.
	Waits bool
}

// Totals counts frames and bytes from their injection at a NIC to their end.
type Totals struct {
	Injected, InjectedBytes   uint64
	Delivered, DeliveredBytes uint64
	Dropped, DroppedBytes     uint64
	TrimmedBytes              uint64
	// StampedBytes counts the bytes by which stamps of switches made frames grow.
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

// MostQueued is the most bytes that one class of a port can hold, whatever its limit.
const MostQueued = 1<<32 - 1 - MaxFrame

// clampBytes fits a size into a port's 32-bit counters.
func clampBytes(b unit.Bytes) uint32 {
	return uint32(min(max(b, 0), MostQueued))
}
