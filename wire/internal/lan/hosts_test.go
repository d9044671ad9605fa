package lan

import (
	"math/bits"
	"net/netip"
	"slices"
	"testing"

	"weft/unit"
)

// reader is a host that counts the bits of datagrams, and keeps the slices, which it must not.
type reader struct {
	toy
	at   []unit.Time
	from []netip.AddrPort
	ones []int
	kept [][]byte
}

func (h *reader) Arrive(now unit.Time, from netip.AddrPort, b []byte, _ bool) {
	ones := 0
	for _, v := range b {
		ones += bits.OnesCount8(v)
	}
	h.at, h.from, h.ones, h.kept = append(h.at, now), append(h.from, from), append(h.ones, ones), append(h.kept, b)
}

// TestPorts: datagrams to all ports of the bank arrive, and others go nowhere.
func TestPorts(t *testing.T) {
	n, hosts := toys(star(), 2)
	for _, to := range []uint16{3999, 4000, 4001, 4063, 4064} {
		hosts[0].send(1, order{to: netip.AddrPortFrom(address(1).Addr(), to), size: 1})
	}
	hosts[0].send(1, order{to: address(7), size: 1})
	if c := finish(t, n); c.Arrived != 3 || c.Nowhere != 3 {
		t.Errorf("%+v", c)
	}
}

// TestCrash: what reaches a host after a crash is lost, and what is under way reaches the next.
func TestCrash(t *testing.T) {
	n, hosts := toys(star(), 2)
	for i := range 30 {
		hosts[0].send(1, order{at: unit.Time(i) * 10 * unit.Microsecond, to: address(1), size: 1184})
	}
	hosts[1].send(5, order{at: 95 * unit.Microsecond, to: address(0), size: 1184})
	second := &toy{}
	// Each arrives 4 µs into its period.
	n.At(101*unit.Microsecond, func() {
		if n.Remove(address(1)) != hosts[1] {
			t.Error("another host was removed")
		}
	})
	n.At(203*unit.Microsecond, func() { n.Add(second, address(1)) })
	c := finish(t, n)
	if len(hosts[1].got) != 10 || c.Nowhere != 10 || len(second.got) != 10 || second.got[0].at != 204*unit.Microsecond {
		t.Errorf("%d, %d and %d", len(hosts[1].got), c.Nowhere, len(second.got))
	}
	if len(hosts[0].got) != 5 {
		t.Errorf("of those sent before the crash %d arrived", len(hosts[0].got))
	}
	n.Stir(address(3)) // nobody
}

// TestMove: a host that moves sends from its new address and gets what is sent there.
func TestMove(t *testing.T) {
	n, hosts := toys(star(), 2)
	for i := range 4 {
		at := unit.Time(i) * 10 * unit.Microsecond
		hosts[0].send(1, order{at: at, to: address(1), port: 2, size: 1184})
		hosts[1].send(1, order{at: at, to: address(0), size: 1184})
	}
	n.At(13*unit.Microsecond, func() { n.Move(address(0), address(9)) })
	n.At(25*unit.Microsecond, func() { hosts[1].orders[0].to = address(9) })
	c := finish(t, n)
	var from []byte
	for _, r := range hosts[1].got {
		from = append(from, r.from.Addr().As4()[3])
		if r.from.Port() != 4002 {
			t.Errorf("from %v", r.from)
		}
	}
	if !slices.Equal(from, []byte{0, 0, 9, 9}) || len(hosts[0].got) != 2 || c.Nowhere != 2 {
		t.Errorf("from %v, %d at the one that moved, %+v", from, len(hosts[0].got), c)
	}
	n.Add(&toy{}, address(0))
}

// TestTaken: two hosts cannot have the same ports, but the ports of one address.
func TestTaken(t *testing.T) {
	n, _ := toys(star(), 1)
	other := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(address(0).Addr(), port) }
	n.Add(&toy{}, other(4064))
	n.Add(&toy{}, other(3936))
	for _, port := range []uint16{3937, 4000, 4063, 4127} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("port %d was given twice", port)
				}
			}()
			n.Add(&toy{}, other(port))
		}()
	}
	n.Remove(other(4000))
	n.Remove(other(4064))
	n.Add(&toy{}, other(4030))
	if finish(t, n); n.find(other(4000)) != nil || n.find(other(4093)) == nil {
		t.Error("the ports of those that left are not free")
	}
}

