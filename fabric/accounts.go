package fabric

import (
	"fmt"
	"math/bits"
	"slices"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// ingresses are the accounts of a switch that pauses its neighbours: for each link into it and each
// lossless class, the bytes that it holds of what came over that link.
//
// Simplifications: each lossless class has its own reserve, where HPCC's simulator takes one per port off the buffer. An account
// pauses at its threshold, where ConWeave's simulator has it above.
type ingresses struct {
	scope     PauseScope
	poolFirst bool
	slots     [8]int8 // of each class, its place among the lossless ones, or -1
	classes   []uint8 // the lossless classes
	links     []ingress
	by        *pausing
	ingress   []int32  // of each wire into the domain, its place among those into its switch
	queues    []egress // of each port and lossless class, with scope OfEgress
	apart     uint64   // bytes that lie in reserves and headroom
	paused    int      // accounts
	listed    bool     // among pausing.pools

	// left are the accounts, or queues, out of which something went at the instant leftAt.
	left   []int32
	leftAt sim.Time
}

// ingress is a link into a switch.
type ingress struct {
	id       topo.PortID // the directed link
	reverse  int32       // the port of the switch on the same link
	delay    sim.Time    // of a pause that need not wait
	last     sim.Time    // when the last pause or resume comes to the far end
	off      uint64      // threshold; 0 if alpha makes it
	alpha    uint64      // in 2⁻¹⁶
	gap      uint64      // how far below the threshold it resumes
	reserve  uint64      // of each class, as the rest
	headroom uint64
	hold
	accounts []account // by slot
}

// account is what a switch holds of a link and class.
type account struct {
	held     uint64 // in the reserve, and beyond it in the shared buffer
	headroom uint64
	most     uint64
	holders  int32 // egress queues, or the switch, or the account itself, for which it is paused
	sentPause
}

// egress is the queue of a port and class for which links are paused.
type egress struct{ links []int32 }

func (a *account) total() uint64 { return a.held + a.headroom }

// accountOf returns the pool of the switch at the end of a directed link, and the place of the link in it.
func (n *Network) accountOf(id topo.PortID) (l *pool, link int32) {
	_, _, _, cold := n.at(id.Reverse())
	return cold.pool, cold.pool.ingress[n.wires[id].index]
}

// pausers yields the pools of all switches that pause their neighbours.
func (n *Network) pausers(yield func(*pool) bool) {
	for _, d := range n.domains {
		for i := range d.cold {
			// The first port of a switch stands for it.
			if c := &d.cold[i]; c.pool != nil && c.pool.ingresses != nil && c.place == 0 && !yield(c.pool) {
				return
			}
		}
	}
}

func clamp(b unit.Bytes) uint64 { return uint64(max(0, min(b, mostBuffer))) }

// account returns that of a wire into the switch, and of a class that is lossless.
func (l *pool) account(from via, k uint8) (link int32, in *ingress, a *account) {
	k = from.class(k)
	link = l.ingress[from.wire()]
	in = &l.links[link]
	return link, in, &in.accounts[l.slots[k]]
}

// threshold returns above which an account of a link is over its limit.
func (l *pool) threshold(in *ingress) uint64 { return in.threshold(l.free()) }

func (in *ingress) threshold(free uint64) uint64 {
	if in.off > 0 {
		return in.off
	}
	hi, lo := bits.Mul64(free, in.alpha)
	return hi<<48 | lo>>16
}

// over returns what of so many bytes is beyond the reserve.
func (in *ingress) over(held uint64) uint64 { return held - min(held, in.reserve) }

// on returns what is left when a link resumes whose threshold is fixed.
func (in *ingress) on() uint64 { return in.off - min(in.off, in.gap) }

// relieved tells whether an account is so far below its limit that its link may resume, with so much free of the
// shared buffer.
func (in *ingress) relieved(a *account, free uint64) bool {
	over := in.over(a.held)
	return a.headroom == 0 && (over == 0 || over+in.gap <= in.threshold(free))
}

// merges tells whether departures of all ports must be seen in order of time.
func (l *pool) merges() bool { return l.meter != nil || l.ingresses != nil && l.paused > 0 }

// calm tells whether a frame that comes over a wire has room for sure, and pauses nobody, so that the pool need not be advanced: with
// what is known the accounts hold too much, if anything, since departures may not have been taken off yet. Nor
// would the account hold more than ever.
func (l *pool) calm(q *discipline, from via, k uint8, size uint64) bool {
	if l.ingresses == nil || l.paused > 0 || l.meter != nil || l.scope != OfIngress || q.rules != nil || l.slots[k] < 0 {
		return false
	}
	_, in, a := l.account(from, k)
	used := l.used() + size
	if a.headroom > 0 || a.held+size > a.most || used > l.size {
		return false
	}
	over := in.over(a.held + size)
	return over == 0 || over < in.threshold(l.size-used) // as it is once the frame is there
}

// charge takes a frame into the account of its link and class, if it has room: in the reserve, else in the
// shared buffer up to the limit, else in headroom. What the switch itself sends always has room, though it takes
// from what others share: it is small, no link can be paused for it, and a lossless class must not lose it.
func (l *pool) charge(from via, k uint8, size uint64) bool {
	if from == noIngress {
		return true
	}
	_, in, a := l.account(from, k)
	before := min(a.held, in.reserve)
	over := in.over(a.held + size)
	fits := l.used()+over-in.over(a.held) <= l.size
	if over > 0 && fits && !l.poolFirst && l.scope == OfIngress {
		fits = over <= l.threshold(in)
	}
	switch {
	case over == 0 || fits:
		a.held += size
		l.apart += min(a.held, in.reserve) - before
	case a.headroom+size <= in.headroom:
		a.headroom += size
		l.apart += size
	default:
		return false
	}
	a.most = max(a.most, a.total())
	return true
}

// release takes a frame out of its account, from headroom first. It leaves port i, or its buffer is free, at
// time t.
func (l *pool) release(from via, i int32, k uint8, size uint64, t sim.Time) {
	if from == noIngress {
		l.shrank(i, k, t)
		return
	}
	link, in, a := l.account(from, k)
	headroom := min(a.headroom, size)
	before := min(a.held, in.reserve)
	a.headroom -= headroom
	a.held -= size - headroom
	l.apart -= headroom + before - min(a.held, in.reserve)
	if l.scope == OfIngress && a.holders > 0 {
		l.note(link*int32(len(l.classes))+int32(l.slots[from.class(k)]), t)
	} else {
		l.shrank(i, k, t)
	}
}

// shrank tells that class k of port i, and so what the switch holds, became less at time t.
func (l *pool) shrank(i int32, k uint8, t sim.Time) {
	switch {
	case l.paused == 0 || l.scope == OfIngress || l.scope == OfEgress && l.slots[k] < 0:
	case l.scope == OfEgress:
		l.note(l.queueOf(i, k), t)
	default:
		l.note(0, t)
	}
}

// queueOf returns the place of class k of port i among the queues.
func (l *pool) queueOf(i int32, k uint8) int32 {
	return l.d.cold[i].place*int32(len(l.classes)) + int32(l.slots[k])
}

// note has an account, or a queue, looked at when the instant t is over.
func (l *pool) note(what int32, t sim.Time) {
	l.left, l.leftAt = append(l.left, what), t
}

// arrived looks whether a frame of class k that port i took makes the switch pause the link over which it
// came.
func (l *pool) arrived(i int32, from via, k uint8, now sim.Time) {
	if l.slots[k] < 0 || from < 0 {
		return
	}
	link, in, a := l.account(from, k)
	held := a.holders > 0
	if held && now < a.until && l.scope != OfEgress {
		return
	}
	switch l.scope {
	case OfIngress:
		over := in.over(a.held)
		if a.headroom == 0 && (over == 0 || over < l.threshold(in)) {
			return
		}
		a.holders = 1
	case OfEgress:
		if uint64(l.d.ports[i].disc.classes[k].bytes) < in.off {
			return
		}
		q := &l.queues[l.queueOf(i, k)]
		if !slices.Contains(q.links, link) {
			q.links = append(q.links, link)
			a.holders++
		}
		if held && now < a.until {
			return
		}
	case OfSwitch:
		if l.held < in.off {
			return
		}
		a.holders = 1
	}
	k = from.class(k)
	if sent := held && l.send(in, k, true, now) || !held && l.signal(in, k, true, now); !sent {
		l.forgive(link, l.slots[k])
		return
	}
	a.began(&in.hold, now, in.last)
}

// check compares the accounts with the frames that the switch holds.
func (l *pool) check() error {
	slots := len(l.classes)
	held := make([]uint64, len(l.links)*slots)
	for _, i := range l.ports {
		p := &l.d.ports[i]
		for _, k := range l.classes {
			c := &p.disc.classes[k]
			for j := c.head; j != c.tail; j++ {
				if c.at(j).ingress == noIngress {
					continue
				}
				w := c.at(j)
				slot := int(l.slots[w.ingress.class(k)])
				held[int(l.ingress[w.ingress.wire()])*slots+slot] += uint64(l.d.Packets[w.frame].Size)
			}
		}
		if p.drained != p.tail && !l.atBegin {
			t := p.at(p.drained)
			if in := p.disc.ingress; l.slots[t.class] >= 0 && in != noIngress {
				held[int(l.ingress[in.wire()])*slots+int(l.slots[in.class(t.class)])] += uint64(t.bytes)
			}
		}
	}
	apart, paused := uint64(0), 0
	for j, want := range held {
		in := &l.links[j/slots]
		a := &in.accounts[j%slots]
		if a.total() != want || a.headroom > in.headroom {
			return fmt.Errorf("fabric: of class %d over link %d a switch holds %d B; its account has %d B, %d B of them in headroom of %d B",
				l.classes[j%slots], in.id, want, a.total(), a.headroom, in.headroom)
		}
		apart += a.headroom + min(a.held, in.reserve)
		if a.holders > 0 {
			paused++
		}
	}
	if apart != l.apart || paused != l.paused {
		return fmt.Errorf("fabric: a switch keeps %d B apart and pauses %d classes of links; its accounts have %d B and %d", l.apart, l.paused, apart, paused)
	}
	return nil
}
