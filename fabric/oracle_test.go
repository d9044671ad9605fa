package fabric_test

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/unit"
)

// oracle is the plainest model of one port: lists of frames that are searched
// from end to end, and an integral computed afterwards from who was queued when.
// Frames arrive at times that no departure shares, except with changes, which
// come after departures and before whatever else happens at their instant.
type oracle struct {
	port            fabric.PortConfig
	lanes           fabric.LaneGroups
	rate            unit.Rate
	flight, latency sim.Time

	down    bool
	classes [][]item
	turns   []turn // of service, in their order
	service *item
	wire    []item // serialised, or being so no longer
	stays   []stay
	sent    []item
	offered []item
	dropped []sim.Time

	arrived  []delivery // At is when the frame is ready at the far switch
	counters fabric.PortCounters
}

// item is a frame at the oracle's port.
type item struct {
	delivery
	class      int
	enters     sim.Time
	begin, end sim.Time // of its serialisation
}

// turn is the service of a frame of a class, or the failure of the link.
type turn struct {
	class  int
	others bool // frames of classes other than 0 waited for it
	failed bool
	passed bool // a frame of an earlier class waited on
}

// stay is a frame's time in the queue.
type stay struct {
	from, to sim.Time
	bytes    uint16
	flushed  bool // by a failure; a look at the queue at that instant sees it
}

func newOracle(c fabric.PortConfig, lanes fabric.LaneGroups, rate unit.Rate, flight, latency sim.Time) *oracle {
	return &oracle{port: c, lanes: lanes, rate: rate, flight: flight, latency: latency, classes: make([][]item, max(1, c.Classes))}
}

// advance lets frames depart up to and at t; a frame that could begin at t waits
// for resume.
func (o *oracle) advance(t sim.Time) {
	for o.service != nil && o.service.end <= t {
		f := *o.service
		o.service = nil
		o.stays = append(o.stays, stay{f.enters, f.end, f.Size, false})
		o.wire = append(o.wire, f)
		o.sent = append(o.sent, f)
		o.counters.SentFrames++
		o.counters.SentBytes += uint64(f.Size)
		if f.end < t {
			o.resume(f.end)
		}
	}
}

// resume begins the next transmission if the wire is free.
func (o *oracle) resume(t sim.Time) {
	if o.service != nil || o.down {
		return
	}
	k, ok := o.next()
	if !ok {
		return
	}
	f := o.classes[k][0]
	o.classes[k] = o.classes[k][1:]
	f.begin, f.end = t, t+transmit(o.rate, f.Size)
	if o.port.ECN && o.port.MarkAtDequeue {
		o.mark(&f, o.compared(k))
	}
	o.service = &f
}

// next returns the class whose turn it is: the first in which a frame waits, unless that is
// class 0 and as many of its frames as may have gone before a frame of the others.
func (o *oracle) next() (class int, ok bool) {
	var waiting []int
	for k, frames := range o.classes {
		if len(frames) > 0 {
			waiting = append(waiting, k)
		}
	}
	if len(waiting) == 0 {
		return 0, false
	}
	class = waiting[0]
	others := class == 0 && len(waiting) > 1
	if others && o.port.Trim != nil && o.port.Trim.Ratio > 0 && o.overtook() == o.port.Trim.Ratio {
		class = waiting[1]
	}
	class = o.lane(class, waiting)
	o.turns = append(o.turns, turn{class: class, others: others, passed: class != waiting[0]})
	return class, true
}

// lane returns which lane goes of the priority of a class: that of the frame that came first, or the next in turn.
func (o *oracle) lane(class int, waiting []int) int {
	var lanes []int
	for _, k := range waiting {
		if o.group(class)>>k&1 != 0 {
			lanes = append(lanes, k)
		}
	}
	if o.lanes.Order == fabric.ByArrival {
		return slices.MinFunc(lanes, func(a, b int) int { return cmp.Compare(o.classes[a][0].enters, o.classes[b][0].enters) })
	}
	last := 0
	for _, t := range o.turns {
		if !t.failed && o.group(class)>>t.class&1 != 0 {
			last = t.class
		}
	}
	for _, k := range lanes {
		if k > last {
			return k
		}
	}
	return lanes[0]
}

