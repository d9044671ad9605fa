package collective

import (
	"weft/trace"
	"weft/unit"
)

// writer writes the operations of one rank, step by step. The operations of a step wait for what was
// received in the step before, or in an earlier one if nothing was.
type writer struct {
	Call
	b     *trace.Builder
	group []int32
	me    int
	whole region // the buffer
	// tag is that of the messages of the step. Both ranks of a message have the same one, whatever else
	// they do.
	tag int64

	begun    bool     // the rank has an operation
	got      bool     // and has received something
	ready    []uint32 // what the operations of the step wait for
	received []uint32 // in the step: receives, or their reductions
	sent     []uint32 // in the step
	loose    []sent   // sends that no operation waits for

	// seen, if there is one, is told what data operations carry.
	seen func(move)
}

// sent is a send, and the place that it is to.
type sent struct {
	op uint32
	to int
}

// move is the data of a send or a receive.
type move struct {
	op   uint32
	peer int // place
	data region
	// sum says that what is received is added to what is there.
	sum bool
	// done is the operation at whose end received data is in the buffer.
	done uint32
}

// token is the data of a barrier, whose messages have one byte.
var token = [1]extent{{0, 1}}

func newWriter(c Call, b *trace.Builder, group []int32, place int, after []uint32) *writer {
	w := &writer{Call: c, b: b, group: group, me: place, whole: region{{0, c.Size}}, tag: c.Tag, ready: after}
	if c.Kind == Barrier {
		w.whole, w.Reduction = token[:], 0
	}
	return w
}

// send sends data to a place. Without bytes there is no message.
func (w *writer) send(to int, data region) {
	size := data.size()
	if size == 0 {
		return
	}
	op := w.add(trace.Operation{Kind: trace.Send, Size: size, Tag: w.tag, Peer: w.group[to]})
	w.sent = append(w.sent, op)
	if n := len(w.loose); n > 0 && w.loose[n-1].to == to {
		w.loose[n-1].op = op
	} else {
		w.loose = append(w.loose, sent{op, to})
	}
	if w.seen != nil {
		w.seen(move{op: op, peer: to, data: data, done: op})
	}
}

// take receives data that replaces what is there, and sum data that is added to it.
func (w *writer) take(from int, data region) { w.receive(from, data, false) }
func (w *writer) sum(from int, data region)  { w.receive(from, data, true) }

func (w *writer) receive(from int, data region, sum bool) {
	size := data.size()
	if size == 0 {
		return
	}
	op := w.add(trace.Operation{Kind: trace.Recv, Size: size, Tag: w.tag, Peer: w.group[from]})
	done := op
	if sum && w.Reduction > 0 {
		time := w.Reduction.Transmit(unit.Bytes(size))
		done = w.b.Add(trace.Operation{Kind: trace.Calc, Size: int64((time + unit.Nanosecond - 1) / unit.Nanosecond), CPU: w.CPU})
		w.b.Require(done, op, false)
	}
	w.received = append(w.received, done)
	if w.seen != nil {
		w.seen(move{op: op, peer: from, data: data, sum: sum, done: done})
	}
}

func (w *writer) add(o trace.Operation) uint32 {
	o.CPU, o.NIC = w.CPU, w.NIC
	op := w.b.Add(o)
	for _, on := range w.ready {
		w.b.Require(op, on, false)
	}
	w.begun = true
	return op
}

// turn lets the operations that follow wait for what was received.
func (w *writer) turn() {
	if len(w.received) > 0 {
		w.ready, w.received, w.got = w.received, nil, true
	}
	w.sent = w.sent[:0]
}

// exchanged lets the operations that follow wait for what was received and sent in the step.
func (w *writer) exchanged() {
	if len(w.sent) > 0 {
		w.received = append(w.received, w.sent...)
		for n := len(w.loose); n > 0 && w.loose[n-1].op >= w.sent[0]; n-- {
			w.loose = w.loose[:n-1]
		}
	}
	w.turn()
}

// step ends a step that all ranks of the collective take.
func (w *writer) step() {
	w.turn()
	w.tag++
}

// ends returns the operations whose ends end the collective.
func (w *writer) ends() []uint32 {
	w.turn()
	var ends []uint32
	if w.got || !w.begun {
		ends = w.ready
	}
	for _, s := range w.loose {
		ends = append(ends, s.op)
	}
	return ends
}
