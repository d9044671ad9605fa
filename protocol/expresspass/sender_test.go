package expresspass

import (
	"slices"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// A sender asks, sends a packet for each credit, and stops behind the last one.
func TestSender(t *testing.T) {
	const us = unit.Microsecond
	h, out, take := alone(t, testOptions(Paper))
	h.Submit(0, &protocol.HostMessage{Peer: 1, Tag: 7, Bytes: 3000})
	sent := take(0)
	if len(sent) != 1 || sent[0].Kind != kindRequest || sent[0].Size != 3000 || sent[0].Wire != 84 || sent[0].Class != 1 {
		t.Fatalf("%+v, want a request", sent)
	}
	request := sent[0]
	if again := take(99 * us); len(again) != 0 {
		t.Errorf("%+v before 100 us", again)
	}
	if again := take(100 * us); !slices.Equal(kinds(again), []uint8{kindRequest}) {
		t.Errorf("%v after 100 us, want another request", kinds(again))
	}
	for i := range uint32(3) {
		at := 101*us + unit.Time(i)*unit.Microsecond
		h.Receive(at, creditFor(request, 10+i, at-5*us))
		sent = take(at)
		want := []uint8{kindData}
		if i == 2 {
			want = []uint8{kindData, kindStop}
		}
		p := sent[0]
		if !slices.Equal(kinds(sent), want) || p.Number != 10+i || p.EchoAt != at-5*us || p.Entropy != request.Entropy || p.Offset != unit.Bytes(i)*1460 {
			t.Errorf("%+v for credit %d, want kinds %v", sent, i, want)
		}
	}
	h.Receive(105*us, creditFor(request, 13, 0))
	if sent := take(105 * us); len(sent) != 0 {
		t.Errorf("%+v for a credit behind the stop", sent)
	}
	if c := h.CreditCounts(); c.Received != 4 || c.Used != 3 || c.Wasted != 1 {
		t.Errorf("%+v", c)
	}
	h.Receive(106*us, &protocol.Packet{Kind: kindDone, Peer: 1, Message: request.Message})
	if len(out.Events) != 1 || out.Events[0].Kind != protocol.MessageCompleted || out.Events[0].Tag != 7 {
		t.Errorf("events %+v", out.Events)
	}
	take(unit.Second)
	take(2 * unit.Second)
	if _, waits := h.Deadline(); waits || h.outbox[0].live {
		t.Error("the flow does not end")
	}
}

// A request that draws no credit is repeated, each time after twice as long in preset paper
// and after as long in sird, whose round-trip time is that from the last one. Where credits
// came and then stay away, sird waits longer, and does not take the next one for an answer,
// since its receivers send more on their own.
func TestRepeatedRequest(t *testing.T) {
	const us = unit.Microsecond
	for _, c := range []struct {
		preset string
		at     []unit.Time
		rtt    unit.Time
		quiet  unit.Time
		late   unit.Time
	}{
		{Paper, []unit.Time{0, 100 * us, 200 * us, 400 * us, 800 * us, 1600 * us}, rtt, 100 * us, rtt},
		{SIRD, []unit.Time{0, 100 * us, 200 * us, 300 * us, 400 * us, 500 * us}, 7 * us, 6400 * us, 7 * us},
	} {
		h, _, take := alone(t, testOptions(c.preset))
		h.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10 * unit.MB})
		var request protocol.Packet
		for _, at := range c.at {
			if at > 0 {
				if early := take(at - 1); len(early) != 0 {
					t.Errorf("%s: %v before %v", c.preset, kinds(early), at)
				}
			}
			sent := take(at)
			if !slices.Equal(kinds(sent), []uint8{kindRequest}) || at > 0 && sent[0].Flags&protocol.Resent == 0 {
				t.Fatalf("%s: %+v at %v, want a request", c.preset, sent, at)
			}
			request = sent[0]
		}
		at := c.at[len(c.at)-1] + 7*us
		h.Receive(at, creditFor(request, 0, at-3*us))
		if got := h.outbox[0].rtt; got != c.rtt {
			t.Errorf("%s: the round-trip time is %v after the request was repeated, want %v", c.preset, got, c.rtt)
		}
		take(at)
		if early := take(at + c.quiet - 1); len(early) != 0 {
			t.Errorf("%s: %v before %v without credits", c.preset, kinds(early), c.quiet)
		}
		if again := take(at + c.quiet); !slices.Equal(kinds(again), []uint8{kindRequest}) {
			t.Errorf("%s: %v after %v without credits, want a request", c.preset, kinds(again), c.quiet)
		}
		if early := take(at + 2*c.quiet - 1); len(early) != 0 {
			t.Errorf("%s: %v before another %v", c.preset, kinds(early), c.quiet)
		}
		if again := take(at + 2*c.quiet); !slices.Equal(kinds(again), []uint8{kindRequest}) {
			t.Errorf("%s: %v after another %v without credits, want a request", c.preset, kinds(again), c.quiet)
		}
		at += 2*c.quiet + 20*us
		h.Receive(at, creditFor(request, 1, at-3*us))
		if got := h.outbox[0].rtt; got != c.late {
			t.Errorf("%s: the round-trip time is %v after credits stayed away, want %v", c.preset, got, c.late)
		}
	}
}