// outOfOrder tells whether a lane ever went before one of a lower class.
func (o *oracle) outOfOrder() bool {
	return slices.ContainsFunc(o.turns, func(t turn) bool { return t.passed && len(o.lanes.Masks) > 0 })
}

// overtook returns how many frames of class 0 went while others waited, since one of the
// others did or the link failed.
func (o *oracle) overtook() (n int) {
	for i := len(o.turns) - 1; i >= 0 && o.turns[i].class == 0 && !o.turns[i].failed; i-- {
		if o.turns[i].others {
			n++
		}
	}
	return n
}

// gaveWay tells whether a frame of class 0 ever had to wait for its ratio.
func (o *oracle) gaveWay() bool {
	return slices.ContainsFunc(o.turns, func(t turn) bool { return t.class > 0 && t.others })
}

// queued returns the bytes of a class, the frame in service included.
func (o *oracle) queued(class int) unit.Bytes {
	sum := unit.Bytes(0)
	for _, f := range o.classes[class] {
		sum += unit.Bytes(f.Size)
	}
	if o.service != nil && o.service.class == class {
		sum += unit.Bytes(o.service.Size)
	}
	return sum
}

// all returns the bytes of all classes, the frame in service included.
func (o *oracle) all() unit.Bytes {
	sum := unit.Bytes(0)
	for k := range o.classes {
		sum += o.queued(k)
	}
	return sum
}

// compared returns what the threshold is compared with for a frame of a class.
func (o *oracle) compared(class int) unit.Bytes {
	if o.port.MarkByPort {
		return o.all()
	}
	if o.lanes.MarkEach {
		return o.queued(class)
	}
	return o.ofPriority(class)
}

// ofPriority returns the bytes of all lanes of the priority of a class.
func (o *oracle) ofPriority(class int) unit.Bytes {
	sum := unit.Bytes(0)
	for k := range o.classes {
		if o.group(class)>>k&1 != 0 {
			sum += o.queued(k)
		}
	}
	return sum
}

// group returns the lanes of the priority of a class.
func (o *oracle) group(class int) uint8 {
	for _, m := range o.lanes.Masks {
		if m>>class&1 != 0 {
			return m
		}
	}
	return 1 << class
}

// mark marks by a threshold.
func (o *oracle) mark(f *item, queue unit.Bytes) {
	if queue > o.port.KMin {
		f.Marked = true
		o.counters.Marks++
	}
}

func (o *oracle) drop(t sim.Time, size uint16, why fabric.Reason) {
	o.dropped = append(o.dropped, t)
	o.counters.Drops[why]++
	o.counters.DroppedBytes += uint64(size)
	o.counters.LostBytes[why] += uint64(size)
}

// limit returns what a class holds.
func (o *oracle) limit(class int) unit.Bytes {
	if class == 0 && o.port.Trim != nil {
		return o.port.Trim.Limit
	}
	return o.port.Limit
}

// arrive offers a frame to the port. With a coin for trimming it is always the
// arriving frame that is cut, as if coins fell so.
func (o *oracle) arrive(t sim.Time, s send) {
	f := item{delivery: delivery{Src: s.Src, ID: s.ID, Size: s.Size}, enters: t}
	f.class = min(int(s.Class), len(o.classes)-1)
	if o.down {
		o.drop(t, f.Size, fabric.LinkDown)
		o.counters.RefusedFrames++
		o.counters.RefusedBytes += uint64(f.Size)
		o.offered = append(o.offered, f)
		return
	}
	if o.ofPriority(f.class)+unit.Bytes(f.Size) > o.limit(f.class) {
		if o.port.Trim == nil {
			o.drop(t, f.Size, fabric.QueueFull)
			return
		}
		if f.class == 0 {
			o.drop(t, f.Size, fabric.HeaderQueueFull)
			return
		}
		o.counters.Trims++
		o.counters.TrimmedBytes += uint64(f.Size - o.port.Trim.Header)
		f.Size, f.class, f.Trimmed = o.port.Trim.Header, 0, true
		if o.queued(0)+unit.Bytes(f.Size) > o.limit(0) {
			o.drop(t, f.Size, fabric.HeaderQueueFull)
			return
		}
	} else if o.port.ECN && !o.port.MarkAtDequeue {
		o.mark(&f, o.compared(f.class))
	}
	o.classes[f.class] = append(o.classes[f.class], f)
	o.offered = append(o.offered, f)
	o.counters.Frames++
	o.counters.Bytes += uint64(f.Size)
	o.counters.QueueMax = max(o.counters.QueueMax, uint32(o.all()))
	o.resume(t)
}

