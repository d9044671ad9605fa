package carrier

import (
	"iter"
	"testing"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/lan"
)

// causes counts why packets were taken for lost.
type causes struct {
	protocol.HostTransport
	out *protocol.HostOutput
	of  map[protocol.LossCause]int
}

// tally looks at the reports of one call.
func (c *causes) tally() {
	for _, e := range c.out.Events {
		if e.Kind == protocol.PacketLost {
			c.of[e.Cause]++
		}
	}
}

func (c *causes) Receive(now unit.Time, p *protocol.Packet) unit.Bytes {
	fresh := c.HostTransport.Receive(now, p)
	c.tally()
	return fresh
}

func (c *causes) Expire(now unit.Time) {
	c.HostTransport.Expire(now)
	c.tally()
}

func (c *causes) RTTs() iter.Seq2[unit.Time, uint64] {
	return c.HostTransport.(protocol.RTTKeeper).RTTs()
}

// TestLossUnderSpraying sprays over four paths of unequal length, which each lose one datagram in 200. All losses are found by the
// order of packets on their paths, none by a timeout, and nothing is sent again that was only overtaken. So a message takes
// little longer than its packets; a timeout alone is 5 ms.
func TestLossUnderSpraying(t *testing.T) {
	const bytes, messages = 2_000_000, 10
	link := lan.Link{Rate: testRate, Delay: unit.Microsecond, Queue: 500 * unit.KB}
	on := lan.Config{Seed: 1, Up: link, Down: link, Overhead: overhead}
	for i := range unit.Time(4) {
		path := link
		path.Delay = (1 + 2*i) * unit.Microsecond
		on.Paths = append(on.Paths, path)
	}
	least := testRate.Transmit(bytes)
	for _, name := range connections() {
		for _, balancer := range []string{"ops", "arcane"} {
			on.Faults.Loss = 0
			w := newWorldOn(t, 2, on, over(t, name, balancer), func(c *Config) { c.Carried = true })
			p := w.connect(0, 1)
			w.spent(0, p, body(1, bytes)) // which tells of round trips
			if w.ends[0].Counts.Lost > 0 || w.ends[1].Counts.Spare > 0 {
				t.Errorf("%s with %s: without losses %d packets are sent again", name, balancer, w.ends[0].Counts.Lost)
			}
			c := &causes{w.ends[0].host, &w.ends[0].out, map[protocol.LossCause]int{}}
			w.ends[0].host = c
			var total unit.Time
			w.SetFaults(lan.Faults{Loss: 0.005})
			for i := range uint64(messages) {
				total += w.spent(0, p, body(i, bytes))
			}
			t.Logf("%s with %s: %.2f times the time of its bytes, %v, %d B came twice", name, balancer, float64(total)/float64(messages*least), c.of, w.ends[1].Counts.Spare)
			if c.of[protocol.Timeout] > 0 || c.of[protocol.Missing] < 40 || w.ends[1].Counts.Spare > 0 {
				t.Errorf("%s with %s: losses by cause %v, %d B came twice", name, balancer, c.of, w.ends[1].Counts.Spare)
			}
			counted(t, w, name, messages+1, bytes)
		}
	}
}

// counted checks what both ends counted of messages of a size from one to the other, on a path that loses some packets.
func counted(t *testing.T, w *world, name string, messages, bytes uint64) {
	t.Helper()
	from, to := &w.ends[0].Counts, &w.ends[1].Counts
	packets := messages * ((bytes-1)/uint64(w.ends[0].env.Payload) + 1)
	if to.Data != packets || to.Copies > 0 || from.Resent != from.Lost || from.Timeouts > 0 || from.Data > 0 {
		t.Errorf("%s: %d packets of %d came, and %d copies; %d were lost, %d of them by timeouts, and %d sent again", name, to.Data, packets, to.Copies, from.Lost, from.Timeouts, from.Resent)
	}
	var trips uint64
	for rtt, n := range w.ends[0].RTTs() {
		if rtt < 4*unit.Microsecond || rtt > 5*unit.Millisecond {
			t.Errorf("%s: %d packets had a round trip of %v", name, n, rtt)
		}
		trips += n
	}
	if trips == 0 || trips > packets {
		t.Errorf("%s: %d round trips of %d packets", name, trips, packets)
	}
}
