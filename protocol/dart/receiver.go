package dart

import (
	"weft/protocol"
	"weft/protocol/internal/deadlines"
	"weft/unit"
)

// state is that of a receiver (Figure 5).
type state uint8

const (
	noCongestion state = iota
	receiverCongestion
	elsewhere // Figure 5: non-receiver congestion
)

// receiver is the receiving end at a host.
type receiver struct {
	set     senders
	incasts incasts
	tenants protocol.Tenants
	peers   []peer
	vacant  []int32
	// under is the fallback's notification point, which hears of marks in the state elsewhere only.
	under protocol.Answerer
	heard protocol.Heard // scratch
	// convergence is told of measurements; nil if nobody asks.
	convergence protocol.Convergence
	// backlogs are since when the backlogs of connections have counted.
	backlogs deadlines.Set
	// unadvised are the senders to be told of their shares before they begin, if advertise is set.
	unadvised []int32
	advertise bool

	state state
	rate  rates
	// marked is when the last marked packet came, and low since when all of them came at less than
	// line rate; Forever if none did.
	marked, low unit.Time

	line                       unit.Rate // from which data come in at line rate
	span, patience, calm, idle unit.Time
}

// peer is a connection.
type peer struct {
	sender, under int32
	// open are its messages that count, in the life of the sender.
	open int32
	life uint32
	backlog
}

func newReceiver(o Options, env protocol.HostEnv, under protocol.Answerer) *receiver {
	r := &receiver{
		set: newSenders(o.weight), incasts: incasts{index: map[incastName]int32{}}, tenants: env.Tenants,
		under: under, convergence: env.Convergence, marked: unit.Forever, low: unit.Forever, idle: o.Idle,
		line: unit.Rate(float64(env.LineRate) * float64(o.LineShare) * float64(o.Drain)), advertise: o.advertises(),
	}
	r.span, r.patience, r.calm = o.spans(env)
	r.rate.slot = max(1, r.span/slots)
	if o.Fallback == none {
		r.under = nil
	}
	return r
}

// Open implements protocol.Answerer.
func (r *receiver) Open(now unit.Time, src int32, tenant uint8) (i int32) {
	if k := len(r.vacant); k > 0 {
		i = r.vacant[k-1]
		r.vacant = r.vacant[:k-1]
	} else {
		i = int32(len(r.peers))
		r.peers = append(r.peers, peer{})
	}
	p := &r.peers[i]
	*p = peer{sender: r.set.find(name{tenant, src})}
	p.life = r.set.list[p.sender].life
	if r.under != nil {
		p.under = r.under.Open(now, src, tenant)
	}
	return i
}

// Close implements protocol.Answerer.
func (r *receiver) Close(now unit.Time, i int32) {
	p := &r.peers[i]
	r.count(now, i, -p.open)
	r.release(now, i)
	if r.under != nil {
		r.under.Close(now, p.under)
	}
	r.vacant = append(r.vacant, i)
}

// count adds to the messages of a connection, unless its sender was taken for dead since they began.
func (r *receiver) count(now unit.Time, i, more int32) {
	p := &r.peers[i]
	if s := &r.set.list[p.sender]; p.life != s.life {
		p.life, p.open = s.life, 0
		r.drop(i)
		more = max(0, more)
	}
	p.open += more
	r.set.change(now, p.sender, more, 0)
}

// Heard implements protocol.Answerer.
func (r *receiver) Heard(h *protocol.Heard) {
	r.expire(h.Now)
	p := &r.peers[h.Peer]
	if r.convergence != nil {
		r.notices(h, p.sender)
	}
	fresh, entered, weight := r.set.empty(), r.set.entered, r.set.weight
	if p.life != r.set.list[p.sender].life {
		r.count(h.Now, h.Peer, 0)
	}
	if h.Begins || p.open == 0 && !h.Again { // also the rest of a message whose sender was taken for dead
		r.count(h.Now, h.Peer, 1)
	}
	if h.Begins && p.latest.add(h.Message) {
		r.release(h.Now, h.Peer)
	}
	r.set.touch(h.Now, p.sender)
	if h.Incast != nil && !h.Again {
		r.announce(h.Now, p.sender, h.Incast.ID, h.Incast.Senders)
	}
	if r.convergence != nil && r.set.entered > entered {
		r.watch(h.Now, r.set.list[p.sender].tenant, entered, r.set.weight > weight)
	}
	if fresh {
		r.rate.begin(h.Now)
		r.low = unit.Forever
	} else {
		r.rate.add(h.Now, h.Wire)
	}
	r.judge(h.Now, h.Marked || h.Trimmed)
	h.Kept = r.state != elsewhere || r.under == nil
	if h.Ends {
		if h.Backlog && p.behind(h.Message) {
			r.hold(h.Now, h.Peer)
		}
		r.count(h.Now, h.Peer, -1)
	}
	if r.under != nil {
		r.heard = *h
		r.heard.Peer = p.under
		if r.state != elsewhere {
			r.heard.Marked, r.heard.Trimmed = false, false
		}
		r.under.Heard(&r.heard)
	}
}

// judge decides in which state the receiver is when a packet has come.
func (r *receiver) judge(now unit.Time, marked bool) {
	if r.marked != unit.Forever && now-r.marked > r.calm {
		r.state, r.marked, r.low = noCongestion, unit.Forever, unit.Forever
	}
	if !marked {
		return
	}
	r.marked = now
	if r.rate.reaches(now, r.line) {
		r.state, r.low = receiverCongestion, unit.Forever
		return
	}
	r.low = min(r.low, now)
	if now-r.low >= r.patience {
		r.state = elsewhere
	}
}

// Answer implements protocol.Answerer. The first word is the fallback's.
func (r *receiver) Answer(now unit.Time, i int32) (a protocol.Answer, ok bool) {
	r.expire(now)
	p := &r.peers[i]
	s := alone
	switch {
	case r.state != elsewhere:
		s = r.set.share(r.set.list[p.sender].tenant)
		s.congested = r.state == receiverCongestion
	case r.under != nil:
		a, _ = r.under.Answer(now, p.under)
	}
	if r.convergence != nil {
		n := &r.set.list[p.sender].notice
		n.tell(s, r.state != elsewhere)
		s.asks = n.asks()
	}
	a[1] = s.word()
	return a, true
}
