package arcane

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/protocol"
	"weft/unit"
)

const us = unit.Microsecond

// A step is one call and what it must leave behind.
type step struct {
	// line is where the statement under test is, algorithm:line.
	line string
	do   func(*Sender) (entropy int)
	// entropy is what a send returns; random for one that was drawn, none for
	// what is not a send.
	entropy int
	// after is the state that must result: the entropies of the buffer with "+"
	// for valid ones and "-" for cells that hold 0, the head, the explore
	// counter, and when freezing ends if it is on.
	after string
}

const (
	random = -1
	none   = -2
)

func ack(ev uint16, at unit.Time) func(*Sender) int {
	return func(s *Sender) int {
		s.Acked(&protocol.Ack{Now: at, Entropy: ev, Packets: 1})
		return none
	}
}

func marked(ev uint16, at unit.Time) func(*Sender) int {
	return func(s *Sender) int {
		s.Acked(&protocol.Ack{Now: at, Entropy: ev, Marked: true, Packets: 1, MarkedPackets: 1})
		return none
	}
}

func lost(cause protocol.LossCause, at unit.Time) func(*Sender) int {
	return func(s *Sender) int {
		s.Lost(&protocol.Loss{Now: at, Cause: cause, Entropy: 99})
		return none
	}
}

func failure(at unit.Time) func(*Sender) int { return lost(protocol.Timeout, at) }

func send(at unit.Time) func(*Sender) int {
	return func(s *Sender) int { return int(s.Next(at)) }
}

func resume(at unit.Time) func(*Sender) int {
	return func(s *Sender) int { s.Resume(at); return none }
}

func start(at unit.Time) func(*Sender) int {
	return func(s *Sender) int { s.Start(at); return none }
}

func (s *Sender) show() string {
	text := ""
	for _, c := range s.listed() {
		switch {
		case c.isValid:
			text += fmt.Sprintf("%d+ ", c.cachedEV)
		case c.cachedEV == 0:
			text += "- "
		default:
			text += fmt.Sprintf("%d ", c.cachedEV)
		}
	}
	text += fmt.Sprintf("head %d explore %d", s.head, s.explore)
	if s.frozen {
		text += fmt.Sprintf(" frozen to %v", s.exit)
	}
	return text
}

func run(t *testing.T, o Options, steps []step) {
	t.Helper()
	rand := newRand(1)
	s := build(t, o, rand)
	for i, st := range steps {
		want := st.entropy
		if want == random {
			want = int(rand.next())
		}
		rand.drawn()
		got := st.do(s)
		if got != want {
			t.Errorf("step %d (%s): entropy %d, want %d", i, st.line, got, want)
		}
		if draws, expected := rand.drawn(), map[bool]int{true: 1}[st.entropy == random]; draws != expected {
			t.Errorf("step %d (%s): drew %d numbers, want %d", i, st.line, draws, expected)
		}
		if diff := cmp.Diff(st.after, s.show()); diff != "" {
			t.Fatalf("step %d (%s): state (-want +got):\n%s", i, st.line, diff)
		}
	}
}

