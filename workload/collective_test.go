package workload

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// post is something that happens in a play: a message is delivered or
// acknowledged, a signal arrives, or a source is due.
type post struct {
	at        unit.Time
	number    int
	kind      int
	host, src int32
	ordinal   uint64
	value     uint32
}

const (
	isDue = iota
	isDelivered
	isCompleted
	isSignal
)

type posts []post

func (q posts) Len() int { return len(q) }
func (q posts) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].number < q[j].number
}
func (q posts) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *posts) Push(x any)   { *q = append(*q, x.(post)) }
func (q *posts) Pop() any {
	old := *q
	p := old[len(old)-1]
	*q = old[:len(old)-1]
	return p
}

// play carries the list of sources over a network that takes a random time for
// each, so that they overtake each other, and tells what happens in order.
type play struct {
	sources   []Source
	rng       *rand.Rand
	slowest   unit.Time
	started   func(now unit.Time, src int32, ordinal uint64, m Message)
	delivered func(now unit.Time, src int32, ordinal uint64, dst int32)

	queue    posts
	number   int
	ordinals []uint64
	flying   []int
	most     int // messages of a host under way at a time
}

func (p *play) add(e post) {
	e.number = p.number
	p.number++
	heap.Push(&p.queue, e)
}

func (p *play) react(now unit.Time, h int32) {
	if s, ok := p.sources[h].(Signaller); ok {
		for {
			to, value, ok := s.Emit()
			if !ok {
				break
			}
			if to == h {
				s.Signalled(now, h, value)
			} else {
				p.add(post{at: now + 700, kind: isSignal, host: to, src: h, value: value})
			}
		}
	}
	if at, ok := p.sources[h].(Receiver).Due(); ok {
		p.add(post{at: max(at, now), kind: isDue, host: h})
	}
}

// run returns when the last message was delivered.
func (p *play) run(t rapid.TB) (end unit.Time) {
	t.Helper()
	p.ordinals, p.flying = make([]uint64, len(p.sources)), make([]int, len(p.sources))
	for h := range p.sources {
		if p.sources[h] != nil {
			p.react(0, int32(h))
		}
	}
	for p.queue.Len() > 0 {
		e := heap.Pop(&p.queue).(post)
		h := e.host
		s := p.sources[h].(Receiver)
		switch e.kind {
		case isDue:
			at, ok := s.Due()
			if !ok || at > e.at {
				continue
			}
			m, ok := s.Next()
			if !ok || m.At > e.at {
				t.Fatalf("at %v host %d was due at %v, and has %+v %v", e.at, h, at, m, ok)
			}
			o := p.ordinals[h]
			p.ordinals[h]++
			p.flying[h]++
			p.most = max(p.most, p.flying[h])
			if p.started != nil {
				p.started(e.at, h, o, m)
			}
			arrives := e.at + 1 + unit.Time(p.rng.Int64N(int64(p.slowest)))
			p.add(post{at: arrives, kind: isDelivered, host: m.Dst, src: h, ordinal: o})
			p.add(post{at: arrives + 1 + unit.Time(p.rng.Int64N(int64(p.slowest))), kind: isCompleted, host: h, ordinal: o})
		case isDelivered:
			end = e.at
			if p.delivered != nil {
				p.delivered(e.at, e.src, e.ordinal, h)
			}
			s.Received(e.at, e.src, e.ordinal)
		case isCompleted:
			p.flying[h]--
			s.Completed(e.at, e.ordinal)
		case isSignal:
			s.(Signaller).Signalled(e.at, e.src, e.value)
		}
		p.react(e.at, h)
	}
	return end
}

// buffer is what a rank holds: for each byte of the model, whose contributions are
// in it, and how often.
type buffer [][]int

func fresh(bytes, ranks, rank int) buffer {
	b := make(buffer, bytes)
	for i := range b {
		b[i] = make([]int, ranks)
		b[i][rank] = 1
	}
	return b
}

func (b buffer) clone() buffer {
	c := make(buffer, len(b))
	for i := range b {
		c[i] = append([]int(nil), b[i]...)
	}
	return c
}

