package dart

import (
	"testing"

	"weft/protocol"
)

// pairs is a receiver whose senders keep connections, and tell of their backlogs.
type pairs struct{ *lab }

func newPairs(t testing.TB, change ...func(*Options)) pairs {
	o, counts := options(), backlogs
	o.Counts = &counts
	for _, f := range change {
		f(&o)
	}
	l := newLab(t, o, env)
	// A sender with one long message is there to be told.
	l.begins("long", 9, 0, nil)
	return pairs{l}
}

// heard has packets come of a message on the connection with a host: the first, the last, or one that is both.
func (p pairs) heard(conn string, host int32, message uint32, begins, ends, backlog bool) {
	i, known := p.peers[conn]
	if !known {
		i = p.Open(p.now, host, 0)
		p.peers[conn] = i
	}
	p.Heard(&protocol.Heard{Now: p.now, Peer: i, Wire: packet, Begins: begins, Ends: ends, Message: message, Backlog: backlog})
}

// whole has a message come in one packet.
func (p pairs) whole(conn string, host int32, message uint32, backlog bool) {
	p.heard(conn, host, message, true, true, backlog)
}

func (p pairs) withdrawn(conn string, message uint32, begun, backlog bool) {
	p.Withdrawn(p.now, protocol.Withdrawn{Peer: p.peers[conn], Message: message, Begun: begun, Backlog: backlog})
}

// wants demands a number of senders beside the long one.
func (p pairs) wants(n string) {
	p.t.Helper()
	p.lab.wants("long", "1/"+n)
}

// A sender with messages in a row stays from the first to the last, and counts once.
func TestBacklogCounts(t *testing.T) {
	p := newPairs(t)
	for m := range uint32(4) {
		p.heard("a", 1, m, true, false, false)
		p.wants("2")
		p.heard("a", 1, m, false, true, m < 3)
		if m < 3 {
			p.wants("2")
		}
	}
	p.wants("1")
	if entered := p.set.entered; entered != 2 {
		t.Errorf("senders came %d times", entered)
	}
}

// By default a sender counts while a message is under way, whatever packets say.
func TestMessagesCount(t *testing.T) {
	for _, o := range []Options{options(), {Counts: new(string)}} {
		if o.Counts != nil {
			*o.Counts, o = messages, options()
		}
		if c := build(t, o); c.Backlog {
			t.Error("packets tell of backlogs")
		}
	}
	o, other := options(), messages
	o.Counts = &other
	if build(t, o).Receivers.(Options).Counts != nil {
		t.Error("receivers of the default differ from those without the option")
	}
	other = "hosts"
	if _, err := o.Build(); err == nil {
		t.Error("an unknown count is accepted")
	}
}

// Two connections of a pair, as for short and long messages: one that has a backlog keeps the sender, whatever the other does.
func TestBacklogsOfConnections(t *testing.T) {
	p := newPairs(t)
	p.heard("short", 1, 0, true, false, false)
	p.heard("long messages", 1, 1, true, true, true)
	p.heard("short", 1, 0, false, true, false)
	p.wants("2") // the second long message waits
	p.whole("short", 1, 2, false)
	p.wants("2")
	p.whole("long messages", 1, 3, false)
	p.wants("1")
	p.whole("short", 1, 4, true)
	p.whole("long messages", 1, 5, false)
	p.wants("2")
	p.whole("short", 1, 6, false)
	p.wants("1")
}

// Packets that overtake each other: what ends after a later message began leaves no backlog behind.
func TestBacklogOfLateMessages(t *testing.T) {
	p := newPairs(t)
	p.whole("a", 1, 0, true)
	p.whole("a", 1, 2, false) // overtook the one before
	p.wants("1")
	p.whole("a", 1, 1, true)
	p.wants("1")
	p.heard("a", 1, 3, true, false, false)
	p.whole("a", 1, 4, true) // the end of the one before was lost
	p.heard("a", 1, 3, false, true, true)
	p.wants("2") // a fifth one waits
	p.heard("a", 1, 5, true, false, false)
	p.heard("a", 1, 5, false, true, false)
	p.wants("1")
}

// Parts of a divided message end apart. One says that another message follows, the other has no follower.
func TestBacklogOfParts(t *testing.T) {
	p := newPairs(t)
	p.heard("a", 1, 0, true, false, false)
	p.heard("a", 1, 0, true, false, false)
	p.heard("a", 1, 0, false, true, true)
	p.heard("a", 1, 0, false, true, false)
	p.wants("2")
	p.whole("a", 1, 1, false)
	p.wants("1")
}

