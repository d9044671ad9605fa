package homa

import (
	"cmp"
	"math"
	"slices"

	"weft/protocol"
	"weft/unit"
	"weft/workload"
)

// config is what does not change while a host lives.
type config struct {
	sird bool
	// rttBytes is what a message may have in flight, in wire bytes.
	rttBytes unit.Bytes
	// unscheduled is the payload of a message that needs no grant.
	unscheduled unit.Bytes
	// boost is how many of a message's last wire bytes have unscheduled levels.
	boost unit.Bytes

	// payload and header are those of unscheduled packets, schedPayload and schedHeader
	// those of scheduled ones.
	payload, header           unit.Bytes
	schedPayload, schedHeader unit.Bytes
	control, reply            unit.Bytes // wire bytes of grants and of confirmations
	rate                      unit.Rate

	priorities, scheduled, overcommit int
	// slots is how many places there are for senders that are granted to.
	slots   int
	byLeft  bool
	cutoffs []unit.Bytes // rising, one less than the unscheduled levels or fewer

	class, controlClass uint8
	confirm             bool
	echo                protocol.GroupSet
	resend              unit.Time
	hosts               int32
	largest             unit.Bytes // message that is received; 0 is no limit
}

func newConfig(o Options, rows []workload.Row, env protocol.HostEnv) *config {
	bdp := env.BDP
	if o.BDP != nil {
		bdp = *o.BDP
	}
	c := &config{
		sird: o.Preset == SIRD, rttBytes: o.RTTBytes.Resolve(bdp, 0), boost: o.TailBoost.Resolve(bdp, 0),
		payload: env.Payload, header: env.Header, schedPayload: env.Payload + o.Saved, schedHeader: env.Header - o.Saved,
		control: env.Control, reply: env.Control, rate: env.LineRate,
		priorities: o.Priorities, byLeft: o.by() == "left", cutoffs: o.Cutoffs,
		class: env.Class, controlClass: env.ControlClass, confirm: o.Confirm, echo: env.Echo,
		resend: o.resend(), hosts: env.Hosts, largest: env.Largest,
	}
	c.unscheduled = c.rttBytes
	if o.Unscheduled != nil {
		c.unscheduled = o.Unscheduled.Resolve(bdp, 0)
	}
	if c.sird {
		c.reply = env.Header + 4
	}
	c.scheduled = o.Priorities - 1
	var load usage
	if rows != nil && c.unscheduled > 0 && c.rttBytes > 0 {
		load = c.measure(rows)
		c.scheduled = load.scheduledLevels(o.Priorities)
	}
	if o.Scheduled != nil {
		c.scheduled = *o.Scheduled
	}
	if load.cells != nil {
		c.cutoffs = load.divide(o.Priorities - c.scheduled)
	}
	c.overcommit = c.scheduled
	if o.Overcommit != nil {
		c.overcommit = *o.Overcommit
	}
	c.slots = max(c.scheduled, c.overcommit)
	return c
}

// least is the smallest frame on the wire.
const least unit.Bytes = 84

// usage is what the messages of a workload put on the wire, per message.
type usage struct {
	// cells are the bytes that have unscheduled levels, by what decides about the level:
	// the size of the message or its bytes left. The first is that of grants, at 0.
	cells []cell
	// unscheduled and all are data on the wire.
	unscheduled, all float64
}

type cell struct {
	key   unit.Bytes
	bytes float64
}

// measure computes what a workload puts on the wire. It counts of each message the
// packets that begin within its first rttBytes on the wire, and those within the last
// ones that are boosted; grants are at level 0 and count as bytes of messages of size 0.
func (c *config) measure(rows []workload.Row) usage {
	u := usage{cells: []cell{{}}}
	for _, r := range rows {
		u.add(c, r)
	}
	slices.SortStableFunc(u.cells, func(a, b cell) int { return cmp.Compare(a.key, b.key) })
	merged := u.cells[:1]
	for _, x := range u.cells[1:] {
		if last := &merged[len(merged)-1]; last.key == x.key {
			last.bytes += x.bytes
		} else {
			merged = append(merged, x)
		}
	}
	u.cells = merged
	return u
}

