package timeline

import (
	"runtime"
	"slices"

	"weft/trace"
	"weft/unit"
)

// Critical returns the path that decided when the last operation ended. It goes back from there: from the end of
// an operation to its begin, from there to what held it back the longest, and so on. That is an operation of its
// rank that it required or that had its processor. A receive was held back by its message, whose send is at another
// rank.
func Critical(t *trace.Trace, l *Log) Path {
	defer runtime.KeepAlive(l)
	w := walker{trace: t, log: l, takers: newTakers(t, l), indices: make([]*index, len(l.Ranks))}
	w.begin, w.now = l.Bounds()
	e, ok := w.last()
	// Each step leads to what happened before. The bound is for logs that contradict themselves.
	for still := 0; ok && still < 2*w.operations(); still++ {
		before := w.now
		if e.ends {
			e = w.ended(e.op)
		} else {
			e, ok = w.began(e.op)
		}
		if w.now < before {
			still = 0
		}
	}
	w.add(Other, w.begin, e.op, nobody)
	slices.Reverse(w.path)
	return w.path
}

// nobody is the receive of what is no message.
var nobody = Ref{Rank: -1}

// walker goes back in time.
type walker struct {
	trace   *trace.Trace
	log     *Log
	takers  takers
	indices []*index
	begin   unit.Time // of the job
	now     unit.Time
	path    Path // from its end
	why     Why  // what led to now from the last segment of path
}

// event is that an operation begins or ends.
type event struct {
	op   Ref
	ends bool
}

// last returns what happened last.
func (w *walker) last() (e event, ok bool) {
	for r := range w.log.Ranks {
		rank := &w.log.Ranks[r]
		for i := range rank.Begin {
			op := Ref{int32(r), uint32(i)}
			switch w.now {
			case rank.End[i]:
				return event{op, true}, true
			case rank.Begin[i]:
				e, ok = event{op, false}, true
			}
		}
	}
	return e, ok
}

func (w *walker) operations() (n int) {
	for r := range w.log.Ranks {
		n += len(w.log.Ranks[r].Begin)
	}
	return n
}

// add adds the segment that leads from an earlier time to now, if there is time between.
func (w *walker) add(class Class, from unit.Time, op, recv Ref) {
	if from >= w.now {
		return
	}
	if n := len(w.path); n > 0 {
		w.path[n-1].Why = w.why
	}
	w.why = start
	w.path = append(w.path, Segment{from, w.now, class, start, op, recv})
	w.now = from
}

func (w *walker) because(why Why) {
	if w.why <= required {
		w.why = why
	}
}

func (w *walker) operation(op Ref) trace.Operation { return w.trace.Ranks[op.Rank].At(op.Op) }
func (w *walker) beginOf(op Ref) unit.Time         { return w.log.Ranks[op.Rank].Begin[op.Op] }
func (w *walker) endOf(op Ref) unit.Time           { return w.log.Ranks[op.Rank].End[op.Op] }

// ended returns what came before the end of an operation.
func (w *walker) ended(op Ref) event {
	switch w.operation(op).Kind {
	case trace.Calc:
		w.add(Compute, w.beginOf(op), op, nobody)
	case trace.Send:
		return w.sent(op)
	case trace.Recv:
		return w.received(op)
	}
	return event{op, false}
}

func (w *walker) sent(send Ref) event {
	recv := w.receiver(send)
	if recv.Rank < 0 {
		w.add(Transfer, w.beginOf(send), send, recv)
		return event{send, false}
	}
	switch w.log.wait(send) {
	case Held:
		if w.beginOf(recv) > w.beginOf(send) {
			w.add(Transfer, w.beginOf(recv), send, recv)
			w.because(posted)
			return event{recv, false}
		}
	case Taken:
		if w.beginOf(recv) == w.now && w.endOf(recv) == w.now { // the message was there
			w.because(posted)
			return event{recv, false}
		}
		if holder, ok := w.queued(send, recv.Rank, w.now); ok {
			w.because(busy)
			return w.passed(holder)
		}
	}
	w.add(Transfer, w.beginOf(send), send, recv)
	return event{send, false}
}

// receiver returns the receive that took the message of a send, or nobody.
func (w *walker) receiver(send Ref) Ref {
	if recv, ok := w.takers.of(send); ok {
		return recv
	}
	return nobody
}

