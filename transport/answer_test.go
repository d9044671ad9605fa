package transport

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// echoer is a receiving end that numbers its answers, and checks what it is told.
type echoer struct {
	open    []bool // by peer
	src     []int32
	spare   []int32
	answers []protocol.Answer
	log     bool
	heard   []protocol.Heard
	wrong   func(string, ...any)
	silent  bool
	count   uint64
}

func (a *echoer) Open(_ unit.Time, src int32, _ uint8) int32 {
	if n := len(a.spare); n > 0 {
		p := a.spare[n-1]
		a.spare = a.spare[:n-1]
		a.open[p], a.src[p] = true, src
		return p
	}
	a.open = append(a.open, true)
	a.src = append(a.src, src)
	return int32(len(a.open) - 1)
}

func (a *echoer) Close(_ unit.Time, peer int32) {
	if !a.open[peer] {
		a.wrong("connection %d is closed twice", peer)
	}
	a.open[peer] = false
	a.spare = append(a.spare, peer)
}

func (a *echoer) Heard(h *protocol.Heard) {
	if !a.open[h.Peer] {
		a.wrong("a frame of connection %d, which is not open", h.Peer)
	}
	if a.log {
		a.heard = append(a.heard, *h)
	}
}

func (a *echoer) Answer(now unit.Time, peer int32) (protocol.Answer, bool) {
	if !a.open[peer] {
		a.wrong("an answer for connection %d, which is not open", peer)
	}
	if a.silent {
		return protocol.Answer{}, false
	}
	a.count++
	answer := protocol.Answer{uint64(now), a.count<<32 | uint64(peer)}
	if a.log {
		a.answers = append(a.answers, answer)
	}
	return answer, true
}

// answering makes p's receivers answer, and returns the one end that is made last.
func answering(p *Params, t rapid.TB) **echoer {
	last := new(*echoer)
	p.Congestion.AnswerBytes = 6
	p.Congestion.NewAnswerer = func(protocol.HostEnv) protocol.Answerer {
		*last = &echoer{log: true, wrong: func(f string, args ...any) { t.Errorf(f, args...) }}
		return *last
	}
	return last
}

// TestAnswers: what the receiver answers reaches the control with its acknowledgement, which is as
// much longer and says all else that it said before.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Params)
		acks   int
	}{
		{"one each", func(*Params) {}, 10},
		{"for four", func(p *Params) { p.AckEvery = 4 }, 3},
		{"with bitmaps", func(p *Params) { p.AckBitmap = true }, 10},
		{"for four, with bitmaps and entropies", func(p *Params) { p.AckEvery, p.AckBitmap, p.Unmarked = 4, true, true }, 3},
		{"of a pair", func(p *Params) { p.PerPair = true }, 10},
	} {
		plain, answered := []protocol.Ack(nil), []protocol.Ack(nil)
		var entropies [2][]protocol.Ack
		for i, to := range []*[]protocol.Ack{&plain, &answered} {
			p := params(0)
			control := watch(&p, unit.MiB)
			chooser := count(&p)
			c.change(&p)
			sizes := ackSize
			if i == 1 {
				answering(&p, t)
				sizes += 6
			}
			sources := make([]workload.Source, 2)
			sources[0] = &list{message1(10 * payload)}
			l := labConfig{
				Graph: star(t, 2), Groups: []Group{{Params: p, Sources: sources}},
				hooks: hooks{sent: func(_ sim.Time, h int32, f *fabric.Frame) {
					if f.Kind == end.Ack && int(f.Size) != sizes {
						t.Errorf("%s: an acknowledgement of %d B, want %d", c.name, f.Size, sizes)
					}
				}},
			}.build(t)
			l.finish(t)
			*to, entropies[i] = control.acks, chooser.acks
		}
		if len(plain) != c.acks || len(answered) != c.acks {
			t.Fatalf("%s: %d and %d acknowledgements, want %d", c.name, len(plain), len(answered), c.acks)
		}
		for i := range plain {
			a := answered[i]
			if !a.Answered || a.Answer[0] == 0 || plain[i].Answered {
				t.Errorf("%s: acknowledgement %d: %+v, and without answers %+v", c.name, i, a, plain[i])
			}
			a.Answered, a.Answer, a.Now, a.RTT = false, protocol.Answer{}, plain[i].Now, plain[i].RTT
			if !reflect.DeepEqual(a, plain[i]) {
				t.Errorf("%s: acknowledgement %d says %+v beside its answer, want %+v", c.name, i, a, plain[i])
			}
		}
		if len(entropies[0]) != len(entropies[1]) {
			t.Errorf("%s: %d entropies came back with answers, %d without", c.name, len(entropies[1]), len(entropies[0]))
		}
	}
}

