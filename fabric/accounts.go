package fabric

import (
	"fmt"
	"math/bits"
	"slices"

	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// ingresses are the accounts of a switch that pauses its neighbours. For each link into the switch
// and each lossless class, an account counts the bytes that the switch holds from that link.
//
// Simplifications: each lossless class has its own reserve, while HPCC's simulator
// subtracts one reserve per port from the buffer. An account pauses at its
// threshold, while ConWeave's simulator pauses above it.
type ingresses struct {
	scope     PauseScope
	poolFirst bool
	slots     [8]int8 // per class, its slot among the lossless classes, or -1
	classes   []uint8 // the lossless classes
	links     []ingress
	by        *pausing
	ingress   []int32  // per wire into the domain, its index in links
	queues    []egress // per port and lossless class, with scope OfEgress
	reserved  uint64   // bytes in reserves and headroom
	paused    int      // number of paused accounts
	listed    bool     // the pool is in pausing.pools

	// left lists the accounts, or egress queues, that shrank at the instant leftAt.
	left   []int32
	leftAt sim.Time
}

// ingress is the switch's view of one link into it.
type ingress struct {
	id       topo.PortID // the directed link
	reverse  int32       // the port of the switch on the same link
	delay    sim.Time    // of a pause that leaves at once
	last     sim.Time    // when the last pause or resume reaches the far end
	off      uint64      // threshold in bytes; 0 if alpha sets it
	alpha    uint64      // times the free buffer, in 2⁻¹⁶
	gap      uint64      // bytes below the threshold at which the link resumes
	reserve  uint64      // bytes per class, like headroom
	headroom uint64
	hold
	accounts []account // by slot
}

// account counts what a switch holds from one link and class.
type account struct {
	held     uint64 // bytes in the reserve and, beyond it, in the shared buffer
	headroom uint64
	most     uint64 // largest total so far
	holders  int32  // reasons to pause: egress queues, the switch, or the account itself
	sentPause
}

// egress lists the links that the queue of one port and class has paused.
type egress struct{ links []int32 }

func (a *account) total() uint64 { return a.held + a.headroom }

// accountOf returns the pool of the switch at the end of a directed link, and the
// index of the link in that pool.
func (n *Network) accountOf(id topo.PortID) (l *pool, link int32) {
	_, _, _, cold := n.at(id.Reverse())
	return cold.pool, cold.pool.ingress[n.wires[id].index]
}

// pausers yields the pools of all switches that pause their neighbours.
func (n *Network) pausers(yield func(*pool) bool) {
	for _, d := range n.domains {
		for i := range d.cold {
			// Visit each pool once, at the first port of its switch.
			if c := &d.cold[i]; c.pool != nil && c.pool.ingresses != nil && c.place == 0 && !yield(c.pool) {
				return
			}
		}
	}
}

func clamp(b unit.Bytes) uint64 { return uint64(max(0, min(b, mostBuffer))) }

// account returns the account of a wire into the switch and a lossless class.
func (l *pool) account(from via, k uint8) (link int32, in *ingress, a *account) {
	k = from.class(k)
	link = l.ingress[from.wire()]
	in = &l.links[link]
	return link, in, &in.accounts[l.slots[k]]
}

// threshold returns the limit of a link's accounts for the current free buffer.
func (l *pool) threshold(in *ingress) uint64 { return in.threshold(l.free()) }

func (in *ingress) threshold(free uint64) uint64 {
	if in.off > 0 {
		return in.off
	}
	hi, lo := bits.Mul64(free, in.alpha)
	return hi<<48 | lo>>16
}

// over returns how many of held bytes exceed the reserve.
func (in *ingress) over(held uint64) uint64 { return held - min(held, in.reserve) }

// on returns the level at which a link with a fixed threshold resumes.
func (in *ingress) on() uint64 { return in.off - min(in.off, in.gap) }

// relieved reports whether an account is so far below its limit that its link may
// resume, given the free bytes of the shared buffer.
func (in *ingress) relieved(a *account, free uint64) bool {
	over := in.over(a.held)
	return a.headroom == 0 && (over == 0 || over+in.gap <= in.threshold(free))
}

// merges reports whether departures of all ports must be seen in order of time.
func (l *pool) merges() bool { return l.meter != nil || l.ingresses != nil && l.paused > 0 }

// calm reports whether a frame certainly has room, pauses nobody and sets no new
// maximum of its account, so that the pool need not advance first. Departures may be
// missing from the accounts, which therefore hold too much rather than too little.
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
	return over == 0 || over < in.threshold(l.size-used) // once the frame has been taken
}

// charge adds a frame to the account of its link and class if it has room: in the
// reserve, else in the shared buffer up to the limit, else in headroom. A frame
// that the switch itself sends always has room and counts in the shared buffer. It
// is small, no link can be paused for it, and a lossless class must not lose it.
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
		l.reserved += min(a.held, in.reserve) - before
	case a.headroom+size <= in.headroom:
		a.headroom += size
		l.reserved += size
	default:
		return false
	}
	a.most = max(a.most, a.total())
	return true
}

// release removes a frame from its account, from headroom first. The frame leaves
// port i, or its buffer becomes free, at time t.
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
	l.reserved -= headroom + before - min(a.held, in.reserve)
	if l.scope == OfIngress && a.holders > 0 {
		l.note(link*int32(len(l.classes))+int32(l.slots[from.class(k)]), t)
	} else {
		l.shrank(i, k, t)
	}
}

// shrank notes that the queue of class k at port i, and so the switch, holds less from time t on.
func (l *pool) shrank(i int32, k uint8, t sim.Time) {
	switch {
	case l.paused == 0 || l.scope == OfIngress || l.scope == OfEgress && l.slots[k] < 0:
	case l.scope == OfEgress:
		l.note(l.queueOf(i, k), t)
	default:
		l.note(0, t)
	}
}

// queueOf returns the index of class k of port i in queues.
func (l *pool) queueOf(i int32, k uint8) int32 {
	return l.d.cold[i].place*int32(len(l.classes)) + int32(l.slots[k])
}

// note marks an account or queue for a check (conclude) once the instant t is over.
func (l *pool) note(what int32, t sim.Time) {
	l.left, l.leftAt = append(l.left, what), t
}

// arrived pauses the link over which a frame came if that frame, taken by port i in
// class k, exceeds a threshold.
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
	reserved, paused := uint64(0), 0
	for j, want := range held {
		in := &l.links[j/slots]
		a := &in.accounts[j%slots]
		if a.total() != want || a.headroom > in.headroom {
			return fmt.Errorf("fabric: of class %d over link %d a switch holds %d B; its account has %d B, %d B of them in headroom of %d B",
				l.classes[j%slots], in.id, want, a.total(), a.headroom, in.headroom)
		}
		reserved += a.headroom + min(a.held, in.reserve)
		if a.holders > 0 {
			paused++
		}
	}
	if reserved != l.reserved || paused != l.paused {
		return fmt.Errorf("fabric: a switch keeps %d B reserved and pauses %d classes of links; its accounts have %d B and %d", l.reserved, l.paused, reserved, paused)
	}
	return nil
}
