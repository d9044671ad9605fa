package fabric

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// In this file, switches run controllers for the queues of one class and notify the
// sources of the flows in these queues (protocol.Controller). All ports tick at the
// same instants, after everything else of the instant, in the order of their links.
// A port with an empty queue does not tick.

// ControlConfig describes the controllers at the queues of all switches. The zero
// value has none. With controllers, all ports of switches have disciplines.
type ControlConfig struct {
	protocol.Controller
	// Class is the class of the controlled queues. A port with fewer classes uses its last.
	Class uint8
	// Reply makes, from a frame that waits in a queue, the frame that carries a notice to
	// its source. It returns false if nobody is to be notified. Frames of a source with
	// the same Message, Serial, Group and Kind belong to one flow, which gets one notice.
	Reply func(f *Frame) (reply Frame, ok bool)
	// BaseRTT is the base round-trip time that controllers receive.
	BaseRTT unit.Time
}

func (c *ControlConfig) check() error {
	switch {
	case !c.On():
		return nil
	case c.Period <= 0:
		return fmt.Errorf("fabric: the period of controllers is %v; it must be positive", c.Period)
	case c.Offset < 0 || c.Offset >= c.Period:
		return fmt.Errorf("fabric: the offset of controllers is %v; it must be less than their period, %v", c.Offset, c.Period)
	case c.NoticeBytes < 0 || c.NoticeBytes > MaxFrame:
		return fmt.Errorf("fabric: notices of controllers have %v; they must have at most %v", c.NoticeBytes, unit.Bytes(MaxFrame))
	case c.NoticeBytes > 0 && c.Reply == nil:
		return fmt.Errorf("fabric: nothing makes the notices of controllers")
	}
	return nil
}

// controls are the controllers of a domain. It implements events, with one entity, and instants.
type controls struct {
	ControlConfig
	d            *Domain
	tick         sim.Entity
	ports        []*controlled // nil for ports of hosts
	awake, spare []int32       // ports
	flows        flowSet
	replies      []Frame
}

// controlled is a port with a controller. It is a tap of the port.
type controlled struct {
	of *controls
	protocol.QueueController
	fields protocol.FieldController // nil unless it sees frames
	last   sim.Time                 // last tick, whether run or slept through
	rng    rand.PCG
	class  uint8
	awake  bool // listed in controls.awake
}

// placeControls makes the controllers of all switch ports.
func (n *Network) placeControls(c *ControlConfig) {
	if !c.On() {
		return
	}
	for _, d := range n.domains {
		all := &controls{ControlConfig: *c, d: d, ports: make([]*controlled, len(d.ports))}
		all.tick = d.addEvents(others{events: all, count: 1, kind: Tick})
		d.hooks.instants = all
		for i := range d.ports {
			q := d.ports[i].disc
			if q == nil {
				continue
			}
			t := &controlled{of: all, class: min(c.Class, uint8(len(q.classes)-1)), last: c.Offset}
			sim.SeedStream(&t.rng, n.seed, n.names[d.cold[i].id], "controller")
			t.QueueController = c.New(protocol.QueueEnv{
				Rand: &t.rng, Rate: d.cold[i].rate, Class: int(t.class), Classes: len(q.classes), Limit: unit.Bytes(q.classes[t.class].limit),
				BaseRTT: c.BaseRTT,
			})
			if c.Fields {
				t.fields, _ = t.QueueController.(protocol.FieldController)
			}
			q.addTap(t)
			all.ports[i] = t
		}
	}
}

// rank implements events: controllers act after everything else of an instant.
func (c *controls) rank(int32, [][]uint32) uint32 { return math.MaxUint32 }

// onArrival implements tap. It shows the controller of port i a frame that joins its queue.
func (t *controlled) onArrival(_ *port, i int32, f *Frame, _ FrameID, k uint8, _ via, now sim.Time) bool {
	if k != t.class {
		return true
	}
	if !t.awake {
		t.of.wake(t, i, now)
	}
	if t.fields != nil {
		t.fields.Arrived(now, unit.Bytes(f.Size), t.of.d.Carries(f))
	}
	return true
}

// onStart implements tap. It shows the controller a frame that leaves its queue.
func (t *controlled) onStart(_ *port, _ int32, f *Frame, k uint8, now sim.Time) {
	if k == t.class && t.fields != nil {
		t.fields.Left(now, unit.Bytes(f.Size), t.of.d.Carries(f))
	}
}

// onHeld implements tap.
func (t *controlled) onHeld(int32, uint8, sim.Time) {}

// wake makes port i tick again because a frame joins its queue. First it catches up
// on the ticks that the port slept through.
func (c *controls) wake(t *controlled, i int32, now sim.Time) {
	d, before := c.d, now
	if d.current == c.tick { // this instant's tick has passed, too
		before++
	}
	c.makeUp(t, before)
	t.awake = true
	c.awake = append(c.awake, i)
	if d.current != c.tick && !d.sched.IsPending(c.tick) {
		d.sched.Schedule(c.tick, c.next(now))
	}
}

