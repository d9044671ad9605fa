package expresspass

import (
	"slices"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// A receiver sends credits of varying size with a pause that varies, numbered, over the
// entropy of the request, until it is told to stop.
func TestReceiver(t *testing.T) {
	h, _, take := alone(t, testOptions(SIRD))
	h.Receive(0, &protocol.Packet{Kind: kindRequest, Peer: 1, Entropy: 77, Size: 10 * unit.MB})
	gap := float64(h.gap) * 16
	last, sizes, number := unit.Time(0), map[unit.Bytes]bool{}, uint32(0)
	for range 500 {
		at, _ := h.Deadline()
		if number > 1 {
			if pause := float64(at - last); pause < 0.9*gap-1 || pause > 1.1*gap+1 {
				t.Fatalf("a pause of %v, want %v, or a tenth more or less", at-last, unit.Time(gap))
			}
		}
		last = at
		for _, p := range take(at) {
			if p.Kind != kindCredit || p.Class != 0 || p.Entropy != 77 || p.Number != number || p.Wire < 76 || p.Wire > 92 {
				t.Fatalf("credit %d is %+v", number, p)
			}
			sizes[p.Wire] = true
			number++
		}
	}
	if len(sizes) != 17 {
		t.Errorf("%d sizes of credits, want 76 to 92 B", len(sizes))
	}
	h.Receive(last, &protocol.Packet{Kind: kindStop, Peer: 1, Size: 10 * unit.MB})
	if _, ok := h.Deadline(); ok {
		t.Error("credits go on after a stop")
	}
}

// An answer waits for credits as any message: while it is in flight, the receiver of the
// message does not tell that it arrived, and its sender does not ask for long. The time that
// the answer waited is the round-trip time with which the host receives the connection's next
// message, which goes as soon as the answer comes.
func TestAnswerWaits(t *testing.T) {
	const us = unit.Microsecond
	server, _, served := alone(t, testOptions(SIRD))
	now := unit.Time(0)
	to := func(p protocol.Packet) []protocol.Packet {
		p.Peer, p.Message, p.Entropy = 1, 0, 77
		server.Receive(now, &p)
		return served(now)
	}
	to(protocol.Packet{Kind: kindRequest, Size: 1000})
	now = 5 * us
	sent := to(protocol.Packet{Kind: kindData, Size: 1000, Payload: 1000, EchoAt: 0})
	if len(sent) != 1 || sent[0].Kind != kindRequest || sent[0].Flags&isReply == 0 || sent[0].Extra != 0 {
		t.Fatalf("%+v, want a request for the answer", sent)
	}
	answer := sent[0]
	for _, p := range []protocol.Packet{{Kind: kindStop, Size: 1000, Offset: 1000, Flags: protocol.Resent}, {Kind: kindRequest, Size: 1000, Flags: protocol.Resent}} {
		if told := to(p); len(told) != 0 {
			t.Errorf("%+v while the answer waits", told)
		}
	}
	now = 65 * us
	server.Receive(now, creditFor(answer, 0, now-3*us))
	server.Receive(now, &protocol.Packet{Kind: kindRequest, Peer: 1, Message: 1, Entropy: 77, Size: 1000})
	server.Receive(now, &protocol.Packet{Kind: kindRequest, Peer: 1, Message: 2, Entropy: 78, Size: 1000})
	for message, want := range map[uint32]unit.Time{1: 60 * us, 2: 0} {
		if m := &server.inbox[server.sender(1).Find(message)]; m.rtt != want || !m.held || m.total != 0 || m.credit != 1 {
			t.Errorf("message %d begins with %+v after the first one's answer waited for 60 us, want a round-trip time of %v and all else anew", message, m.feedback, want)
		}
		server.Receive(now, &protocol.Packet{Kind: kindStop, Peer: 1, Message: message, Size: 1000})
	}
	for i := range unit.Time(3) { // two waits until the answer's flow is closed
		served((i + 1) * unit.Second)
	}
	if told := to(protocol.Packet{Kind: kindStop, Size: 1000, Offset: 1000, Flags: protocol.Resent}); !slices.Equal(kinds(told), []uint8{kindDone}) {
		t.Errorf("%v once the answer was sent, want that the message arrived", kinds(told))
	}

	o, one := testOptions(SIRD), 1
	o.Pool = &one
	client, out, take := alone(t, o)
	client.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 1000})
	client.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 1000})
	request := take(0)[0]
	client.Receive(10*us, creditFor(request, 0, 5*us))
	if sent := take(10 * us); !slices.Equal(kinds(sent), []uint8{kindData, kindStop}) {
		t.Fatalf("%v for a credit", kinds(sent))
	}
	take(30 * us)
	take(40 * us) // when the last of three round-trip times ends
	if asked := take(40*us + 64*100*us - 1); len(asked) != 0 {
		t.Errorf("%v while the answer may wait", kinds(asked))
	}
	if asked := take(40*us + 64*100*us); !slices.Equal(kinds(asked), []uint8{kindStop}) || asked[0].Flags&protocol.Resent == 0 {
		t.Errorf("%+v after 6.4 ms, want a question", asked)
	}
	client.Receive(7000*us, &protocol.Packet{Kind: kindRequest, Peer: 1, Message: 0, Entropy: request.Entropy, Size: 4, Flags: isReply, Extra: request.Message})
	take(7000 * us)
	client.Receive(7005*us, &protocol.Packet{Kind: kindData, Peer: 1, Message: 0, Size: 4, Flags: isReply, EchoAt: 7000 * us})
	if len(out.Events) != 1 || out.Events[0].Kind != protocol.MessageCompleted {
		t.Errorf("events %+v", out.Events)
	}
	next := take(7005 * us)
	if len(next) != 1 || next[0].Kind != kindRequest || next[0].Message != 1 || next[0].Entropy != request.Entropy {
		t.Fatalf("%+v when the answer came, want a request for the message that waits", next)
	}
	client.Receive(7006*us, creditFor(request, 1, 7000*us))
	if sent := take(7006 * us); !slices.Equal(kinds(sent), []uint8{kindStop}) {
		t.Errorf("%v for a credit of the message before, want that it ends those", kinds(sent))
	}
}