// TestAllReduceSums carries real buffers over networks where messages overtake each
// other: at the end every rank holds every other's contribution to every byte just
// once, which it does not if any message was sent before what it depends on came.
func TestAllReduceSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 1 << rapid.IntRange(1, 4).Draw(t, "log ranks")
		isRing := rapid.Bool().Draw(t, "ring")
		if isRing {
			n = rapid.IntRange(2, 17).Draw(t, "ranks")
		}
		groups := rapid.IntRange(1, 3).Draw(t, "groups")
		bytes := n + rapid.IntRange(0, 40).Draw(t, "more bytes")
		c := Collective{
			Ranks: rapid.SampledFrom([]Layout{ByHost, Shuffled}).Draw(t, "layout"), RanksPerGroup: &n,
			Compute: unit.Time(rapid.IntRange(0, 300).Draw(t, "compute")),
			Repeat:  rapid.IntRange(1, 4).Draw(t, "repeat"), Barrier: rapid.Bool().Draw(t, "barrier"),
		}
		var pattern Pattern = ButterflyAllReduce{c}
		if isRing {
			pattern = RingAllReduce{c}
		}
		setting := Setting{Hosts: groups*n + 2, Seed: rapid.Uint64().Draw(t, "seed"), Group: "g"}
		for h := range groups * n {
			setting.Members = append(setting.Members, int32(h+1))
		}
		traffic := Traffic{Pattern: pattern, Sizes: Fixed(bytes), Arrival: Once{Count: 1}, Jitter: 500}
		list := sources(t, traffic, setting)
		d, err := pattern.Resolve(setting)
		if err != nil {
			t.Fatal(err)
		}
		p := d.(*steps)
		if got := p.places[0]; got != -1 || list[0] != nil {
			t.Fatalf("host 0 takes no part and has place %d and source %v", got, list[0])
		}

		hold := make([]buffer, setting.Hosts) // of the collective under way
		turn := make([]int, setting.Hosts)
		for _, h := range setting.Members {
			hold[h] = fresh(bytes, n, int(p.rank(p.places[h])))
		}
		type name struct {
			src     int32
			ordinal uint64
		}
		type content struct {
			from, to int
			bytes    buffer
		}
		under := map[name]content{}
		early := map[name]content{} // of a collective that the receiver isn't in yet
		var sum unit.Bytes
		messages := int64(0)
		count := uint64(p.count)
		var lastEnd, firstStart [8]unit.Time
		take := func(h, src int32, o uint64, c content) {
			reducing := o%count < count/2
			for i := c.from; i < c.to; i++ {
				for r := range hold[h][i] {
					if reducing {
						hold[h][i][r] += c.bytes[i][r]
					} else {
						hold[h][i][r] = c.bytes[i][r]
					}
				}
			}
		}
		cut := part{int64(bytes), int64(n)}
		play := &play{sources: list, rng: rand.New(rand.NewPCG(setting.Seed, 1)), slowest: 1000}
		got, gone := make([][8]uint64, setting.Hosts), make([][8]uint64, setting.Hosts) // by collective
		next := func(h int32) {                                                         // begins the next collective when the last is over
			for got[h][turn[h]] == count && gone[h][turn[h]] == count {
				for i := range hold[h] {
					for r, times := range hold[h][i] {
						if times != 1 {
							t.Fatalf("host %d ends collective %d with %d contributions of rank %d to byte %d", h, turn[h], times, r, i)
						}
					}
				}
				turn[h]++
				hold[h] = fresh(bytes, n, int(p.rank(p.places[h])))
				for k, c := range early {
					if d.Destination(k.src, int64(k.ordinal), nil) == h && int(k.ordinal/count) == turn[h] {
						take(h, k.src, k.ordinal, c)
						delete(early, k)
					}
				}
			}
		}
		play.started = func(now unit.Time, src int32, o uint64, m Message) {
			if d.Destination(src, int64(o), nil) != m.Dst {
				t.Fatalf("host %d sends message %d to %d, and would to %d", src, o, m.Dst, d.Destination(src, int64(o), nil))
			}
			if now < traffic.begins(setting, src) {
				t.Fatalf("host %d sends at %v, before its start", src, now)
			}
			place := p.places[src]
			from, to := p.parts(place, int32(o%count))
			c := content{int(cut.before(from)), int(cut.before(to)), hold[src].clone()}
			if int(m.Size) != c.to-c.from || m.Size < 1 {
				t.Fatalf("message %d of host %d has %d bytes; parts %d to %d have %d", o, src, m.Size, from, to, c.to-c.from)
			}
			if o/count != uint64(turn[src]) {
				t.Fatalf("host %d sends message %d of %d each while it is in collective %d", src, o, count, turn[src])
			}
			if q := o / count; o%count == 0 && (firstStart[q] == 0 || now < firstStart[q]) && groups == 1 {
				firstStart[q] = now
			}
			under[name{src, o}] = c
			sum += m.Size
			messages++
			gone[src][o/count]++
			next(src)
		}
		play.delivered = func(now unit.Time, src int32, o uint64, dst int32) {
			k := name{src, o}
			got[dst][o/count]++
			if int(o/count) > turn[dst] {
				early[k] = under[k]
			} else {
				take(dst, src, o, under[k])
			}
			delete(under, k)
			lastEnd[o/count] = max(lastEnd[o/count], now)
			next(dst)
		}
		play.run(t)
		for _, h := range setting.Members {
			if turn[h] != c.Repeat {
				t.Fatalf("host %d went through %d collectives of %d", h, turn[h], c.Repeat)
			}
		}
		for q := 1; q < c.Repeat && c.Barrier && groups == 1; q++ {
			if firstStart[q] < lastEnd[q-1] {
				t.Fatalf("collective %d begins at %v, the last one ended at %v", q, firstStart[q], lastEnd[q-1])
			}
		}
		wantMessages, wantBytes, ok := Total(traffic, setting)
		if !ok || messages != wantMessages || sum != wantBytes {
			t.Fatalf("%d messages of %d bytes; announced were %d of %d (%v)", messages, sum, wantMessages, wantBytes, ok)
		}
		if want := unit.Bytes(2*(n-1)*bytes*groups) * unit.Bytes(c.Repeat); isRing && sum != want {
			t.Fatalf("a ring of %d sends %d bytes, want %d", n, sum, want)
		}
	})
}

