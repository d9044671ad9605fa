package homa

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/protocol"
	"weft/unit"
)

// These tests follow the rules of Homa one by one, with what SIRD's evaluation uses.

const (
	unsched unit.Bytes = 1442 // payload of an unscheduled packet
	sched   unit.Bytes = 1456 // payload of a scheduled packet
	full    unit.Bytes = 1538 // either on the wire
	first   unit.Bytes = 100000
)

// bare is a host for itself, which is given packets and asked for packets.
type bare struct {
	*host
	out protocol.HostOutput
	t   *testing.T
}

func newBare(t *testing.T, change func(*Options)) *bare {
	o := testOptions(SIRD)
	if change != nil {
		change(&o)
	}
	b := &bare{t: t}
	env := testEnv(16)
	env.Out = &b.out
	b.host = newHost(build(t, o, env), env)
	return b
}

// thin lets only one packet of each message go unscheduled, so that nothing is in flight
// when it has arrived.
func thin(o *Options) { o.Unscheduled = &unit.Amount{Bytes: unsched} }

// next returns the next packet, of a given kind.
func (b *bare) next(now unit.Time, kind uint8) protocol.Packet {
	b.t.Helper()
	var p protocol.Packet
	if !b.Next(now, &p) {
		b.t.Fatalf("at %v: no packet, want one of kind %d", now, kind)
	}
	if p.Kind != kind {
		b.t.Fatalf("at %v: a packet of kind %d, want %d: %+v", now, p.Kind, kind, p)
	}
	if err := b.Check(); err != nil {
		b.t.Fatal(err)
	}
	return p
}

func (b *bare) none(now unit.Time) {
	b.t.Helper()
	var p protocol.Packet
	if b.Next(now, &p) {
		b.t.Fatalf("at %v: packet %+v, want none", now, p)
	}
}

func (b *bare) submit(peer int32, size unit.Bytes) {
	b.Submit(0, &protocol.HostMessage{Peer: peer, Tag: uint64(b.age), Bytes: size})
}

// data lets the packet of a message arrive that begins at an offset.
func (b *bare) data(now unit.Time, peer int32, number uint32, size, offset unit.Bytes) {
	b.t.Helper()
	unscheduled := min(size, b.unscheduled)
	payload, scheduled := b.segment(size, unscheduled, offset)
	p := &protocol.Packet{
		Peer: peer, Message: number, Size: size, Offset: offset, Payload: payload, Amount: unscheduled, Wire: b.frame(payload, scheduled),
	}
	if scheduled {
		p.Kind = kindScheduled
	}
	if fresh := b.Receive(now, p); fresh != payload {
		b.t.Fatalf("at %v: %v of the %v at %v is new", now, fresh, payload, offset)
	}
	if err := b.Check(); err != nil {
		b.t.Fatal(err)
	}
}

// arrive lets all unscheduled packets of a message arrive at once, and drops the grants.
func (b *bare) arrive(now unit.Time, peer int32, number uint32, size unit.Bytes) {
	b.t.Helper()
	for at := unit.Bytes(0); at < min(size, b.unscheduled); at += unsched {
		b.data(now, peer, number, size, at)
	}
	b.drop()
}

func (b *bare) drop() (list []grant) {
	for !b.orders.Empty() {
		var p protocol.Packet
		b.Next(b.now, &p)
		if p.Kind == kindGrant {
			list = append(list, grant{p.Peer, p.Offset, p.Amount})
		}
	}
	return list
}

// grant is to whom, up to where and at which level.
type grant struct {
	Peer      int32
	To, Level unit.Bytes
}

// Packets: the first 100 000 B of payload go unscheduled, in packets of 1442 B, the rest
// in packets of 1456 B that are granted, each of 1538 B on the wire.
func TestPackets(t *testing.T) {
	b := newBare(t, nil)
	const size = first + 2*sched + 7
	b.submit(1, size)
	at := unit.Bytes(0)
	for ; at < 69*unsched; at += unsched {
		if p := b.next(0, kindUnscheduled); p.Offset != at || p.Payload != unsched || p.Wire != full || p.Size != size || p.Amount != first {
			t.Fatalf("packet %+v", p)
		}
	}
	if p := b.next(0, kindUnscheduled); p.Payload != first-69*unsched || p.Wire != p.Payload+96 {
		t.Errorf("the last unscheduled packet is %+v", p)
	}
	b.none(0)
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindGrant, Offset: size, Amount: 3})
	for _, want := range []unit.Bytes{sched, sched, 7} {
		if p := b.next(0, kindScheduled); p.Payload != want || p.Wire != want+82 || p.Class != 3 {
			t.Errorf("scheduled packet %+v, want %v at level 3", p, want)
		}
	}
	b.none(0)
}