// Within a round-trip time as many credits came as packets are left: the sender stops, uses
// those that still come, and asks again two round-trip times later if they were too few.
func TestEarlyStop(t *testing.T) {
	const us = unit.Microsecond
	h, _, take := alone(t, testOptions(SIRD))
	h.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 10 * 1460})
	request := take(0)[0]
	var sent []protocol.Packet
	for i := range uint32(6) { // from 10 us on, two a microsecond
		now := 10*us + unit.Time(i)*2*us
		h.Receive(now, creditFor(request, i, 0))
		sent = append(sent, take(now)...)
	}
	// The round-trip time is 10 us: at 20 us six have come and four are left.
	want := []uint8{kindData, kindData, kindData, kindData, kindData, kindData, kindStop}
	if !slices.Equal(kinds(sent), want) {
		t.Fatalf("%v, want %v", kinds(sent), want)
	}
	h.Receive(21*us, creditFor(request, 6, 0))
	if sent := take(21 * us); !slices.Equal(kinds(sent), []uint8{kindData}) {
		t.Errorf("%v for a credit after the stop", kinds(sent))
	}
	if sent := take(40*us - 1); len(sent) != 0 {
		t.Errorf("%v before two round-trip times", kinds(sent))
	}
	if sent := take(40 * us); !slices.Equal(kinds(sent), []uint8{kindRequest}) || sent[0].Offset != 7*1460 {
		t.Errorf("%+v, want a request for the rest", sent)
	}
}

// A sender goes back as a NACK asks it to, stops credits early, and then hears that all of
// the message arrived, of which copies were late: it asks for no more credits.
func TestArrivedWhileStopped(t *testing.T) {
	const us = unit.Microsecond
	o, early := testOptions(Paper), true
	o.EarlyStop = &early
	h, out, take := alone(t, o)
	h.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 5 * 1460})
	request := take(0)[0]
	for i := range uint32(4) {
		h.Receive(10*us, creditFor(request, i, 5*us))
	}
	h.Receive(12*us, &protocol.Packet{Kind: kindNack, Peer: 1, Message: request.Message, Offset: 1460})
	h.Receive(20*us, creditFor(request, 4, 15*us))
	sent := take(20 * us)
	if last := sent[len(sent)-1]; last.Kind != kindStop || last.Offset != 2*1460 {
		t.Fatalf("%+v, want a stop that leaves three packets", last)
	}
	h.Receive(21*us, &protocol.Packet{Kind: kindDone, Peer: 1, Message: request.Message})
	if len(out.Events) == 0 || out.Events[len(out.Events)-1].Kind != protocol.MessageCompleted {
		t.Fatalf("events %+v", out.Events)
	}
	for i := range unit.Time(4) {
		if sent := take((i + 1) * unit.Second); len(sent) != 0 {
			t.Errorf("%v after the message arrived", kinds(sent))
		}
	}
	if h.outbox[0].live {
		t.Error("the flow does not end")
	}
}

// Of a pool of two connections the one that was freed last is taken, and a third message
// waits.
func TestPool(t *testing.T) {
	o := testOptions(SIRD)
	two := 2
	o.Pool = &two
	n := newNet(t, o, 2, 1)
	for range 3 {
		n.Send(0, 1, 100*1460, 0)
	}
	if n.hosts[0].receivers[1].waiting.Len() != 1 || n.hosts[0].outbox[2].state != queued {
		t.Error("the third message does not wait")
	}
	n.Finish(unit.Second)
	r := n.hosts[0].receivers[1]
	if len(r.free) != 2 || r.open != 2 {
		t.Fatalf("%d connections, %d of them free", r.open, len(r.free))
	}
	last := r.free[1]
	n.Send(0, 1, 1, 0)
	if i := n.hosts[0].receivers[1].Find(3); i < 0 || n.hosts[0].outbox[i].entropy != last {
		t.Error("it was not the connection that was freed last")
	}
}
