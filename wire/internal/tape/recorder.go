package tape

import (
	"encoding/json"
	"io"
	"iter"

	"weft/protocol"
	"weft/unit"
)

// Recorder wraps a transport and writes its calls and answers.
type Recorder struct {
	host protocol.HostTransport
	out  *protocol.HostOutput
	to   *json.Encoder
	err  error
}

// Record returns a recorder around a transport that was made with the given seed and environment.
// The writer should be buffered; the caller flushes it.
func Record(to io.Writer, name Name, seed [2]uint64, e *protocol.HostEnv, host protocol.HostTransport) *Recorder {
	r := &Recorder{host: host, out: e.Out, to: json.NewEncoder(to)}
	r.err = r.to.Encode(head{version, name, seed, envOf(e)})
	return r
}

// Err returns the first error of the writer.
func (r *Recorder) Err() error { return r.err }

// write writes the line of a call with the transport's next times and the call's events: those
// after the first before.
func (r *Recorder) write(l *line, before int) {
	if r.err != nil {
		return
	}
	l.Ready, l.Deadline = times(r.host)
	l.Events = eventsOf(r.out.Events[before:])
	r.err = r.to.Encode(l)
}

// times returns when a transport needs attention. Each list has one time or none.
func times(h protocol.HostTransport) (ready, deadline []unit.Time) {
	if at, ok := h.Ready(); ok {
		ready = []unit.Time{at}
	}
	if at, ok := h.Deadline(); ok {
		deadline = []unit.Time{at}
	}
	return ready, deadline
}

// Submit implements protocol.HostTransport.
func (r *Recorder) Submit(now unit.Time, m *protocol.HostMessage) {
	n, l := len(r.out.Events), line{Call: submit, Now: now, Message: messageOf(m)}
	r.host.Submit(now, m)
	r.write(&l, n)
}

// Receive implements protocol.HostTransport.
func (r *Recorder) Receive(now unit.Time, p *protocol.Packet) (fresh unit.Bytes) {
	n, l := len(r.out.Events), line{Call: receive, Now: now, Packet: packetOf(p)}
	l.Fresh = r.host.Receive(now, p)
	r.write(&l, n)
	return l.Fresh
}

// Next implements protocol.HostTransport.
func (r *Recorder) Next(now unit.Time, p *protocol.Packet) bool {
	n, l := len(r.out.Events), line{Call: next, Now: now}
	if l.OK = r.host.Next(now, p); l.OK {
		l.Packet = packetOf(p)
	}
	r.write(&l, n)
	return l.OK
}

// Ready implements protocol.HostTransport. It is not recorded as a call, because each call's line
// includes it.
func (r *Recorder) Ready() (unit.Time, bool) { return r.host.Ready() }

// Deadline implements protocol.HostTransport. It is not recorded as a call either.
func (r *Recorder) Deadline() (unit.Time, bool) { return r.host.Deadline() }

// Expire implements protocol.HostTransport.
func (r *Recorder) Expire(now unit.Time) {
	n, l := len(r.out.Events), line{Call: expire, Now: now}
	r.host.Expire(now)
	r.write(&l, n)
}

// Check implements protocol.HostTransport.
func (r *Recorder) Check() error { return r.host.Check() }

// RTTs implements protocol.RTTKeeper if the transport does.
func (r *Recorder) RTTs() iter.Seq2[unit.Time, uint64] { return protocol.RTTsOf(r.host) }

// Cancel implements protocol.Canceler.
func (r *Recorder) Cancel(now unit.Time, m *protocol.HostMessage) bool {
	c, ok := r.host.(protocol.Canceler)
	if !ok {
		return false
	}
	n, l := len(r.out.Events), line{Call: cancel, Now: now, Message: messageOf(m)}
	l.OK = c.Cancel(now, m)
	r.write(&l, n)
	return l.OK
}

// Forget implements protocol.Forgetter.
func (r *Recorder) Forget(now unit.Time, peer int32) {
	f, ok := r.host.(protocol.Forgetter)
	if !ok {
		return
	}
	n, l := len(r.out.Events), line{Call: forget, Now: now, Peer: peer}
	f.Forget(now, peer)
	r.write(&l, n)
}
