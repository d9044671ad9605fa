package transport

import (
	"testing"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// pulled returns a transport under EQDS with a BDP of n packets.
func pulled(t testing.TB, n int) Params {
	t.Helper()
	p := params(0)
	p.RTO = 200 * unit.Microsecond
	p.Class = 1
	p.Env.Payload, p.Env.Packet = payload, payload+header
	p.Env.BDP, p.Env.BaseRTT, p.Env.Trims = unit.Bytes(n)*(payload+header), 6*unit.Microsecond, true
	p.Congestion = pulling(t)
	return p
}

// trimming is ports of 8 packets that trim.
func trimming(topo.PortID) fabric.PortConfig {
	return fabric.PortConfig{Classes: 2, Limit: 8 * (payload + header), Trim: &fabric.TrimConfig{Header: header, Limit: 400 * header}}
}

// kindOf returns what a frame is.
func kindOf(f *fabric.Frame) uint8 { return f.Kind }

// to returns sources of which hosts 1 to n send a message to host 0.
func to0(n int, size unit.Bytes) []workload.Source {
	sources := make([]workload.Source, n+1)
	for h := 1; h <= n; h++ {
		sources[h] = &list{{Dst: 0, Size: size}}
	}
	return sources
}

// A sender sends one BDP at once and then a packet for each pull, which come at the
// receiver's rate; all credit that was granted is received and spent.
func TestSenderSendsOnlyWhatIsPulled(t *testing.T) {
	const packets = 100
	var first, data, pulls int
	var pullTimes []sim.Time
	c := labConfig{Graph: star(t, 2), Port: trimming, Groups: []Group{{Params: pulled(t, 20), Sources: from(0, 2, message1(packets*payload))}}}
	c.sent = func(now sim.Time, host int32, f *fabric.Frame) {
		switch kindOf(f) {
		case dataFrame:
			if data++; pulls == 0 {
				first++
			}
		case end.Pull:
			pullTimes = append(pullTimes, now)
		}
	}
	c.received = func(_ sim.Time, _ int32, f *fabric.Frame) bool {
		if kindOf(f) == end.Pull {
			pulls++
		}
		if f.Flags&packet.Trimmed != 0 {
			t.Error("a lone message was trimmed")
		}
		return true
	}
	l := c.build(t)
	m := l.finish(t)[0]
	if data != packets || first < 15 || first > 20 {
		t.Errorf("%d packets sent, %d of them before the first pull; want %d and about a BDP of 20", data, first, packets)
	}
	counts := l.transport.Counts()
	if counts.Requests != 0 || counts.CreditGranted != counts.CreditReceived || counts.CreditGrantedAgain != 0 {
		t.Errorf("counted %+v", counts)
	}
	// One takes 4160 B at 99 Gb/s, but may wait for an acknowledgement at the wire.
	for i := range pullTimes {
		if gap := pullTimes[i] - pullTimes[0]; gap < unit.Time(i)*336161*unit.Picosecond-10*unit.Nanosecond {
			t.Errorf("pull %d is %v after the first", i, gap)
		}
	}
	if least := Ideal(l.hops(0, 1), packets*payload, payload, header); m.End-m.Start > least*102/100 {
		t.Errorf("it took %v; alone at line rate it takes %v", m.End-m.Start, least)
	}
}

// In an incast no packet is dropped: what does not fit is trimmed, pulled again, and the
// receiver's link is never idle.
func TestIncastUnderCredit(t *testing.T) {
	const senders, size = 12, 100 * payload
	c := labConfig{Graph: star(t, senders+1), Port: trimming, Groups: []Group{{Params: pulled(t, 20), Sources: to0(senders, size)}}}
	l := c.build(t)
	var last sim.Time
	for _, m := range l.finish(t) {
		last = max(last, m.End)
	}
	if totals, _ := l.Totals(); totals.Dropped != 0 {
		t.Errorf("%d frames were dropped", totals.Dropped)
	}
	counts := l.transport.Counts()
	if counts.Trims == 0 || counts.Retransmits != counts.Trims || counts.Timeouts != 0 {
		t.Errorf("counted %+v; want as many retransmissions as trims", counts)
	}
	least := (100 * unit.Gbps).Transmit(senders * 100 * (payload + header))
	if last > least*102/100 {
		t.Errorf("it took %v; the receiver's link needs %v", last, least)
	}
}

// If all pulls of a time are lost, a sender waits for a retransmission timeout, asks, and
// is pulled again what was lost. If the requests are lost too it asks again.
func TestLostPullsAreAskedFor(t *testing.T) {
	for _, requestsToo := range []bool{false, true} {
		p := pulled(t, 20)
		c := labConfig{Graph: star(t, 2), Port: trimming, Groups: []Group{{Params: p, Sources: from(0, 2, message1(100*payload))}}}
		const until = 500 * unit.Microsecond
		c.received = func(now sim.Time, _ int32, f *fabric.Frame) bool {
			lost := kindOf(f) == end.Pull || requestsToo && kindOf(f) == end.Request
			return !lost || now > until || now < 10*unit.Microsecond
		}
		l := c.build(t)
		m := l.finish(t)[0]
		counts := l.transport.Counts()
		if counts.Requests < 2 || counts.CreditGrantedAgain == 0 || counts.Retransmits != 0 {
			t.Errorf("requests lost too: %t; counted %+v", requestsToo, counts)
		}
		if m.End < until || m.End > until+2*p.RTO {
			t.Errorf("requests lost too: %t; it ended at %v", requestsToo, m.End)
		}
		if counts.CreditReceived != counts.CreditGranted {
			t.Errorf("%d B granted, %d B received", counts.CreditGranted, counts.CreditReceived)
		}
	}
}

// A sender whose acknowledgements were lost has no credit to send again, and no receiver
// that would pull for a message that is complete. Its request is answered with an
// acknowledgement of all.
func TestRequestOfACompleteMessage(t *testing.T) {
	for _, pair := range []bool{false, true} {
		p := pulled(t, 4)
		p.PerPair = pair
		c := labConfig{Graph: star(t, 2), Port: trimming, Groups: []Group{{Params: p, Sources: from(0, 2, message1(30*payload))}}}
		c.received = func(now sim.Time, _ int32, f *fabric.Frame) bool {
			return kindOf(f) != end.Ack || now > 100*unit.Microsecond
		}
		l := c.build(t)
		m := l.finish(t)[0]
		counts := l.transport.Counts()
		if counts.Requests == 0 || m.SenderEnd < 200*unit.Microsecond || m.End > 100*unit.Microsecond {
			t.Errorf("per pair: %t; counted %+v, message %+v", pair, counts, m)
		}
	}
}

// Messages over one connection share its credit; after a pause it may send a BDP unasked
// again.
func TestCreditOfAPair(t *testing.T) {
	p := pulled(t, 10)
	p.PerPair = true
	late := 300 * unit.Microsecond
	messages := []workload.Message{{Dst: 1, Size: 20 * payload}, {Dst: 1, Size: 20 * payload}, {Dst: 1, Size: 5 * payload, At: late}}
	pulls := 0
	c := labConfig{Graph: star(t, 2), Port: trimming, Groups: []Group{{Params: p, Sources: from(0, 2, messages...)}}}
	c.sent = func(now sim.Time, _ int32, f *fabric.Frame) {
		if kindOf(f) == end.Pull && now >= late {
			pulls++
		}
	}
	l := c.build(t)
	all := l.finish(t)
	if pulls != 0 {
		t.Errorf("%d pulls for a message below the allowance", pulls)
	}
	if least := Ideal(l.hops(0, 1), 5*payload, payload, header); all[2].End-late != least {
		t.Errorf("the last took %v, want %v", all[2].End-late, least)
	}
}

// A message without payload takes credit, as the frame that it is: behind one that used
// all of it, it waits for a pull.
func TestEmptyMessagesTakeCredit(t *testing.T) {
	p := pulled(t, 4)
	p.PerPair = true
	messages := []workload.Message{{Dst: 1, Size: 4 * payload}, {Dst: 1}, {Dst: 1}, {Dst: 1}}
	pulls, early, empty := 0, 0, 0
	c := labConfig{Graph: star(t, 2), Port: trimming, Groups: []Group{{Params: p, Sources: from(0, 2, messages...)}}}
	c.sent = func(_ sim.Time, _ int32, f *fabric.Frame) {
		if kindOf(f) == dataFrame && unit.Bytes(f.Size) == header {
			if empty++; pulls == 0 {
				early++
			}
		}
	}
	c.received = func(_ sim.Time, _ int32, f *fabric.Frame) bool {
		if kindOf(f) == end.Pull {
			pulls++
		}
		return true
	}
	if done := c.build(t).finish(t); len(done) != len(messages) {
		t.Errorf("%d messages done of %d", len(done), len(messages))
	}
	if empty != 3 || early != 0 {
		t.Errorf("%d frames without payload sent, %d of them before any pull; want 3, 0", empty, early)
	}
}

// Two senders at different distances and times get equal shares of a receiver.
func TestPullsAreFair(t *testing.T) {
	c := labConfig{Graph: star(t, 3), Port: trimming, Groups: []Group{{Params: pulled(t, 20), Sources: to0(2, 400*payload)}}}
	*c.Groups[0].Sources[2].(*list) = list{{Dst: 0, Size: 400 * payload, At: 20 * unit.Microsecond}}
	var got [3]int
	c.received = func(now sim.Time, host int32, f *fabric.Frame) bool {
		if kindOf(f) == dataFrame && f.Flags&packet.Trimmed == 0 && now > 50*unit.Microsecond && now < 200*unit.Microsecond {
			got[f.Src()]++
		}
		return true
	}
	c.build(t).finish(t)
	if d := got[1] - got[2]; d < -4 || d > 4 {
		t.Errorf("%d and %d packets of the two senders arrived", got[1], got[2])
	}
}

// dataFrame is data, for tests that count it under that name.
const dataFrame = end.Data