// TestSteps writes down who sends which part to whom in the steps of small
// collectives.
func TestSteps(t *testing.T) {
	for _, test := range []struct {
		pattern Pattern
		hosts   int
		want    []string // by step: rank>rank parts
	}{
		{RingAllReduce{Collective{Repeat: 1}}, 3, []string{
			"0>1 0-1, 1>2 1-2, 2>0 2-3", "0>1 2-3, 1>2 0-1, 2>0 1-2", // reduce-scatter
			"0>1 1-2, 1>2 2-3, 2>0 0-1", "0>1 0-1, 1>2 1-2, 2>0 2-3", // all-gather
		}},
		{ButterflyAllReduce{Collective{Repeat: 1}}, 4, []string{
			"0>2 2-4, 1>3 2-4, 2>0 0-2, 3>1 0-2", "0>1 1-2, 1>0 0-1, 2>3 3-4, 3>2 2-3", // halving
			"0>1 0-1, 1>0 1-2, 2>3 2-3, 3>2 3-4", "0>2 0-2, 1>3 0-2, 2>0 2-4, 3>1 2-4", // doubling
		}},
	} {
		s, err := Setting{Hosts: test.hosts}.withMembers()
		if err != nil {
			t.Fatal(err)
		}
		d, err := test.pattern.Resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		p := d.(*steps)
		if int(p.count) != len(test.want) {
			t.Fatalf("%T has %d steps, want %d", test.pattern, p.count, len(test.want))
		}
		for step, want := range test.want {
			var got []string
			for rank := range int32(test.hosts) {
				from, to := p.parts(rank, int32(step))
				got = append(got, fmt.Sprintf("%d>%d %d-%d", rank, p.to(rank, int32(step)), from, to))
			}
			if g := strings.Join(got, ", "); g != want {
				t.Errorf("%T step %d: %s; want %s", test.pattern, step, g, want)
			}
		}
	}
}

