package transport

import (
	"testing"

	"weft/fault"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// TestDeadlinesAreFew sends many short messages, one after another, that are all done long
// before the timeout of the first: the host waits for no more of them than it sends at a time.
func TestDeadlinesAreFew(t *testing.T) {
	const n = 10_000
	messages := make(list, n)
	for i := range messages {
		messages[i] = workload.Message{At: unit.Time(i) * unit.Microsecond, Dst: 1, Size: payload}
	}
	p := params(unit.MiB)
	p.RTO = 100 * unit.Millisecond
	l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: []workload.Source{&messages, nil}}}}.build(t)
	l.run(t, n*unit.Microsecond)
	e := l.transport.endpoints[0]
	if slots, waits := e.Sending.Size(), len(e.Host(0).Agenda); slots > 20 || waits > slots+1 {
		t.Errorf("%d deadlines wait for messages in %d slots", waits, slots)
	}
	before := l.Events()
	l.finish(t)
	if more := l.Events() - before; more > 200 {
		t.Errorf("%d events when all was done", more)
	}
}

// TestDeadlineOfTheNextMessage: a message whose slot has a deadline of the one before is
// given up no earlier and no later than after its own timeout.
func TestDeadlineOfTheNextMessage(t *testing.T) {
	const us = unit.Microsecond
	p := params(unit.MiB)
	p.RTO = 100 * us
	messages := list{{At: 0, Dst: 1, Size: payload}, {At: 50 * us, Dst: 1, Size: payload}}
	l := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: []workload.Source{&messages, nil}}}}.build(t)
	l.run(t, 49*us)
	for _, port := range []topo.PortID{2, 3} { // of the receiver's link
		l.Apply(49*us, fault.Change{Port: port, What: fault.Down})
	}
	for _, step := range []struct {
		until    unit.Time
		timeouts uint64
	}{{150 * us, 0}, {150*us + 1, 1}} {
		l.run(t, step.until)
		if got := l.transport.Counts().Timeouts; got != step.timeouts {
			t.Errorf("%d timeouts before %d, want %d", got, step.until, step.timeouts)
		}
	}
	if e := l.transport.endpoints[0]; e.Sending.Size() != 1 || len(e.Host(0).Agenda) != 1 {
		t.Errorf("%d deadlines wait for messages in %d slots, want one of each", len(e.Host(0).Agenda), e.Sending.Size())
	}
}
