package dcpim

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// These tests follow the rules of dcPIM one by one, with the published parameters: k = 4
// channels, r = 4 rounds, beta = 1.3, in SIRD's network.

const (
	round  = 9100 * unit.Nanosecond
	period = 4 * round
	mss    = unit.Bytes(1460)
)

func TestParameters(t *testing.T) {
	b := newBare(t, nil)
	if b.round != round || b.period != period || b.perChannel != 73 || b.window != 65 || b.FreeSize != 65*mss {
		t.Errorf("round %v, period %v, %d packets a channel, window %d, short up to %v", b.round, b.period, b.perChannel, b.window, b.FreeSize)
	}
}

// Short messages: up to 1 BDP, they are announced and sent at once, in the class after
// control and before long ones.
func TestShort(t *testing.T) {
	b := newBare(t, nil)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Tag: 7, Bytes: 65 * mss})
	if p := b.next(tokens.Notice); p.Size != 65*mss || p.Class != 0 || p.Wire != 84 || p.Tag != 7 {
		t.Errorf("notice %+v", p)
	}
	for i := range unit.Bytes(65) {
		if p := b.next(tokens.Data); p.Offset != i*mss || p.Class != 1 || p.Wire != 1538 || p.Tag != 7 {
			t.Fatalf("packet %+v", p)
		}
	}
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 65*mss + 1})
	b.next(tokens.Notice)
	if list := b.all(tokens.Data); len(list) > 0 {
		t.Errorf("%d packets of a long message went before it was matched", len(list))
	}
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: tokens.Token, Message: 1, Offset: 65 * mss, Amount: 3})
	if p := b.next(tokens.Data); p.Class != 2 || p.Payload != 1 || p.Wire != 79 || p.Amount != 3 {
		t.Errorf("packet of a long message %+v", p)
	}
}

// The public simulator's packets all have 1500 B, and its control packets 40 B.
func TestPadded(t *testing.T) {
	o := testOptions()
	o.Padded = true
	cc, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	if !cc.Host.Padded {
		t.Error("the carrier is not told of padding")
	}
	env := hosttest.Env(2)
	env.Packet, env.Header, env.Control = 1500, 40, 40
	n := newNet(t, o, 2, env)
	var wires, payloads []unit.Bytes
	n.Arrived = func(_ int32, p *protocol.Packet) {
		if p.Payload > 0 {
			wires, payloads = append(wires, p.Wire), append(payloads, p.Payload)
		}
	}
	n.Send(0, 1, mss+100, 0)
	n.Finish(unit.Second)
	if want := []unit.Bytes{1500, 1500}; !slices.Equal(wires, want) {
		t.Errorf("packets take %v on the wire, want %v", wires, want)
	}
	if want := []unit.Bytes{mss, 100}; !slices.Equal(payloads, want) {
		t.Errorf("packets carry %v, want %v", payloads, want)
	}
}

// Priorities: cutoffs divide data into more levels.
func TestCutoffs(t *testing.T) {
	b := newBare(t, func(o *Options) { o.Cutoffs = []unit.Bytes{7 * mss, 49 * mss, 343 * mss} })
	for i, packets := range []unit.Bytes{7, 8, 50, 344} {
		b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: packets * mss})
		b.next(tokens.Notice)
		b.Receive(0, &protocol.Packet{Peer: 1, Kind: tokens.Token, Message: uint32(i)})
		for _, p := range b.all(tokens.Data) {
			if int(p.Class) != i+1 {
				t.Fatalf("data of %d packets in class %d", packets, p.Class)
			}
		}
	}
}

// Sender: short messages first, then by the bytes left.
func TestSenderOrder(t *testing.T) {
	b := newBare(t, nil)
	for i, packets := range []unit.Bytes{200, 100, 60, 20} {
		b.Submit(0, &protocol.HostMessage{Peer: int32(i + 1), Bytes: packets * mss})
	}
	for range 4 {
		b.next(tokens.Notice)
	}
	for peer := int32(1); peer <= 2; peer++ {
		b.Receive(0, &protocol.Packet{Peer: peer, Kind: tokens.Token})
	}
	var order []int32
	for _, p := range b.all(tokens.Data) {
		if n := len(order); n == 0 || order[n-1] != p.Peer {
			order = append(order, p.Peer)
		}
	}
	if diff := cmp.Diff([]int32{4, 3, 2, 1}, order); diff != "" {
		t.Error(diff)
	}
}

