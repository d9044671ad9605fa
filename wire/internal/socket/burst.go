package socket

import (
	"errors"
	"fmt"
	"net/netip"
)

// Limits of a burst. Kernels take 64 datagrams, newer ones 128, and less than 64 KiB including
// headers.
const (
	MostSegments = 64
	MostBurst    = 65_000
)

// Offload says which bursts the kernel supports for a Bank.
type Offload struct {
	// SendOff says why SendBurst fails, and ReceiveOff why bursts are not received whole. An
	// empty string means that it works.
	SendOff, ReceiveOff string
}

// RefusedError reports that the kernel takes no bursts, or not this one. None of its datagrams
// was sent. Sending them one by one shows which is the case.
type RefusedError struct {
	To  netip.AddrPort
	Err error
}

func (e *RefusedError) Error() string { return fmt.Sprintf("send a burst to %s: %v", e.To, e.Err) }

func (e *RefusedError) Unwrap() error { return e.Err }

// errNoBursts is the error inside a RefusedError if there is no segmentation offload.
var errNoBursts = errors.New("this bank sends no bursts")

// Offload returns what Listen found the kernel to support.
func (b *Bank) Offload() Offload { return b.offload }

// SendBurst sends datagrams from the port with an index in one system call. All have the size of
// the first, except the last, which may be smaller. There may be at most MostSegments datagrams
// with MostBurst bytes in all. The errors are like Send's, with *RefusedError instead of
// *SizeError.
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

// checkSegments returns what is wrong with the datagrams of a burst, or nil.
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

// Each calls yield with the datagrams that were received together, in order, until yield returns
// false.
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

// datagrams returns how many datagrams were received together.
func (d *Datagram) datagrams() int {
	if d.Segment <= 0 {
		return 1
	}
	return max(1, (len(d.Data)+d.Segment-1)/d.Segment)
}
