package connection_test

import (
	"testing"

	"pgregory.net/rapid"

	"weft/internal/connection/end"
	"weft/protocol"
	"weft/protocol/dart"
	"weft/unit"
)

// This file has hosts whose receivers count senders that have messages under way, or waiting (dart's counts: backlog).

// posted is a message that was handed to a connection.
type posted struct {
	ordinal uint64
	packets uint32
	// sent tells that a packet of it left, begun that one came, and over that it was delivered or taken back.
	sent, begun, over bool
	// told is how many had been handed over when those of its packets left that came and tell of others.
	told int
}

// backlogged is a network of senders to host 0, with two connections each.
type backlogged struct {
	*memory
	receiver protocol.Answerer
	probe    int32 // a connection of a sender that nobody else knows, which always counts
	frozen   bool  // nobody sends data
	lists    [][2][]*posted
	// emptied is the last message of a list, counted from 1, that was taken back when none was left that had not begun.
	emptied [][2]int
}

// watched is a host whose packets are seen.
type watched struct {
	*ends
	b *backlogged
	h int32
}

func newBacklogged(t testing.TB, senders int, change func(*end.Params)) *backlogged {
	b := &backlogged{memory: newMemory(t, senders+1), lists: make([][2][]*posted, senders+1), emptied: make([][2]int, senders+1)}
	b.marks = unit.TiB
	options, err := dart.Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	o, counts, long := options.(*dart.Options), "backlog", 1000*unit.Second
	o.Fallback, o.Counts, o.Idle = "none", &counts, long
	o.Patience = dart.Patience{Time: long} // trimmed packets do not show congestion elsewhere, where nobody is told of a count
	control, err := o.Build()
	if err != nil {
		t.Fatal(err)
	}
	create := control.NewAnswerer
	control.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
		a := create(env)
		if env.Host == 0 {
			b.receiver = a
		}
		return a
	}
	net := network(t, senders+1, control)
	change(&net.Groups[0].Params)
	net.Groups = append(net.Groups, net.Groups[0])
	end.ShareBundles(net.Groups)
	for h := range b.hosts {
		b.hosts[h] = &watched{b.connect(int32(h), net), b, int32(h)}
	}
	b.probe = b.receiver.Open(0, int32(senders+1), 0)
	b.receiver.Heard(&protocol.Heard{Peer: b.probe, Wire: payload, Begins: true})
	b.safe = func(d datagram) bool { return d.head.Kind == end.Withdrawal }
	b.heed = func(d end.Delivery) { b.find(d.Src, d.Group, d.Serial).over = true }
	return b
}

func (b *backlogged) find(src int32, group uint8, serial uint32) *posted {
	for _, p := range b.lists[src][group] {
		if uint32(p.ordinal) == serial {
			return p
		}
	}
	b.t.Fatalf("host %d has no message %d", src, serial)
	return nil
}

func (w *watched) next(now unit.Time) (datagram, bool) {
	if w.b.frozen && !w.Host(0).Out.Ready() {
		return datagram{}, false
	}
	d, ok := w.ends.next(now)
	if ok && d.head.Kind == end.Data {
		p := w.b.find(w.h, d.head.Group(), d.head.Serial)
		p.sent = true
		if d.head.Seq+1 == p.packets || d.head.Bits&end.Again != 0 {
			d.told = len(w.b.lists[w.h][d.head.Group()])
		}
	}
	return d, ok
}

func (w *watched) arrive(now unit.Time, d datagram) {
	if d.head.Kind == end.Data {
		p := w.b.find(d.src, d.head.Group(), d.head.Serial)
		p.begun = true
		if !p.over {
			p.told = max(p.told, d.told)
		}
	}
	w.ends.arrive(now, d)
}

// post hands a message over.
func (b *backlogged) post(src int32, group int, packets uint32) {
	list := &b.lists[src][group]
	*list = append(*list, &posted{ordinal: b.ordinal, packets: packets})
	b.hosts[src].(*watched).group = int32(group)
	b.send(src, 0, unit.Bytes(packets)*payload)
}