func (u *usage) add(c *config, r workload.Row) {
	count := func(left, wire unit.Bytes) {
		key := r.Size
		if c.byLeft {
			key = left
		}
		u.cells = append(u.cells, cell{key, float64(r.Share * float64(wire))})
	}
	first := min(c.unscheduled, r.Size)
	sent := unit.Bytes(0) // on the wire
	for at := unit.Bytes(0); at < first && sent < c.rttBytes; at += c.payload {
		wire := max(least, min(c.payload, first-at)+c.header)
		count(r.Size-at, wire)
		sent += wire
	}
	u.unscheduled += float64(r.Share * float64(c.wire(first)))
	rest := r.Size - first
	if rest == 0 {
		u.all += float64(r.Share * float64(c.wire(first)))
		return
	}
	packets := (rest + c.schedPayload - 1) / c.schedPayload
	total := c.wire(first) + rest + packets*c.schedHeader
	u.all += float64(r.Share * float64(total))
	u.cells[0].bytes += float64(r.Share * float64(packets*c.control))
	// Of the scheduled packets those count that begin within the first rttBytes, where the
	// unscheduled ones are fewer, and those that are boosted.
	sent, k := c.wire(first), unit.Bytes(0)
	full := c.schedPayload + c.schedHeader
	for ; k < packets && sent < c.rttBytes; k++ {
		wire := max(least, min(c.schedPayload, rest-k*c.schedPayload)+c.schedHeader)
		count(rest-k*c.schedPayload, wire)
		sent += wire
	}
	if far := (total - c.boost - sent) / full; far > 0 {
		k += min(far, packets-k)
		sent += far * full
	}
	for ; k < packets && c.boost > 0; k++ {
		wire := max(least, min(c.schedPayload, rest-k*c.schedPayload)+c.schedHeader)
		if total-sent < c.boost {
			count(rest-k*c.schedPayload, wire)
		}
		sent += wire
	}
}

// wire returns what so much unscheduled payload of a message takes on the wire.
func (c *config) wire(payload unit.Bytes) unit.Bytes {
	return payload + (payload+c.payload-1)/c.payload*c.header
}

// scheduledLevels divides the levels between unscheduled and scheduled packets by their
// bytes; each kind has one at least.
func (u *usage) scheduledLevels(priorities int) int {
	share := u.unscheduled / u.all
	return priorities - min(max(1, int(math.Round(share*float64(priorities)))), priorities-1)
}

// divide returns the cutoffs that give each of some levels the same bytes: of each level
// but the last the key of the first cell with which its part is full. No key is taken
// twice, so that there may be fewer.
func (u *usage) divide(levels int) (cutoffs []unit.Bytes) {
	all := 0.0
	for _, x := range u.cells {
		all += x.bytes
	}
	sum, k := 0.0, 0
	for n := 1; n < levels; n++ {
		for taken := false; k < len(u.cells)-1 && !taken; k++ {
			sum += u.cells[k].bytes
			if taken = sum >= all*float64(n)/float64(levels); taken {
				cutoffs = append(cutoffs, u.cells[k].key)
			}
		}
	}
	return cutoffs
}

// unscheduledLevel returns the level of unscheduled packets with a key.
func (c *config) unscheduledLevel(key unit.Bytes) int {
	for i, cut := range c.cutoffs {
		if key <= cut {
			return i
		}
	}
	return len(c.cutoffs)
}

// levelOf returns the level of an unscheduled packet of a message.
func (c *config) levelOf(size, offset unit.Bytes) int {
	if c.byLeft {
		return c.unscheduledLevel(size - offset)
	}
	return c.unscheduledLevel(size)
}

// grantLevel returns the level that a grant gives: by the slot of the sender, where the
// lowest slots are taken first, of which the first taken is head; or better at the
// message's end.
func (c *config) grantLevel(slot, head int, size, left unit.Bytes) int {
	// Slots in excess of the levels are of use only when all levels are taken.
	excess := max(0, c.slots-c.scheduled-head)
	level := min(c.priorities-1, c.priorities-c.slots+slot+excess)
	if c.boost > 0 && left+(left+c.schedPayload-1)/c.schedPayload*c.schedHeader < c.boost {
		key := size
		if c.byLeft {
			key = left
		}
		level = min(level, c.unscheduledLevel(key))
	}
	return level
}

// segment returns the payload of the packet of a message at an offset and whether it is
// scheduled; first is the payload of the message that is unscheduled.
func (c *config) segment(size, first, offset unit.Bytes) (payload unit.Bytes, scheduled bool) {
	if offset < first {
		return min(c.payload, first-offset), false
	}
	return min(c.schedPayload, size-offset), true
}

// place returns the number of the packet that begins at an offset; false if none does.
func (c *config) place(first, offset unit.Bytes) (int, bool) {
	if offset < first {
		return int(offset / c.payload), offset%c.payload == 0
	}
	rest := offset - first
	return c.packets(first) + int(rest/c.schedPayload), rest%c.schedPayload == 0
}

// packets returns the number of unscheduled packets of a message.
func (c *config) packets(first unit.Bytes) int { return int((first + c.payload - 1) / c.payload) }

// count returns the number of packets of a message.
func (c *config) count(size, first unit.Bytes) int {
	return c.packets(first) + int((size-first+c.schedPayload-1)/c.schedPayload)
}

// frame returns what a packet takes on the wire.
func (c *config) frame(payload unit.Bytes, scheduled bool) unit.Bytes {
	if scheduled {
		return payload + c.schedHeader
	}
	return payload + c.header
}
