package burst

import (
	"errors"
	"math/bits"
	"net/netip"

	"weft/unit"
	"weft/wire/internal/socket"
)

// Link is what datagrams leave by, as a *socket.Bank.
type Link interface {
	Send(port int, to netip.AddrPort, data []byte) error
	// SendBurst sends datagrams of one size, the last of which may be smaller, by one call. It returns a
	// *socket.RefusedError if it takes none, or none of these.
	SendBurst(port int, to netip.AddrPort, datagrams [][]byte) error
}

// Counts are of what was sent since the start.
type Counts struct {
	// Bursts are those that the link took, and Datagrams how many datagrams these had.
	Bursts, Datagrams uint64
	// Sizes counts bursts by their datagrams: 2 and 3, 4 to 7, 8 to 15, 16 to 31, 32 to 63, and 64.
	Sizes [6]uint64
	// Refused are bursts that the link did not take, and whose datagrams were sent alone.
	Refused uint64
	// Oversized are datagrams that are larger than their path takes.
	Oversized uint64
}

const (
	// mostGathered is how many datagrams are gathered at most, and memory how much they take.
	mostGathered = 2 * socket.MostSegments
	memory       = 192 << 10
	// slack is how much longer a datagram may be than the largest, while it is written.
	slack = 1 << 10
)

// Sender gathers datagrams and sends them. It is not safe for concurrent use.
type Sender struct {
	link     Link
	none     bool      // no bursts at all
	hush     unit.Time // see unheard
	datagram int
	room     []byte
	used     int
	list     []entry
	burst    [][]byte
	places   []int   // in the list, of what is in the burst
	timed    []*Path // that are checked, or will be
	tooLarge []TooLarge
	// Counts may be read between calls.
	Counts Counts
}

// TooLarge is a datagram that was not sent, since its path takes none that large.
type TooLarge struct {
	// Index counts the datagrams that were added since the last call of Flush.
	Index int
	// Limit is the size that the path takes, 0 if that is not known.
	Limit int
}

// Way is how a datagram leaves. Those with one way and one path can leave as a burst.
type Way struct {
	// Port is the number of the source port.
	Port int
	To   netip.AddrPort
	// Burst keeps apart what must not leave as one burst: datagrams with different numbers.
	Burst uint32
}

// entry is a datagram that was gathered.
type entry struct {
	data []byte
	way  Way
	path *Path // nil of one that goes alone
	gone bool
}

// NewSender returns a sender of datagrams of a size at most, over paths of a round trip. With none it sends no bursts.
func NewSender(link Link, datagram int, rtt unit.Time, none bool) *Sender {
	return &Sender{link: link, none: none, hush: max(hush, 2*rtt), datagram: datagram, room: make([]byte, max(memory, 2*(datagram+slack)))}
}

// Room returns where the next datagram is to be written; nil if Flush has to be called first.
func (s *Sender) Room() []byte {
	if len(s.list) == mostGathered || len(s.room)-s.used < s.datagram+slack {
		return nil
	}
	return s.room[s.used:]
}

// Add takes a datagram that was written at the beginning of Room. Its path is that of the peer, nil if it has none. What
// repairs a loss is told to the path.
func (s *Sender) Add(now unit.Time, by Way, size int, p *Path, repairs bool) {
	e := entry{data: s.room[s.used : s.used+size : s.used+size], way: by}
	s.used += size
	if p != nil {
		if repairs && !p.settled(now) {
			s.blame(now, p)
		} else if p.takes() && !s.none {
			e.path = p
		}
	}
	s.list = append(s.list, e)
}

// Flush sends what was gathered, and returns what was too large. That is valid until the next call.
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

// sendSome sends a datagram alone, or the largest of those with the same way as one burst.
func (s *Sender) sendSome(now unit.Time, i int) {
	first := &s.list[i]
	if first.path == nil || !first.path.takes() {
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

// goesAs tells whether a datagram has yet to go, the same way as another.
func (e *entry) goesAs(o *entry) bool {
	return !e.gone && e.path == o.path && e.way == o.way
}

// alone sends a datagram of a place in the list, or in none, which is negative. What the kernel or the path does not take is lost, as in any queue.
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

// together sends the burst that was put together, or if the link refuses it, its datagrams.
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

// oneByOne sends the datagrams of a burst that was refused, and tells whether that was for the burst: they leave. Places are
// theirs in the list, nil if they are in none.
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