// withdraw takes the message of a number back.
func (b *backlogged) withdraw(src int32, group, i int) {
	list := b.lists[src][group]
	w := b.hosts[src].(*watched)
	if !w.Cancel(b.now, 0, int32(group), list[i].ordinal) {
		return
	}
	list[i].over = true
	waits := false
	for _, p := range list {
		waits = waits || !p.over && !p.sent
	}
	if !waits {
		b.emptied[src][group] = max(b.emptied[src][group], i+1)
	}
	b.stir(src)
}

// settle lets all that was sent arrive, and compares what the receiver counts: a sender that has a message under way counts, and so does one
// of which the receiver heard that a message waits. One that has none does not.
func (b *backlogged) settle(t *rapid.T) {
	b.frozen = true
	b.run(b.now + 300*unit.Microsecond)
	a, ok := b.receiver.Answer(b.now, b.probe)
	least, most := 0, 0
	for src := range b.lists {
		some, known := false, false
		for group, list := range b.lists[src] {
			latest := -1
			for i, p := range list {
				if p.begun {
					latest = i
				}
			}
			for i, p := range list {
				if p.over {
					continue
				}
				some = true
				known = known || p.begun || i > latest && latest >= b.emptied[src][group] && !p.sent && i < list[latest].told
			}
		}
		if some {
			most++
		}
		if known {
			least++
		}
	}
	if n := int(a[1]&(1<<48-1)) - 1; !ok || n < least || n > most {
		t.Fatalf("at %v the receiver counts %d of %d to %d senders", b.now, n, least, most)
	}
	b.frozen = false
	for h := range b.hosts {
		b.stir(int32(h))
	}
}

// TestBacklog has hosts send messages over two connections each, some of which they take back, through a network that loses packets, trims
// them, and lets them overtake each other. Whenever all that was sent has arrived, the receiver counts those who have a message under way or waiting.
func TestBacklog(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		kind := rapid.SampledFrom([]end.RecoveryKind{end.Selective, end.SACK, end.GoBackN}).Draw(t, "recovery")
		every := rapid.SampledFrom([]int{1, 4}).Draw(t, "every")
		b := newBacklogged(failing{outer, t}, rapid.IntRange(1, 3).Draw(t, "senders"), func(p *end.Params) {
			p.Recovery = end.Recovery{Kind: kind, Duplicates: 3}
			if p.AckEvery = every; every > 1 {
				p.AckDelay = 10 * unit.Microsecond
			}
		})
		b.loss = rapid.SampledFrom([]float64{0, 0, 0.05, 0.3}).Draw(t, "loss")
		if rapid.Bool().Draw(t, "overtakes") {
			b.held = func() unit.Time { return unit.Time(b.rng.IntN(20)) * unit.Microsecond }
		}
		if kind == end.Selective {
			b.trims = rapid.SampledFrom([]float64{0, 0, 0.2}).Draw(t, "trims")
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			src, group := rapid.Int32Range(1, int32(len(b.hosts))-1).Draw(t, "sender"), rapid.IntRange(0, 1).Draw(t, "group")
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 5:
				for range rapid.IntRange(1, 4).Draw(t, "at once") {
					b.post(src, group, rapid.Uint32Range(1, 6).Draw(t, "packets"))
				}
			case what < 7 && len(b.lists[src][group]) > 0:
				b.withdraw(src, group, rapid.IntRange(0, len(b.lists[src][group])-1).Draw(t, "which"))
			case what < 9:
				b.run(b.now + unit.Time(rapid.IntRange(0, 30).Draw(t, "wait"))*unit.Microsecond)
			default:
				b.settle(t)
			}
		}
		b.run(b.now + 100*unit.Second)
		for src := range b.lists {
			for _, list := range b.lists[src] {
				for _, p := range list {
					if !p.over {
						t.Fatalf("message %d of host %d did not come", p.ordinal, src)
					}
				}
			}
		}
		b.settle(t)
	})
}

// failing has what fails a network fail a case of a property.
type failing struct {
	testing.TB
	one *rapid.T
}

func (f failing) Fatal(args ...any)                 { f.one.Fatal(args...) }
func (f failing) Fatalf(format string, args ...any) { f.one.Fatalf(format, args...) }
