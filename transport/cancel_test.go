package transport

import (
	"testing"

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