// Clock: rounds are counted from time 0, and a host sleeps while it has no messages.
func TestClock(t *testing.T) {
	b := newBare(t, nil)
	if at, ok := b.Deadline(); ok {
		t.Errorf("a host without messages waits until %v", at)
	}
	const now = 1000*period + 5*unit.Microsecond
	b.Now = now
	b.announce(1, 0, 1000)
	if at, _ := b.Deadline(); at != 1000*period+round {
		t.Fatalf("woken at %v, want the next round's begin, %v", at, 1000*period+round)
	}
	b.until(1000*period + round)
	if p := b.next(kindRequest); p.Number != 1000 || p.Extra != 1 || p.Wire != 84 || p.Class != 0 {
		t.Errorf("request %+v", p)
	}
}

// Request: for the shortest message of each sender, as many channels as it fills in a data
// phase, at most those that are free.
func TestRequests(t *testing.T) {
	b := newBare(t, nil)
	b.announce(1, 0, 3*73)
	b.announce(1, 1, 2*73+1)
	b.announce(2, 0, 73)
	b.announce(3, 0, 5000)
	b.announce(4, 0, 65) // short
	b.until(round)
	type request struct {
		Peer           int32
		Message        uint32
		Channels, Left unit.Bytes
	}
	var got []request
	for _, p := range b.all(kindRequest) {
		got = append(got, request{p.Peer, p.Message, p.Amount, p.Offset})
	}
	if diff := cmp.Diff([]request{{1, 1, 3, 147 * mss}, {2, 0, 1, 73 * mss}, {3, 0, 4, 5000 * mss}}, got); diff != "" {
		t.Error(diff)
	}
	// What is matched already is not asked for, and not more than is free.
	b.until(round + round/2)
	b.match(kindGrant, 1, 0, 1, 2, 147*mss)
	b.until(2 * round)
	b.next(kindAccept)
	if list := b.all(kindRequest); len(list) < 3 || list[0].Amount != 1 || list[1].Amount != 1 || list[2].Amount != 2 {
		t.Errorf("requests %+v", list)
	}
}

// Request: the channels of the data phase that runs count as well.
func TestRequestsBesideRunning(t *testing.T) {
	b := newBare(t, nil)
	b.announce(1, 0, 3*73)
	b.until(3*round + round/2)
	b.match(kindGrant, 1, 0, 3, 2, 3*73*mss)
	b.all(kindRequest)
	b.until(period)
	list := b.all(kindRequest)
	if len(list) != 1 || list[0].Number != 1 || list[0].Amount != 1 {
		t.Errorf("requests %+v, want one for a channel in epoch 1", list)
	}
}

// Grant: half a round later, the shortest message first in the first round, until k channels
// are promised.
func TestGrants(t *testing.T) {
	b := newBare(t, nil)
	b.Now = unit.Nanosecond
	b.match(kindRequest, 1, 0, 0, 2, 500*mss)
	b.match(kindRequest, 2, 0, 0, 1, 100*mss)
	b.match(kindRequest, 3, 0, 0, 4, 300*mss)
	if at, _ := b.Deadline(); at != round/2 {
		t.Fatalf("grants at %v, want %v", at, round/2)
	}
	b.until(round / 2)
	list := b.all(kindGrant)
	if len(list) != 2 || list[0].Peer != 2 || list[0].Amount != 1 || list[1].Peer != 3 || list[1].Amount != 3 || list[0].Offset != 100*mss {
		t.Errorf("grants %+v, want 1 channel to host 2 and 3 to host 3", list)
	}
	// Only one is accepted, so that three can be promised again; in later rounds to anybody.
	b.Now = round + unit.Nanosecond
	b.match(kindAccept, 2, 0, 0, 1, 0)
	first := map[int32]int{}
	for range 300 {
		b.requests, b.matching.promised = nil, 1
		b.step, b.at = b.stageAfter(b.Now), round+round/2
		for peer := int32(1); peer <= 3; peer++ {
			b.match(kindRequest, peer, 0, 1, 3, unit.Bytes(peer)*mss)
		}
		b.grant(1)
		list = b.all(kindGrant)
		if len(list) != 1 || list[0].Amount != 3 {
			t.Fatalf("grants %+v", list)
		}
		first[list[0].Peer]++
	}
	for peer := int32(1); peer <= 3; peer++ {
		if first[peer] < 60 || first[peer] > 140 {
			t.Errorf("host %d was chosen %d times of 300", peer, first[peer])
		}
	}
}

