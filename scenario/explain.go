package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weft/explain"
	"weft/fault"
	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// Explanation accounts for the completion time of a message.
type Explanation struct {
	// Flow is the message's row in the result.
	Flow record.Flow
	// Start, End and Finished describe the message in the run that was followed. An
	// unfinished message ends with the run.
	Start, End unit.Time
	Finished   bool
	*explain.Account
	Counts
	// Frames are the message's data packets and the answers to them, in the order of
	// sending.
	Frames []*explain.Frame
	// Waits describes what an unfinished message waits for.
	Waits string
	// Layers is the number of layers that a packet's entropy chooses from, or 0 without
	// layers.
	Layers int

	ports []string
}

// Layer returns the layer of a frame in a run with layers.
func (x *Explanation) Layer(f *explain.Frame) int { return int(f.Entropy) % x.Layers }

// Port returns the name of a port, or "" for none.
func (x *Explanation) Port(id int32) string {
	if id == explain.None {
		return ""
	}
	return x.ports[id]
}

// ErrNotTheSame means that a message behaved differently when it was simulated again.
var ErrNotTheSame = errors.New("the message took another course when it was simulated again")

// Explain simulates a scenario up to the delivery of one message of its result, and
// accounts for the message's completion time. The error is ErrNotTheSame if the message did
// not match its row. Explain ignores the options of the engine and runs in one domain.
func Explain(ctx context.Context, s *Scenario, f record.Flow, progress func(Progress)) (*Explanation, error) {
	p, err := s.plan(nil)
	if err != nil {
		return nil, err
	}
	r, err := newFollower(p, f)
	if err != nil {
		return nil, err
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	run, err := p.assemble(RunOptions{follow: r, Progress: func(at Progress) {
		if r.done {
			stop()
		}
		if progress != nil {
			progress(at)
		}
	}}, 1, 1, queueKinds[s.Engine.Queue])
	if err != nil {
		return nil, err
	}
	r.network = run.Network
	if err := run.execute(inner); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Variant, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w at %v, before the message was delivered", s.Variant, err, run.Now)
	}
	if !r.started {
		return nil, fmt.Errorf("%w: it never started, and started at %v in the result", ErrNotTheSame, f.Start)
	}
	r.finish(run)
	x := &Explanation{Flow: f, Counts: r.counts, ports: p.graph.PortNames()}
	if p.layered() && !p.explicit() {
		x.Layers = p.routes.present.Layers()
	}
	t := &r.trace
	x.Start, x.End, x.Finished = t.Start, t.End, t.Finished
	x.Frames = t.Frames
	x.Account = explain.Build(t)
	if !t.Finished {
		x.Waits = r.waits(x)
	}
	switch {
	case t.Start != f.Start:
		return nil, fmt.Errorf("%w: it started at %v, and at %v in the result", ErrNotTheSame, t.Start, f.Start)
	case f.Finished() && !t.Finished:
		return nil, fmt.Errorf("%w: it was not delivered, and was at %v in the result", ErrNotTheSame, f.End)
	case f.Finished() && t.End != f.End:
		return nil, fmt.Errorf("%w: it was delivered at %v, and at %v in the result", ErrNotTheSame, t.End, f.End)
	}
	return x, nil
}

// newFollower prepares to follow a message.
func newFollower(p *plan, f record.Flow) (*follower, error) {
	r := &follower{
		group: int32(f.ID >> 58), src: int32(f.ID >> 32 & (1<<26 - 1)), ordinal: f.ID & (1<<32 - 1),
		messages: map[uint64]bool{}, arrived: map[uint32]bool{},
		bases: map[uint32]uint32{}, numbers: map[transport.PacketName]uint32{},
		copies: map[transport.PacketName]*explain.Frame{}, losses: map[transport.PacketName]*explain.Loss{},
		delivery: map[uint64][]*explain.Frame{}, paused: map[topo.PortID]uint8{},
	}
	r.trace.Pauses, r.trace.Class = map[explain.Paused][]explain.Span{}, explain.AnyClass
	node := slices.IndexFunc(p.graph.Hosts, func(n topo.NodeID) bool { return p.graph.Nodes[n].Name == f.Dst })
	if int(r.group) >= len(p.groups) || int(r.src) >= len(p.graph.Hosts) || node < 0 {
		return nil, fmt.Errorf("%w: the scenario has no such message", ErrNotTheSame)
	}
	g := &p.groups[r.group]
	if err := p.unfollowed(g); err != nil {
		return nil, err
	}
	r.dst, r.perPair, r.ackDelay = int32(node), g.PerPair, g.AckDelay
	r.uplink = p.uplinks[r.src]
	r.trace.Uplink = int32(r.uplink)
	down := explain.Never
	for _, c := range p.failing.timeline.Changes {
		switch {
		case c.Port != r.uplink:
		case c.What == fault.Down && down == explain.Never:
			down = c.At
		case c.What == fault.Up && down != explain.Never:
			r.trace.Down = append(r.trace.Down, explain.Span{From: down, To: c.At})
			down = explain.Never
		}
	}
	if down != explain.Never {
		r.trace.Down = append(r.trace.Down, explain.Span{From: down, To: unit.Forever})
	}
	return r, nil
}