// Credits that nobody answered because they came after a stop count as dropped with SIRD's
// simulator when a message asks again, and not with the paper. With the former w may not grow
// at the first increase of a message. With both the next one begins anew.
func TestUnanswered(t *testing.T) {
	const us = unit.Microsecond
	for _, preset := range []string{SIRD, Paper} {
		h, _, take := alone(t, testOptions(preset))
		now, numbers := unit.Time(0), map[uint32]uint32{}
		request := func(message uint32, entropy uint16, size unit.Bytes) {
			h.Receive(now, &protocol.Packet{Kind: kindRequest, Peer: 1, Message: message, Entropy: entropy, Size: size})
		}
		credits := func(until unit.Time) {
			note := func(at unit.Time) {
				for _, p := range take(at) {
					if p.Kind == kindCredit {
						numbers[p.Message] = p.Number
					}
				}
			}
			for at, ok := h.Deadline(); ok && at <= until; at, ok = h.Deadline() {
				note(at)
			}
			note(until)
			now = until
		}
		data := func(message uint32, size unit.Bytes) {
			h.Receive(now, &protocol.Packet{Kind: kindData, Peer: 1, Message: message, Size: size, Payload: min(1460, size), Number: numbers[message], EchoAt: now - 5*us})
		}
		request(0, 77, 10*unit.MB)
		if held := h.inbox[0].held; held != (preset == SIRD) {
			t.Errorf("%s: a new message's w is held: %v", preset, held)
		}
		credits(30 * us)
		before := int32(numbers[0]) + 1
		h.Receive(now, &protocol.Packet{Kind: kindStop, Peer: 1, Size: 10 * unit.MB})
		request(0, 77, 10*unit.MB)
		credits(now + us/10)
		data(0, 10*unit.MB)
		total := before + 1
		if preset == Paper {
			total = 1
		}
		if m := &h.inbox[0]; before < 5 || m.total != total || m.dropped != total-1 {
			t.Errorf("%s: %d credits, %d of them dropped, after a new request and %d before", preset, m.total, m.dropped, before)
		}
		// A message of one packet over another connection, and one after it.
		request(1, 78, 1000)
		credits(now + us/10)
		data(1, 1000)
		request(2, 78, 1000)
		m := &h.inbox[h.sender(1).Find(2)]
		if m.credit != 1 || m.total != 0 || m.held != (preset == SIRD) {
			t.Errorf("%s: the next message begins with credit %d, %d counted, w held %v", preset, m.credit-1, m.total, m.held)
		}
	}
}

// A gap is asked for once, and again only when the sender has gone back in vain.
func TestGapIsAskedFor(t *testing.T) {
	h, out, take := alone(t, testOptions(Paper))
	const size = 5 * 1460
	h.Receive(0, &protocol.Packet{Kind: kindRequest, Peer: 1, Size: size})
	take(0)
	credit := uint32(0)
	data := func(k unit.Bytes) (fresh unit.Bytes, nacks int) {
		fresh = h.Receive(unit.Microsecond, &protocol.Packet{Kind: kindData, Peer: 1, Size: size, Offset: k * 1460, Payload: 1460, Number: credit})
		credit++
		for _, p := range take(unit.Microsecond) {
			if p.Kind == kindNack {
				nacks++
				if p.Offset != 1460 {
					t.Errorf("asked for what comes from %v", p.Offset)
				}
			}
		}
		return fresh, nacks
	}
	for i, step := range []struct {
		packet unit.Bytes
		fresh  unit.Bytes
		nacks  int
	}{{0, 1460, 0}, {2, 0, 1}, {3, 0, 0}, {4, 0, 0}, {2, 0, 1}, {1, 1460, 0}, {2, 1460, 0}, {2, 0, 0}, {3, 1460, 0}, {4, 1460, 0}} {
		if fresh, nacks := data(step.packet); fresh != step.fresh || nacks != step.nacks {
			t.Errorf("step %d, packet %d: %v fresh and %d NACKs, want %v and %d", i, step.packet, fresh, nacks, step.fresh, step.nacks)
		}
	}
	if len(out.Events) != 1 || out.Events[0].Kind != protocol.MessageDelivered {
		t.Errorf("events %+v", out.Events)
	}
}