// TestKept: a host that keeps a datagram finds it cleared.
func TestKept(t *testing.T) {
	n := New(star())
	h, sink := &toy{next: 7}, &reader{}
	n.Add(h, address(0))
	n.Add(sink, address(1))
	h.send(1, order{to: address(1), size: 10})
	finish(t, n)
	if sink.ones[0] != 3 || sink.kept[0][0] != 0 || cap(sink.kept[0]) != 10 {
		t.Errorf("%d bits came, %v was kept", sink.ones[0], sink.kept[0])
	}
}

// TestTime: Run goes to its time, Stir and events happen from there, hosts are called when they ask.
func TestTime(t *testing.T) {
	n, hosts := toys(star(), 2)
	if !n.Run(unit.Second) || n.Now() != unit.Second {
		t.Fatalf("it is %v", n.Now())
	}
	hosts[0].send(1, order{to: address(1), size: 1184})
	if n.Run(2 * unit.Second); n.Counts().Sent != 0 {
		t.Error("a host sent that nobody had asked")
	}
	hosts[1].react = func(unit.Time) {
		hosts[1].react = nil
		hosts[0].send(1, order{at: 3 * unit.Second, to: address(1), size: 1184})
		n.Stir(address(0)) // from a call of another host
	}
	n.Stir(address(0))
	n.At(0, func() { n.At(n.Now(), func() { n.Stir(address(0)); n.Stir(address(0)) }) }) // in the past
	if n.Run(2*unit.Second + 3*unit.Microsecond) {
		t.Error("nothing is left, with a datagram under way")
	}
	if n.Run(2*unit.Second + 4*unit.Microsecond); len(hosts[1].got) != 1 {
		t.Error("the datagram did not come at the end of the run")
	}
	if n.Run(3*unit.Second - 1) {
		t.Error("nothing is left, with a timer set")
	}
	n.Run(3 * unit.Second)
	if !slices.Equal(hosts[0].expired, []unit.Time{3 * unit.Second}) || n.Counts().Sent != 2 {
		t.Errorf("the host was woken at %v", hosts[0].expired)
	}
	finish(t, n)
}

// eager is a host that wants to be woken at once, always.
type eager struct{ toy }

func (*eager) Wake(now unit.Time) unit.Time { return now - 1 }

// TestEager: a host that is due while it sends is called once per datagram, and one that never rests is named.
func TestEager(t *testing.T) {
	n := New(star())
	h := &eager{}
	h.send(100, order{to: address(1), size: 1184})
	n.Add(h, address(0))
	n.Run(50 * unit.Microsecond)
	if len(h.expired) != 51 || n.Counts().Sent != 51 {
		t.Errorf("%d times for %d datagrams", len(h.expired), n.Counts().Sent)
	}
	defer func() {
		if recover() == nil {
			t.Error("it went on for ever")
		}
	}()
	n.Run(unit.Second)
}

// sleeper is a host that notes its number when it is woken.
type sleeper struct {
	toy
	number int
	at     unit.Time
	woken  *[]int
}

func (h *sleeper) Wake(unit.Time) unit.Time { return h.at }

func (h *sleeper) Expire(unit.Time) {
	h.at = unit.Forever
	*h.woken = append(*h.woken, h.number)
}

// TestTies: hosts that are to be woken at one time are woken in the order in which they asked.
func TestTies(t *testing.T) {
	n := New(star())
	var woken, want []int
	for i := range 30 {
		number := i * 7 % 30
		n.Add(&sleeper{number: number, at: unit.Time(1 + number/10), woken: &woken}, address(number))
	}
	for third := range 3 {
		for i := range 30 {
			if number := i * 7 % 30; number/10 == third {
				want = append(want, number)
			}
		}
	}
	if finish(t, n); !slices.Equal(woken, want) {
		t.Errorf("woken %v, expected %v", woken, want)
	}
}
