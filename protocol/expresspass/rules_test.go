package expresspass

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// flow is the feedback of a flow that begins at time 0, with a round-trip time of 10 us.
func flow(preset string) (*feedback, *config) {
	c := newConfig(testOptions(preset), testEnv(2))
	f := &feedback{}
	f.start(c, 0, 1000)
	return f, c
}

// hear tells of data for credits, of which some are passed over, and updates the rate.
func hear(f *feedback, c *config, now unit.Time, answered, dropped int) {
	for i := range answered {
		skip := uint32(0)
		if i == 0 {
			skip = uint32(dropped)
		}
		f.answered(now, f.next+skip, now-10*unit.Microsecond)
	}
	f.update(c, now)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Algorithm 1, and what the public simulator has in its place.
func TestFeedback(t *testing.T) {
	const us = unit.Microsecond
	t.Run("paper", func(t *testing.T) {
		f, c := flow(Paper)
		near(t, "the first rate", f.rate, 1./16)
		hear(f, c, 10*us, 20, 2) // 2 of 22 is below 10 %
		w := (1./16 + 0.5) / 2
		rate := (1-w)/16 + w*1.1
		near(t, "w", f.w, w)
		near(t, "the rate", f.rate, rate)
		hear(f, c, 15*us, 5, 5)
		near(t, "the rate within a round-trip time", f.rate, rate)
		hear(f, c, 20*us, 5, 0) // 5 of 15 since the update
		near(t, "the rate after a loss", f.rate, rate*(1-5./15)*1.1)
		near(t, "w after a loss", f.w, w/2)
		hear(f, c, 30*us, 5, 0)
		near(t, "w at the first increase after a loss", f.w, w/2)
		hear(f, c, 40*us, 5, 0)
		near(t, "w at the second", f.w, (w/2+0.5)/2)
	})
	t.Run("sird", func(t *testing.T) {
		f, c := flow(SIRD)
		hear(f, c, 10*us, 20, 2) // the target is 15/16 of 1/8
		w := 1./16 + 0.05
		rate := (1-w)/16 + w
		near(t, "the rate", f.rate, rate)
		near(t, "w", f.w, w)
		hear(f, c, 20*us, 10, 5)
		target := (1 - rate) / 8
		delivered := 10 * float64(c.gap) / float64(10*us)
		near(t, "the rate after a loss", f.rate, delivered*(1+target))
		near(t, "w after a loss", f.w, w/2)
	})
	t.Run("bounds", func(t *testing.T) {
		f, c := flow(SIRD)
		for i := range 60 {
			hear(f, c, unit.Time(i+1)*10*us, 1, 0)
		}
		near(t, "the largest w", f.w, 0.5)
		if f.rate < 0.99 || f.rate > 1 {
			t.Errorf("without losses the rate is %v", f.rate)
		}
		for i := range 60 {
			hear(f, c, unit.Time(i+61)*10*us, 1, 1000)
		}
		near(t, "the least w", f.w, 0.01)
		near(t, "the least rate", f.rate, float64(c.gap)/float64(f.rtt))
	})
	t.Run("late answers count for nothing", func(t *testing.T) {
		f, _ := flow(SIRD)
		f.answered(10*us, 5, 0)
		if f.answered(11*us, 3, 0) || f.total != 6 || f.dropped != 5 {
			t.Errorf("%d credits, %d dropped", f.total, f.dropped)
		}
	})
	t.Run("few packets", func(t *testing.T) {
		f, c := flow(SIRD)
		f.start(c, 0, 2)
		near(t, "the first rate of two packets", f.rate, 2./40/16)
		f, c = flow(Paper)
		f.start(c, 0, 2)
		near(t, "that of the paper", f.rate, 1./16)
	})
}

// TestGap checks the highest rate of credits: 84 B in each 84+1538 B of the link, which with
// the mean of 76 to 92 B is one in 129.76 ns.
func TestGap(t *testing.T) {
	c := newConfig(testOptions(SIRD), testEnv(2))
	if c.gap != 129760*unit.Picosecond {
		t.Errorf("the gap is %v", c.gap)
	}
}

// alone returns a host that talks to host 1, and what it sends at a time.
func alone(t *testing.T, o Options) (*host, *protocol.HostOutput, func(now unit.Time) []protocol.Packet) {
	t.Helper()
	env := testEnv(3)
	out := &protocol.HostOutput{}
	env.Out, env.Rand = out, rand.NewPCG(1, 2)
	h := newHost(newConfig(o, env), env)
	return h, out, func(now unit.Time) (sent []protocol.Packet) {
		h.Expire(now)
		for {
			var p protocol.Packet
			if !h.Next(now, &p) {
				if err := h.Check(); err != nil {
					t.Fatal(err)
				}
				return sent
			}
			sent = append(sent, p)
		}
	}
}

func kinds(sent []protocol.Packet) (k []uint8) {
	for _, p := range sent {
		k = append(k, p.Kind)
	}
	return k
}

func creditFor(p protocol.Packet, number uint32, at unit.Time) *protocol.Packet {
	return &protocol.Packet{Kind: kindCredit, Peer: 1, Message: p.Message, Entropy: p.Entropy, Number: number, SentAt: at, Wire: 84}
}

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

// An answer waits for credits as any message: while it is under way, the receiver of the
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

// TestNIC lets many flows send their first credits at once: two go, eight wait (of 84 B),
// the rest is dropped, and the next ones go as tokens are earned.
func TestNIC(t *testing.T) {
	o := testOptions(Paper)
	o.CreditMax = 84
	h, _, take := alone(t, o)
	for i := range uint32(20) {
		h.Receive(0, &protocol.Packet{Kind: kindRequest, Peer: 1, Message: i, Size: 10 * unit.MB})
	}
	if n := len(take(0)); n != 2 {
		t.Errorf("%d credits at once, want 2", n)
	}
	if c := h.CreditCounts(); c.Issued != 20 || c.Refused != 12 || c.Sent != 2 {
		t.Errorf("%+v", c)
	}
	for i := range unit.Time(6) {
		at, ok := h.Ready()
		if want := (i + 1) * 129760; !ok || at != want {
			t.Errorf("ready at %v, want %v", at, want)
		}
		var p protocol.Packet
		if h.Next(at-1, &p) || !h.Next(at, &p) {
			t.Errorf("credit %d does not go at %v", i, at)
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

// TestShares lets flows share a receiver: they get the same, and use the link, in preset
// paper but for what its decreases take twice.
func TestShares(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		const senders = 4
		n := newNet(t, testOptions(preset), senders+1, 3)
		for i := range int32(senders) {
			n.Send(i+1, 0, 100*unit.MB, 0)
		}
		n.Run(unit.Millisecond)
		before := make([]unit.Bytes, 0, senders)
		for i := range n.hosts[0].inbox {
			before = append(before, n.hosts[0].inbox[i].arrived)
		}
		n.Run(3 * unit.Millisecond)
		sum, squares := 0.0, 0.0
		for i, b := range before {
			x := float64(n.hosts[0].inbox[i].arrived - b)
			sum += x
			squares += x * x
		}
		most := float64(rate.In(2*unit.Millisecond)) * 1460 / 1622
		if jain := sum * sum / senders / squares; jain < 0.95 {
			t.Errorf("%s: fairness %.3f", preset, jain)
		}
		// Small credits find room more often, so that those that go are a little below the mean.
		if use := sum / most; use < 0.75 || use > 1.005 {
			t.Errorf("%s: %.1f %% of the link used", preset, 100*use)
		}
		t.Logf("%s: %.1f %%", preset, 100*sum/most)
	}
}

// TestOutcast lets receivers share a sender, whose downlink drops the credits that are too
// many: the uplink is used, and they get the same.
func TestOutcast(t *testing.T) {
	for _, preset := range []string{Paper, SIRD} {
		const receivers = 4
		n := newNet(t, testOptions(preset), receivers+1, 3)
		for i := range int32(receivers) {
			n.Send(0, i+1, 100*unit.MB, 0)
		}
		n.Run(unit.Millisecond)
		var before [receivers]unit.Bytes
		for i := range before {
			before[i] = n.hosts[i+1].inbox[0].arrived
		}
		n.Run(3 * unit.Millisecond)
		sum, squares := 0.0, 0.0
		for i, b := range before {
			x := float64(n.hosts[i+1].inbox[0].arrived - b)
			sum += x
			squares += x * x
		}
		if n.Dropped == 0 {
			t.Errorf("%s: no credit was dropped", preset)
		}
		jain, use := sum*sum/receivers/squares, sum/(float64(rate.In(2*unit.Millisecond))*1460/1622)
		if jain < 0.9 || use < 0.75 || use > 1.005 {
			t.Errorf("%s: fairness %.3f, %.1f %% of the link used", preset, jain, 100*use)
		}
		t.Logf("%s: fairness %.3f, %.1f %%, %d credits dropped", preset, jain, 100*use, n.Dropped)
	}
}