// TestHeard lists what a receiving end is told of a message of three packets. For 25 µs the second
// one arrives trimmed, and no acknowledgement comes back, so that the others come twice.
func TestHeard(t *testing.T) {
	const until = 25 * unit.Microsecond
	p := params(unit.MiB)
	answers := answering(&p, t)
	p.RTO = 20 * unit.Microsecond
	l := labConfig{
		Graph: star(t, 3), Groups: []Group{{Params: p, Sources: from(1, 3, workload.Message{Dst: 2, Size: 2*payload + 1})}},
		hooks: hooks{received: func(now sim.Time, h int32, f *fabric.Frame) bool {
			if h == 2 && f.Seq == 1 && now < until {
				f.Flags |= packet.Trimmed
				f.Size = header
			} else if h == 2 && f.Seq == 2 {
				f.Flags |= packet.Marked
			}
			return h == 2 || f.Kind != end.Ack || now > until
		}},
	}.build(t)
	if m := l.finish(t)[0]; m.Timeouts != 2 || m.Trims < 3 {
		t.Fatalf("%d timeouts and %d trimmed packets", m.Timeouts, m.Trims)
	}
	const full = payload + header
	want := []protocol.Heard{
		{Wire: full, Begins: true}, {Wire: header, Trimmed: true}, {Wire: header + 1, Marked: true},
		{Wire: header, Trimmed: true}, {Wire: full, Again: true}, {Wire: header, Trimmed: true},
		{Wire: header + 1, Again: true, Marked: true}, {Wire: full, Ends: true},
	}
	var got []protocol.Heard
	last := unit.Time(0)
	for _, h := range (*answers).heard {
		if h.Now <= last {
			t.Errorf("a frame is heard at %v after one at %v", h.Now, last)
		}
		last, h.Now = h.Now, 0
		got = append(got, h)
	}
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("heard %+v, want %+v", got, want)
	}
	if n := int(l.transport.Counts().Acks) - int((*answers).heardTrimmed()); len((*answers).answers) != n {
		t.Errorf("%d answers for %d acknowledgements", len((*answers).answers), n)
	}
}

func (a *echoer) heardTrimmed() (n int) {
	for _, h := range a.heard {
		if h.Trimmed {
			n++
		}
	}
	return n
}

// TestAnswersOfGroups: groups whose options for receivers are equal share one receiving end, and
// others have their own.
func TestAnswersOfGroups(t *testing.T) {
	type options struct{ n int }
	made := 0
	var envs []protocol.HostEnv
	group := func(receivers any) Group {
		p := params(unit.MiB)
		p.Congestion.Receivers = receivers
		p.Congestion.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
			made++
			envs = append(envs, env)
			return &echoer{}
		}
		return Group{Params: p, Sources: from(0, 2, message1(payload))}
	}
	l := labConfig{Graph: star(t, 2), Groups: []Group{
		group(options{1}), group(nil), group(options{1}), group(nil), group(options{2}), group(&options{2}),
		{Params: params(unit.MiB), Sources: from(0, 2, message1(payload))},
	}}.build(t)
	l.finish(t)
	if made != 2*5 {
		t.Errorf("%d receiving ends for 6 groups at 2 hosts", made)
	}
	for i, env := range envs {
		if env.Rand == nil || env.LineRate != 100*unit.Gbps || env.Hosts != 2 || env.Host != int32(i/5) || env.Payload != payload {
			t.Errorf("receiving end %d knows %+v", i, env)
		}
	}
}