// TestAllToAll finds that every rank sends every other its part in every
// repetition, over as many connections at a time as it may, and begins the next
// when all was sent and received and the time to compute is over.
func TestAllToAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 14).Draw(t, "ranks")
		groups := rapid.IntRange(1, 2).Draw(t, "groups")
		bytes := n + rapid.IntRange(0, 30).Draw(t, "more bytes")
		o := AllToAll{
			Collective: Collective{
				Ranks: rapid.SampledFrom([]Layout{ByHost, Shuffled}).Draw(t, "layout"), RanksPerGroup: &n,
				Compute: unit.Time(rapid.IntRange(0, 300).Draw(t, "compute")),
				Repeat:  rapid.IntRange(1, 4).Draw(t, "repeat"), Barrier: rapid.Bool().Draw(t, "barrier"),
			},
			Connections: rapid.IntRange(1, 20).Draw(t, "connections"),
			Order:       rapid.SampledFrom([]string{"shifted", "random"}).Draw(t, "order"),
		}
		o.Lockstep = rapid.Bool().Draw(t, "lockstep")
		setting := Setting{Hosts: groups * n, Seed: rapid.Uint64().Draw(t, "seed"), Group: "g"}
		traffic := Traffic{Pattern: o, Sizes: Fixed(bytes), Arrival: Once{Count: 1}}
		sent := map[[3]int64]unit.Bytes{} // repetition, from, to
		received := make([]int, setting.Hosts)
		lastReceived := make([]unit.Time, setting.Hosts)
		play := &play{sources: sources(t, traffic, setting), rng: rand.New(rand.NewPCG(setting.Seed, 1)), slowest: 1000}
		orders := map[string]bool{}
		order := make([]string, setting.Hosts)
		play.started = func(now unit.Time, src int32, ordinal uint64, m Message) {
			round := int64(ordinal) / int64(n-1)
			sent[[3]int64{round, int64(src), int64(m.Dst)}] += m.Size
			if int(round)*(n-1) > received[src] || round > 0 && now < lastReceived[src]+o.Compute && received[src] == int(round)*(n-1) {
				t.Fatalf("host %d begins round %d at %v, with %d messages received, the last at %v", src, round, now, received[src], lastReceived[src])
			}
			if first := int(ordinal) - int(ordinal)%(n-1)%o.Connections; o.Lockstep && groups == 1 {
				all := 0
				for _, r := range received {
					all += r
				}
				if all < n*first {
					t.Fatalf("host %d begins message %d, and of the %d of the turns before %d are there", src, ordinal, n*first, all)
				}
			}
			order[src] += fmt.Sprint(" ", (m.Dst-src+int32(setting.Hosts))%int32(setting.Hosts))
		}
		play.delivered = func(now unit.Time, src int32, ordinal uint64, dst int32) {
			received[dst]++
			lastReceived[dst] = now
		}
		play.run(t)
		for _, s := range order {
			orders[s] = true
		}
		if len(sent) != o.Repeat*groups*n*(n-1) {
			t.Fatalf("%d ranks sent to %d others in %d rounds", groups*n, len(sent), o.Repeat)
		}
		sum := unit.Bytes(0)
		for _, b := range sent {
			sum += b
		}
		if _, want, _ := Total(traffic, setting); sum != want || sum != unit.Bytes(o.Repeat*groups*(n-1)*bytes) {
			t.Fatalf("sent %d bytes, announced %d", sum, want)
		}
		if play.most > o.Connections || play.most < min(o.Connections, n-1) {
			t.Fatalf("up to %d messages were under way at a rank; %d connections for %d others", play.most, o.Connections, n-1)
		}
		if o.Order == "shifted" && o.Ranks == ByHost && groups == 1 && len(orders) != 1 {
			t.Fatalf("ranks take the others in the orders %v", orders)
		}
		if o.Order == "random" && n > 8 && len(orders) < 3 {
			t.Fatalf("ranks take the others in few orders: %v", orders)
		}
	})
}

// TestShuffled finds permutations, and all of them about as often.
func TestShuffled(t *testing.T) {
	for n := uint32(1); n < 70; n++ {
		seen := map[uint32]bool{}
		for i := range n {
			seen[shuffled(i, n, 99)] = true
		}
		if len(seen) != int(n) {
			t.Fatalf("of %d only %d are images", n, len(seen))
		}
	}
	times := map[string]int{}
	for key := range uint64(24000) {
		s := ""
		for i := range uint32(4) {
			s += fmt.Sprint(shuffled(i, 4, key*0x9e3779b97f4a7c15))
		}
		times[s]++
	}
	if len(times) != 24 {
		t.Fatalf("%d orders of 4", len(times))
	}
	for s, k := range times {
		if k < 500 || k > 1500 {
			t.Errorf("order %s comes %d times in 24000", s, k)
		}
	}
}