// Requests and grants of another round come too late.
func TestLate(t *testing.T) {
	b := newBare(t, nil)
	b.Now = round + unit.Nanosecond
	b.match(kindRequest, 1, 0, 0, 2, 500*mss)
	b.match(kindRequest, 1, 1, 1, 2, 500*mss)
	b.match(kindGrant, 1, 0, 0, 2, 500*mss)
	if len(b.requests)+len(b.grants) != 0 {
		t.Errorf("requests %v, grants %v", b.requests, b.grants)
	}
	b.match(kindRequest, 1, 0, 1, 2, 500*mss)
	if len(b.requests) != 1 {
		t.Error("a request in time was dropped")
	}
}

// Accept: with the next round, the shortest message first, until k channels are taken.
func TestAccepts(t *testing.T) {
	b := newBare(t, nil)
	for peer := int32(1); peer <= 3; peer++ {
		b.announce(peer, 0, unit.Bytes(1000*peer))
	}
	b.until(period + round/2)
	b.all(kindRequest)
	b.match(kindGrant, 3, 1, 0, 3, 3000*mss)
	b.match(kindGrant, 2, 1, 0, 2, 2000*mss)
	b.match(kindGrant, 1, 1, 0, 1, 1000*mss)
	b.until(period + round)
	list := b.all(kindAccept)
	if len(list) != 3 || list[0].Peer != 1 || list[1].Peer != 2 || list[2].Peer != 3 || list[2].Amount != 1 {
		t.Errorf("accepts %+v, want 1, 2 and 1 channels of hosts 1, 2 and 3", list)
	}
	b.until(period + 2*round)
	if list := b.all(kindRequest); len(list) > 0 {
		t.Errorf("requests without free channels: %+v", list)
	}
}

// Return: a sender that has fewer channels left than were accepted returns the excess.
func TestReturns(t *testing.T) {
	b := newBare(t, nil)
	b.match(kindRequest, 1, 0, 0, 4, 500*mss)
	b.until(round / 2)
	b.Now = round + unit.Nanosecond
	b.all(kindGrant)
	b.match(kindAccept, 1, 0, 0, 3, 0)
	b.match(kindAccept, 2, 0, 0, 4, 0)
	if p := b.next(kindReturn); p.Peer != 2 || p.Amount != 3 || p.Number != 0 {
		t.Errorf("return %+v", p)
	}

	r := newBare(t, nil)
	r.announce(1, 0, 1000)
	r.until(round + round/2)
	r.match(kindGrant, 1, 0, 1, 4, 1000*mss)
	r.until(2 * round)
	r.match(kindReturn, 1, 0, 0, 3, 0)
	if r.matching.channels != 1 {
		t.Errorf("%d channels are left, want 1", r.matching.channels)
	}
	r.match(kindReturn, 1, 0, 0, 2, 0)
	if len(r.matching.links) != 0 {
		t.Errorf("%v is left, want nothing", r.matching.links)
	}
}

// matched returns a host that receives a message of so many packets from host 1 over some
// channels, at the begin of the data phase.
func matched(t *testing.T, packets, channels unit.Bytes) *bare {
	b := newBare(t, nil)
	b.announce(1, 0, packets)
	b.until(3*round + round/2)
	b.match(kindGrant, 1, 0, 3, channels, packets*mss)
	b.all(kindRequest)
	b.until(period)
	b.next(kindAccept)
	return b
}