// next returns the first tick at or after a time.
func (c *controls) next(t sim.Time) sim.Time {
	if t <= c.Offset {
		return c.Offset
	}
	return c.Offset + (t-c.Offset+c.Period-1)/c.Period*c.Period
}

// event implements events. It ticks the controllers of all ports that are awake.
func (c *controls) event(_ int32, now sim.Time) {
	list := c.awake
	c.awake = c.spare[:0] // plus the ports that a notice wakes
	slices.Sort(list)
	for _, i := range list {
		if c.tickPort(i, now) {
			c.awake = append(c.awake, i)
		} else {
			c.ports[i].awake = false
		}
	}
	c.spare = list
	if len(c.awake) > 0 {
		c.d.sched.Schedule(c.tick, now+c.Period)
	}
}

// makeUp ticks a controller for the instants before now that it slept through,
// until it has settled.
func (c *controls) makeUp(t *controlled, now sim.Time) {
	for at := t.last + c.Period; at < now && !t.Settled(); at += c.Period {
		t.Tick(at, 0)
	}
	t.last = max(t.last, c.next(now)-c.Period)
}

// tickPort ticks the controller of port i and reports whether its queue holds anything.
func (c *controls) tickPort(i int32, now sim.Time) bool {
	t, p := c.ports[i], &c.d.ports[i]
	c.d.drain(p, i, now)
	t.last = now
	held := p.disc.classes[t.class].bytes
	if notice, tell := t.Tick(now, unit.Bytes(held)); tell && held > 0 && c.NoticeBytes > 0 {
		c.tellFlows(i, notice, now)
	}
	return held > 0
}

// tellFlows sends a notice to the source of every flow with a frame waiting at port i.
func (c *controls) tellFlows(i int32, notice protocol.Notice, now sim.Time) {
	d := c.d
	queue := &d.ports[i].disc.classes[c.ports[i].class]
	c.flows.clear(int(queue.tail - queue.head))
	c.replies = c.replies[:0]
	for j := queue.head; j != queue.tail; j++ {
		f := &d.Packets[queue.at(j).frame]
		if f.Originated() || !c.flows.add(flowName{f.Src(), f.Message, f.Serial, f.Group(), f.Kind}) {
			continue
		}
		if reply, ok := c.Reply(f); ok {
			c.replies = append(c.replies, reply)
		}
	}
	for k := range c.replies { // which may join this very queue
		c.originate(i, &c.replies[k], notice, now)
	}
}

// originate makes the switch of port i send a frame with a notice.
func (c *controls) originate(i int32, reply *Frame, notice protocol.Notice, now sim.Time) {
	d := c.d
	id := d.Take()
	f := &d.Packets[id]
	*f = *reply
	f.Flags |= packet.Originated
	*d.AddNotice(f) = packet.Notice{Notice: notice, From: d.cold[i].id}
	d.tally.totals.Originated++
	d.tally.totals.OriginatedBytes += uint64(f.Size)
	d.forward(&d.switches[d.cold[i].sw], f, id, noIngress, now)
}

// sweep implements instants.
func (c *controls) sweep(b *batch, keys []uint64, from, to sim.Time) []uint64 {
	d := c.d
	for at := c.next(from); at < to; at += c.Period {
		k, _ := slices.BinarySearch(keys, uint64(at-from+1)<<32)
		d.sweepKeys(b, keys[:k], from)
		keys = keys[k:]
		if d.sched.IsPending(c.tick) {
			d.sched.Take(c.tick)
			d.enter(c.tick)
			c.event(0, at)
		}
	}
	return keys
}

// expect implements instants.
func (c *controls) expect() {
	if at, ok := c.d.sched.Pending(c.tick); ok {
		c.d.sched.Expect(at)
	}
}

// flowName identifies a flow among the frames of a network.
type flowName struct {
	src             int32
	message, serial uint32
	group, kind     uint8
}

// flowSet is a set of flows that can be emptied in constant time.
type flowSet struct {
	slots []struct {
		flowName
		round uint32
	}
	round uint32
}

// clear empties the set and makes room for n flows.
func (s *flowSet) clear(n int) {
	s.round++
	if 2*n > len(s.slots) || s.round == 0 {
		size := max(len(s.slots), 16, 1<<bits.Len(uint(2*n)))
		s.slots = slices.Grow(s.slots[:0], size)[:size]
		clear(s.slots)
		s.round = 1
	}
}

// add adds a flow, for which clear made room, and reports whether it was new.
func (s *flowSet) add(f flowName) bool {
	h := sim.Mix(uint64(uint32(f.src))<<32 ^ uint64(f.message)<<8 ^ uint64(f.serial) ^ uint64(f.group)<<48 ^ uint64(f.kind)<<56)
	for k := h; ; k++ {
		slot := &s.slots[k&uint64(len(s.slots)-1)]
		if slot.round != s.round {
			slot.flowName, slot.round = f, s.round
			return true
		}
		if slot.flowName == f {
			return false
		}
	}
}