// finish completes the trace of a message that was not delivered.
func (r *follower) finish(run *run) {
	if r.done {
		return
	}
	r.end(run.Now)
	t := &r.trace
	now := r.sending()
	t.Blocked = reasons[now.state.Blocked]
	next := explain.NewFrame()
	next.Own, next.Sent, next.Opening = true, t.End, now.opening
	t.Last = r.missing()
	if f := t.Last; f != nil {
		next.Packet = f.Packet
		if l := r.known(f); l != nil {
			next.Loss = l
		}
	}
	if now.opening != nil && (t.Last == nil || next.Loss != nil) {
		t.Last = next
	}
}

// sending returns the state of a connection that has something to send, or else of any
// connection.
func (r *follower) sending() sending {
	var s sending
	for _, c := range r.conns {
		if s = c; c.state.Blocked != transport.NothingToSend {
			break
		}
	}
	return s
}

// known returns the loss of this copy of a packet if the sender knows of it, or nil.
func (r *follower) known(f *explain.Frame) *explain.Loss {
	for name, n := range r.numbers {
		if l := r.losses[name]; n == f.Packet && l != nil && l.Copy == f {
			return l
		}
	}
	return nil
}

// missing returns the last copy of the first packet that was sent but not delivered. If
// there is none, it returns the packet sent last, or nil.
func (r *follower) missing() *explain.Frame {
	for _, name := range r.names {
		if f := r.copies[name]; !r.arrived[f.Packet] {
			return f
		}
	}
	for _, f := range slices.Backward(r.trace.Frames) {
		if f.Kind == explain.Data {
			return f
		}
	}
	return nil
}

// waits describes what an undelivered message waits for.
func (r *follower) waits(x *Explanation) string {
	now := r.sending().state
	state := fmt.Sprintf("%d of %d packets are delivered", len(r.arrived), r.packets)
	switch {
	case now.Blocked == transport.ByWindow:
		state += fmt.Sprintf("; %v of a window of %v are in flight", now.InFlight, now.Window)
	case now.Blocked == transport.ByReorderLimit:
		state += "; the reorder limit lets it send no more"
	case now.Blocked == transport.ByPace:
		state += "; its congestion control spaces packets, and the next one is not due"
	case now.Blocked == transport.ByCredit && r.sent < r.bytes && r.heard == nil:
		state += "; nothing that was sent has reached its receiver, so it grants no credit"
	case now.Blocked == transport.ByCredit && r.sent < r.bytes:
		state += "; its receiver must grant more credit"
	case now.Blocked == transport.NotBlocked && r.linkDown():
		state += fmt.Sprintf("; %s is down, and every path leads over it", x.Port(r.trace.Uplink))
	case now.Blocked == transport.NotBlocked && r.paused[r.uplink] != 0:
		state += fmt.Sprintf("; %s is paused", x.Port(r.trace.Uplink))
	case now.Blocked == transport.NotBlocked:
		state += "; its next packet waits for the host's wire"
	}
	f := r.missing()
	if f == nil || r.arrived[f.Packet] {
		return state
	}
	state += fmt.Sprintf("; packet %d, sent %d times, ", f.Packet, f.Copy)
	switch {
	case f.LostAt != explain.Never:
		state += fmt.Sprintf("was lost at %s (%s) at %s", x.Port(f.LostPort), f.Why, micros(f.LostAt))
	case f.TrimmedAt != explain.Never:
		state += fmt.Sprintf("was trimmed at %s at %s", x.Port(f.TrimPort), micros(f.TrimmedAt))
	default:
		state += "is in flight"
		if n := len(f.Hops); n > 0 && f.Hops[n-1].Begin == explain.Never && r.paused[topo.PortID(f.Hops[n-1].Port)] != 0 {
			state = fmt.Sprintf("%s at %s, which is paused", state, x.Port(f.Hops[n-1].Port))
		}
		if last := r.lastLost(f); last != nil {
			state += fmt.Sprintf("; its copy %d was lost at %s (%s) at %s", last.Copy, x.Port(last.LostPort), last.Why, micros(last.LostAt))
		}
	}
	if l := r.known(f); l != nil {
		state += fmt.Sprintf(", and the sender has known of it since %s", micros(l.At))
	}
	return state
}

// lastLost returns the latest lost copy of a frame's packet, or nil.
func (r *follower) lastLost(f *explain.Frame) *explain.Frame {
	for _, g := range slices.Backward(r.trace.Frames) {
		if g.Kind == explain.Data && g.Packet == f.Packet && g.LostAt != explain.Never {
			return g
		}
	}
	return nil
}

// linkDown reports whether the sender's link is down at the end.
func (r *follower) linkDown() bool {
	n := len(r.trace.Down)
	return n > 0 && r.trace.Down[n-1].From <= r.trace.End && r.trace.Down[n-1].To >= r.trace.End
}
