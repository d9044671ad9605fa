package transport

import (
	"slices"

	"weft/internal/histogram"
)

// The functions of this file read the state of a transport between two calls of the
// network's Run. They change nothing.

// Oldest returns the message that has waited longest for its acknowledgement. It
// prefers messages that have not been delivered.
func (t *Transport) Oldest() (w Waiting, ok bool) {
	there := t.deliveries()
	if w, ok = t.oldest(func(dst int32, message, serial uint32, src int32) bool { return !there(dst, message, serial, src) }); !ok {
		w, ok = t.oldest(func(int32, uint32, uint32, int32) bool { return true })
		w.Delivered = ok && !w.Hosted
	}
	return w, ok
}

// deliveries returns a function that reports whether the receiver of a connection's
// message has all of it.
func (t *Transport) deliveries() func(dst int32, message, serial uint32, src int32) bool {
	places := t.places()
	return func(dst int32, message, serial uint32, src int32) bool {
		at := places[dst]
		return at.e.Receiving.Has(at.local, src, message, serial)
	}
}

// location is the place of a host: its endpoint and its number there.
type location struct {
	e     *Endpoint
	local int32
}

// places returns the locations of all hosts, by host index in the graph.
func (t *Transport) places() []location {
	places := make([]location, len(t.net.Names))
	for _, e := range t.endpoints {
		for i := range e.hosts {
			places[e.hosts[i].ID] = location{e, int32(i)}
		}
	}
	return places
}

// oldest returns the message that has waited longest, among the messages of
// connections that asked accepts and all messages of host transports.
func (t *Transport) oldest(asked func(dst int32, message, serial uint32, src int32) bool) (w Waiting, ok bool) {
	for _, e := range t.endpoints {
		w, ok = e.Sending.Oldest(w, ok, asked)
	}
	for _, e := range t.endpoints {
		for i := range e.hosts {
			if e.hosts[i].hosted != nil {
				w, ok = e.oldestHosted(&e.hosts[i], w, ok)
			}
		}
	}
	return w, ok
}

// Loads returns the loads of all hosts so far, by host index in the graph.
func (t *Transport) Loads() []Load {
	loads := make([]Load, len(t.net.Names))
	for _, e := range t.endpoints {
		e.Sending.Loads(loads)
	}
	return loads
}

// Connections returns the connections that carry a message that is not fully acknowledged,
// between hosts that want accepts. Their order does not depend on domains.
func (t *Transport) Connections(want func(src, dst int32) bool) (list []Connection) {
	for _, e := range t.endpoints {
		list = e.Sending.Connections(want, list)
	}
	slices.SortFunc(list, Connection.Compare)
	return slices.Compact(list)
}

// Sending calls each for every message that a connection has begun to send and that
// is not fully acknowledged. The order may depend on domains.
func (t *Transport) Sending(each func(Sending)) {
	for _, e := range t.endpoints {
		e.Sending.Sending(each)
	}
}

// Acted returns what the options of all groups have done so far.
func (t *Transport) Acted() []Acted {
	list := make([]Acted, len(t.groups))
	for _, e := range t.endpoints {
		for i := range e.hosts {
			if t := e.hosts[i].hosted; t != nil {
				t.reacted(list)
			}
			for g, s := range e.sourcesOf(int32(i)) {
				list[g].Started += s.ordinal
			}
		}
		e.Sending.Acted(list)
	}
	return list
}

// RTTs returns the round-trip times of packets acknowledged since the last call of ResetRTTs,
// in picoseconds, by group. A round trip lasts from the NIC taking the packet to the arrival of
// its acknowledgement. Resent packets do not count, since it is unknown which copy was
// acknowledged. Of packets that are acknowledged together, only the one that triggered the
// acknowledgement counts. For ExpressPass, a round trip lasts from the making of a credit at
// the receiver, before it waits at the NIC, to the arrival of the data that it brings.
func (t *Transport) RTTs() []*histogram.Histogram {
	sum := make([]*histogram.Histogram, len(t.groups))
	for g := range sum {
		sum[g] = new(histogram.Histogram)
		for _, e := range t.endpoints {
			if own := e.Sending.RTTs(g); own != nil {
				sum[g].Merge(own)
			}
		}
	}
	return sum
}

// ResetRTTs discards the round-trip times so far.
func (t *Transport) ResetRTTs() {
	for _, e := range t.endpoints {
		for g := range t.groups {
			if own := e.Sending.RTTs(g); own != nil {
				own.Reset()
			}
		}
	}
}
