package transport

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestRetransmissionsGoAhead: with a class ahead of that of the data, a retransmission waits at a port for the frame in
// service, for other retransmissions and for headers, and never for a packet that is sent for the first time, whether
// full queues drop or trim. All is delivered, with every frame accounted for.
func TestRetransmissionsGoAhead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts, trims := rapid.IntRange(2, 5).Draw(t, "senders")+1, rapid.Bool().Draw(t, "trims")
		p := params(unit.Bytes(rapid.IntRange(8, 32).Draw(t, "window")) * payload)
		p.RTO, p.Class, p.Ahead = 300*unit.Microsecond, 1, 1
		port := fabric.PortConfig{Classes: 2, Limit: unit.Bytes(rapid.IntRange(4, 64).Draw(t, "queue")) * (payload + header)}
		if trims {
			p.Class, port.Classes = 2, 3
			port.Trim = &fabric.TrimConfig{Header: header, Limit: unit.MiB}
		}
		p.AckClass = p.Class
		receiver := int32(hosts - 1)
		var groups Group
		for range receiver {
			m := message1(rapid.SampledFrom([]unit.Bytes{1, 10, 40}).Draw(t, "packets") * payload)
			m.Dst = receiver
			groups.Sources = append(groups.Sources, from(0, 1, m)[0])
		}
		groups.Sources, groups.Params = append(groups.Sources, nil), p

		rate := 100 * unit.Gbps
		const delay, latency = unit.Microsecond, 200 * unit.Nanosecond
		full := rate.Transmit(payload + header)
		type stay struct{ came, left sim.Time } // at the switch's port to the receiver
		type name struct {
			src int32
			seq uint32
		}
		came := map[name]sim.Time{} // the last copy of each packet
		var first, copies []stay
		c := labConfig{Graph: star(t, hosts), Groups: []Group{groups}, Port: func(topo.PortID) fabric.PortConfig { return port }}
		c.sent = func(now sim.Time, _ int32, f *fabric.Frame) {
			if kindOf(f) == end.Data {
				came[name{f.Src(), f.Seq}] = now + full + delay + latency
			}
		}
		c.received = func(now sim.Time, h int32, f *fabric.Frame) bool {
			if kindOf(f) != end.Data || f.Flags&packet.Trimmed != 0 || h != receiver {
				return true
			}
			s := stay{came[name{f.Src(), f.Seq}], now - delay - full}
			if f.Bits&end.Again != 0 {
				copies = append(copies, s)
			} else {
				first = append(first, s)
			}
			return len(first)%7 != 3 || f.Bits&end.Again != 0 // and some are lost behind the port
		}
		l := c.build(t)
		l.finish(t)
		for _, r := range copies {
			if i := slices.IndexFunc(first, func(f stay) bool { return f.left > r.came && f.left < r.left }); i >= 0 {
				t.Fatalf("a retransmission came at %v and left at %v, after a packet that left at %v", r.came, r.left, first[i].left)
			}
		}
	})
}

// TestRetransmissionWaits: behind a queue of others a retransmission waits for one frame at most with a class of its own,
// and for the whole queue without.
func TestRetransmissionWaits(t *testing.T) {
	const others, window = 3, 40
	full := (100 * unit.Gbps).Transmit(payload + header)
	wait := func(ahead uint8) sim.Time {
		p := params(window * payload)
		p.RTO, p.Class, p.AckClass, p.Ahead = 60*unit.Microsecond, 1, 1, ahead
		g := Group{Params: p}
		for range others {
			m := message1(200 * payload)
			m.Dst = others
			g.Sources = append(g.Sources, from(0, 1, m)[0])
		}
		g.Sources = append(g.Sources, nil)
		var sent, took sim.Time
		c := labConfig{Graph: star(t, others+1), Groups: []Group{g}, Port: func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Classes: 2, Limit: unit.GiB} }}
		lost := false
		c.sent = func(now sim.Time, _ int32, f *fabric.Frame) {
			if kindOf(f) == end.Data && f.Src() == 0 && f.Seq == 0 {
				sent = now
			}
		}
		c.received = func(now sim.Time, _ int32, f *fabric.Frame) bool {
			if kindOf(f) != end.Data || f.Src() != 0 || f.Seq != 0 {
				return true
			}
			if !lost {
				lost = true
				return false
			}
			took = now - sent
			return true
		}
		c.build(t).finish(t)
		return took - 2*full - 2*unit.Microsecond - 200*unit.Nanosecond
	}
	if w := wait(1); w < 0 || w > full {
		t.Errorf("with a class of its own it waits %v, longer than the frame in service, %v", w, full)
	}
	// The windows of all senders are in flight, and all but what the links hold is in the queue.
	onLinks := sim.Time(2*unit.Microsecond+200*unit.Nanosecond+2*unit.Microsecond+200*unit.Nanosecond)/full + 4
	if w := wait(0); w < (others*window-onLinks-others)*full || w > others*window*full {
		t.Errorf("without it waits %v, which is not the queue of %d packets", w, others*window)
	}
}
