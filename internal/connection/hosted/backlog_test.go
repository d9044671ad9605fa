package hosted

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/dart"
	"weft/protocol/hosttest"
	"weft/unit"
)

// backlogged is a network whose hosts count senders that have messages under way, or waiting (dart's counts: backlog).
type backlogged struct {
	*hosttest.LAN
	t      failer
	open   func(host int32) func(*protocol.HostOutput) protocol.HostTransport
	frozen bool // nobody sends data
	counts []protocol.Answerer
	probes []int32 // connections of a sender that nobody else knows, which always counts
	sent   map[sent]protocol.HostMessage
	gone   map[sent]bool // taken back, or of hosts that were replaced
	begun  map[sent]bool
}

// sent names a message by its sender.
type sent struct {
	from int32
	tag  uint64
}

// freezing is a host that sends no data while the network is frozen.
type freezing struct {
	*host
	b *backlogged
}

func (f *freezing) may() bool { return !f.b.frozen || f.outbox().Ready() }

func (f *freezing) Next(now unit.Time, p *protocol.Packet) bool {
	f.catchUp(now)
	return f.may() && f.host.Next(now, p)
}

func (f *freezing) Ready() (unit.Time, bool) {
	at, ok := f.host.Ready()
	return at, ok && f.may()
}

func newBacklogged(t failer, hosts int32, balancer string) *backlogged {
	options, err := dart.Entries()[0].Defaults()
	if err != nil {
		t.Fatalf("%v", err)
	}
	o, counts := options.(*dart.Options), "backlog"
	o.Fallback, o.Counts, o.Idle = "none", &counts, 1_000_000*unit.Second
	c, err := o.Build()
	if err != nil {
		t.Fatalf("%v", err)
	}
	b := &backlogged{t: t, counts: make([]protocol.Answerer, hosts), probes: make([]int32, hosts), sent: map[sent]protocol.HostMessage{}, gone: map[sent]bool{}, begun: map[sent]bool{}}
	create := c.NewAnswerer
	c.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
		a := create(env)
		b.counts[env.Host], b.probes[env.Host] = a, a.Open(0, hosts, 0)
		a.Heard(&protocol.Heard{Peer: b.probes[env.Host], Wire: 1, Begins: true})
		return a
	}
	c, err = Control(c, build(t, balancers(), balancer))
	if err != nil {
		t.Fatalf("%v", err)
	}
	b.LAN, b.open = network(t, hosts, c)
	for _, p := range b.Hosts {
		p.HostTransport = b.freezes(p.HostTransport)
	}
	b.Arrived = func(to int32, p *protocol.Packet) {
		if p.Kind == kindData {
			b.begun[sent{p.Peer, p.Tag}] = true
		}
	}
	return b
}

func (b *backlogged) freezes(t protocol.HostTransport) protocol.HostTransport {
	return &freezing{t.(*host), b}
}

func (b *backlogged) post(from, to int32, bytes unit.Bytes) sent {
	m := sent{from, b.Send(from, to, bytes, 0)}
	b.sent[m] = protocol.HostMessage{Peer: to, Tag: m.tag, Bytes: bytes}
	return m
}

func (b *backlogged) cancel(m sent) {
	if !b.gone[m] && b.Cancel(m.from, m.tag) {
		b.gone[m] = true
	}
}

func (b *backlogged) replace(h int32) {
	b.Replace(h, func(out *protocol.HostOutput) protocol.HostTransport { return b.freezes(b.open(h)(out)) })
	for m, s := range b.sent {
		if m.from == h || s.Peer == h {
			b.gone[m] = true
		}
	}
}

// counted returns how many senders a host counts.
func (b *backlogged) counted(host int32) int {
	a, ok := b.counts[host].Answer(b.Now, b.probes[host])
	if !ok {
		b.t.Fatalf("host %d says nothing", host)
	}
	return int(a[1]&(1<<48-1)) - 1
}

// settle lets all that was sent arrive. Then each host counts those who have a message to it under way of which something came, and none
// that has neither such a message, nor one that waits, nor one that was taken back and of which the host may not have heard.
func (b *backlogged) settle() {
	b.frozen = true
	b.Run(b.Now + 2*unit.Millisecond)
	for to := range b.Hosts {
		some, known := map[int32]bool{}, map[int32]bool{}
		for m, s := range b.sent {
			if s.Peer == int32(to) && !b.gone[m] && b.Delivered[[2]uint64{uint64(m.from), m.tag}] == 0 {
				some[m.from] = true
				if b.begun[m] {
					known[m.from] = true
				}
			}
		}
		for from, p := range b.Hosts {
			for _, w := range p.HostTransport.(*freezing).withdrawals.list {
				if w.peer == int32(to) {
					some[int32(from)] = true
				}
			}
		}
		if n := b.counted(int32(to)); n < len(known) || n > len(some) {
			b.t.Fatalf("at %v host %d counts %d of %d to %d senders", b.Now, to, n, len(known), len(some))
		}
	}
	b.frozen = false
	for i := range b.Hosts {
		b.Revive(int32(i)) // asks whether it has something to send
	}
}