func (w *walker) received(recv Ref) event {
	send := w.log.Ranks[recv.Rank].Took[recv.Op]
	begin := w.beginOf(recv)
	if send.Rank < 0 || begin == w.now { // the message was there when the receive was posted
		return event{recv, false}
	}
	w.because(arrived)
	if begin > w.beginOf(send) && w.log.wait(send) == Held {
		w.add(Transfer, begin, send, recv)
		w.because(posted)
		return event{recv, false}
	}
	_, work := w.log.handling(send)
	if holder, ok := w.queued(send, recv.Rank, w.now-work); ok {
		w.add(Transfer, w.now-work, send, recv)
		w.because(busy)
		return w.passed(holder)
	}
	w.add(Transfer, w.beginOf(send), send, recv)
	return event{send, false}
}

// queued returns the operation for whose end a message waited at its receiver, until the processor began to work on
// the message.
func (w *walker) queued(send Ref, rank int32, until unit.Time) (holder Ref, ok bool) {
	after, _ := w.log.handling(send)
	if w.log.Handling == nil || until <= w.beginOf(send)+after {
		return Ref{}, false
	}
	return w.holder(rank, w.operation(send).CPU, until)
}

// began returns what came before the begin of an operation. There is nothing before the begin of the job.
func (w *walker) began(op Ref) (event, bool) {
	at := w.beginOf(op)
	w.add(Other, at, op, nobody) // nothing, unless the log contradicts itself
	if at == w.begin {
		return event{}, false
	}
	before, since := w.index(op.Rank).latest(&w.log.Ranks[op.Rank], op.Op, at)
	if since < at {
		w.because(busy)
		if holder, ok := w.holder(op.Rank, w.operation(op).CPU, at); ok {
			return w.passed(holder), true
		}
		if before, ok := w.sending(op, at); ok {
			w.add(Transfer, w.beginOf(before), before, w.receiver(before))
			return event{before, false}, true
		}
		w.add(Queue, max(since, w.begin), op, nobody)
	}
	if since == Never {
		return event{}, false
	}
	w.because(required)
	return event{Ref{op.Rank, before.op()}, !before.start()}, true
}

// sending returns the send that held the NIC of another one until that began.
func (w *walker) sending(op Ref, until unit.Time) (before Ref, ok bool) {
	o := w.operation(op)
	if o.Kind != trace.Send || w.log.Sending == nil {
		return Ref{}, false
	}
	log := &w.log.Ranks[op.Rank]
	for _, i := range slices.Backward(w.index(op.Rank).sendsBefore(log, until)) {
		before = Ref{op.Rank, i}
		if w.operation(before).NIC == o.NIC {
			return before, log.Begin[i]+w.log.Sending(before) == until
		}
	}
	return Ref{}, false
}

// passed returns what came before an operation that held a processor until now.
func (w *walker) passed(holder Ref) event {
	switch w.operation(holder).Kind {
	case trace.Recv:
		return event{holder, true}
	case trace.Calc:
		w.add(Compute, w.beginOf(holder), holder, nobody)
	case trace.Send:
		w.add(Transfer, w.beginOf(holder), holder, w.receiver(holder))
	}
	return event{holder, false}
}

// holder returns the operation that held a processor of a rank until a time: a computation, or else a send, or else
// a receive on whose message the processor worked.
func (w *walker) holder(rank int32, cpu uint16, until unit.Time) (best Ref, ok bool) {
	log := &w.log.Ranks[rank]
	order := [...]int{trace.Calc: 3, trace.Send: 2, trace.Recv: 1}
	most := 0
	for _, i := range w.index(rank).endingAt(log, until) {
		it := Ref{rank, i}
		o := w.operation(it)
		kind := o.Kind
		if kind == trace.Recv {
			send := log.Took[i]
			if send.Rank < 0 || w.beginOf(send) >= until {
				continue
			}
			if _, work := w.log.handling(send); work == 0 {
				continue
			}
			o = w.operation(send) // its message holds the processor that the sender names
		}
		if o.CPU == cpu && order[kind] > most {
			best, most = it, order[kind]
		}
	}
	return best, most > 0
}
