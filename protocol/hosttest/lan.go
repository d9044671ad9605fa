// Package hosttest tests transports of hosts as a whole (protocol.HostTransport) without the
// simulator, in the module of whoever writes one too.
//
// A [LAN] is the smallest network: hosts on one switch. It looks at the books of a host
// (Check) after every call, and [LAN.Finish] demands that every message is delivered and
// completed once, every byte counted once, and that nothing goes on afterwards. [Chance] loses,
// repeats and reorders packets; [LAN.CheckRevival] lets a host die for a while,
// [LAN.CheckEchoes] holds a transport to what balancers are told, and [CheckAllocations] to
// allocating nothing for packets. [LAN.ComeAndGo] takes messages back and replaces hosts, [LAN.AfterCancel] looks at the
// messages beside one that was taken back, [LAN.Misuse] has a host say what a script makes of it, and [CheckAnnouncements]
// holds a transport to little memory for what others only announce. [Drain], [Wake] and [Check] are for a host that is tested for
// itself, step by step against its paper. The package example has the first lines of such a
// test, and examples/own-transport all of one.
package hosttest

import (
	"fmt"
	"math/rand/v2"

	"weft/protocol"
	"weft/unit"
)

// LAN is hosts on one switch. Each has an uplink, of which it sends whenever it is free, and
// a downlink with a queue of strict priorities at the switch.
type LAN struct {
	// T is told when a host's books are wrong or a packet makes no sense.
	T Failer
	// Rate is that of all links, Delay that from host to switch and from switch to host.
	Rate  unit.Rate
	Delay unit.Time
	// FIFO makes the downlinks' queues blind to priorities.
	FIFO bool
	// Classes is how many classes packets may have; 0 is any.
	Classes int
	// Credits, if there is room for any, limits packets of class 0 at the downlinks: they are
	// credits.
	Credits protocol.CreditClass
	// Header, if not nil, is what a packet with payload must have beside it.
	Header func(p *protocol.Packet) unit.Bytes
	// Fate, if not nil, says how many copies of a packet arrive, each later by what it adds.
	Fate func(from int32, p *protocol.Packet) []unit.Time
	// Arrived, if not nil, sees a packet before its host does.
	Arrived func(to int32, p *protocol.Packet)
	// Done, if not nil, tells what else must hold when all is settled.
	Done func() error
	// Dead are hosts that nothing reaches and that do nothing.
	Dead map[int32]bool

	Now   unit.Time
	Hosts []*Port

	// Submitted, Delivered and Completed count messages by sending host and tag.
	Submitted, Delivered, Completed map[[2]uint64]int
	// Bytes were submitted, Fresh arrived for the first time.
	Bytes, Fresh unit.Bytes
	// Dropped counts credits for which there was no room at a downlink.
	Dropped int

	events  events
	seq     int
	lastTag uint64
	sent    map[[2]uint64]*protocol.HostMessage // of all messages
	fresh   map[[2]uint64]unit.Bytes            // of each message
	leaving
}

// Port is a host and its links.
type Port struct {
	protocol.HostTransport
	Out protocol.HostOutput
	// Most is the largest amount of data that was queued for the downlink.
	Most unit.Bytes

	free   unit.Time // when the uplink is free
	pulls  bool      // whether it will be asked for a packet
	busy   bool      // whether the downlink is
	queue  [classes][]protocol.Packet
	queued unit.Bytes
	timer  unit.Time

	credits unit.Bytes // waiting for the downlink
	bucket  protocol.CreditBucket
	due     unit.Time // when the downlink looks at credits again
}

const classes = 8

// What happens.
const (
	wireFree uint8 = iota
	atSwitch
	leftSwitch
	atHost
	timerDue
	creditDue
)

// New returns a network at time 0 with hosts that open makes, which report to their output.
func New(t Failer, hosts int32, open func(host int32, out *protocol.HostOutput) protocol.HostTransport) *LAN {
	l := &LAN{
		T: t, Rate: 100 * unit.Gbps, Delay: 1250 * unit.Nanosecond, Dead: map[int32]bool{},
		Submitted: map[[2]uint64]int{}, Delivered: map[[2]uint64]int{}, Completed: map[[2]uint64]int{},
		sent: map[[2]uint64]*protocol.HostMessage{}, fresh: map[[2]uint64]unit.Bytes{}, leaving: newLeaving(),
	}
	for i := range hosts {
		h := &Port{timer: unit.Forever}
		h.HostTransport = open(i, &h.Out)
		l.Hosts = append(l.Hosts, h)
	}
	return l
}

