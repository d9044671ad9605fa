package tokens

import (
	"slices"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// Both transports that are built on this package test it with what they add. These tests are
// of what neither can see by itself: which control packets there are, and what they say.

const mss = unit.Bytes(1460)

// start returns the list of host 0 of 4, and what they report. The groups 1 and 2 are
// echoed.
func start() (*Host, *protocol.HostOutput) {
	h, out := &Host{}, &protocol.HostOutput{}
	h.Start(&Config{
		Payload: mss, Header: 78, Control: 84, Packet: 123 * unit.Nanosecond, FreeLife: unit.Forever,
		Again: 10 * unit.Microsecond, Silence: unit.Millisecond, Hosts: 4, Echo: 1<<1 | 1<<2,
	}, out)
	return h, out
}

// sent returns all packets that can go.
func sent(h *Host) (list []protocol.Packet) {
	for {
		var p protocol.Packet
		if !h.Next(&p) {
			return list
		}
		list = append(list, p)
	}
}

// data is a packet of message 7, of three packets, of host 1.
func data(packet unit.Bytes, flags protocol.PacketFlags) *protocol.Packet {
	return &protocol.Packet{
		Kind: Data, Peer: 1, Group: 3, Tag: 99, Message: 7, Size: 3 * mss, Offset: packet * mss, Payload: mss, Wire: 1538, Flags: flags,
	}
}

// A message that arrived in full is confirmed, once and to the host that sent it, in its
// group; and again if its sender asks or sends any of it again, since the word was lost then.
func TestDoneOnDelivery(t *testing.T) {
	h, out := start()
	take := func(p *protocol.Packet) []protocol.Packet {
		t.Helper()
		if i, _ := h.Learn(p); i >= 0 {
			h.Take(i, p)
		}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		return sent(h)
	}
	done := func(what string, list []protocol.Packet) {
		t.Helper()
		want := protocol.Packet{Kind: Done, Peer: 1, Group: 3, Message: 7, Wire: 84}
		if len(list) != 1 || list[0] != want {
			t.Errorf("%s: %+v, want %+v", what, list, want)
		}
	}
	for _, packet := range []unit.Bytes{2, 0, 0} {
		if list := take(data(packet, 0)); len(list) != 0 {
			t.Errorf("%+v while a packet is missing", list)
		}
	}
	if len(out.Events) != 0 {
		t.Errorf("events %+v while a packet is missing", out.Events)
	}
	done("the last packet", take(data(1, 0)))
	if want := []protocol.HostEvent{{Kind: protocol.MessageDelivered, Group: 3, Peer: 1, Tag: 99, Bytes: 3 * mss}}; !slices.Equal(out.Events, want) {
		t.Errorf("events %+v, want %+v", out.Events, want)
	}
	if list := take(data(1, 0)); len(list) != 0 {
		t.Errorf("%+v for a copy that the network made", list)
	}
	done("a packet that was sent again", take(data(1, protocol.Resent)))
	done("a notice that was sent again", take(&protocol.Packet{Kind: Notice, Peer: 1, Group: 3, Message: 7, Size: 3 * mss, Wire: 84, Flags: protocol.Resent}))
	if len(out.Events) != 1 || !h.Idle() {
		t.Errorf("events %+v; idle: %v", out.Events, h.Idle())
	}
}

// The echo of a data packet goes with a control packet of the same peer and group that was
// queued since, or else alone.
func TestEchoTravels(t *testing.T) {
	token := func(peer int32, group uint8) Order { return Order{Kind: Token, Peer: peer, Group: group} }
	for _, tt := range []struct {
		name   string
		before []Order // was queued before the packet came
		since  []Order
		group  uint8
		with   int // which packet has the echo, -1 if none has
	}{
		{"nothing to go with", nil, nil, 1, 0},
		{"a token", nil, []Order{token(1, 1)}, 1, 0},
		{"a token behind others", nil, []Order{token(2, 1), token(1, 2), token(1, 1), token(1, 1)}, 1, 2},
		{"tokens for another peer", nil, []Order{token(2, 1), token(3, 1)}, 1, 2},
		{"a token of another group", nil, []Order{token(1, 2)}, 1, 1},
		{"a token from before", []Order{token(1, 1)}, nil, 1, 1},
		{"one from before and one since", []Order{token(1, 1)}, []Order{token(1, 1)}, 1, 1},
		{"a word that it is done", nil, []Order{{Kind: Done, Peer: 1, Group: 2}}, 2, 0},
		{"an echo that goes already", nil, []Order{{Kind: Echo, Peer: 1, Group: 1, echo: true, entropy: 5}}, 1, 1},
		{"a group whose balancer does not learn", nil, []Order{token(1, 3)}, 3, -1},
	} {
		for _, flags := range []protocol.PacketFlags{0, protocol.Marked} {
			t.Run(tt.name, func(t *testing.T) {
				h, _ := start()
				for _, o := range tt.before {
					h.Push(o)
				}
				since := h.Pending()
				for _, o := range tt.since {
					h.Push(o)
				}
				h.Answer(since, &protocol.Packet{Kind: Data, Peer: 1, Group: tt.group, Entropy: 77, Payload: mss, Flags: flags})
				list := sent(h)
				want := len(tt.before) + len(tt.since)
				if tt.with >= want {
					want++
				}
				if len(list) != want {
					t.Fatalf("%d packets, want %d: %+v", len(list), want, list)
				}
				for i, p := range list {
					if p.Flags&protocol.Echoes == 0 || p.Echo != 77 {
						if i == tt.with {
							t.Errorf("packet %d does not have the echo: %+v", i, p)
						}
						continue
					}
					marked := p.Flags&protocol.EchoMarked != 0
					if i != tt.with || p.Peer != 1 || p.Group != tt.group || marked != (flags != 0) {
						t.Errorf("packet %d of %d has the echo, marked %v: %+v", i, len(list), marked, p)
					}
				}
			})
		}
	}
}

// A notice may be dropped before it goes, if its message is done by then, and so takes no
// echo.
func TestNoticeTakesNoEcho(t *testing.T) {
	h, _ := start()
	h.Submit(0, &protocol.HostMessage{Peer: 1, Group: 1, Bytes: mss})
	h.Answer(0, &protocol.Packet{Kind: Data, Peer: 1, Group: 1, Entropy: 77, Payload: mss})
	h.OnDone(&protocol.Packet{Peer: 1})
	if list := sent(h); len(list) != 1 || list[0].Kind != Echo || list[0].Echo != 77 {
		t.Errorf("%+v, want an echo alone", list)
	}
}

// A sender repeats its notice when nothing came or went for the time of silence, and goes by
// the last packet that it sent as by what it hears.
func TestSilence(t *testing.T) {
	const us = unit.Microsecond
	for _, tt := range []struct {
		name   string
		occurs func(h *Host)
		again  unit.Time // when it is repeated
	}{
		{"nothing", func(*Host) {}, 1000 * us},
		{"a token", func(h *Host) { h.OnToken(&protocol.Packet{Peer: 1}, h.Now) }, 1500 * us},
		{"a packet", func(h *Host) { sent(h) }, 1500 * us},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := start()
			h.FreeSize, h.FreeAmount = mss, mss
			h.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: mss})
			var p protocol.Packet
			if h.Next(&p); p.Kind != Notice {
				t.Fatalf("%+v, want a notice", p)
			}
			for at := unit.Time(0); at <= 2000*us; at += 500 * us {
				if h.Now = at; at == 500*us {
					tt.occurs(h)
				}
				h.LookForSilence()
				if repeats := h.Pending() > 0; repeats != (at >= tt.again) {
					t.Fatalf("at %v: repeated: %v, want that from %v on", at, repeats, tt.again)
				}
			}
		})
	}
}

