package hosttest

import (
	"weft/protocol"
	"weft/unit"
)

// This file takes messages back, and has hosts come and go, for transports that are a protocol.Canceler or a
// protocol.Forgetter.

// Cancel takes back a message of a host, and tells whether it was there. It counts in nothing any more.
func (l *LAN) Cancel(from int32, tag uint64) bool {
	key := [2]uint64{uint64(from), tag}
	ok := l.Hosts[from].HostTransport.(protocol.Canceler).Cancel(l.Now, l.sent[key])
	if ok {
		l.strike(key)
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
		if (key[0] == uint64(host) || m.Peer == host) && (l.Completed[key] == 0 || l.Delivered[key] == 0) {
			l.strike(key)
		}
	}
	var kept events
	for len(l.events) > 0 {
		e := l.events.pop()
		carries := e.what == atSwitch || e.what == leftSwitch || e.what == atHost
		if e.host != host && !(carries && e.p.Peer == host) {
			kept.push(e)
		}
	}
	l.events = kept
	for i, h := range l.Hosts {
		for k, list := range h.queue {
			var other []protocol.Packet
			for _, p := range list {
				if p.Peer != host && int32(i) != host {
					other = append(other, p)
				} else if p.Payload > 0 {
					h.queued -= p.Wire
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
		if h.busy && !l.leaves(int32(i)) { // with what was lost
			h.busy = false
		}
		l.heed(int32(i))
		l.serve(int32(i))
	}
}

// leaves tells whether a packet is on a host's downlink.
func (l *LAN) leaves(host int32) bool {
	for i := range l.events {
		if l.events[i].what == leftSwitch && l.events[i].host == host {
			return true
		}
	}
	return false
}
