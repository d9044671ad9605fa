package hosttest

import (
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// This file takes messages back, and has hosts come and go, for transports that are a protocol.Canceler or a
// protocol.Forgetter.

// leaving is what a network knows of messages that were taken back, by sending host and tag.
type leaving struct {
	gone      map[[2]uint64]bool // messages that were taken back, or of which a host was replaced
	cancelled map[[2]uint64]bool // those that were taken back, while both of their hosts are there
	withdrawn map[[2]uint64]bool // those of which receivers reported it
	numbered  map[pairMessage]uint64
}

// pairMessage is a message by its hosts and its number; what belongs to it is its tag.
type pairMessage struct {
	from, to int32
	number   uint32
}

func newLeaving() leaving {
	return leaving{map[[2]uint64]bool{}, map[[2]uint64]bool{}, map[[2]uint64]bool{}, map[pairMessage]uint64{}}
}

// number learns the number of a message from a packet with payload of it.
func (l *LAN) number(from int32, p *protocol.Packet) {
	if p.Payload > 0 {
		l.numbered[pairMessage{from, p.Peer, p.Message}] = p.Tag
	}
}

// leaves notes what a host reports of messages that are gone, and tells what is wrong with it.
func (l *LAN) leaves(i int32, v *protocol.HostEvent) string {
	out, in := [2]uint64{uint64(i), v.Tag}, [2]uint64{uint64(v.Peer), v.Tag}
	switch v.Kind {
	case protocol.MessageDelivered:
		if l.withdrawn[in] {
			return "after it reported that the message was withdrawn"
		}
	case protocol.MessageCompleted, protocol.PacketLost:
		switch m := l.sent[out]; {
		case m == nil || m.Peer != v.Peer:
			return "of a message that it does not have"
		case l.gone[out]:
			return "of a message that was taken back"
		case l.Completed[out] > 1 || l.Completed[out] > 0 && v.Kind == protocol.PacketLost:
			return "of a message that is completed"
		}
	case protocol.MessageWithdrawn:
		tag, ok := l.numbered[pairMessage{v.Peer, i, uint32(v.Tag)}]
		key := [2]uint64{uint64(v.Peer), tag}
		switch {
		case v.Tag > 1<<32-1 || ok && !l.cancelled[key]:
			return "and nobody took the message back"
		case ok && (l.withdrawn[key] || l.Delivered[key] > 0):
			return "of a message that had ended"
		case ok:
			l.withdrawn[key] = true
		}
	}
	return ""
}

// left tells whether receivers reported the end of all messages that were taken back and of which something had come.
func (l *LAN) left() error {
	for key := range l.cancelled {
		if l.fresh[key] > 0 && l.Delivered[key] == 0 && !l.withdrawn[key] {
			return fmt.Errorf("of message %d of host %d, which was taken back, %v came, and its receiver did not report its end", key[1], key[0], l.fresh[key])
		}
	}
	return nil
}

// Cancel takes back a message of a host, and tells whether it was there. It counts in nothing any more.
func (l *LAN) Cancel(from int32, tag uint64) bool {
	key := [2]uint64{uint64(from), tag}
	ok := l.Hosts[from].HostTransport.(protocol.Canceler).Cancel(l.Now, l.sent[key])
	if ok {
		l.strike(key)
		l.cancelled[key] = true
	}
	l.heed(from)
	return ok
}

// strike takes a message out of what is counted.
func (l *LAN) strike(key [2]uint64) {
	if l.gone[key] || l.Submitted[key] == 0 {
		return
	}
	l.gone[key] = true
	delete(l.Submitted, key)
	l.Bytes -= l.sent[key].Bytes
	l.Fresh -= l.fresh[key]
}

// Replace has another host take the place of one, of which all others forget what they know: its messages that were not
// completed, and those to it that were not delivered or not completed, count in nothing any more. What is under way
// between it and the others is lost.
func (l *LAN) Replace(host int32, open func(out *protocol.HostOutput) protocol.HostTransport) {
	for key, m := range l.sent {
		if key[0] == uint64(host) || m.Peer == host {
			delete(l.cancelled, key)
		}
		if (key[0] == uint64(host) || m.Peer == host) && (l.Completed[key] == 0 || l.Delivered[key] == 0) {
			l.strike(key)
		}
	}
	for m := range l.numbered {
		if m.from == host || m.to == host {
			delete(l.numbered, m)
		}
	}
	var kept events
	for len(l.events) > 0 {
		e := l.events.pop()
		carries := e.what == atSwitch || e.what == leftSwitch || e.what == atHost
		if e.host != host && !(carries && e.p.Peer == host) {
			kept.push(e)
		} else if e.what == leftSwitch && e.p.Payload > 0 {
			l.Hosts[e.host].queued -= e.p.Wire
		}
	}
	l.events = kept
	for i, h := range l.Hosts {
		for k, list := range h.queue {
			var other []protocol.Packet
			for _, p := range list {
				if p.Peer != host && int32(i) != host {
					other = append(other, p)
				} else {
					l.lose(h, uint8(k), &p)
				}
			}
			h.queue[k] = other
		}
	}
	fresh := &Port{timer: unit.Forever}
	fresh.HostTransport = open(&fresh.Out)
	l.Hosts[host] = fresh
	for i, h := range l.Hosts {
		if int32(i) == host {
			continue
		}
		h.HostTransport.(protocol.Forgetter).Forget(l.Now, host)
		if h.busy && !l.serves(int32(i)) { // with what was lost
			h.busy = false
		}
		l.heed(int32(i))
		l.serve(int32(i))
	}
}

// serves tells whether a packet is on a host's downlink.
func (l *LAN) serves(host int32) bool {
	for i := range l.events {
		if l.events[i].what == leftSwitch && l.events[i].host == host {
			return true
		}
	}
	return false
}