// Messages that wait and are taken back.
func TestBacklogWithdrawn(t *testing.T) {
	p := newPairs(t)
	p.whole("a", 1, 0, true)
	p.withdrawn("a", 1, false, true)
	p.wants("2") // another one waits
	p.withdrawn("a", 2, false, false)
	p.wants("1")

	p.withdrawn("a", 5, false, false)
	p.whole("a", 1, 4, true) // sent before that, of what is gone
	p.wants("1")
	p.whole("a", 1, 6, true)
	p.wants("2")
	p.withdrawn("a", 5, false, false) // late: of before the sixth
	p.wants("2")
	p.whole("a", 1, 7, false)
	p.wants("1")

	p.heard("a", 1, 8, true, false, false)
	p.withdrawn("a", 8, true, true) // in the midst of it, and others wait
	p.wants("2")
	p.heard("a", 1, 9, true, false, false)
	p.withdrawn("a", 9, true, false)
	p.wants("1")
	p.peers["b"] = p.Open(p.now, 2, 0)
	p.withdrawn("b", 0, false, false) // nothing else was heard
	p.whole("b", 2, 1, false)
	p.wants("1")
}

// A backlog of which nothing comes ends by idle, also if its sender sends on another connection.
func TestBacklogGrowsStale(t *testing.T) {
	for _, other := range []bool{false, true} {
		p := newPairs(t, func(o *Options) { o.Idle = 100 * us })
		p.whole("a", 1, 0, true)
		for range 10 {
			p.now += 10 * us
			p.comes("long", false)
			if other {
				p.whole("a2", 1, 1, false)
			}
		}
		p.wants("2") // silent for 100 us, not longer
		p.now += us
		p.comes("long", false)
		p.wants("1")
		p.whole("a", 1, 2, true)
		p.wants("2")
		p.whole("a", 1, 3, false)
		p.wants("1")
	}
}

// The backlog of a sender that was taken for dead is forgotten with it, and begins anew.
func TestBacklogOfTheDead(t *testing.T) {
	p := newPairs(t, func(o *Options) { o.Idle = 100 * us })
	p.heard("a", 1, 0, true, false, false)
	p.now += 60 * us
	p.comes("long", false)
	p.heard("a2", 1, 1, true, true, true) // begins to count 60 us later than the sender was heard first
	p.now += 101 * us
	p.comes("long", false)
	p.wants("1")
	p.heard("a", 1, 0, false, true, true)
	p.wants("2")
	p.whole("a", 1, 2, false)
	p.wants("1")
	p.whole("a2", 1, 3, false)
	p.wants("1")
}

// A connection that closes takes its backlog along, and the next one of its number has none.
func TestBacklogCloses(t *testing.T) {
	p := newPairs(t)
	p.whole("a", 1, 7, true)
	p.wants("2")
	p.Close(p.now, p.peers["a"])
	p.wants("1")
	delete(p.peers, "a")
	p.whole("a", 2, 0, true) // counts its messages anew
	p.wants("2")
	p.whole("a", 2, 1, false)
	p.wants("1")
}

// A weighted tenant whose sender waits between two messages keeps its part of the link.
func TestBacklogOfTenants(t *testing.T) {
	p := newPairs(t, func(o *Options) { o.Weights = []int{1, 3} })
	p.peers["b"] = p.Open(p.now, 1, 1)
	p.whole("b", 1, 0, true)
	p.lab.wants("long", "1/4")
	p.whole("b", 1, 1, false)
	p.wants("1")
}

// A sender with a backlog confirms what it is told of others that come between its messages.
func TestNoticeOfBacklogs(t *testing.T) {
	k := newTalk(t, 2)
	k.exchange(0)
	k.Heard(&protocol.Heard{Now: k.now, Peer: k.senders[0].conn, Wire: packet, Ends: true, Backlog: true})
	k.senders[0].sending = false
	k.now += us
	k.send(1, false)
	k.arrive(1)
	began := k.now
	k.exchange(0) // the next message begins, and its answer tells of the other sender
	k.send(0, false)
	k.arrive(0)
	k.want(t, "between two messages", began, k.now)
}

// Backlogs are kept in place.
func TestBacklogsTakeNoMemory(t *testing.T) {
	p := newPairs(t)
	message, h := uint32(0), &protocol.Heard{}
	round := func() {
		for range 100 {
			message++
			*h = protocol.Heard{Now: p.now, Peer: p.peers["a"], Wire: packet, Begins: true, Ends: true, Message: message, Backlog: true}
			p.Heard(h)
			p.receiver.Answer(p.now, h.Peer)
			p.now += us
		}
	}
	p.whole("a", 1, 0, true)
	round()
	if n := testing.AllocsPerRun(1, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

var _ protocol.Withdrawer = (*receiver)(nil)