// TestInterleaved has no two neighbours of a ring under one switch, and says so
// where that cannot be.
func TestInterleaved(t *testing.T) {
	edge := func(h int32) int32 { return h / 4 }
	s := Setting{Hosts: 12, Edge: edge}
	o := RingAllReduce{Collective{Ranks: Interleaved, Repeat: 1}}
	all, _ := s.withMembers()
	d, err := o.Resolve(all)
	if err != nil {
		t.Fatal(err)
	}
	for h := range int32(12) {
		if next := d.Destination(h, 0, nil); edge(h) == edge(next) {
			t.Errorf("host %d sends to %d", h, next)
		}
	}
	s.Members = []int32{0, 1, 2, 4}
	if _, err := o.Resolve(s); err == nil || !strings.Contains(err.Error(), "would be neighbours under the same switch") {
		t.Errorf("three under one switch and one under another: %v", err)
	}
	o.RanksPerGroup = ptr(4)
	if _, err := o.Resolve(all); err == nil {
		t.Error("rings of 4 over 3 switches were accepted")
	}
}

// TestCollectiveRefuses shows the errors for collectives that cannot be.
func TestCollectiveRefuses(t *testing.T) {
	once := Collective{Repeat: 1}
	fives := Collective{Repeat: 1, RanksPerGroup: ptr(5)}
	cdf := newCDF([]float64{100}, []float64{1}, Linear)
	for _, test := range []struct {
		pattern Pattern
		sizes   Sizes
		hosts   int
		want    string
	}{
		{RingAllReduce{once}, Fixed(100), 1, "ring-allreduce: only host0 takes part; at least two hosts are needed"},
		{ButterflyAllReduce{once}, Fixed(100), 12, "12 ranks are not a power of two; let 8 hosts take part (hosts:), set ranks_per_group to a power of two, or use ring-allreduce"},
		{RingAllReduce{fives}, Fixed(100), 12, "ranks_per_group: 12 hosts take part, which cannot be split into groups of 5"},
		{RingAllReduce{once}, Fixed(11), 12, "size: 11B at each rank cannot be cut into parts for 12 ranks; give at least 12B"},
		{AllToAll{Collective: once}, Fixed(3), 4, "size: 3B at each rank"},
		{RingAllReduce{once}, cdf, 4, "size: a collective has the same bytes at every rank"},
		{RingAllReduce{Collective{}}, Fixed(100), 4, "repeat: 0 is less than 1"},
		{RingAllReduce{Collective{Repeat: 1, Compute: -1}}, Fixed(100), 4, "compute: "},
	} {
		_, err := NewSources(Traffic{Pattern: test.pattern, Sizes: test.sizes, Arrival: Once{Count: 1}}, Setting{Hosts: test.hosts})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v with %d hosts: %v; want %q", test.pattern, test.hosts, err, test.want)
		}
	}
}

// TestStop starts no message from the given instant on, while completions go on to
// be told.
func TestStop(t *testing.T) {
	list := sources(t, Traffic{Pattern: Permutation{}, Sizes: Fixed(10), Arrival: Closed{Outstanding: 1}, Stop: 10}, Setting{Hosts: 2})
	s := list[0]
	if got := next(s, 9); len(got) != 1 {
		t.Fatalf("first: %+v", got)
	}
	s.Completed(9, 0)
	if got := next(s, 9); len(got) != 1 || got[0].At != 9 {
		t.Fatalf("before the stop: %+v", got)
	}
	s.Completed(10, 1)
	if got := next(s, 9); len(got) != 0 {
		t.Fatalf("at the stop: %+v", got)
	}
	if _, _, ok := Total(Traffic{Pattern: Permutation{}, Sizes: Fixed(10), Arrival: Poisson{Load: share(1), Count: ptr(5)}, Stop: 10}, Setting{Hosts: 2}); ok {
		t.Error("it is known how many messages start before the stop")
	}
}
