package connection_test

import (
	"testing"

	"weft/internal/connection/end"
	"weft/protocol/congestion"
	"weft/protocol/entropy"
	"weft/unit"
)

// ordered returns two hosts of a network whose connections find losses by the order of packets, and the timeout.
func ordered(t *testing.T, change func(p *end.Params)) (m *memory, counts func() end.Counts) {
	m = newMemory(t, 2)
	net := network(t, 2, build(t, congestion.Entries(), "dctcp"))
	p := &net.Groups[0].Params
	p.Recovery, p.AckBitmap = end.Recovery{Kind: end.Order, Silence: 1.25}, true
	p.Balancer = build(t, entropy.Entries(), "ecmp")
	change(p)
	var hosts []*ends
	for h := range m.hosts {
		hosts = append(hosts, m.connect(int32(h), net))
	}
	return m, func() (sum end.Counts) {
		for _, h := range hosts {
			sum.Add(h.Sum())
		}
		return sum
	}
}

// TestOrderGivesWay has a switch hold packets back by chance, so that packets on one path overtake each other. IRN sends
// each again that is overtaken. With order the first copy that the receiver reports ends that for a time, and then for
// twice as long. Once nothing overtakes any more the rule comes back: it finds losses, and no timeout is needed.
func TestOrderGivesWay(t *testing.T) {
	const packets, window = 20_000, 100
	long := func(change func(p *end.Params)) (*memory, func() end.Counts, end.Counts) {
		m, counts := ordered(t, change)
		m.held = func() unit.Time {
			if m.rng.IntN(20) > 0 {
				return 0
			}
			return unit.Time(m.rng.IntN(10)) * unit.Microsecond
		}
		m.send(0, 1, packets*payload)
		m.finish(packets * payload)
		return m, counts, counts()
	}
	_, _, irn := long(func(p *end.Params) { p.Recovery = end.Recovery{Kind: end.IRN, High: p.RTO} })
	m, counts, before := long(func(*end.Params) {})
	if before.Spurious == 0 || before.Spurious > window || before.Spurious != before.Retransmits || irn.Spurious < 5*before.Spurious {
		t.Errorf("order sent %d packets again, %d of them without need, and irn %d", before.Retransmits, before.Spurious, irn.Spurious)
	}
	m.held = nil
	m.run(m.now + unit.Second)
	m.loss = 0.01
	m.send(0, 1, packets*payload)
	m.finish(2 * packets * payload)
	after := counts()
	if after.Retransmits-before.Retransmits < packets/200 || after.Timeouts > 0 || after.Spurious > before.Spurious {
		t.Errorf("once packets are in order and are lost, %d are sent again, %d without need, after %d timeouts",
			after.Retransmits-before.Retransmits, after.Spurious-before.Spurious, after.Timeouts)
	}
}