// Tokens: one each k/channels packet times from the begin of the data phase on, and at most
// channels/k of a window, and one more, without an answer.
func TestTokens(t *testing.T) {
	const packet = 123040 * unit.Picosecond
	b := matched(t, 1000, 2)
	for i := range 33 {
		p := b.next(tokens.Token)
		if p.Offset != unit.Bytes(i)*mss || p.Amount != unit.Bytes(i) || p.Number != 0 || p.Peer != 1 {
			t.Fatalf("token %+v", p)
		}
		if list := b.all(tokens.Token); len(list) > 0 {
			t.Fatalf("token %+v before its time", list)
		}
		b.until(period + unit.Time(i+1)*2*packet)
	}
	if list := b.all(tokens.Token); len(list) > 0 {
		t.Errorf("tokens beyond the window: %+v", list)
	}
	// An answer lets two more go, one now and one in its time.
	b.data(1, 0, 1000, 1, 1)
	if list := b.all(tokens.Token); len(list) != 1 {
		t.Errorf("%d tokens after an answer", len(list))
	}
	b.until(b.Now + 2*packet)
	if list := b.all(tokens.Token); len(list) != 1 {
		t.Errorf("%d tokens a packet later", len(list))
	}
	// Without any, tokens are taken for lost after 1.1 BDP of time.
	last := b.Now
	b.until(last + b.windowTimeout - 1)
	if list := b.all(tokens.Token); len(list) != 0 {
		t.Errorf("%d tokens without an answer", len(list))
	}
	b.until(last + b.windowTimeout)
	if list := b.all(tokens.Token); len(list) != 1 {
		t.Errorf("%d tokens after the timeout", len(list))
	}
	// All but as many as leave room for two are taken for lost, and it is waited for those.
	b.until(b.Now + 2*packet)
	if list := b.all(tokens.Token); len(list) != 1 {
		t.Errorf("%d tokens a packet after the timeout", len(list))
	}
	b.until(b.Now + b.windowTimeout - 1)
	if list := b.all(tokens.Token); len(list) != 0 {
		t.Errorf("%d tokens before another timeout", len(list))
	}
}

// Tokens are void half a control round-trip time and k packet times after the phase.
func TestTokensVoid(t *testing.T) {
	const void = 2*period + 3500*unit.Nanosecond + 4*123040*unit.Picosecond
	for _, now := range []unit.Time{void, void + 1} {
		b := newBare(t, nil)
		b.Submit(period, &protocol.HostMessage{Peer: 1, Bytes: 100 * mss})
		b.next(tokens.Notice)
		b.Receive(period, &protocol.Packet{Peer: 1, Kind: tokens.Token, Number: 0})
		// It is the first that the host hears of this time.
		if n := len(hosttest.Drain(t, b.host, now, tokens.Data)); n == 1 != (now == void) {
			t.Errorf("at %v: %d packets", now, n)
		}
		if _, ready := b.Ready(); ready {
			t.Errorf("at %v: still ready", now)
		}
	}
}

// Short messages hold back as many tokens, and long ones change nothing in that.
func TestHeldTokens(t *testing.T) {
	b := matched(t, 1000, 4)
	b.next(tokens.Token)
	b.announce(2, 0, 10)
	b.announce(3, 0, 1000)
	b.until(period + 10*123040*unit.Picosecond)
	if list := b.all(tokens.Token); len(list) != 0 {
		t.Errorf("%d tokens while a short message is on its way", len(list))
	}
	b.until(period + 11*123040*unit.Picosecond)
	if list := b.all(tokens.Token); len(list) != 1 {
		t.Errorf("%d tokens after it", len(list))
	}
}

// A channel without a message begins with one that is announced.
func TestAnnouncedLater(t *testing.T) {
	b := matched(t, 70, 4)
	for i := range unit.Bytes(70) {
		b.until(period + unit.Time(i)*123040*unit.Picosecond)
		b.all(tokens.Token)
		b.data(1, 0, 70, i, uint32(i))
	}
	b.until(b.Now + 5*unit.Microsecond)
	if list := b.all(tokens.Token); len(list) != 0 {
		t.Fatalf("%d tokens without a message", len(list))
	}
	b.announce(1, 1, 200)
	if p := b.next(tokens.Token); p.Message != 1 {
		t.Errorf("token %+v", p)
	}
}

// passed returns a host that has given a token to each of 70 packets of host 1, of which all
// but 5 and 40 arrived. The message is held from now on.
func passed(t *testing.T) *bare {
	b := matched(t, 70, 4)
	for i := range unit.Bytes(70) {
		b.until(period + unit.Time(i)*123040*unit.Picosecond)
		b.all(tokens.Token)
		if i != 5 && i != 40 {
			b.data(1, 0, 70, i, uint32(i))
		}
	}
	return b
}

