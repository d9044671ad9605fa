package burst

import (
	"errors"
	"math/bits"
	"net/netip"

	"weft/unit"
	"weft/wire/internal/socket"
)

// Link sends datagrams. A *socket.Bank is one.
type Link interface {
	Send(port int, to netip.AddrPort, data []byte) error
	// SendBurst sends datagrams of one size, except that the last may be smaller, in one call. It
	// returns a *socket.RefusedError if it takes no bursts, or not this one.
	SendBurst(port int, to netip.AddrPort, datagrams [][]byte) error
}

// Counts holds counters since the start.
type Counts struct {
	// Bursts counts bursts that the link took, and Datagrams their datagrams.
	Bursts, Datagrams uint64
	// Sizes counts bursts by their number of datagrams: 2 and 3, 4 to 7, 8 to 15, 16 to 31, 32 to
	// 63, and 64.
	Sizes [6]uint64
	// Refused counts bursts that the link did not take, so that their datagrams were sent alone.
	Refused uint64
	// Oversized counts datagrams too large for their path.
	Oversized uint64
}

const (
	// mostGathered limits the number of datagrams gathered, and memory their bytes.
	mostGathered = 2 * socket.MostSegments
	memory       = 192 << 10
	// slack is by how much a datagram may exceed the largest while it is being written.
	slack = 1 << 10
)

// Sender gathers datagrams and sends them. It is not safe for concurrent use.
type Sender struct {
	link     Link
	none     bool      // send no bursts at all
	hush     unit.Time // see unheard
	datagram int
	room     []byte
	used     int
	list     []entry
	burst    [][]byte
	places   []int   // indices in list of the datagrams in burst
	timed    []*Path // paths being checked or waiting for a check
	tooLarge []TooLarge
	// Counts may be read between calls.
	Counts Counts
}

// TooLarge is a datagram that was not sent because its path takes only smaller ones.
type TooLarge struct {
	// Index is its position among the datagrams added since the last Flush.
	Index int
	// Limit is the largest size that the path takes, 0 if unknown.
	Limit int
}

// Way is how a datagram leaves. Datagrams with the same way and path may share a burst.
type Way struct {
	// Port is the index of the source port.
	Port int
	To   netip.AddrPort
	// Burst separates datagrams: those with different numbers never share a burst.
	Burst uint32
}

// entry is a gathered datagram.
type entry struct {
	data []byte
	way  Way
	path *Path // nil for a datagram that goes alone
	gone bool
}

// NewSender returns a sender for datagrams of up to the given size and paths of about the given
// round-trip time. With none set, it sends no bursts.
func NewSender(link Link, datagram int, rtt unit.Time, none bool) *Sender {
	return &Sender{link: link, none: none, hush: max(hush, 2*rtt), datagram: datagram, room: make([]byte, max(memory, 2*(datagram+slack)))}
}

// Room returns the buffer for the next datagram, or nil if Flush must be called first.
func (s *Sender) Room() []byte {
	if len(s.list) == mostGathered || len(s.room)-s.used < s.datagram+slack {
		return nil
	}
	return s.room[s.used:]
}

// Add takes a datagram that was written to the beginning of Room. p is the path of its peer, or
// nil. repairs says whether it repairs a loss, which counts against the path.
func (s *Sender) Add(now unit.Time, by Way, size int, p *Path, repairs bool) {
	e := entry{data: s.room[s.used : s.used+size : s.used+size], way: by}
	s.used += size
	if p != nil {
		if repairs && !p.settled(now) {
			s.countRepair(now, p)
		} else if p.burstsOn() && !s.none {
			e.path = p
		}
	}
	s.list = append(s.list, e)
}

// Flush sends the gathered datagrams and returns those that were too large. The result is valid
// until the next call.
func (s *Sender) Flush(now unit.Time) []TooLarge {
	s.tooLarge = s.tooLarge[:0]
	for i := range s.list {
		for !s.list[i].gone {
			s.sendSome(now, i)
		}
	}
	clear(s.list)
	s.list, s.used = s.list[:0], 0
	if len(s.timed) > 0 {
		s.Expire(now)
	}
	return s.tooLarge
}

// sendSome sends datagram i alone, or in a burst with others of the same way: the ones of the
// largest size, and one smaller.
func (s *Sender) sendSome(now unit.Time, i int) {
	first := &s.list[i]
	if first.path == nil || !first.path.burstsOn() {
		first.gone = true
		s.alone(first, i)
		return
	}
	size, all, tail := 0, 0, -1
	for k := i; k < len(s.list); k++ {
		if e := &s.list[k]; e.goesAs(first) {
			size = max(size, len(e.data))
		}
	}
	s.burst, s.places = s.burst[:0], s.places[:0]
	for k := i; k < len(s.list) && len(s.burst) < socket.MostSegments && all+size <= socket.MostBurst; k++ {
		switch e := &s.list[k]; {
		case !e.goesAs(first):
		case len(e.data) == size:
			s.burst, s.places, all = append(s.burst, e.data), append(s.places, k), all+size
		case tail < 0 && len(e.data) > 0:
			tail = k
		}
	}
	if tail >= 0 && len(s.burst) < socket.MostSegments && all+len(s.list[tail].data) <= socket.MostBurst {
		s.burst, s.places = append(s.burst, s.list[tail].data), append(s.places, tail)
	}
	for _, k := range s.places {
		s.list[k].gone = true
	}
	if len(s.burst) < 2 {
		s.alone(&s.list[s.places[0]], s.places[0])
		return
	}
	s.together(now, first)
}

// goesAs reports whether a datagram is unsent and goes the same way as another.
func (e *entry) goesAs(o *entry) bool {
	return !e.gone && e.path == o.path && e.way == o.way
}

// alone sends one datagram. place is its index in the list, or negative. If the kernel or the
// path does not take it, it is lost, as in any queue.
func (s *Sender) alone(e *entry, place int) error {
	err := s.link.Send(e.way.Port, e.way.To, e.data)
	var size *socket.SizeError
	if err != nil && errors.As(err, &size) {
		s.Counts.Oversized++
		if place >= 0 {
			s.tooLarge = append(s.tooLarge, TooLarge{place, size.Limit})
		}
	}
	return err
}

// together sends the prepared burst, or its datagrams one by one if the link refuses it.
func (s *Sender) together(now unit.Time, first *entry) {
	first.path.size = max(first.path.size, len(s.burst[0]))
	err := s.link.SendBurst(first.way.Port, first.way.To, s.burst)
	if err == nil {
		s.Counts.Bursts++
		s.Counts.Datagrams += uint64(len(s.burst))
		s.Counts.Sizes[min(bits.Len(uint(len(s.burst)))-2, len(s.Counts.Sizes)-1)]++
		first.path.sent(now, len(s.burst))
		return
	}
	var refused *socket.RefusedError
	if !errors.As(err, &refused) {
		return
	}
	s.Counts.Refused++
	if s.oneByOne(first.way, s.burst, s.places) {
		s.close(now, first.path, "the kernel refused one: "+refused.Err.Error())
	}
}

// oneByOne sends the datagrams of a refused burst. It reports whether the burst was at fault,
// which is so if the datagrams leave. places holds their indices in the list, nil if they have
// none.
func (s *Sender) oneByOne(by Way, datagrams [][]byte, places []int) (burst bool) {
	left, large := 0, false
	for i, data := range datagrams {
		before, place := s.Counts.Oversized, -1
		if places != nil {
			place = places[i]
		}
		if s.alone(&entry{data: data, way: by}, place) == nil {
			left++
		}
		large = large || s.Counts.Oversized > before
	}
	return left > 0 && !large
}
