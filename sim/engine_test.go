package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// relay is a toy system: nodes pass tokens to random others with random delays
// and keep a hash of all that reached them in order. A link between two nodes
// holds its tokens in order of arrival and has one event, as in a fabric.
type relay struct {
	nodes  []relayNode
	links  []relayLink // to*n+from; tokens wait at the receiving domain
	domain []int
	local  []Entity // of each link within its domain
	parts  []*relayDomain
	boxes  [][2][][]token // worker, parity, receiving domain
}

type relayNode struct {
	rng  rand.PCG
	hash uint64
	seen int
}

type relayLink struct {
	tokens []token
	last   Time
}

type token struct {
	link int
	at   Time
	hops int
}

type relayDomain struct {
	r              *relay
	self           int
	sched          *Scheduler
	links          []int // by entity
	parity, worker int
	exported       Time
}

const relayDelay = 50

func newRelay(n, cuts int, kind QueueKind, seed uint64) (*relay, *Engine) {
	r := &relay{nodes: make([]relayNode, n), links: make([]relayLink, n*n), domain: make([]int, n), local: make([]Entity, n*n)}
	names := make([]uint64, n*n)
	for i := range r.nodes {
		SeedStream(&r.nodes[i].rng, seed, uint64(i), "relay")
		r.domain[i] = i * cuts / n
	}
	for i := range names {
		names[i] = Hash(fmt.Sprint("link", i))
	}
	ranks := Ranks(seed, names)
	var domains []*Domain
	for d := range cuts {
		part := &relayDomain{r: r, self: d, exported: Forever}
		var mine []uint32
		for l := range r.links {
			if r.domain[l/n] == d {
				r.local[l] = Entity(len(part.links))
				part.links = append(part.links, l)
				mine = append(mine, ranks[l])
			}
		}
		part.sched = NewScheduler(kind, mine)
		r.parts = append(r.parts, part)
		domains = append(domains, &Domain{Scheduler: part.sched, Handler: part})
	}
	for range 8 {
		r.boxes = append(r.boxes, [2][][]token{make([][]token, cuts), make([][]token, cuts)})
	}
	for i := range r.nodes {
		r.parts[r.domain[i]].arrive(token{link: i*n + i, at: Time(i % 3), hops: 40})
	}
	return r, NewEngine(relayDelay, domains)
}

func (d *relayDomain) arrive(t token) {
	l := &d.r.links[t.link]
	l.tokens = append(l.tokens, t)
	if len(l.tokens) == 1 {
		d.sched.Schedule(d.r.local[t.link], t.at)
	}
}

func (d *relayDomain) Begin(parity, worker int) {
	d.parity, d.worker = parity, worker
	for w := range d.r.boxes {
		box := &d.r.boxes[w][parity^1][d.self]
		for _, t := range *box {
			d.arrive(t)
		}
		*box = (*box)[:0]
	}
}

func (d *relayDomain) End(Time) Time {
	t := d.exported
	d.exported = Forever
	return t
}

func (d *relayDomain) Handle(e Entity, now Time) {
	link := d.links[e]
	l := &d.r.links[link]
	t := l.tokens[0]
	l.tokens = l.tokens[1:]
	if len(l.tokens) > 0 {
		d.sched.Schedule(e, l.tokens[0].at)
	}
	n := len(d.r.nodes)
	self := link / n
	node := &d.r.nodes[self]
	node.hash = Mix(node.hash ^ uint64(now)<<20 ^ uint64(link))
	node.seen++
	if t.hops == 0 {
		return
	}
	for range 1 + node.rng.Uint64()%8/7 { // sometimes two
		to := int(node.rng.Uint64() % uint64(n))
		next := to*n + self
		// Coarse times make ties; a link stays in order.
		at := max(now+relayDelay+Time(node.rng.Uint64()%4)*relayDelay, d.sentUntil(next))
		d.setSent(next, at)
		token := token{next, at, t.hops - 1}
		if d.r.domain[to] == d.self {
			d.arrive(token)
			continue
		}
		box := &d.r.boxes[d.worker][d.parity][d.r.domain[to]]
		*box = append(*box, token)
		d.exported = min(d.exported, at)
	}
}

// The time of a link's last token belongs to its sender.
func (d *relayDomain) sentUntil(link int) Time   { return d.r.links[link].last }
func (d *relayDomain) setSent(link int, at Time) { d.r.links[link].last = at }

func (r *relay) fingerprint() uint64 {
	h := uint64(0)
	for i := range r.nodes {
		h = Mix(h ^ r.nodes[i].hash + uint64(r.nodes[i].seen))
	}
	return h
}

// TestSameHashForEveryCutAndThread runs one system under different queues,
// domains, threads and stops, and demands the same history at every node.
func TestSameHashForEveryCutAndThread(t *testing.T) {
	for seed := range uint64(5) {
		const nodes = 24
		ref, engine := newRelay(nodes, 1, Heap, seed)
		engine.Run(Forever, 1)
		want := ref.fingerprint()
		if engine.Events() < 1000 {
			t.Fatalf("only %d events", engine.Events())
		}
		for _, kind := range []QueueKind{Calendar, Heap} {
			for _, cuts := range []int{1, 2, 5, 24} {
				for _, threads := range []int{1, 2, 3, 8} {
					r, e := newRelay(nodes, cuts, kind, seed)
					for stop := Time(0); stop < 3000; stop += 170 {
						e.Run(stop, threads)
					}
					e.Run(Forever, threads)
					if got := r.fingerprint(); got != want || e.Events() != engine.Events() {
						t.Errorf("seed %d, queue %d, %d domains, %d threads: hash %x after %d events, want %x after %d",
							seed, kind, cuts, threads, got, e.Events(), want, engine.Events())
					}
					if e.Bound() != Forever {
						t.Errorf("events pending after the end")
					}
				}
			}
		}
	}
}

func TestStreamsAreIndependent(t *testing.T) {
	draw := func(seed, entity uint64, purpose string) uint64 {
		p := Stream(seed, entity, purpose)
		return p.Uint64()
	}
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		for entity := range uint64(20) {
			for _, purpose := range []string{"a", "b", "arrival"} {
				v, name := draw(seed, entity, purpose), fmt.Sprint(seed, entity, purpose)
				if other, ok := seen[v]; ok {
					t.Errorf("streams %s and %s begin alike", name, other)
				}
				seen[v] = name
			}
		}
	}
}

func TestRanksArePermutationsThatNamesDecide(t *testing.T) {
	names := make([]uint64, 100)
	for i := range names {
		names[i] = Hash(fmt.Sprint(i))
	}
	ranks := Ranks(3, names)
	seen := make([]bool, len(names))
	for _, r := range ranks {
		if seen[r] {
			t.Fatalf("rank %d twice", r)
		}
		seen[r] = true
	}
	// Fewer names keep their order among each other.
	part := Ranks(3, names[:50])
	for i := range part {
		for j := range part {
			if (part[i] < part[j]) != (ranks[i] < ranks[j]) {
				t.Fatalf("names %d and %d change places when others join", i, j)
			}
		}
	}
	if ranks[0] == Ranks(4, names)[0] && ranks[1] == Ranks(4, names)[1] && ranks[2] == Ranks(4, names)[2] {
		t.Error("the seed does not matter")
	}
}