// Unscheduled limit: it is the same for messages of any size, and needs no threshold.
func TestUnscheduledLimit(t *testing.T) {
	for _, size := range []unit.Bytes{1, first, first + 1, 100 * first} {
		b := newBare(t, nil)
		b.submit(1, size)
		sum := unit.Bytes(0)
		for {
			var p protocol.Packet
			if !b.Next(0, &p) {
				break
			}
			sum += p.Payload
		}
		if sum != min(size, first) {
			t.Errorf("of %v, %v went without a grant", size, sum)
		}
	}
}

// Sender: SRPT on the bytes left, then age; control goes before data.
func TestSenderOrder(t *testing.T) {
	b := newBare(t, nil)
	b.submit(1, 4*unsched)
	b.submit(2, 3*unsched)
	b.submit(3, 3*unsched)
	b.next(0, kindUnscheduled)
	b.submit(4, 2*unsched) // as short as what is left of the one under way, but younger
	b.submit(5, unsched)
	b.data(0, 6, 0, 10, 0)
	b.next(0, kindDone)
	var order []int32
	for range 12 {
		order = append(order, b.next(0, kindUnscheduled).Peer)
	}
	if diff := cmp.Diff([]int32{5, 2, 2, 4, 4, 3, 3, 3, 1, 1, 1, 1}, order); diff != "" {
		t.Error(diff)
	}
	b.none(0)
}

// Sender: a message that waits for a grant lets others go.
func TestSenderWaits(t *testing.T) {
	b := newBare(t, nil)
	b.submit(1, first+10)
	b.submit(2, 5*first)
	for range 70 + 70 {
		b.next(0, kindUnscheduled)
	}
	b.none(0)
	b.Receive(0, &protocol.Packet{Peer: 2, Kind: kindGrant, Offset: first + sched, Amount: 6})
	b.Receive(0, &protocol.Packet{Peer: 2, Kind: kindGrant, Offset: first + 3*sched, Amount: 5})
	b.Receive(0, &protocol.Packet{Peer: 2, Kind: kindGrant, Offset: first + 2*sched, Amount: 7}) // overtaken
	b.Receive(0, &protocol.Packet{Peer: 1, Kind: kindGrant, Offset: first + 10, Amount: 7})
	var classes []uint8
	for range 4 {
		classes = append(classes, b.next(0, kindScheduled).Class)
	}
	if diff := cmp.Diff([]uint8{7, 6, 5, 5}, classes); diff != "" {
		t.Errorf("levels are those of the grants: %s", diff)
	}
	b.none(0)
}

// Unscheduled levels: with preset sird by the bytes left, the packet included; with preset
// paper by the size of the message.
// Cutoffs divide the wire bytes of unscheduled packets by the bytes left, grants being of
// size 0: the figures for WKa are computed apart.
// Levels are divided by the bytes of each kind, and each kind has one at least.
// In flight: a receiver grants while less than 100 000 B are in flight on the wire,
// unscheduled packets included.
func TestInFlight(t *testing.T) {
	b := newBare(t, nil)
	const size = 10 * first
	// 69 full unscheduled packets and one of 502 B payload are 106 720 B.
	for k := range unit.Bytes(4) {
		b.data(0, 1, 0, size, k*unsched)
		b.none(0)
	}
	b.data(0, 1, 0, size, 4*unsched) // leaves 99 030 B
	if p := b.next(0, kindGrant); p.Offset != first+sched || p.Wire != 86 || p.Class != 0 {
		t.Errorf("grant %+v", p)
	}
	b.none(0)
	if at, ok := b.Deadline(); ok {
		t.Errorf("enough is in flight, and yet something is due at %v", at)
	}
	for k := range unit.Bytes(3) {
		b.data(unit.Time(k+1)*unit.Microsecond, 1, 0, size, (k+5)*unsched)
		if p := b.next(unit.Microsecond, kindGrant); p.Offset != first+(k+2)*sched {
			t.Errorf("grant %+v", p)
		}
	}
}

// Pace: without arrivals the next grant to a sender goes when the packet of the last has
// had its time on the wire, until enough is in flight.
func TestPace(t *testing.T) {
	b := newBare(t, thin)
	b.data(0, 1, 0, 10*first, 0)
	b.next(0, kindGrant)
	gap := rate.Transmit(full)
	const enough = 66 // packets
	for n := range unit.Time(enough - 1) {
		b.none(n * gap)
		at, ok := b.Deadline()
		if !ok || at != (n+1)*gap {
			t.Fatalf("after %d grants the next is due at %v, %v, want %v", n+1, at, ok, (n+1)*gap)
		}
		b.Expire(at - 1)
		b.none(at - 1)
		b.Expire(at)
		b.next(at, kindGrant)
	}
	if at, ok := b.Deadline(); ok || b.outstanding != enough*full || b.inbox[0].inFlight != b.outstanding {
		t.Errorf("%v outstanding, and the next grant is due at %v", b.outstanding, at)
	}
}

