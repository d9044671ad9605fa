package carrier

import (
	"testing"

	"weft/unit"
	"weft/wire/internal/lan"
)

// TestDue has a driver be late: what waited for the wire was due one packet after another, and what found it idle was not
// waited for.
func TestDue(t *testing.T) {
	w := newWorld(t, 2, lan.Faults{})
	p := w.connect(0, 1)
	c, now := w.ends[0].Carrier, w.Now()
	b := make([]byte, 2000)
	// The first packet after a pause leaves at once. Then the wire is taken for busy.
	for i, n := range []int{1, 14 * 1385} { // less than leaves without credit
		if _, err := c.Submit(now, p, OneWay, 0, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		for i == 0 {
			if d, ok := c.Next(now, b); !ok {
				break
			} else if d.Due != 0 {
				t.Errorf("a packet that does not wait is due at %v", d.Due)
			}
		}
		now += unit.Time(1-i) * unit.Millisecond
	}
	first, ok := c.Next(now, b)
	if !ok || first.Due != 0 {
		t.Fatalf("the first is sent: %v, and was due at %v", ok, first.Due)
	}
	each := testRate.Transmit(1472 + 66)
	due, sent := now+each, 0
	for late := range unit.Time(6) {
		now = c.Wake(now) + late*unit.Microsecond
		for {
			d, ok := c.Next(now, b)
			if !ok {
				break
			}
			if d.Due != due {
				t.Fatalf("packet %d was due at %v, not at %v", sent, d.Due, due)
			}
			if d.Due > now+each/2 {
				t.Errorf("packet %d leaves at %v, and is due at %v", sent, now, d.Due)
			}
			due += each
			sent++
		}
	}
	if sent != 13 {
		t.Errorf("%d packets waited", sent)
	}
	for ; now < due+unit.Millisecond; now += unit.Microsecond {
		c.Next(now, b)
	}
	if _, err := c.Submit(now, p, OneWay, 0, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if d, ok := c.Next(now, b); !ok || d.Due != 0 {
		t.Errorf("a packet after a pause is sent: %v, and was due at %v", ok, d.Due)
	}
}

// TestPacedAfterPause has a message begin after a second in which nothing was sent: its packets leave at the rate all the same.
func TestPacedAfterPause(t *testing.T) {
	for _, name := range carried {
		w := star(t, 2, over(t, name, ""))
		p := w.connect(0, 1)
		w.spent(0, p, body(1, 1_000_000)) // so that windows are open
		w.Run(w.Now() + unit.Second)
		c, now := w.ends[0].Carrier, w.Now()
		if _, err := c.Submit(now, p, OneWay, 0, body(2, 1_000_000)); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 2000)
		sent := 0
		for {
			if _, ok := c.Next(now, b); !ok {
				break
			}
			sent++
		}
		if sent < 1 || sent > 2 { // one, and one that is early by less than half of a packet
			t.Errorf("%s: %d packets leave at one instant", name, sent)
		}
	}
}

// TestProbesTakeTheWire: what a check of bursts sends is part of the endpoint's rate, so that data after it waits for its turn.
func TestProbesTakeTheWire(t *testing.T) {
	w := newWorld(t, 2, lan.Faults{})
	p := w.connect(0, 1)
	c, now := w.ends[0].Carrier, w.Now()+unit.Millisecond
	b := make([]byte, 10_000)
	var wire unit.Bytes
	for range 8 {
		d, ok := c.Probe(now, p, 8192, b)
		if !ok {
			t.Fatal("a probe cannot be sent")
		}
		wire += unit.Bytes(d.Size) + c.cfg.Overhead
	}
	if _, err := c.Submit(now, p, OneWay, 0, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Next(now, b); ok {
		t.Error("data leaves before the probes can have")
	}
	free := now + testRate.Transmit(wire-c.env.Packet) // the wire may be taken for free a little early
	if at := c.Wake(now); at < free {
		t.Errorf("data is to leave at %v, and probes take the wire until %v", at-now, testRate.Transmit(wire))
	}
}
