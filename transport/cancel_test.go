package transport

import (
	"testing"

	"weft/protocol"
	"weft/protocol/sird"
	"weft/unit"
)

// TestCancelInTheSimulator takes a message back that connections carry, and one of a transport of hosts: the one beside it
// comes, and nothing is left to happen.
func TestCancelInTheSimulator(t *testing.T) {
	for _, hosted := range []bool{false, true} {
		p := params(20 * payload)
		if hosted {
			entry := sird.Entries()[0]
			o, err := entry.Defaults()
			if err != nil {
				t.Fatal(err)
			}
			o.(*sird.Options).Priority = "none"
			if p.Congestion, err = entry.Build(o); err != nil {
				t.Fatal(err)
			}
			p.Env.Payload, p.Env.Packet, p.Env.BDP, p.Env.BaseRTT = payload, payload+header, 20*payload, 6*unit.Microsecond
		}
		l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(5000*payload), message1(3000*payload))}}}.build(t)
		l.run(t, 50*unit.Microsecond)
		if b := l.transport.Breach(); b != nil {
			t.Fatal(b.Rule)
		}
		if !l.transport.Cancel(50*unit.Microsecond, 0, 0, 0) || l.transport.Cancel(50*unit.Microsecond, 0, 0, 0) {
			t.Fatalf("hosted %v: the message is not there once", hosted)
		}
		l.run(t, 100*unit.Second)
		messages := collect(l.transport)
		if messages[0].End != Unfinished || messages[1].End == Unfinished || messages[1].SenderEnd == Unfinished {
			t.Errorf("hosted %v: %+v", hosted, messages)
		}
		if c := l.transport.Counts(); c.Cancelled != 1 || c.Delivered != 1 || c.Completed != 1 {
			t.Errorf("hosted %v: counted %+v", hosted, c)
		}
		if b := l.transport.Breach(); b != nil {
			t.Error(b.Rule)
		}
	}
}

// TestForgetInTheSimulator has two hosts forget each other amid messages, which never end then, and others go on.
func TestForgetInTheSimulator(t *testing.T) {
	p := params(20 * payload)
	l := labConfig{Graph: star(t, 3), Groups: []Group{{Params: p, Sources: from(0, 3, message1(5000*payload))}, {Params: p, Sources: from(2, 3, message1(3000*payload))}}}.build(t)
	l.run(t, 50*unit.Microsecond)
	l.transport.Forget(50*unit.Microsecond, 0, 1)
	l.transport.Forget(50*unit.Microsecond, 1, 0)
	l.run(t, 100*unit.Second)
	if c := l.transport.Counts(); c.Cancelled != 1 || c.Completed != 1 {
		t.Errorf("counted %+v", c)
	}
}

// late is a transport that notices a loss when a message is taken back, or a host forgotten.
type late struct{ *blast }

func (l late) lose() {
	m := l.queue[0]
	l.env.Out.Report(protocol.HostEvent{Kind: protocol.PacketLost, Cause: protocol.Timeout, Group: m.Group, Peer: m.Peer, Tag: m.Tag, Bytes: payload})
}

func (l late) Cancel(unit.Time, *protocol.HostMessage) bool {
	l.lose()
	l.queue, l.sent = nil, 0
	return true
}

func (l late) Forget(unit.Time, int32) {
	l.lose()
	l.queue, l.sent = nil, 0
}

// TestLossAsAMessageIsTakenBack: a loss that is noticed with the end of its message is heard, and is no breach.
func TestLossAsAMessageIsTakenBack(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		p := hostedParams(func(env protocol.HostEnv) protocol.HostTransport { return late{newBlast(env)} })
		chooser := count(&p)
		l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(5000*payload))}}}.build(t)
		now := 50 * unit.Microsecond
		l.run(t, now)
		if forgets {
			l.transport.Forget(now, 0, 1)
		} else if !l.transport.Cancel(now, 0, 0, 0) {
			t.Fatal("the message is not there")
		}
		l.run(t, 2*now)
		if b := l.transport.Breach(); b != nil {
			t.Error(b.Rule)
		}
		if c := l.transport.Counts(); c.Timeouts != 1 || len(chooser.losses) != 1 || chooser.losses[0].Now != now {
			t.Errorf("forgets %v: counted %d losses, the chooser heard of %+v; want one, at once", forgets, c.Timeouts, chooser.losses)
		}
	}
}
