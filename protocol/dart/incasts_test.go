package dart

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// The first message of an incast brings all listed senders into the set, and their own do not count
// again (§III-D).
func TestLookAhead(t *testing.T) {
	l := newLab(t, options(), env)
	l.begins("long", 9, 0, nil)
	inc := &protocol.Incast{ID: 7, Senders: []int32{1, 2, 3, 2}}
	l.begins("1", 1, 0, inc)
	l.wants("long", "1/4")
	l.begins("2", 2, 0, inc)
	l.wants("long", "1/4")
	l.ends("1")
	l.wants("long", "1/3")
	l.begins("3", 3, 0, inc)
	l.begins("3 again", 3, 0, nil)
	l.ends("3")
	l.ends("2")
	l.wants("long", "1/2")
	l.ends("3 again")
	l.wants("long", "1/1")
	if len(l.incasts.index) > 0 {
		t.Error("an incast is not over")
	}
}

// In whatever order the packets of an incast come, and whether its lists come first or not, n is the number of
// those that were named or came and have not ended.
func TestListsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLab(t, options(), env)
		hosts := []int32{1, 2, 3, 4, 5}
		inc := &protocol.Incast{ID: 1, Senders: hosts}
		// Of each host come, in order: a packet that begins its message, the one with the list, the last.
		at, named, done := map[int32]int{}, false, 0
		for done < len(hosts) {
			h := rapid.SampledFrom(hosts).Draw(rt, "host")
			l.now += us
			conn := fmt.Sprint(h)
			switch at[h] {
			case 0:
				l.begins(conn, h, 0, nil)
			case 1:
				l.Heard(&protocol.Heard{Now: l.now, Peer: l.peers[conn], Wire: packet, Incast: inc})
				named = true
			case 2:
				l.ends(conn)
				done++
			case 3:
				continue
			}
			at[h]++
			n := 0
			for _, h := range hosts {
				if at[h] < 3 && (named || at[h] > 0) {
					n++
				}
			}
			if got := int(l.set.share(0).whole); got != max(1, n) {
				rt.Fatalf("n is %d, want %d", got, n)
			}
		}
		if !l.set.empty() || len(l.incasts.index) > 0 {
			rt.Fatal("something is left")
		}
	})
}

// A sender that is listed and never sends is expected until it is taken for dead.
func TestListedAndSilent(t *testing.T) {
	o := options()
	o.Idle = 100 * us
	l := newLab(t, o, env)
	l.begins("1", 1, 0, &protocol.Incast{ID: 1, Senders: []int32{1, 2}})
	l.now += 60 * us
	l.comes("1", false)
	l.wants("1", "1/2")
	l.now += 60 * us
	l.comes("1", false)
	l.wants("1", "1/1")
	if len(l.incasts.index) > 0 {
		t.Error("the incast is not over")
	}
}

// members has the hosts of each tenant.
type members map[uint8][]int32

func (m members) Has(tenant uint8, host int32) bool {
	for _, h := range m[tenant] {
		if h == host {
			return true
		}
	}
	return false
}

// A list brings in members of its own tenant only, and only that tenant's senders get less for it.
func TestLiesHarmTheLiar(t *testing.T) {
	e := env
	e.Tenants = members{0: {1, 2}, 1: {3, 4, 5, 6, 7}}
	l := newLab(t, options(), e)
	l.begins("honest", 1, 0, nil)
	l.begins("honest too", 2, 0, nil)
	l.begins("liar", 3, 1, nil)
	l.wants("honest", "1/4")
	l.wants("liar", "1/2")
	l.begins("list", 3, 1, &protocol.Incast{ID: 1, Senders: []int32{3, 4, 5, 6, 7, 1, 2, 8, 9}})
	l.wants("honest", "1/4")
	l.wants("liar", "1/10")
	l.ends("liar")
	l.ends("list")
	l.wants("honest", "1/2") // who is expected only has no part of the link
}

// Tenants share by weight, and the senders of one equally. What all get together is the link.
func TestWeights(t *testing.T) {
	o := options()
	o.Weights = []int{3, 1}
	rapid.Check(t, func(rt *rapid.T) {
		l := newLab(t, o, env)
		conns := map[string]bool{}
		for i := range rapid.IntRange(1, 20).Draw(rt, "messages") {
			conn := fmt.Sprint(i)
			l.begins(conn, rapid.Int32Range(0, 5).Draw(rt, "host"), rapid.Uint8Range(0, 3).Draw(rt, "tenant"), nil)
			conns[conn] = true
		}
		sum, seen, weights := 0.0, map[int32]bool{}, map[uint8]uint64{}
		for conn := range conns {
			i := l.senderOf(conn)
			a, _ := l.Answer(l.now, l.peers[conn])
			if s := readShare(a[1]); !seen[i] {
				seen[i] = true
				sum += float64(s.parts) / float64(s.whole)
			}
			weights[l.set.list[i].tenant] = o.weight(l.set.list[i].tenant)
		}
		if sum < 1-1e-9 || sum > 1+1e-9 {
			rt.Fatalf("all get %v of the link", sum)
		}
		total := uint64(0)
		for _, w := range weights {
			total += w
		}
		if l.set.weight != total {
			rt.Fatalf("the weights are %d, want %d", l.set.weight, total)
		}
	})
}

