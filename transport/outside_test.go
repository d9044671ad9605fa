package transport

import (
	"testing"

	"weft/unit"
	"weft/workload"
)

// courier is an Outside that keeps what it is handed.
type courier struct{ started []Carried }

func (c *courier) Start(_ unit.Time, m Carried) { c.started = append(c.started, m) }
func (c *courier) Credit() (CreditPlaces, bool) { return CreditPlaces{AtSenders: 7}, true }
func (c *courier) Convergence() *Convergence    { return nil }

// outside returns a star of three hosts whose messages a courier carries: host 0 sends messages to host 1, which replies.
func outside(t *testing.T, messages ...workload.Message) (*lab, *courier) {
	t.Helper()
	by := new(courier)
	replies, err := workload.NewReplies(workload.Replies{Sizes: workload.Fixed(8)}, workload.Setting{Hosts: 3})
	if err != nil {
		t.Fatal(err)
	}
	l := labConfig{Graph: star(t, 3), Groups: []Group{
		{Name: "asks", Params: params(1), Sources: from(0, 3, messages...)},
		{Name: "answers", Params: params(1), Sources: replies, Answers: true},
	}, Outside: by}.build(t)
	return l, by
}

// TestOutside: messages start at their times, replies when what they answer has arrived, and records have the times that are told.
func TestOutside(t *testing.T) {
	l, by := outside(t, workload.Message{At: 50, Dst: 1, Size: 5000}, workload.Message{At: 900, Dst: 1, Size: 3})
	if next := l.transport.NextStart(); next != 50 || l.transport.AllCarried() {
		t.Fatalf("the next is due at %v", next)
	}
	l.run(t, 100)
	first := Carried{Group: 0, Src: 0, Dst: 1, Ordinal: 0, Size: 5000}
	if len(by.started) != 1 || by.started[0] != first {
		t.Fatalf("%+v", by.started)
	}
	tr := l.transport
	for _, strange := range []Carried{{Src: 2, Dst: 1}, {Group: 1, Dst: 1}, {Dst: 2}, {Dst: 1, Ordinal: 1}} {
		if tr.Arrived(100, 100, strange) {
			t.Errorf("%+v arrived, which nobody sent", strange)
		}
	}
	if !tr.Arrived(100, 98, first) || tr.Arrived(100, 99, first) {
		t.Error("a message arrives once")
	}
	l.run(t, 200)
	if len(by.started) != 2 || by.started[1].Group != 1 || by.started[1].Src != 1 || by.started[1].Dst != 0 {
		t.Fatalf("what arrived is answered by %+v", by.started[1:])
	}
	if !tr.Confirmed(200, 150, first) || tr.Confirmed(200, 150, first) {
		t.Error("a message is confirmed once")
	}
	// Confirmations may come first.
	if !tr.Confirmed(200, 190, by.started[1]) || !tr.Arrived(200, 180, by.started[1]) {
		t.Error("the answer did not come")
	}
	l.run(t, 1000)
	if tr.AllCarried() || len(by.started) != 3 {
		t.Fatalf("%d started", len(by.started))
	}
	tr.Arrived(1000, 990, by.started[2])
	tr.Confirmed(1000, 995, by.started[2])
	l.run(t, 1100)
	tr.Arrived(1100, 1090, by.started[3])
	tr.Confirmed(1100, 1090, by.started[3])
	if !tr.AllCarried() {
		t.Error("something is left")
	}
	if c := tr.Counts(); c.Started != 4 || c.Delivered != 4 || c.Completed != 4 || c.DeliveredBytes != 5000+3+8+8 || c.Packets != 2+1+1+1 {
		t.Errorf("%+v", c)
	}
	if c, ok := tr.Credit(); !ok || c.AtSenders != 7 {
		t.Errorf("%+v", c)
	}
	got := collect(tr)
	want := []Message{
		{Group: 0, Src: 0, Dst: 1, Size: 5000, Packets: 2, Start: 50, End: 98, SenderEnd: 150},
		{Group: 0, Src: 0, Dst: 1, Ordinal: 1, Size: 3, Packets: 1, Start: 900, End: 990, SenderEnd: 995},
		{Group: 1, Src: 1, Dst: 0, Size: 8, Packets: 1, Start: 100, End: 180, SenderEnd: 190},
		{Group: 1, Src: 1, Dst: 0, Ordinal: 1, Size: 8, Packets: 1, Start: 1000, End: 1090, SenderEnd: 1090},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if sum, _ := l.Totals(); sum.Injected != 0 {
		t.Error("the fabric carried something")
	}
}