// TestBacklog sends short and long messages among three hosts over a network that loses packets and lets them overtake each other, takes
// some back, and has hosts replaced: no host counts a sender that is done, nor leaves one out of which it has a part of a message.
func TestBacklog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBacklogged(t, 3, rapid.SampledFrom([]string{"ecmp", "ops"}).Draw(t, "balancer"))
		loss := rapid.SampledFrom([]float64{0, 0, 0.02, 0.2}).Draw(t, "loss")
		b.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), loss, loss/2, rapid.SampledFrom([]unit.Time{0, 2 * unit.Microsecond}).Draw(t, "jitter"))
		var messages []sent
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			from := rapid.Int32Range(0, 2).Draw(t, "host")
			to := (from + rapid.Int32Range(1, 2).Draw(t, "to")) % 3
			switch what := rapid.IntRange(0, 19).Draw(t, "what"); {
			case what < 8:
				size := unit.Bytes(rapid.SampledFrom([]int{1, 5_000, 90_000, 400_000}).Draw(t, "size"))
				n := rapid.IntRange(1, 3).Draw(t, "at once")
				if size == 1 && rapid.IntRange(0, 3).Draw(t, "many") == 0 {
					n += mostNumbers
				}
				for range n {
					messages = append(messages, b.post(from, to, size))
				}
			case what < 14 && len(messages) > 0:
				b.cancel(messages[len(messages)-1-rapid.IntRange(0, min(4, len(messages)-1)).Draw(t, "of the last")])
			case what < 18:
				b.Run(b.Now + unit.Time(rapid.IntRange(0, 50).Draw(t, "wait"))*unit.Microsecond)
			case what < 19:
				b.settle()
			default:
				b.replace(from)
			}
		}
		b.Finish(b.Now + 100*unit.Second)
		b.Run(b.Now + 10*unit.Second) // what is said again of messages that were taken back
		b.settle()
		for i := range b.Hosts {
			if n := b.counted(int32(i)); n != 0 {
				t.Fatalf("host %d counts %d senders that have nothing to send", i, n)
			}
		}
	})
}

// TestBacklogOfMany sends more messages at once than there are numbers for: their sender counts from the first to the last.
func TestBacklogOfMany(t *testing.T) {
	for _, size := range []unit.Bytes{8, 64 * unit.KB} {
		b := newBacklogged(t, 2, "ecmp")
		for range 3 * mostNumbers {
			b.post(0, 1, size)
		}
		last := b.post(0, 1, size)
		key := [2]uint64{uint64(last.from), last.tag}
		came := 0
		arrived := b.Arrived
		b.Arrived = func(to int32, p *protocol.Packet) {
			if to == 1 && p.Kind == kindData {
				if n := b.counted(1); came > 0 && n != 1 && b.Delivered[key] == 0 {
					t.Fatalf("size %v, at %v: after %d packets the receiver counts %d senders", size, b.Now, came, n)
				}
				came++
			}
			arrived(to, p)
		}
		b.Finish(b.Now + unit.Second)
		if n := b.counted(1); n != 0 {
			t.Errorf("size %v: after the last one it counts %d", size, n)
		}
	}
}

// TestBacklogTakenBack takes back all messages that wait beyond those that have numbers, when the receiver has heard that others wait.
func TestBacklogTakenBack(t *testing.T) {
	b := newBacklogged(t, 2, "ecmp")
	var list []sent
	for range mostNumbers + 5 {
		list = append(list, b.post(0, 1, 8))
	}
	b.Run(b.Now + 2500*unit.Nanosecond) // all that have numbers have left, and nothing has been acknowledged
	h := b.Hosts[0].HostTransport.(*freezing).host
	if n := h.peers[1].waiting[short].Len(); n != 5 || h.connections.Ready(local) {
		t.Fatalf("%d messages wait", n)
	}
	for _, m := range list[mostNumbers:] {
		b.cancel(m)
	}
	b.Finish(b.Now + unit.Second)
	if n := b.counted(1); n != 0 {
		t.Errorf("the receiver counts %d senders that have nothing to send", n)
	}
}

// TestBacklogOfOthers takes back messages that wait, the last one first: their sender counts as long as one of them waits.
func TestBacklogOfOthers(t *testing.T) {
	b := newBacklogged(t, 2, "ecmp")
	first, second, third := b.post(0, 1, 64*unit.KB), b.post(0, 1, 64*unit.KB), b.post(0, 1, 64*unit.KB)
	h := b.Hosts[0].HostTransport.(*freezing).host
	for to := &h.peers[1].outgoing; unit.Bytes((*to)[0].sent)*h.env.Payload < 64*unit.KB; {
		b.Run(b.Now + 10*unit.Nanosecond)
	}
	b.frozen = true
	b.Run(b.Now + 100*unit.Microsecond)
	if b.Delivered[[2]uint64{0, first.tag}] != 1 || h.peers[1].outgoing[1].sent > 0 {
		t.Fatal("the second message does not wait")
	}
	for i, m := range []sent{{}, third, second} {
		if i > 0 {
			b.cancel(m)
			b.Run(b.Now + 100*unit.Microsecond)
		}
		want := 1
		if i == 2 {
			want = 0
		}
		if n := b.counted(1); n != want {
			t.Errorf("with %d messages taken back the receiver counts %d senders", i, n)
		}
	}
}