// Send submits a message, whose tag it returns.
func (l *LAN) Send(from, to int32, bytes unit.Bytes, group uint8) uint64 {
	l.lastTag++
	key := [2]uint64{uint64(from), l.lastTag}
	l.Submitted[key]++
	l.Bytes += bytes
	m := &protocol.HostMessage{Peer: to, Group: group, Tag: l.lastTag, Bytes: bytes}
	l.sent[key] = m
	l.Hosts[from].Submit(l.Now, m)
	l.heed(from)
	return l.lastTag
}

// Revive lets a dead host go on.
func (l *LAN) Revive(i int32) {
	l.Dead[i] = false
	l.heed(i)
	l.Hosts[i].timer = l.Now
	l.push(l.Now, timerDue, i, nil)
}

// Run handles events up to a time and returns whether any are left.
func (l *LAN) Run(until unit.Time) bool {
	for len(l.events) > 0 && l.events[0].at <= until {
		e := l.events.pop()
		l.Now = e.at
		l.handle(&e)
	}
	l.Now = max(l.Now, until)
	return len(l.events) > 0
}

// Settled tells whether every message was delivered and completed once, and Done holds.
func (l *LAN) Settled() error {
	for key := range l.Submitted {
		if n := l.Delivered[key]; n != 1 {
			return fmt.Errorf("message %d of host %d was delivered %d times", key[1], key[0], n)
		}
		if n := l.Completed[key]; n != 1 {
			return fmt.Errorf("message %d of host %d was completed %d times", key[1], key[0], n)
		}
	}
	if l.Fresh != l.Bytes {
		return fmt.Errorf("%v of %v arrived", l.Fresh, l.Bytes)
	}
	if err := l.left(); err != nil {
		return err
	}
	if l.Done == nil {
		return nil
	}
	return l.Done()
}

// Chance returns a fate that loses, repeats and delays packets.
func Chance(rng *rand.Rand, loss, repeat float64, jitter unit.Time) func(int32, *protocol.Packet) []unit.Time {
	return func(int32, *protocol.Packet) []unit.Time {
		if rng.Float64() < loss {
			return nil
		}
		copies := []unit.Time{0}
		for rng.Float64() < repeat && len(copies) < 4 {
			copies = append(copies, 0)
		}
		for i := range copies {
			if jitter > 0 {
				copies[i] = unit.Time(rng.Int64N(int64(jitter)))
			}
		}
		return copies
	}
}

// heed looks at what a host wants once it was called.
func (l *LAN) heed(i int32) {
	h := l.Hosts[i]
	for _, v := range h.Out.Events {
		switch v.Kind {
		case protocol.MessageDelivered:
			l.Delivered[[2]uint64{uint64(v.Peer), v.Tag}]++
		case protocol.MessageCompleted:
			l.Completed[[2]uint64{uint64(i), v.Tag}]++
		}
		if wrong := l.leaves(i, &v); wrong != "" {
			l.T.Fatalf("at %v: host %d reports %+v, %s", l.Now, i, v, wrong)
		}
	}
	h.Out.Events = h.Out.Events[:0]
	if err := h.Check(); err != nil {
		l.T.Fatalf("at %v, host %d: %v", l.Now, i, err)
	}
	at, ok := h.Deadline()
	if !ok {
		at = unit.Forever
	}
	if soon, ok := h.Ready(); ok {
		if soon <= l.Now {
			if !h.pulls {
				h.pulls = true
				l.push(max(l.Now, h.free), wireFree, i, nil)
			}
		} else {
			at = min(at, soon)
		}
	}
	if at < unit.Forever && (at < h.timer || h.timer < l.Now) {
		h.timer = max(at, l.Now)
		l.push(h.timer, timerDue, i, nil)
	}
}

func (l *LAN) handle(e *event) {
	h := l.Hosts[e.host]
	switch e.what {
	case wireFree:
		h.pulls = false
		if !l.Dead[e.host] {
			l.transmit(e.host)
		}
	case atSwitch:
		class := e.p.Class
		if l.FIFO {
			class = 0
		}
		if l.limits(class) {
			if h.credits+e.p.Wire > l.Credits.Queue {
				l.Dropped++
				return
			}
			h.credits += e.p.Wire
		}
		h.queue[class] = append(h.queue[class], e.p)
		if e.p.Payload > 0 {
			h.queued += e.p.Wire
			h.Most = max(h.Most, h.queued)
		}
		l.serve(e.host)
	case leftSwitch:
		if e.p.Payload > 0 {
			h.queued -= e.p.Wire
		}
		h.busy = false
		l.push(l.Now+l.Delay, atHost, e.host, &e.p)
		l.serve(e.host)
	case creditDue:
		l.serve(e.host)
	case atHost:
		if l.Dead[e.host] {
			return
		}
		if l.Arrived != nil {
			l.Arrived(e.host, &e.p)
		}
		key := [2]uint64{uint64(e.p.Peer), e.p.Tag}
		fresh := h.Receive(l.Now, &e.p)
		l.fresh[key] += fresh
		if !l.gone[key] {
			l.Fresh += fresh
		}
		l.heed(e.host)
	case timerDue:
		if h.timer == l.Now {
			h.timer = unit.Forever
		}
		if l.Dead[e.host] {
			return
		}
		h.Expire(l.Now)
		if at, ok := h.Deadline(); ok && at <= l.Now {
			l.T.Fatalf("at %v: host %d is to be woken at %v once more", l.Now, e.host, at)
		}
		l.heed(e.host)
	}
}