// Places of messages that are done are used again, so that a long run needs no more memory than
// the messages that are under way at a time.
func TestPlacesAreUsedAgain(t *testing.T) {
	h, _ := start()
	for k := range uint32(100) {
		h.Submit(0, &protocol.HostMessage{Peer: 1, Group: 1, Bytes: mss})
		p := &protocol.Packet{Kind: Data, Peer: 1, Group: 1, Message: k, Size: mss, Payload: mss, Wire: 1538}
		i, begins := h.Learn(p)
		if !begins || h.Take(i, p) != mss {
			t.Fatalf("message %d does not arrive", k)
		}
		h.OnDone(&protocol.Packet{Kind: Done, Peer: 1, Group: 1, Message: k})
		sent(h)
		if len(h.arriving) != 1 || len(h.outgoing) != 1 {
			t.Fatalf("%d and %d places for one message each way, after %d", len(h.arriving), len(h.outgoing), k)
		}
	}
}

// TestTokensAreFew: a receiver that gives more tokens than there is time for takes no more memory.
func TestTokensAreFew(t *testing.T) {
	h, _ := start()
	h.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: mss})
	for k := range unit.Bytes(mostTokens + 100) {
		h.OnToken(&protocol.Packet{Peer: 1, Amount: k}, unit.Forever)
	}
	if n := h.outgoing[0].tokens.Len(); n != mostTokens {
		t.Errorf("%d tokens wait, want %d", n, mostTokens)
	}
}

