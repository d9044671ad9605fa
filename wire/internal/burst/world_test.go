package burst

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"weft/unit"
	"weft/wire/internal/socket"
)

// world is a link, and a peer that answers probes and has lost datagrams sent again.
type world struct {
	*Sender
	t    *testing.T
	path *Path
	now  unit.Time
	rng  *rand.Rand

	// What the link does. dies tells which datagram of a burst of n is lost, and lone whether one that goes alone is;
	// answer whether an answer is. burstErr and loneErr are what it returns.
	dies              func(i, n int) bool
	lone, answer      func() bool
	burstErr, loneErr error

	next    uint32 // number of the next datagram
	got     map[uint32]int
	under   []uint32 // datagrams that were sent and may be lost
	bursts  [][]int  // sizes
	order   []uint32 // numbers, as they left
	answers uint64
	heard   unit.Time
	probed  int
	gone    bool
	lost    int // in bursts
}

// first bytes of datagrams.
const (
	isData = iota
	isProbe
)

func never() bool { return false }

func newWorld(t *testing.T) *world {
	w := &world{t: t, dies: func(int, int) bool { return false }, lone: never, answer: never, got: map[uint32]int{}, rng: rand.New(rand.NewPCG(1, 2))}
	w.Sender = NewSender(w, 1452, 0, false)
	w.path = NewPath(w)
	return w
}

// chance returns a loss at random.
func (w *world) chance(p float64) func() bool { return func() bool { return w.rng.Float64() < p } }

func (w *world) arrive(data []byte) {
	if data[0] == isProbe {
		if !w.answer() {
			w.answers++
			w.heard = w.now
		}
		return
	}
	w.got[binary.BigEndian.Uint32(data[1:])]++
}

func (w *world) Send(_ int, to netip.AddrPort, data []byte) error {
	if w.loneErr != nil {
		return w.loneErr
	}
	if data[0] == isData {
		w.order = append(w.order, binary.BigEndian.Uint32(data[1:]))
	}
	if w.lone() {
		return nil
	}
	w.arrive(data)
	return nil
}

func (w *world) SendBurst(_ int, to netip.AddrPort, datagrams [][]byte) error {
	if w.burstErr != nil {
		return w.burstErr
	}
	var sizes []int
	for i, data := range datagrams {
		if sizes = append(sizes, len(data)); len(data) > len(datagrams[0]) || len(data) < len(datagrams[0]) && i < len(datagrams)-1 {
			w.t.Errorf("a burst of %v", sizes)
		}
		if data[0] == isData {
			w.order = append(w.order, binary.BigEndian.Uint32(data[1:]))
		}
		if w.dies(i, len(datagrams)) {
			w.lost++
			continue
		}
		w.arrive(data)
	}
	w.bursts = append(w.bursts, sizes)
	return nil
}

func (w *world) Probe(_ unit.Time, size int, b []byte) (port int, to netip.AddrPort, n int, ok bool) {
	w.probed++
	b[0] = isProbe
	return w.rng.IntN(16), address(1), size, !w.gone
}

func (w *world) Answers() uint64 { return w.answers }

func (w *world) Heard() unit.Time { return w.heard }

func address(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 4000)
}

// add gathers a datagram of the path.
func (w *world) add(port, to, size int, repairs bool) (number uint32) {
	return w.addTo(Way{Port: port, To: address(to)}, size, repairs)
}

// addTo is add with a way.
func (w *world) addTo(by Way, size int, repairs bool) (number uint32) {
	w.put(by, size, w.next, repairs)
	w.next++
	return w.next - 1
}

func (w *world) put(by Way, size int, number uint32, repairs bool) {
	w.t.Helper()
	b := w.Room()
	if b == nil {
		w.t.Fatal("there is no room")
	}
	b[0] = isData
	binary.BigEndian.PutUint32(b[1:], number)
	for i := 5; i < size; i++ {
		b[i] = byte(i)
	}
	w.Add(w.now, by, size, w.path, repairs)
}

// run has traffic for a while: 16 datagrams every millisecond, and what was lost again 5 ms later, as a transport would. It
// returns how many datagrams were lost in bursts before the path was closed.
func (w *world) run(long unit.Time) (lost int) {
	type loss struct {
		number uint32
		at     unit.Time
	}
	var again []loss
	closed := false
	for end := w.now + long; w.now < end; w.now += unit.Millisecond {
		if w.Wake() <= w.now {
			w.Expire(w.now)
		}
		for _, n := range w.under {
			if w.got[n] == 0 {
				again = append(again, loss{n, w.now + 5*unit.Millisecond})
			}
		}
		w.under = w.under[:0]
		for len(again) > 0 && again[0].at <= w.now && w.Room() != nil {
			w.put(Way{To: address(1)}, 1452, again[0].number, true)
			w.under = append(w.under, again[0].number)
			again = again[1:]
		}
		port := w.rng.IntN(16)
		for range 16 {
			if w.Room() == nil {
				break
			}
			w.under = append(w.under, w.add(port, 1, 1452, false))
		}
		w.Flush(w.now)
		if w.rng.IntN(3) == 0 && len(w.got) > 0 {
			w.heard = w.now
		}
		if _, is := w.path.Closed(); is && !closed {
			closed, lost = true, w.lost
		}
	}
	return lost
}

// skip lets time pass in which nothing is sent but probes.
func (w *world) skip(long unit.Time) {
	for end := w.now + long; ; {
		at := max(w.now, w.Wake())
		if at > end {
			w.now = end
			return
		}
		w.now = at
		w.Expire(at)
	}
}

// mustBe fails the test unless the path is closed for a reason with such words, or open if there are none.
func (w *world) mustBe(why string) {
	w.t.Helper()
	got, closed := w.path.Closed()
	if closed != (why != "") || !strings.Contains(got, why) {
		w.t.Errorf("closed %v: %q; want %q", closed, got, why)
	}
}

var errNot = errors.New("invalid argument")

func refusal() error { return &socket.RefusedError{To: address(1), Err: errNot} }

// silent is a link that counts.
type silent struct{ bursts int }

func (s *silent) Send(int, netip.AddrPort, []byte) error { return nil }

func (s *silent) SendBurst(int, netip.AddrPort, [][]byte) error {
	s.bursts++
	return nil
}
