package socket

import (
	"errors"
	"fmt"
	"net/netip"
)

// Bounds of a burst. Kernels take 64 datagrams, newer ones 128, and less than 64 KiB with heads.
const (
	MostSegments = 64
	MostBurst    = 65_000
)

// Offload tells what the kernel does for a Bank in one go.
type Offload struct {
	// SendOff says why SendBurst fails, and ReceiveOff why bursts are not received whole. What is empty works.
	SendOff, ReceiveOff string
}

// RefusedError says that the kernel takes no burst, or none of these datagrams. None of them was sent. Whoever sends
// them one by one learns which of both it is.
type RefusedError struct {
	To  netip.AddrPort
	Err error
}

func (e *RefusedError) Error() string { return fmt.Sprintf("send a burst to %s: %v", e.To, e.Err) }

func (e *RefusedError) Unwrap() error { return e.Err }

// errNoBursts is the reason of a RefusedError where there is no segmentation offload.
var errNoBursts = errors.New("this bank sends no bursts")

// Offload returns what the kernel does, as far as Listen found out.
func (b *Bank) Offload() Offload { return b.offload }

// SendBurst sends datagrams from the port of a number by one call of the kernel. All are as large as the first one, but
// for the last, which may be smaller. There are at most MostSegments of at most MostBurst bytes in all. The errors are
// those of Send, and a *RefusedError in place of a *SizeError.
func (b *Bank) SendBurst(port int, to netip.AddrPort, segments [][]byte) error {
	if err := b.sendable(port, to); err != nil {
		return err
	}
	if err := checkSegments(segments); err != nil {
		return fmt.Errorf("send to %s: %w", to, err)
	}
	err := b.sockets.burst(port, to, segments)
	switch {
	case err == nil:
		b.tally.sent.Add(uint64(len(segments)))
		b.tally.bursts.Add(1)
		b.tally.segments.Add(uint64(len(segments)))
		for _, data := range segments {
			b.tap.sent(port, to, data)
		}
	case err == ErrBusy:
		b.tally.busy.Add(uint64(len(segments)))
	}
	return err
}

// checkSegments tells what is wrong with the datagrams of a burst.
func checkSegments(segments [][]byte) error {
	if len(segments) == 0 || len(segments) > MostSegments {
		return fmt.Errorf("a burst of %d datagrams; give 1 to %d", len(segments), MostSegments)
	}
	size, last, all := len(segments[0]), len(segments)-1, 0
	for i, s := range segments {
		if len(s) > size || len(s) == 0 || len(s) < size && i < last {
			return fmt.Errorf("datagram %d of a burst has %d B, the first one %d", i, len(s), size)
		}
		all += len(s)
	}
	if all > MostBurst {
		return fmt.Errorf("a burst of %d B; give at most %d", all, MostBurst)
	}
	return nil
}

// Each calls yield with the datagrams that were received together, in the order in which they were sent, until it
// returns false.
func (d *Datagram) Each(yield func([]byte) bool) {
	rest := d.Data
	for d.Segment > 0 && len(rest) > d.Segment {
		if !yield(rest[:d.Segment:d.Segment]) {
			return
		}
		rest = rest[d.Segment:]
	}
	yield(rest)
}

// datagrams returns how many were received together.
func (d *Datagram) datagrams() int {
	if d.Segment <= 0 {
		return 1
	}
	return max(1, (len(d.Data)+d.Segment-1)/d.Segment)
}