func (l *LAN) transmit(from int32) {
	h := l.Hosts[from]
	var p protocol.Packet
	if !h.Next(l.Now, &p) {
		l.heed(from)
		return
	}
	if wrong := l.wrong(from, &p); wrong != "" {
		l.T.Fatalf("at %v: host %d sends %+v, with a %s", l.Now, from, p, wrong)
	}
	if p.More != nil { // the host fills it again
		more := *p.More
		p.More = &more
	}
	l.number(from, &p)
	h.free = l.Now + l.Rate.Transmit(p.Wire)
	to := p.Peer
	p.Peer = from
	copies := []unit.Time{0}
	if l.Fate != nil {
		copies = l.Fate(from, &p)
	}
	for _, late := range copies {
		l.push(h.free+l.Delay+late, atSwitch, to, &p)
	}
	l.heed(from)
}

// wrong tells what no carrier would take of a packet, "" if it would.
func (l *LAN) wrong(from int32, p *protocol.Packet) string {
	switch {
	case uint32(p.Peer) >= uint32(len(l.Hosts)) || p.Peer == from:
		return "wrong peer"
	case p.Kind >= protocol.HostKinds:
		return "kind that is too large"
	case p.Class >= classes || l.Classes > 0 && int(p.Class) >= l.Classes:
		return "class that ports do not have"
	case p.Payload < 0 || p.Wire < 1 || p.Payload > 0 && l.Header != nil && p.Wire != p.Payload+l.Header(p):
		return "wrong size"
	case p.Payload > 0:
		return l.foreign(from, p)
	}
	return ""
}

// foreign tells what is wrong with a packet with payload, which must be of a message that its host has yet to complete.
func (l *LAN) foreign(from int32, p *protocol.Packet) string {
	key := [2]uint64{uint64(from), p.Tag}
	switch m := l.sent[key]; {
	case m == nil || m.Peer != p.Peer || m.Group != p.Group || p.Offset < 0 || p.Offset+p.Payload > m.Bytes:
		return "payload that no message has"
	case l.gone[key]:
		return "tag of a message that was taken back"
	case l.Completed[key] > 0:
		return "tag of a message that is completed"
	}
	return ""
}

// serve sends the first packet of the best class over a downlink.
func (l *LAN) serve(to int32) {
	h := l.Hosts[to]
	for k := range h.queue {
		if h.busy || len(h.queue[k]) == 0 {
			continue
		}
		p := h.queue[k][0]
		if l.limits(uint8(k)) && !l.admit(h, to, p.Wire) {
			continue
		}
		h.queue[k] = h.queue[k][1:]
		h.busy = true
		l.push(l.Now+l.Rate.Transmit(p.Wire), leftSwitch, to, &p)
	}
}

// limits tells whether packets of a class are limited as credits.
func (l *LAN) limits(class uint8) bool { return class == 0 && l.Credits.Queue > 0 }

// lose takes a packet that waits in the queue of a class for a downlink out of what is counted there.
func (l *LAN) lose(h *Port, class uint8, p *protocol.Packet) {
	if p.Payload > 0 {
		h.queued -= p.Wire
	}
	if l.limits(class) {
		h.credits -= p.Wire
	}
}

// admit lets a credit through if there are tokens for it, and looks again when there are.
func (l *LAN) admit(h *Port, host int32, wire unit.Bytes) bool {
	cost := l.Credits.Cost(l.Rate, wire)
	if due := h.bucket.Due(cost, l.Credits.Cost(l.Rate, l.Credits.Burst)); due > l.Now {
		if due != h.due {
			h.due = due
			l.push(due, creditDue, host, nil)
		}
		return false
	}
	h.bucket.Take(l.Now, cost)
	h.credits -= wire
	return true
}

func (l *LAN) push(at unit.Time, what uint8, host int32, p *protocol.Packet) {
	e := event{at: at, seq: l.seq, what: what, host: host}
	if p != nil {
		e.p = *p
	}
	l.seq++
	l.events.push(e)
}