// TestAnswersUnderLoss: whatever is lost, repeated or reordered, answers arrive unchanged and at
// most once, and connections are opened and closed in pairs.
func TestAnswersUnderLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const hosts = 6
		p := params(0)
		p.Env.Payload = payload
		p.RTO = 30 * unit.Microsecond
		p.AckEvery = rapid.SampledFrom([]int{1, 1, 2, 5, 16}).Draw(t, "every")
		p.AckBitmap = rapid.Bool().Draw(t, "bitmap")
		p.Unmarked = rapid.Bool().Draw(t, "unmarked")
		p.PerPair = rapid.Bool().Draw(t, "per pair")
		p.AckDelay = 10 * unit.Microsecond
		p.Balancer = spraying()
		p.Balancer.Subflows = rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "subflows")
		var ends []*echoer
		p.Congestion.NewAnswerer = func(protocol.HostEnv) protocol.Answerer {
			ends = append(ends, &echoer{log: true, wrong: t.Errorf, silent: len(ends) == 3})
			return ends[len(ends)-1]
		}
		var arrived []protocol.Answer
		p.Congestion.New = func(env protocol.Env) protocol.Congestion {
			return &listener{wander: wandering(env), to: &arrived}
		}
		sources := make([]workload.Source, hosts)
		messages := 0
		for h := range sources {
			l := &list{}
			for range rapid.IntRange(0, 4).Draw(t, "messages") {
				*l = append(*l, workload.Message{
					Dst: int32((h + rapid.IntRange(1, hosts-1).Draw(t, "to")) % hosts), Size: unit.Bytes(rapid.IntRange(1, 30*payload).Draw(t, "size")),
				})
				messages++
			}
			sources[h] = l
		}
		l := labConfig{Graph: racks(t), Seed: rapid.Uint64().Draw(t, "seed"), Domains: rapid.IntRange(1, 3).Draw(t, "domains"), Groups: []Group{{Params: p, Sources: sources}},
			Port: func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: 8 * payload} }}.build(t)
		loss := rapid.SampledFrom([]float64{0, 0.01, 0.1}).Draw(t, "loss")
		for port := range topo.PortID(2 * len(l.graph.Links)) {
			l.Apply(0, fault.Change{Port: port, What: fault.SetLoss, Loss: unit.Ratio(loss)})
		}
		l.finish(t)
		var given []protocol.Answer
		begins, ended, open := 0, 0, 0
		for _, e := range ends {
			given = append(given, e.answers...)
			for _, h := range e.heard {
				if h.Begins {
					begins++
				}
				if h.Ends {
					ended++
				}
			}
			for _, is := range e.open {
				if is {
					open++
				}
			}
			if e.silent && len(e.answers) > 0 {
				t.Error("answers of one that has none")
			}
		}
		if begins != ended || begins < messages || p.Balancer.Subflows == 0 && begins != messages {
			t.Errorf("%d messages began and %d ended, of %d", begins, ended, messages)
		}
		if !p.PerPair && open > 0 {
			t.Errorf("%d connections are open when all is done", open)
		}
		order := func(a, b protocol.Answer) int { return slices.Compare(a[:], b[:]) }
		slices.SortFunc(given, order)
		slices.SortFunc(arrived, order)
		for i, k := 0, 0; i < len(arrived); i, k = i+1, k+1 {
			for k < len(given) && given[k] != arrived[i] {
				k++
			}
			if k == len(given) {
				t.Fatalf("answer %x arrived, which none gave, or twice", arrived[i])
			}
		}
		if loss == 0 && p.Balancer.Subflows == 0 && len(given) > 0 && len(arrived) == 0 {
			t.Error("no answer arrived")
		}
	})
}

// listener keeps the answers that it hears.
type listener struct {
	*wander
	to *[]protocol.Answer
}

func (c *listener) Acked(a *protocol.Ack) {
	if a.Answered {
		*c.to = append(*c.to, a.Answer)
	}
	c.wander.Acked(a)
}
