package hosttest

import (
	"math"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// This file has what the tests of several transports do on a network.

// Pick draws a number between two, these included, for what it is named after.
type Pick func(name string, least, most int) int

// Draw submits messages at random times, of sizes in bytes from one of some ranges and of
// the first so many groups.
func (l *LAN) Draw(pick Pick, groups int, sizes ...[2]int) {
	hosts := len(l.Hosts)
	for range pick("messages", 1, 12) {
		l.Run(l.Now + unit.Time(pick("gap", 0, int(20*unit.Microsecond))))
		from, to := pick("from", 0, hosts-1), pick("to", 0, hosts-2)
		if to >= from {
			to++
		}
		size := sizes[pick("range", 0, len(sizes)-1)]
		l.Send(int32(from), int32(to), unit.Bytes(pick("size", size[0], size[1])), uint8(pick("group", 0, groups-1)))
	}
}

// Finish runs until nothing is left to happen, which must be before a time, and demands
// that all is settled then.
func (l *LAN) Finish(limit unit.Time) {
	l.T.Helper()
	if l.Run(limit) {
		l.T.Fatalf("something goes on for ever")
	}
	if err := l.Settled(); err != nil {
		l.T.Fatalf("%v", err)
	}
}

// ComeAndGo submits messages, takes some of them back and has replace put new hosts in the place of others, at random times,
// until nothing is left to happen, and demands that all is settled then. Messages are of up to a size.
func (l *LAN) ComeAndGo(pick Pick, most int, replace func(host int32)) {
	l.T.Helper()
	type message struct {
		from int32
		tag  uint64
	}
	var messages []message
	hosts := len(l.Hosts)
	for range pick("steps", 1, 40) {
		l.Run(l.Now + unit.Time(pick("wait", 0, 200))*unit.Microsecond)
		host := pick("host", 0, hosts-1)
		switch what := pick("what", 0, 9); {
		case what < 6:
			to := (host + pick("to", 1, hosts-1)) % hosts
			size := max(1, most>>(3*pick("size", 0, 6)))
			messages = append(messages, message{int32(host), l.Send(int32(host), int32(to), unit.Bytes(size), 0)})
		case what < 9 && len(messages) > 0:
			m := messages[pick("which", 0, len(messages)-1)]
			l.Cancel(m.from, m.tag)
		case what == 9:
			replace(int32(host))
		}
	}
	l.Finish(l.Now + unit.Second)
}

// AfterCancel has the first host send two messages to the second one, takes the first of them back after some time, and
// returns how much of the other one arrives within a while, once what the cancelled one had under way had time to settle.
func (l *LAN) AfterCancel(first, other unit.Bytes, before, settle, while unit.Time) unit.Bytes {
	l.T.Helper()
	tag := l.Send(0, 1, first, 0)
	key := [2]uint64{0, l.Send(0, 1, other, 0)}
	l.Run(before)
	if l.Delivered[[2]uint64{0, tag}]+l.Delivered[key] > 0 || !l.Cancel(0, tag) || l.Cancel(0, tag) {
		l.T.Fatalf("the message is not there once")
	}
	l.Run(before + settle)
	had := l.fresh[key]
	l.Run(before + settle + while)
	return l.fresh[key] - had
}

// LoseFirst returns a fate that loses the first so many packets of a kind.
func LoseFirst(kind uint8, n int) func(int32, *protocol.Packet) []unit.Time {
	return func(_ int32, p *protocol.Packet) []unit.Time {
		if p.Kind == kind && n > 0 {
			n--
			return nil
		}
		return []unit.Time{0}
	}
}

// CheckRevival lets the second of three hosts die while it sends to the first, and come
// back: the third one's message arrives meanwhile, and all others later.
func (l *LAN) CheckRevival() {
	l.T.Helper()
	l.Send(1, 0, 3*unit.MB, 0)
	l.Send(1, 0, 50*unit.KB, 0)
	l.Run(100 * unit.Microsecond)
	l.Dead[1] = true
	third := l.Send(2, 0, 2*unit.MB, 0)
	l.Run(5 * unit.Millisecond)
	if l.Delivered[[2]uint64{2, third}] != 1 {
		l.T.Fatalf("the message of another host did not arrive while one was dead")
	}
	l.Revive(1)
	l.Finish(10 * unit.Second)
}

// CheckAllocations passes packets of long messages between the two hosts that open makes, one
// each at a time and so far apart, and demands that nothing at all is allocated for them once as
// many steps have gone before. Moved tells which packets count, of which there must be as many
// as half of the steps. The runtime now and then allocates something of its own, which counts,
// too; so hosts that seem to allocate are opened and tried again, and would do the same again.
func CheckAllocations(t Failer, apart unit.Time, steps int, moved func(*protocol.Packet) bool, open func(host int32, out *protocol.HostOutput) protocol.HostTransport) {
	t.Helper()
	const tries = 3
	least := math.Inf(1)
	for i := 0; i < tries && least > 0; i++ {
		allocated, packets := exchange(apart, steps, moved, open)
		least = min(least, allocated)
		if packets < steps/2 {
			t.Fatalf("only %d packets moved", packets)
		}
	}
	if least > 0 {
		t.Fatalf("%v allocations in %d steps", least, steps)
	}
}

// exchange passes the packets of CheckAllocations, and counts.
func exchange(apart unit.Time, steps int, moved func(*protocol.Packet) bool, open func(host int32, out *protocol.HostOutput) protocol.HostTransport) (allocated float64, packets int) {
	var hosts [2]protocol.HostTransport
	var outs [2]protocol.HostOutput
	for i := range hosts {
		hosts[i] = open(int32(i), &outs[i])
	}
	for i, h := range hosts {
		h.Submit(0, &protocol.HostMessage{Peer: int32(1 - i), Bytes: 100 * unit.MB})
	}
	now := unit.Time(0)
	var p protocol.Packet
	step := func() {
		for i, h := range hosts {
			if at, ok := h.Deadline(); ok && at <= now {
				h.Expire(now)
			}
			p = protocol.Packet{}
			if h.Next(now, &p) {
				if moved(&p) {
					packets++
				}
				p.Peer = int32(i)
				hosts[1-i].Receive(now, &p)
			}
			outs[i].Events = outs[i].Events[:0]
		}
		now += apart
	}
	// All steps are one run, and there is another one before: the mean of many runs would be
	// rounded down.
	allocated = testing.AllocsPerRun(1, func() {
		packets = 0
		for range steps {
			step()
		}
	})
	return allocated, packets
}
