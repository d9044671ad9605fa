package workload

import (
	"math/bits"
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// AllToAll sends a part of every rank's buffer to every other rank, over a limited number of
// connections at a time. The next message starts when one of those in flight is acknowledged.
// With Lockstep, the next batch starts when the batches of all ranks are acknowledged. Parts do
// not depend on each other; Compute is the time between repetitions.
type AllToAll struct {
	Collective
	Connections int    `yaml:"connections" default:"1" doc:"Messages that a rank has in flight at a time; the number of other ranks, or more, means all at once." source:"ARCANE §4.2" min:"1" max:"65536"`
	Order       string `yaml:"order" default:"shifted" doc:"Order in which a rank takes the others. shifted: those after it in the ring of ranks, so that no two send to the same at a time if all are equally fast. random: a random order per rank." enum:"shifted,random"`
	Lockstep    bool   `yaml:"lockstep" default:"false" doc:"Whether ranks take turns together. With it, all wait until every rank of the group has sent its messages in flight, and then start the next ones, with the signals of a barrier. Otherwise a rank starts a message whenever one of its own is acknowledged." source:"Prisacari et al., ICS 2013 (phases)"`
}

// Lists implements Ordered.
func (AllToAll) Lists() bool { return false }

// Resolve implements Pattern.
func (o AllToAll) Resolve(s Setting) (Destinations, error) {
	r, err := o.arrange("alltoall", s)
	if err != nil {
		return nil, err
	}
	p := &exchange{ranks: r, connections: int32(max(1, o.Connections)), random: o.Order == "random", key: sim.Mix(s.Seed ^ s.groupHash())}
	p.turn = p.peers()
	if o.Lockstep {
		p.turn = min(p.turn, int64(p.connections))
		p.Barrier = true
	}
	return p, nil
}

// exchange is an all-to-all.
type exchange struct {
	*ranks
	connections int32
	turn        int64 // messages of a rank between barriers, if there are barriers
	random      bool
	key         uint64
}

func (p *exchange) peers() int64 { return int64(p.size - 1) }

// turns returns the number of turns (batches between barriers) in a repetition. The last one may
// be shorter.
func (p *exchange) turns() int64 { return (p.peers() + p.turn - 1) / p.turn }

// turnOf returns the number of turns before message n, counted across repetitions.
func (p *exchange) turnOf(n int64) int64 {
	return n/p.peers()*p.turns() + n%p.peers()/p.turn
}

// to returns the destination of a place's n-th message, counted across repetitions.
func (p *exchange) to(place int32, n int64) int32 {
	i := uint32(n % p.peers())
	if p.random {
		i = shuffled(i, uint32(p.peers()), sim.Mix(p.key+uint64(place)<<32+uint64(n/p.peers())))
	}
	return p.at(place, int32(i)+1)
}

// shuffled returns the image of i under a permutation of 0 to n-1 that the key selects. It is a
// Feistel network on the next larger even power of two, applied until the result is in range.
// Unlike a table, it takes no memory, which would be n entries at each of n ranks.
func shuffled(i, n uint32, key uint64) uint32 {
	half := (bits.Len32(n-1) + 1) / 2
	if half == 0 {
		return 0
	}
	mask := uint32(1)<<half - 1
	for {
		left, right := i>>half, i&mask
		for round := range uint64(4) {
			left, right = right, left^uint32(sim.Mix(key+round<<60+uint64(right)))&mask
		}
		if i = left<<half | right; i < n {
			return i
		}
	}
}

// Fan implements Destinations.
func (p *exchange) Fan(host int32) int {
	if p.places[host] < 0 {
		return 0
	}
	return int(p.peers())
}

// Destination implements Destinations.
func (p *exchange) Destination(host int32, n int64, _ *rand.PCG) int32 {
	return p.host[p.to(p.places[host], n)]
}

// Total implements Schedule.
func (p *exchange) Total(t Traffic) (messages int64, size unit.Bytes, err error) {
	each, err := oneSize(t)
	if err != nil {
		return 0, 0, err
	}
	groups := int64(len(p.host)) / int64(p.size) * int64(p.Repeat)
	return groups * int64(p.size) * p.peers(), unit.Bytes(groups*p.peers()) * each, nil
}

// Sources implements Schedule.
func (p *exchange) Sources(t Traffic, s Setting) ([]Source, error) {
	slab := make([]exchanger, len(p.host))
	return p.sources(t, s, func(place int32, cut part, ready unit.Time, allowed int64) ordered {
		slab[place] = exchanger{exchange: p, cut: cut, place: place, ready: ready, allowed: allowed}
		return &slab[place]
	})
}

// exchanger is a rank of an all-to-all.
type exchanger struct {
	*exchange
	cut       part
	place     int32
	next      int64 // next message to send
	completed int64
	// received counts the messages of the current repetition and of the next. No rank can be
	// further ahead, since it would need a message from this rank that has not been sent.
	received [2]int64
	done     int64 // completed repetitions
	allowed  int64 // number of turns that may begin
	ready    unit.Time
}

// Due implements Receiver.
func (s *exchanger) Due() (unit.Time, bool) {
	switch round := s.next / s.peers(); {
	case round > s.done || round == int64(s.Repeat) || s.turnOf(s.next) >= s.allowed:
		return 0, false
	case s.next-s.completed >= int64(s.connections):
		return 0, false
	}
	return s.ready, true
}

// Next implements Source.
func (s *exchanger) Next() (Message, bool) {
	at, ok := s.Due()
	if !ok {
		return Message{}, false
	}
	to := s.to(s.place, s.next)
	s.next++
	rank := int64(s.rank(to))
	return Message{At: at, Dst: s.host[to], Size: s.cut.of(rank, rank+1)}, true
}

// Completed implements Source.
func (s *exchanger) Completed(now unit.Time, _ uint64) {
	s.completed++
	s.ready = max(s.ready, now)
	s.settle(now)
}

// Received implements Receiver.
func (s *exchanger) Received(now unit.Time, _ int32, ordinal uint64) {
	s.received[int64(ordinal)/s.peers()&1]++
	s.settle(now)
}

// settle ends the repetition if everything has been sent and received.
func (s *exchanger) settle(now unit.Time) {
	n := &s.received[s.done&1]
	if *n < s.peers() || s.completed < (s.done+1)*s.peers() {
		return
	}
	*n = 0
	s.done++
	s.ready = sum(now, s.Compute)
}

// finished implements ordered. The last turn of a repetition ends with the repetition.
func (s *exchanger) finished() int64 {
	return s.done*s.turns() + min((s.completed-s.done*s.peers())/s.turn, s.turns()-1)
}

func (s *exchanger) allow(now unit.Time) {
	s.allowed++
	s.ready = max(s.ready, now)
}