// senderOf returns the sender of a connection.
func (l *lab) senderOf(conn string) int32 { return l.receiver.peers[l.peers[conn]].sender }

// A sender keeps to its share of its receiver's link, with the drain while it is not alone, and begins at
// its own line rate.
func TestLimit(t *testing.T) {
	sending := protocol.Env{LineRate: 100 * unit.Gbps, PeerRate: 25 * unit.Gbps}
	for _, tt := range []struct {
		rate        string
		drain       unit.Ratio
		alone, five unit.Rate
	}{
		{"receiver", 1, 25 * unit.Gbps, 5 * unit.Gbps},
		{"receiver", 0.9, 25 * unit.Gbps, 4500 * unit.Mbps},
		{"sender", 1, 100 * unit.Gbps, 20 * unit.Gbps},
	} {
		o := options()
		o.Rate, o.Drain = tt.rate, tt.drain
		b := build(t, o).NewBundle(sending)
		b.Start(0)
		if got := b.Pace().Rate; got != sending.LineRate {
			t.Errorf("%+v: a message begins at %v", tt, got)
		}
		b.Answered(0, protocol.Answer{0, alone.word()})
		if got := b.Pace().Rate; got != tt.alone {
			t.Errorf("%+v: alone it sends at %v", tt, got)
		}
		b.Answered(0, protocol.Answer{1, share{parts: 2, whole: 10, congested: true}.word()})
		if got := b.Pace().Rate; got != tt.five {
			t.Errorf("%+v: one of five sends at %v", tt, got)
		}
		b.Start(0)
		if got := b.Pace().Rate; got != sending.LineRate {
			t.Errorf("%+v: it begins again at %v", tt, got)
		}
	}
}

// With reset an acknowledgement that tells of receiver congestion ends what DCQCN limits; without, it does not.
// Without a fallback nothing but n limits.
func TestFallback(t *testing.T) {
	cut := &protocol.Ack{Now: us, Answered: true, Answer: protocol.Answer{1, alone.word()}}
	told := &protocol.Ack{Now: 2 * us, Answered: true, Answer: protocol.Answer{0, share{parts: 1, whole: 2, congested: true}.word()}}
	for reset, want := range map[bool]unit.Rate{false: 5 * unit.Gbps, true: 10 * unit.Gbps} {
		o := options()
		o.Reset = reset
		c := build(t, o).New(protocol.Env{LineRate: 10 * unit.Gbps, Packet: packet, Payload: packet}).(paced)
		c.Start(0)
		if c.Acked(cut); c.Pace().Rate != 5*unit.Gbps {
			t.Errorf("a notification leaves %v", c.Pace().Rate)
		}
		if c.Acked(told); c.Pace().Rate != want {
			t.Errorf("with reset %t the rate is %v, want %v", reset, c.Pace().Rate, want)
		}
	}
	o := options()
	o.Fallback = "none"
	if _, ok := build(t, o).New(protocol.Env{}).(protocol.Pacer); ok {
		t.Error("without fallback a connection has a pace of its own")
	}
	l := newLab(t, o, env)
	l.begins("a", 1, 0, nil)
	for range 100 {
		l.now += 2 * us
		l.comes("a", true)
	}
	if a, _ := l.Answer(l.now, l.peers["a"]); a[0] != 0 || l.state != elsewhere {
		t.Errorf("in state %d the answer is %v", l.state, a)
	}
}

// A share and what goes with it survive the acknowledgement.
func TestShareWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := share{rapid.Uint64Range(1, mostWeight).Draw(t, "parts"), rapid.Uint64Range(1, mostWeight*mostTenants*65536).Draw(t, "whole"), rapid.Bool().Draw(t, "congested"), rapid.Bool().Draw(t, "asks")}
		if got := readShare(s.word()); got != s {
			t.Fatalf("%+v came as %+v", s, got)
		}
	})
}

// Options out of bounds are refused, with what is allowed.
func TestRefusals(t *testing.T) {
	short := unit.Time(0)
	for want, change := range map[string]func(o *Options){
		"it must be dcqcn or none":      func(o *Options) { o.Fallback = "rcp" },
		"it must be receiver or sender": func(o *Options) { o.Rate = "mean" },
		"they must be 1% to 100%":       func(o *Options) { o.Drain = 1.1 },
		"must be at least 1ns":          func(o *Options) { o.Span = &short },
		"weights must be 1 to 1000":     func(o *Options) { o.Weights = []int{0} },
		"remove it":                     func(o *Options) { o.Fallback, o.Reset = "none", true },
		"gain":                          func(o *Options) { o.Gain = 2 },
	} {
		o := options()
		change(&o)
		if _, err := o.Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
