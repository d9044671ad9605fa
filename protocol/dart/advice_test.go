package dart

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// advises returns options with advertise.
func advises() Options {
	o, yes := options(), true
	o.Advertise = &yes
	return o
}

// advised returns whom a receiver advises now, in order, each with the share.
func (l *lab) advised() (told []string) {
	var a protocol.Advice
	for l.Advise(l.now, &a) {
		s := readShare(a.Answer[1])
		told = append(told, fmt.Sprintf("%d %d/%d", a.Host, s.parts, s.whole))
	}
	slices.Sort(told)
	return told
}

// TestAdvise: the first list of an incast has those advised who are counted for it and have no message under way, once.
func TestAdvise(t *testing.T) {
	e := env
	e.Tenants = members{0: {1, 2, 3, 4}}
	l := newLab(t, advises(), e)
	l.begins("3", 3, 0, nil)
	if told := l.advised(); len(told) > 0 {
		t.Errorf("without a list %v are advised", told)
	}
	list := &protocol.Incast{ID: 1, Senders: []int32{1, 2, 3, 4, 9}}
	l.begins("1", 1, 0, list)
	if told, want := l.advised(), []string{"2 1/4", "4 1/4"}; !slices.Equal(told, want) {
		t.Errorf("advised are %v, want %v", told, want)
	}
	l.begins("2", 2, 0, list)
	if told := l.advised(); len(told) > 0 {
		t.Errorf("with the second list %v are advised again", told)
	}
}

// TestAdviseNobody: without the option, and where congestion is elsewhere, nobody is advised.
func TestAdviseNobody(t *testing.T) {
	list := &protocol.Incast{ID: 1, Senders: []int32{1, 2, 3}}
	l := newLab(t, options(), env)
	l.begins("1", 1, 0, list)
	if told := l.advised(); len(told) > 0 {
		t.Errorf("without the option %v are advised", told)
	}
	l = newLab(t, advises(), env)
	l.begins("1", 1, 0, nil)
	for range 100 { // a third of the rate, with marks
		l.now += 3 * us
		l.comes("1", true)
	}
	if l.state != elsewhere {
		t.Fatalf("the state is %v", l.state)
	}
	l.begins("2", 2, 0, list)
	if told := l.advised(); len(told) > 0 {
		t.Errorf("with congestion elsewhere %v are advised", told)
	}
}

// TestAdvisedStart: from an advice that came before the first message until the first acknowledgement a sender keeps to what was
// advertised, at most C/n. It begins at line rate if the advice is older than idle, and with the message after.
func TestAdvisedStart(t *testing.T) {
	const line = 8 * unit.Gbps
	rapid.Check(t, func(rt *rapid.T) {
		o := advises()
		o.Idle = 100 * us
		l := newLimit(o, protocol.Env{LineRate: line, PeerRate: line})
		now, underWay, answered := unit.Time(0), 0, false
		var came unit.Time
		due, want := unit.Rate(0), line
		for range rapid.IntRange(1, 50).Draw(rt, "steps") {
			now += unit.Time(rapid.IntRange(0, 80).Draw(rt, "wait")) * us
			n := rapid.Uint64Range(2, 64).Draw(rt, "n")
			a := protocol.Answer{1: share{parts: 1, whole: n}.word()}
			part := unit.Rate(float64(line)/float64(n) + 0.5)
			switch rapid.SampledFrom([]string{"advice", "start", "answer", "end"}).Draw(rt, "what") {
			case "advice":
				l.Advised(now, a, underWay > 0)
				switch {
				case underWay == 0:
					due, came = part, now
				case !answered:
					want = part
				}
			case "start":
				if underWay++; underWay > 1 {
					continue
				}
				l.Start(now)
				want, answered = line, false
				if due > 0 && now-came <= o.Idle {
					want = due
				}
				due = 0
			case "answer":
				if underWay == 0 {
					continue
				}
				l.Answered(now, a)
				want, answered = part, true
			case "end":
				underWay = max(0, underWay-1)
			}
			if got := l.Pace().Rate; underWay > 0 && got != want {
				rt.Fatalf("a sender has %v, want %v", got, want)
			}
		}
	})
}