// The walk through the listings as printed, with a buffer of three entries, a
// BDP of two packets and freezing for 140 µs.
func TestAsPrinted(t *testing.T) {
	o := small(t, AsPrinted)
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"acknowledgements", []step{
			{"1:1-3", start(0), none, "- - - head 0 explore 0"},
			{"1:6-8 marked", marked(5, 1), none, "- - - head 0 explore 0"},
			{"1:9-14 first", ack(5, 1), none, "5+ - - head 1 explore 0"},
			{"1:9-14 second", ack(6, 2), none, "5+ 6+ - head 2 explore 0"},
			{"1:6-8 marked keeps what is there", marked(5, 3), none, "5+ 6+ - head 2 explore 0"},
			{"1:14 head wraps", ack(7, 3), none, "5+ 6+ 7+ head 0 explore 0"},
			{"1:9-13 full: the oldest goes, the number stays", ack(8, 4), none, "8+ 6+ 7+ head 1 explore 0"},
			{"2:3-6 the oldest valid is next", send(5), 6, "8+ 6 7+ head 1 explore 0"},
			{"1:9-11 invalid cell: one more", ack(9, 5), none, "8+ 9+ 7+ head 2 explore 0"},
		}},
		{"sends", []step{
			{"2:15 empty", send(0), random, "- - - head 0 explore 0"},
			{"", ack(5, 1), none, "5+ - - head 1 explore 0"},
			{"", ack(6, 1), none, "5+ 6+ - head 2 explore 0"},
			{"2:20, 2:4", send(2), 5, "5 6+ - head 2 explore 0"},
			{"2:4-6", send(2), 6, "5 6 - head 2 explore 0"},
			{"2:15 none valid, not freezing", send(2), random, "5 6 - head 2 explore 0"},
			{"", ack(7, 3), none, "5 6 7+ head 0 explore 0"},
			{"2:4 head before the entry: wraps", send(3), 7, "5 6 7 head 0 explore 0"},
		}},
		{"freezing", []step{
			{"", ack(5, 1), none, "5+ - - head 1 explore 0"},
			{"", ack(6, 1), none, "5+ 6+ - head 2 explore 0"},
			{"1:22-24", failure(100 * us), none, "5+ 6+ - head 2 explore 0 frozen to 240us"},
			{"1:22 already freezing", failure(101 * us), none, "5+ 6+ - head 2 explore 0 frozen to 240us"},
			{"2:3-6 valid ones first", send(102 * us), 5, "5 6+ - head 2 explore 0 frozen to 240us"},
			{"2:3-6", send(102 * us), 6, "5 6 - head 2 explore 0 frozen to 240us"},
			{"2:7-9 also what was never written", send(102 * us), 0, "5 6 - head 0 explore 0 frozen to 240us"},
			{"2:7-9", send(102 * us), 5, "5 6 - head 1 explore 0 frozen to 240us"},
			{"1:12-14 inserts where the walk is", ack(7, 103*us), none, "5 7+ - head 2 explore 0 frozen to 240us"},
			{"2:3-6 what is valid before the walk", send(104 * us), 7, "5 7 - head 2 explore 0 frozen to 240us"},
			{"1:15 not yet", ack(8, 240*us), none, "5 7 8+ head 0 explore 0 frozen to 240us"},
			{"sends do not look at the clock", send(300 * us), 8, "5 7 8 head 0 explore 0 frozen to 240us"},
			{"2:7-9", send(300 * us), 5, "5 7 8 head 1 explore 0 frozen to 240us"},
			{"1:6-8 before 1:15", marked(9, 301*us), none, "5 7 8 head 1 explore 0 frozen to 240us"},
			{"1:15-18", ack(9, 302*us), none, "5 9+ 8 head 2 explore 2"},
			{"1:22 exploring", failure(303 * us), none, "5 9+ 8 head 2 explore 2"},
			{"2:16-18 although an entry is valid", send(303 * us), random, "5 9+ 8 head 2 explore 1"},
			{"2:18", send(303 * us), random, "5 9+ 8 head 2 explore 0"},
			{"2:20", send(303 * us), 9, "5 9 8 head 2 explore 0"},
			{"2:18 never below 0", send(303 * us), random, "5 9 8 head 2 explore 0"},
			{"1:22-24 again", failure(304 * us), none, "5 9 8 head 2 explore 0 frozen to 444us"},
		}},
		{"freezing with nothing cached", []step{
			{"1:22-24", failure(0), none, "- - - head 0 explore 0 frozen to 140us"},
			{"2:15 empty", send(1), random, "- - - head 0 explore 0 frozen to 140us"},
			{"", ack(5, 2), none, "5+ - - head 1 explore 0 frozen to 140us"},
			{"2:20", send(3), 5, "5 - - head 1 explore 0 frozen to 140us"},
		}},
		{"idle and new", []step{
			{"", ack(5, 1), none, "5+ - - head 1 explore 0"},
			{"the listing knows no idleness", resume(us), none, "5+ - - head 1 explore 0"},
			{"", failure(us), none, "5+ - - head 1 explore 0 frozen to 141us"},
			{"1:1-3", start(2 * us), none, "- - - head 0 explore 0"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { run(t, o, tt.steps) })
	}
}