// change applies what happens to the link; advance was called.
func (o *oracle) change(c fault.Change) {
	switch c.What {
	case fault.SetRate:
		o.rate = c.Rate
	case fault.Up:
		o.down = false
	case fault.Down:
		o.down = true
		o.turns = append(o.turns, turn{failed: true})
		lose := func(f item, flushed bool) {
			o.drop(c.At, f.Size, fabric.LinkDown)
			if flushed {
				o.counters.FlushedFrames++
				o.counters.FlushedBytes += uint64(f.Size)
				o.stays = append(o.stays, stay{f.enters, c.At, f.Size, true})
			}
		}
		for k, waiting := range o.classes {
			for _, f := range waiting {
				lose(f, true)
			}
			o.classes[k] = nil
		}
		if o.service != nil {
			lose(*o.service, true)
			o.service = nil
		}
		o.wire = slices.DeleteFunc(o.wire, func(f item) bool {
			if f.end+o.flight <= c.At {
				return false
			}
			lose(f, false)
			return true
		})
	}
}

// land moves what is ready at the far switch before t off the wire.
func (o *oracle) land(t sim.Time) {
	o.wire = slices.DeleteFunc(o.wire, func(f item) bool {
		ready := f.end + o.flight + o.latency
		if ready >= t {
			return false
		}
		f.At = ready
		o.arrived = append(o.arrived, f.delivery)
		return true
	})
}

// read returns the counters at t.
func (o *oracle) read(t sim.Time) fabric.PortCounters {
	c := o.counters
	for _, s := range o.still(t) {
		c.QueueByteTime += float64(s.to-s.from) * float64(s.bytes)
	}
	return c
}

// still returns all stays up to t, those that have not ended included.
func (o *oracle) still(t sim.Time) []stay {
	stays := slices.Clone(o.stays)
	for _, waiting := range o.classes {
		for _, f := range waiting {
			stays = append(stays, stay{f.enters, t, f.Size, false})
		}
	}
	if f := o.service; f != nil {
		stays = append(stays, stay{f.enters, t, f.Size, false})
	}
	return stays
}

// series returns what a record of the port holds at t.
func (o *oracle) series(t, interval sim.Time) dense {
	s := dense{}
	add := func(to *[]int64, bucket sim.Time, bytes uint64) {
		for len(*to) <= int(bucket) {
			*to = append(*to, 0)
		}
		(*to)[bucket] += int64(bytes)
	}
	for _, f := range o.offered {
		add(&s.Offered, f.enters/interval, uint64(f.Size))
	}
	for _, f := range o.sent {
		// Whole bytes that are out by the end of each bucket.
		done := uint64(0)
		for b := f.begin / interval; b*interval < f.end; b++ {
			by := min((b+1)*interval, f.end)
			out := uint64(f.Size) * uint64(by-f.begin) / uint64(f.end-f.begin)
			add(&s.Sent, b, out-done)
			done = out
		}
	}
	for _, at := range o.dropped {
		for len(s.Dropped) <= int(at/interval) {
			s.Dropped = append(s.Dropped, 0)
		}
		s.Dropped[at/interval]++
	}
	stays := o.still(t + 1)
	for at := sim.Time(0); at <= t; at += interval {
		queue := int64(0)
		for _, f := range stays {
			if f.from < at && (at < f.to || f.flushed && at == f.to) {
				queue += int64(f.bytes)
			}
		}
		s.Queue = append(s.Queue, queue)
	}
	return s.trimmed()
}