// Losses: when all packets have had a token, what is missing has none for 1 BDP of time, and
// then before the rest. Nothing wakes the link at the end of that time but what comes from
// the sender, here the announcement of another message.
func TestPass(t *testing.T) {
	b := passed(t)
	held := b.Now
	b.until(held + 7*unit.Microsecond)
	b.announce(1, 1, 1000)
	if p := b.next(tokens.Token); p.Message != 1 {
		t.Fatalf("token %+v while the first message is held, want one of the other", p)
	}

	b = passed(t)
	b.until(held + 8*unit.Microsecond)
	if list := b.all(tokens.Token); len(list) != 0 {
		t.Fatalf("%d tokens, and nothing came that would wake the link", len(list))
	}
	b.announce(1, 1, 1000)
	for _, packet := range []unit.Bytes{5, 40} {
		if p := b.next(tokens.Token); p.Message != 0 || p.Offset != packet*mss {
			t.Fatalf("token %+v, want one for packet %d", p, packet)
		}
		b.until(b.Now + 123040*unit.Picosecond)
	}
	if p := b.next(tokens.Token); p.Message != 1 {
		t.Errorf("token %+v, want one of the next message", p)
	}
}

// Losses: if nothing comes from the sender, what is missing after a pass waits until the two are
// matched again. While they have channels in the running data phase no more are asked for,
// so that is the phase after the next.
func TestPassAlone(t *testing.T) {
	b := passed(t)
	b.until(2*period - 1)
	var p protocol.Packet
	if b.Next(b.Now, &p) {
		t.Fatalf("%+v in the data phase in which the pass ended", p)
	}
	b.until(2 * period)
	if p := b.next(kindRequest); p.Number != 2 || p.Offset != 2*mss || p.Amount != 1 {
		t.Fatalf("request %+v, want one channel of epoch 2 for two packets", p)
	}
	b.until(2*period + round/2)
	b.match(kindGrant, 1, 2, 0, 1, 2*mss)
	b.until(3*period - 1)
	if b.next(kindAccept); b.Next(b.Now, &p) {
		t.Fatalf("%+v before the data phase", p)
	}
	for i, packet := range []unit.Bytes{5, 40} {
		b.until(3*period + unit.Time(4*i)*123040*unit.Picosecond)
		if p := b.next(tokens.Token); p.Message != 0 || p.Offset != packet*mss {
			t.Errorf("token %+v, want one for packet %d", p, packet)
		}
	}
}

// Losses: a short message that is not complete a while later is matched.
func TestShortMatched(t *testing.T) {
	b := newBare(t, nil)
	b.data(1, 0, 10, 3, 3)
	// 10 packets and 1 BDP take 9.2 us.
	b.until(round)
	if list := b.all(kindRequest); len(list) != 0 {
		t.Fatalf("requests too early: %+v", list)
	}
	b.until(2 * round)
	if list := b.all(kindRequest); len(list) != 1 || list[0].Offset != 9*mss || list[0].Amount != 1 {
		t.Errorf("requests %+v", list)
	}
}

// What makes no sense changes nothing.
func TestNonsense(t *testing.T) {
	b := newBare(t, nil)
	b.Now = 10*period + unit.Nanosecond
	for _, p := range []protocol.Packet{
		{Kind: kindRequest, Number: 10, Amount: 5},
		{Kind: kindRequest, Number: 10, Amount: -1},
		{Kind: kindRequest, Number: 10, Extra: 1 << 31, Amount: 1},
		{Kind: kindRequest, Number: 1 << 31, Amount: 1},
		{Kind: kindGrant, Number: 10, Amount: 1},
		{Kind: kindAccept, Number: 11, Amount: 1},
		{Kind: kindAccept, Number: 10, Amount: 1 << 40},
		{Kind: kindReturn, Number: 10, Amount: -1},
		{Kind: tokens.Token, Number: 1 << 31},
		{Kind: tokens.Done},
		{Kind: tokens.Notice},
		{Kind: 15},
	} {
		p.Peer = 1
		if fresh := b.Receive(b.Now, &p); fresh != 0 {
			t.Errorf("%v of %+v is new", fresh, p)
		}
		b.check()
	}
	if at, ok := b.Deadline(); ok || !b.Idle() || len(b.out.Events) > 0 {
		t.Errorf("the host waits until %v", at)
	}
}