// What the preset fixed does otherwise.
func TestFixed(t *testing.T) {
	o := small(t, Fixed)
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"a new connection explores 1 BDP (§3.1)", []step{
			{"1:3", start(0), none, "- - - head 0 explore 2"},
			{"2:16-18", send(0), random, "- - - head 0 explore 1"},
			{"1:9-14", ack(5, 1), none, "5+ - - head 1 explore 1"},
			{"2:16-18 although an entry is valid", send(1), random, "5+ - - head 1 explore 0"},
			{"2:20", send(1), 5, "5 - - head 1 explore 0"},
		}},
		{"an idle connection explores 1 BDP (§3.1)", []step{
			{"", send(0), random, "- - - head 0 explore 1"},
			{"", ack(5, 1), none, "5+ - - head 1 explore 1"},
			{"the counter starts anew", resume(us), none, "5+ - - head 1 explore 2"},
			{"", send(us), random, "5+ - - head 1 explore 1"},
			{"", send(us), random, "5+ - - head 1 explore 0"},
			{"what was valid is so still", send(us), 5, "5 - - head 1 explore 0"},
			{"", resume(2 * us), none, "5 - - head 1 explore 2"},
		}},
		{"freezing ends by time (§3.2)", []step{
			{"", send(0), random, "- - - head 0 explore 1"},
			{"", send(0), random, "- - - head 0 explore 0"},
			{"", ack(5, 1), none, "5+ - - head 1 explore 0"},
			{"1:22-24", failure(0), none, "5+ - - head 1 explore 0 frozen to 140us"},
			{"the last instant", send(140 * us), 5, "5 - - head 1 explore 0 frozen to 140us"},
			{"no acknowledgement came", send(140*us + 1), random, "5 - - head 1 explore 1"},
			{"1:22 exploring", failure(141 * us), none, "5 - - head 1 explore 1"},
			{"", send(141 * us), random, "5 - - head 1 explore 0"},
			{"1:22-24 again", failure(142 * us), none, "5 - - head 1 explore 0 frozen to 282us"},
			{"1:15-18 an acknowledgement ends it too", ack(6, 283*us), none, "5 6+ - head 2 explore 2"},
		}},
		{"the walk keeps to written cells (§3.2)", []step{
			{"", send(0), random, "- - - head 0 explore 1"},
			{"", send(0), random, "- - - head 0 explore 0"},
			{"", ack(5, 1), none, "5+ - - head 1 explore 0"},
			{"", ack(6, 1), none, "5+ 6+ - head 2 explore 0"},
			{"1:22-24", failure(0), none, "5+ 6+ - head 2 explore 0 frozen to 140us"},
			{"2:3-6", send(1), 5, "5 6+ - head 2 explore 0 frozen to 140us"},
			{"2:3-6", send(1), 6, "5 6 - head 2 explore 0 frozen to 140us"},
			{"2:7-9", send(1), 5, "5 6 - head 1 explore 0 frozen to 140us"},
			{"2:7-9", send(1), 6, "5 6 - head 2 explore 0 frozen to 140us"},
			{"2:7-9", send(1), 5, "5 6 - head 1 explore 0 frozen to 140us"},
			{"1:12-14", ack(7, 2), none, "5 7+ - head 2 explore 0 frozen to 140us"},
			{"1:12-14", ack(8, 2), none, "5 7+ 8+ head 0 explore 0 frozen to 140us"},
			{"2:3-6", send(3), 7, "5 7 8+ head 0 explore 0 frozen to 140us"},
			{"2:3-6", send(3), 8, "5 7 8 head 0 explore 0 frozen to 140us"},
			{"2:7-9", send(3), 5, "5 7 8 head 1 explore 0 frozen to 140us"},
		}},
		{"idle while frozen", []step{
			{"", send(0), random, "- - - head 0 explore 1"},
			{"", send(0), random, "- - - head 0 explore 0"},
			{"", ack(5, 1), none, "5+ - - head 1 explore 0"},
			{"", failure(0), none, "5+ - - head 1 explore 0 frozen to 140us"},
			{"stays frozen", resume(us), none, "5+ - - head 1 explore 0 frozen to 140us"},
			{"", send(us), 5, "5 - - head 1 explore 0 frozen to 140us"},
			{"explores once its time is over", resume(141 * us), none, "5 - - head 1 explore 2"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { run(t, o, tt.steps) })
	}
}

// small returns options with a buffer of three entries and 1 BDP of two packets.
func small(t testing.TB, p Preset) Options {
	o := defaults(t, p)
	o.Buffer = 3
	o.Explore = &unit.Amount{Bytes: 2 * 4160}
	return o
}
