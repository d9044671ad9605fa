package homa

import (
	"fmt"
	"strings"
	"testing"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

const silence = 5 * unit.Millisecond

// tick lets a host act on all times up to one.
func (b *bare) tick(until unit.Time) {
	for at, ok := b.Deadline(); ok && at <= until; at, ok = b.Deadline() {
		b.Expire(max(at, b.now))
	}
	b.now = until
}

func paperHost(t *testing.T) *bare {
	return newBare(t, func(o *Options) { o.Preset = Paper })
}

// RESEND: a receiver asks for the first missing part of what it granted, after silence, and
// again after twice the time.
func TestResendAsks(t *testing.T) {
	b := paperHost(t)
	const size = 10 * unsched
	for _, k := range []unit.Bytes{0, 1, 4, 5, 9} {
		b.data(0, 1, 0, size, k*unsched)
	}
	b.tick(silence - 1)
	b.none(silence - 1)
	b.tick(silence)
	if p := b.next(silence, kindResend); p.Offset != 2*unsched || p.Size != 4*unsched || p.Message != 0 || p.Peer != 1 {
		t.Errorf("RESEND %+v", p)
	}
	b.tick(3*silence - 1)
	b.none(3*silence - 1)
	b.tick(3 * silence)
	b.next(3*silence, kindResend)
	b.Receive(4*silence, &protocol.Packet{Kind: kindBusy, Peer: 1})
	b.tick(8*silence - 1)
	b.none(8*silence - 1) // BUSY begins the wait anew
	b.tick(8 * silence)
	b.next(8*silence, kindResend)
}

// RESEND: what nobody is waiting for is not asked for.
func TestNoResendWithoutGrants(t *testing.T) {
	b := paperHost(t)
	for k := range unit.Bytes(5) {
		b.data(0, int32(k+1), 0, 3*unsched, 0)
		for at := unsched; at < 3*unsched; at += unsched {
			b.data(0, int32(k+1), 0, 3*unsched, at)
		}
	}
	b.drop()
	b.tick(unit.Second)
	b.none(unit.Second)
	if at, ok := b.Deadline(); ok {
		t.Errorf("all is done, and the host waits until %v", at)
	}
}

// A sender sends again what a RESEND asks for, at level 0, and grants itself what was
// never sent.
func TestResendAnswers(t *testing.T) {
	b := paperHost(t)
	b.submit(1, first+3*sched)
	for range 70 {
		b.next(0, kindUnscheduled)
	}
	b.Receive(0, &protocol.Packet{Kind: kindResend, Peer: 1, Offset: 68 * unsched, Size: first + sched, Amount: 6})
	for _, want := range []unit.Bytes{68 * unsched, 69 * unsched} {
		if p := b.next(0, kindUnscheduled); p.Offset != want || p.Class != 0 || p.Flags&protocol.Resent == 0 {
			t.Errorf("packet %+v, want that at %v again", p, want)
		}
	}
	if p := b.next(0, kindScheduled); p.Offset != first || p.Class != 6 || p.Flags&protocol.Resent != 0 {
		t.Errorf("packet %+v, want the first scheduled one", p)
	}
	b.none(0)
	if n := len(b.out.Events); n != 2 || b.out.Events[0].Kind != protocol.PacketLost {
		t.Errorf("events %+v", b.out.Events)
	}
}

// BUSY: a sender with shorter messages says so, and the answer comes in its turn.
func TestBusy(t *testing.T) {
	b := paperHost(t)
	b.submit(1, 4*unsched)
	for range 4 {
		b.next(0, kindUnscheduled)
	}
	b.submit(1, first+2*sched)
	for range 70 {
		b.next(0, kindUnscheduled)
	}
	b.submit(2, unsched)
	b.Receive(0, &protocol.Packet{Kind: kindResend, Peer: 1, Message: 1, Offset: 0, Size: unsched})
	if p := b.next(0, kindBusy); p.Message != 1 || p.Peer != 1 {
		t.Errorf("BUSY %+v", p)
	}
	if p := b.next(0, kindUnscheduled); p.Peer != 2 {
		t.Errorf("packet %+v, want that of the short message", p)
	}
	if p := b.next(0, kindUnscheduled); p.Message != 1 || p.Offset != 0 {
		t.Errorf("packet %+v, want the one that was asked for", p)
	}
}

// A sender that hears nothing asks; the receiver tells what it knows.
func TestAsk(t *testing.T) {
	b := paperHost(t)
	b.submit(1, unsched)
	b.next(0, kindUnscheduled)
	b.tick(2*silence - 1)
	b.none(2*silence - 1)
	b.tick(2 * silence)
	b.next(2*silence, kindAsk)

	b.data(0, 3, 1, 2*unsched, 0)
	b.data(0, 3, 2, unsched, 0)
	b.next(0, kindDone)
	for number, want := range []uint8{kindResend, kindKnown, kindDone} {
		b.Receive(0, &protocol.Packet{Kind: kindAsk, Peer: 3, Message: uint32(number)})
		if p := b.next(0, want); p.Message != uint32(number) || p.Size != 0 {
			t.Errorf("answer %+v", p)
		}
	}
	// The answer to a message of which nothing arrived makes its sender begin anew.
	b.Receive(3*silence, &protocol.Packet{Kind: kindResend, Peer: 1})
	if p := b.next(3*silence, kindUnscheduled); p.Offset != 0 || p.Flags&protocol.Resent == 0 {
		t.Errorf("packet %+v", p)
	}
}

// A sender waits from the last packet that it sent, not from when the message was submitted.
func TestAskFromTheLastPacket(t *testing.T) {
	b := paperHost(t)
	b.submit(1, unsched)
	b.tick(silence)
	b.next(silence, kindUnscheduled)
	b.tick(3*silence - 1)
	b.none(3*silence - 1)
	b.tick(3 * silence)
	b.next(3*silence, kindAsk)
}

// Copies and packets that come late change nothing, but that a copy of what was sent again
// is confirmed again.
func TestCopies(t *testing.T) {
	b := paperHost(t)
	b.data(0, 1, 0, 2*unsched, 0)
	p := protocol.Packet{Peer: 1, Size: 2 * unsched, Payload: unsched, Amount: 2 * unsched, Wire: full}
	if fresh := b.Receive(0, &p); fresh != 0 {
		t.Errorf("%v of a copy is new", fresh)
	}
	b.data(0, 1, 0, 2*unsched, unsched)
	b.next(0, kindDone)
	b.Receive(0, &p)
	b.none(0)
	p.Flags = protocol.Resent
	b.Receive(0, &p)
	b.next(0, kindDone)
	if len(b.out.Events) != 1 || b.incomplete != 0 {
		t.Errorf("events %+v", b.out.Events)
	}
}

// With preset sird nothing is ever asked for.
func TestNoTimeouts(t *testing.T) {
	b := newBare(t, nil)
	b.submit(1, 10*first)
	b.data(0, 1, 0, 5*unsched, 0)
	if at, ok := b.Deadline(); ok {
		t.Errorf("the host waits until %v", at)
	}
}

// What makes no sense is ignored.
func TestBrokenPackets(t *testing.T) {
	b := paperHost(t)
	b.data(0, 1, 0, 5*unsched, 0)
	b.submit(1, 2*first)
	for i, p := range []protocol.Packet{
		{Message: 0, Offset: unsched + 1, Payload: unsched, Size: 5 * unsched},
		{Message: 0, Offset: unsched, Payload: unsched - 1, Size: 5 * unsched},
		{Message: 0, Offset: 50 * unsched, Payload: unsched, Size: 5 * unsched},
		{Message: 0, Offset: -unsched, Payload: unsched, Size: 5 * unsched},
		{Message: 1, Amount: 0, Payload: unsched, Size: unsched},
		{Message: 1, Amount: 9, Payload: 8, Size: 8},
		{Message: 1 << 30, Amount: 9, Payload: 9, Size: 9},
		{Kind: kindGrant, Message: 9, Offset: 1},
		{Kind: kindGrant, Offset: 1 << 40, Amount: 1 << 20},
		{Kind: kindResend, Message: 9},
		{Kind: kindResend, Offset: 1, Size: 1 << 40},
		{Kind: kindResend, Offset: -1, Size: 10},
		{Kind: kindDone, Message: 7},
		{Kind: 15},
	} {
		p.Peer = 1
		if fresh := b.Receive(0, &p); fresh != 0 {
			t.Errorf("packet %d: %v is new", i, fresh)
		}
		if err := b.Check(); err != nil {
			t.Errorf("packet %d: %v", i, err)
		}
	}
	if len(b.out.Events) > 0 {
		t.Errorf("events %+v", b.out.Events)
	}
}

// A receiver that has the message by other means, or is broken, may confirm it before all of
// it was sent: what was granted and what needed no grant are given up with it.
func TestDoneEarly(t *testing.T) {
	for _, granted := range []unit.Bytes{0, 3 * first / 2} {
		b := paperHost(t)
		b.submit(1, 2*first)
		b.submit(2, 2*first)
		before := b.Credit()
		if granted > 0 {
			b.Receive(0, &protocol.Packet{Kind: kindGrant, Peer: 1, Offset: granted})
		}
		var p protocol.Packet
		b.Next(0, &p)
		b.Receive(0, &protocol.Packet{Kind: kindDone, Peer: 1})
		if err := b.Check(); err != nil {
			t.Errorf("with grants up to %v: %v", granted, err)
		}
		// The other message is left, of which nothing was granted.
		if c := b.Credit(); c.Held != 0 || c.Own != before.Own/2 {
			t.Errorf("with grants up to %v: %+v is left, want half of the unscheduled bytes of %+v", granted, c, before)
		}
		if len(b.out.Events) != 1 || b.out.Events[0].Kind != protocol.MessageCompleted || b.out.Events[0].Peer != 1 {
			t.Errorf("events %+v", b.out.Events)
		}
	}
}

// TestEachKindLost loses the first packets of each kind.
func TestEachKindLost(t *testing.T) {
	for kind := kindUnscheduled; kind <= kindDone; kind++ {
		for _, size := range []unit.Bytes{1, 20 * unsched, 3 * first} {
			t.Run(fmt.Sprint(kind, " ", size), func(t *testing.T) {
				l := newNet(t, testOptions(Paper), 3, testEnv(3))
				l.Fate = hosttest.LoseFirst(kind, 2)
				l.Send(0, 1, size, 0)
				l.Send(2, 1, size, 0)
				l.Finish(10 * unit.Second)
			})
		}
	}
}

// TestUnconfirmed sends without confirmations: a sender is done when all is sent.
func TestUnconfirmed(t *testing.T) {
	o := testOptions(SIRD)
	o.Confirm = false
	l := newNet(t, o, 2, testEnv(2))
	for range 20 {
		l.Send(0, 1, 120*unit.KB, 0)
		l.Send(0, 1, 20*unit.KB, 0)
	}
	l.Finish(unit.Second)
}

// TestRefuses lists options that make no sense.
func TestRefuses(t *testing.T) {
	number := func(n int) *int { return &n }
	for name, tt := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"defaults":       {func(*Options) {}, ""},
		"sizes":          {func(o *Options) { wka(o, 5) }, ""},
		"two levels":     {func(o *Options) { o.Priorities = 2 }, ""},
		"preset":         {func(o *Options) { o.Preset = "x" }, "use paper or sird"},
		"rtt_bytes":      {func(o *Options) { o.RTTBytes = unit.Amount{Bytes: 1537} }, "less than one frame"},
		"share":          {func(o *Options) { o.RTTBytes = unit.Amount{Share: 0.5} }, "but a share has no reference here"},
		"negative":       {func(o *Options) { o.TailBoost = unit.Amount{Bytes: -1} }, "negative"},
		"unscheduled":    {func(o *Options) { o.Unscheduled = &unit.Amount{} }, "at least 1B"},
		"priorities":     {func(o *Options) { o.Priorities = 9 }, "2 to 8"},
		"few classes":    {func(o *Options) { o.Priorities = 8 }, "ports have 7 classes; write fabric: {classes: 8}, or fewer priorities"},
		"scheduled":      {func(o *Options) { o.Scheduled = number(8) }, "it must be 1 to 7"},
		"k":              {func(o *Options) { o.Overcommit = number(8) }, "overcommit is 8, above the 7 scheduled levels"},
		"k of scheduled": {func(o *Options) { s := 4; o.Scheduled, o.Overcommit, o.Cutoffs = &s, number(5), []unit.Bytes{1, 2, 3} }, "make scheduled larger, or write share_levels: true"},
		"k shared":       {func(o *Options) { o.Scheduled, o.Overcommit, o.ShareLevels = number(7), number(8), true }, ""},
		"k 0":            {func(o *Options) { o.Overcommit = number(0) }, "at least 1"},
		"cutoffs":        {func(o *Options) { o.Scheduled = number(5) }, "3 unscheduled levels (8 priorities less 5 scheduled ones) and 0 cutoffs; give 2, or sizes"},
		"cutoffs fall":   {func(o *Options) { o.Scheduled, o.Cutoffs = number(5), []unit.Bytes{2, 2} }, "cutoffs[1]"},
		"cutoffs alone":  {func(o *Options) { o.Cutoffs = []unit.Bytes{2, 3} }, "write scheduled: 5"},
		"both":           {func(o *Options) { wka(o, 5); o.Cutoffs = []unit.Bytes{2, 3} }, "give one of them"},
		"no table":       {func(o *Options) { wka(o, 5); o.Sizes.CDF = "none.csv" }, "sizes: table of sizes cannot be read"},
		"by":             {func(o *Options) { by := "x"; o.UnscheduledBy = &by }, "use size or left"},
		"saved":          {func(o *Options) { o.Saved = 96 }, "packets have 96B of header"},
		"resend":         {func(o *Options) { r := 9 * unit.Microsecond; o.Resend = &r }, "at least 4 base round-trip times"},
		"forgets":        {func(o *Options) { o.Confirm = false }, "resend: 0s, or confirm: true"},
		"small queues":   {func(o *Options) { o.Preset = SIRD }, "warning: homa: queues hold 150KB"},
	} {
		o := testOptions(Paper)
		tt.change(&o)
		env := testEnv(4)
		env.Queue = 150 * unit.KB
		if name == "few classes" {
			env.Classes = 7
		}
		got := ""
		c, err := o.Build()
		if err == nil {
			var warnings []string
			if warnings, err = c.CheckHost(env); len(warnings) > 0 {
				got = "warning: " + warnings[0]
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestNoAllocations checks that packets and grants allocate nothing once messages have
// begun, and messages nothing once there were as many.
func TestNoAllocations(t *testing.T) {
	var outs [2]protocol.HostOutput
	var hosts [2]*host
	c := build(t, testOptions(Paper), testEnv(2))
	for i := range hosts {
		env := testEnv(2)
		env.Host, env.Out = int32(i), &outs[i]
		hosts[i] = newHost(c, env)
	}
	now := unit.Time(0)
	var p protocol.Packet
	exchange := func() {
		for range 3 {
			hosts[0].Submit(now, &protocol.HostMessage{Peer: 1, Bytes: 2 * first})
		}
		for done := false; !done; {
			done = true
			now += 200 * unit.Nanosecond
			for i, h := range hosts {
				h.Expire(now)
				p = protocol.Packet{}
				if h.Next(now, &p) {
					p.Peer = int32(i)
					hosts[1-i].Receive(now, &p)
					done = false
				}
				outs[0].Events, outs[1].Events = outs[0].Events[:0], outs[1].Events[:0]
			}
		}
	}
	exchange()
	if n := testing.AllocsPerRun(1, func() { // of all together, since means are rounded down
		for range 5 {
			exchange()
		}
	}); n > 0 {
		t.Errorf("%v allocations for three messages", n)
	}
	if hosts[0].unconfirmed+hosts[1].incomplete > 0 {
		t.Error("messages are left")
	}
}