// TestWithdraw: a message that was taken back is no more, what announces it neither, and its receiver is told until it knows.
func TestWithdraw(t *testing.T) {
	h, out := start()
	m := protocol.HostMessage{Peer: 1, Group: 2, Tag: 5, Bytes: 3 * mss}
	h.Submit(0, &m)
	if !h.Cancel(0, &m) || h.Cancel(0, &m) {
		t.Fatal("the message is not there once")
	}
	want := protocol.Packet{Kind: Withdraw, Peer: 1, Group: 2, Wire: 84}
	if list := sent(h); len(list) != 1 || list[0] != want {
		t.Errorf("%+v, want %+v", list, want)
	}
	for range 3 {
		h.Now = h.Silent()
		h.LookForSilence()
		if list := sent(h); len(list) != 1 || list[0] != want {
			t.Errorf("%+v, want %+v again", list, want)
		}
	}
	h.OnToken(&protocol.Packet{Peer: 1}, unit.Forever)
	h.OnDone(&protocol.Packet{Peer: 1})
	h.OnWithdrawn(&protocol.Packet{Peer: 1})
	if !h.Idle() || len(out.Events) != 0 {
		t.Errorf("idle %v, %+v", h.Idle(), out.Events)
	}
}

// TestWithdrawn: a receiver drops a message that was taken back and says so, whatever it knows of it, and does not take it for
// a new one later. A number too far ahead of others is left alone.
func TestWithdrawn(t *testing.T) {
	for _, known := range []bool{false, true} {
		h, out := start()
		if known {
			h.Learn(data(1, 0))
		}
		withdraw := protocol.Packet{Kind: Withdraw, Peer: 1, Group: 3, Message: 7, Wire: 84}
		for range 2 {
			if i := h.OnWithdraw(&withdraw); i >= 0 != known {
				t.Errorf("it was at %d", i)
			}
			known = false
			if list := sent(h); len(list) != 1 || list[0].Kind != Withdrawn || list[0].Message != 7 || list[0].Group != 3 {
				t.Errorf("the answer is %+v", list)
			}
		}
		if i, begins := h.Learn(data(0, 0)); i >= 0 || begins || !h.Idle() {
			t.Errorf("it begins again, at %d", i)
		}
		if len(out.Events) > 1 || len(out.Events) == 1 && (out.Events[0].Kind != protocol.MessageWithdrawn || out.Events[0].Tag != 7) {
			t.Errorf("%+v", out.Events)
		}
		withdraw.Message = 7 + 1<<30
		if h.OnWithdraw(&withdraw); h.orders.Len() != 0 {
			t.Error("a message that cannot be remembered is said to be gone")
		}
	}
}
