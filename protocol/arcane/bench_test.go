package arcane

import (
	"testing"

	"weft/protocol"
	"weft/unit"
)

// traffic keeps 100 packets in flight, of which every 16th comes back marked,
// with a failure now and then, so that all branches are taken.
func traffic(s *Sender, packets int) {
	var flight [128]uint16
	a := protocol.Ack{Packets: 1, RTT: 11 * us}
	l := protocol.Loss{}
	now := unit.Time(0)
	for i := range packets {
		now += 80 * unit.Nanosecond
		flight[i&127] = s.Next(now)
		if i < 100 {
			continue
		}
		a.Now, a.Entropy, a.Marked = now, flight[(i-100)&127], i&15 == 0
		s.Acked(&a)
		if i&4095 == 0 {
			l.Now = now
			s.Lost(&l)
		}
	}
}

func BenchmarkPacket(b *testing.B) {
	for _, p := range []Preset{Fixed, AsPrinted, Code} {
		b.Run(string(p), func(b *testing.B) {
			o := defaults(b, p)
			o.MaxRTT = true
			s := build(b, o, newRand(1))
			b.ReportAllocs()
			b.ResetTimer()
			traffic(s, b.N)
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	o := defaults(t, Fixed)
	o.MaxRTT = true
	s := build(t, o, newRand(1))
	if n := testing.AllocsPerRun(1, func() {
		s.Start(0)
		traffic(s, 10_000)
		s.Resume(unit.Second)
	}); n != 0 {
		t.Errorf("%v allocations in 10000 packets", n)
	}
}