// Pace: an arrival does not grant again too soon, unless for a better level.
func TestPaceAndLevel(t *testing.T) {
	b := newBare(t, thin)
	b.arrive(0, 1, 0, 10*first)
	b.arrive(0, 2, 0, 20*first)
	gap := rate.Transmit(full)
	b.Expire(gap)
	want := []grant{{1, unsched + 2*sched, 6}, {2, unsched + 2*sched, 7}}
	if diff := cmp.Diff(want, b.drop()); diff != "" {
		t.Fatal(diff)
	}
	b.data(gap+1, 2, 0, 20*first, unsched)
	b.none(gap + 1)
	// A short message of the same sender makes it the first, at a better level.
	b.data(gap+2, 2, 1, 2*first, 0)
	if diff := cmp.Diff([]grant{{2, unsched + sched, 5}}, b.drop()); diff != "" {
		t.Error(diff)
	}
	if at, _ := b.Deadline(); len(b.timed) != 2 || at != 2*gap {
		t.Errorf("%d senders wait, until %v", len(b.timed), at)
	}
}

// Overcommitment: of the senders the k whose best messages have the fewest bytes to be
// granted are granted to, and of each only the best message.
func TestOvercommitment(t *testing.T) {
	k := 2
	b := newBare(t, func(o *Options) { thin(o); o.Overcommit = &k })
	for peer := int32(1); peer <= 3; peer++ {
		for n := range unit.Bytes(2) {
			b.arrive(0, peer, uint32(n), (8-unit.Bytes(peer))*first-n*20*sched)
		}
	}
	seen := map[int32]int{}
	for now := unit.Time(0); now < 20*unit.Microsecond; now += 100 * unit.Nanosecond {
		b.Expire(now)
		for !b.orders.Empty() {
			p := b.next(now, kindGrant)
			seen[p.Peer]++
			if p.Message != 1 {
				t.Errorf("grant for message %d of host %d, which has a shorter one", p.Message, p.Peer)
			}
		}
	}
	// Each has had a grant on arrival, and the second message of the last two another one.
	if seen[1] != 0 || seen[2] < 60 || seen[3] < 60 {
		t.Errorf("grants to hosts: %v; want the two with the shortest messages", seen)
	}
}

// With k messages of k senders at most k BDP, and a packet each, is outstanding.
func TestBound(t *testing.T) {
	k := 3
	b := newBare(t, func(o *Options) { thin(o); o.Overcommit = &k })
	for peer := int32(1); peer <= 8; peer++ {
		b.arrive(0, peer, 0, unit.Bytes(20+peer)*first)
	}
	for now := unit.Time(0); now < 50*unit.Microsecond; now += 100 * unit.Nanosecond {
		b.Expire(now)
	}
	if want := 3 * 66 * full; b.outstanding != want || b.outstanding > 3*(first+full) || b.Credit().Limit != 3*first {
		t.Errorf("%v outstanding, want %v", b.outstanding, want)
	}
}

// Ties go to the smaller message, then to the older one.
func TestTies(t *testing.T) {
	b := newBare(t, nil)
	b.inbox = []inMessage{
		{size: 500, granted: 100, age: 7},
		{size: 600, granted: 200, age: 3},
		{size: 500, granted: 100, age: 8},
		{size: 900, granted: 501, age: 9},
	}
	for _, tt := range [][2]int32{{3, 0}, {0, 1}, {0, 2}, {2, 1}} {
		if !b.better(tt[0], tt[1]) || b.better(tt[1], tt[0]) {
			t.Errorf("message %d should be before %d", tt[0], tt[1])
		}
	}
}

// Scheduled levels are pushed to the low end, and a shorter newcomer takes a level above
// without changing those of others.
// When the middle one of three overtakes the first and is granted in full, the lowest level is
// left empty. With preset paper the other two then have the two lowest; with sird they keep
// theirs, also the one that gets no grant while others come and go.
// A sender whose messages are granted in full is followed by the next at once.
func TestPromotion(t *testing.T) {
	k := 1
	b := newBare(t, func(o *Options) { thin(o); o.Overcommit = &k })
	b.arrive(0, 1, 0, unsched+2*sched)
	b.arrive(0, 2, 0, 3*first)
	if n := b.inbox[1].scheduled; n != 0 {
		t.Fatalf("%v was granted to the second", n)
	}
	b.Expire(unit.Microsecond)
	want := []grant{{1, unsched + 2*sched, 7}, {2, unsched + sched, 7}}
	if diff := cmp.Diff(want, b.drop()); diff != "" {
		t.Error(diff)
	}
}

// Tail boost: the end of a message has unscheduled levels.
// Levels are shared if there are fewer than senders.
// Replies: 4 bytes of payload with preset sird, a control frame with preset paper.
func TestReplies(t *testing.T) {
	for preset, want := range map[string]unit.Bytes{SIRD: 100, Paper: 86} {
		b := newBare(t, func(o *Options) { o.Preset = preset })
		b.data(0, 3, 0, 99, 0)
		if p := b.next(0, kindDone); p.Wire != want || p.Peer != 3 {
			t.Errorf("preset %s: reply %+v", preset, p)
		}
	}
}
