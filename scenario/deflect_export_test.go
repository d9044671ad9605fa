package scenario

import (
	"context"
	"fmt"

	"weft/fabric"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// Order is what frames showed in a run with deflection.
type Order struct {
	// Wrong is what is wrong with the order in which packets of messages that may be deflected arrive at hosts.
	Wrong []string
	// Lost tells whether a packet of such a message was lost.
	Lost bool
	// Senders is what is wrong with the numbers of senders that receivers of Dart tell, and Told how many of more than one
	// were right.
	Senders []string
	Told    int
	// Answers are what receivers told senders, by the numbers of both, in order of time.
	Answers map[[2]int32][]ToldSenders
}

// RunOrdered is Run in one domain that also returns what frames showed.
func RunOrdered(ctx context.Context, s *Scenario) (*record.Result, Order, error) {
	p, err := s.plan(nil)
	if err != nil {
		return nil, Order{}, err
	}
	tap := &orderTap{next: map[[3]uint32]uint32{}, counts: countSenders(p.groups)}
	r, err := p.assemble(RunOptions{Domains: 1, tap: tap}, 1, 1, queueKinds[s.Engine.Queue])
	if err != nil {
		return nil, Order{}, err
	}
	tap.g, tap.d = p.graph, r.Network.Domains()[0]
	tap.counts.d = tap.d
	if err := r.execute(ctx); err != nil {
		return nil, Order{}, err
	}
	res := r.results()
	senders := tap.counts.wrong
	if res.Summary.Ended == record.Drained {
		senders = append(senders, tap.counts.left(res.Summary.Simulated)...)
	}
	return res, Order{tap.wrong, tap.lost, senders, tap.counts.counted, tap.counts.told}, nil
}

// orderTap sees frames arrive. Those with tokens, also if they have spent all, are first copies of packets of short
// messages.
type orderTap struct {
	g     *topo.Graph
	d     *fabric.Domain
	next  map[[3]uint32]uint32
	wrong []string
	lost  bool

	counts *senderCounts
}

func (o *orderTap) Arrived(now unit.Time, link topo.PortID, id fabric.FrameID, _ unit.Time) {
	_, to := o.g.Ends(link)
	f := o.d.Frame(id)
	if o.g.Hosts[f.Dst()] == to {
		o.counts.arrived(now, f.Dst(), id)
	}
	if _, ok := f.Tokens(); !ok || o.g.Nodes[to].Kind != topo.Host {
		return
	}
	message := [3]uint32{uint32(f.Src()), f.Message, f.Serial}
	if o.g.Hosts[f.Dst()] != to {
		o.wrong = append(o.wrong, fmt.Sprintf("%v: a packet for %s reached %s", now, o.g.Nodes[o.g.Hosts[f.Dst()]].Name, o.g.Nodes[to].Name))
	}
	if f.Seq < o.next[message] {
		o.wrong = append(o.wrong, fmt.Sprintf("%v: packet %d of message %v came after packet %d", now, f.Seq, message, o.next[message]-1))
	}
	o.next[message] = f.Seq + 1
}

func (o *orderTap) Dropped(_ unit.Time, _ topo.PortID, id fabric.FrameID, _ fabric.Reason) {
	f := o.d.Frame(id)
	if _, ok := f.Tokens(); ok {
		o.lost = true
	}
}

func (o *orderTap) Queued(unit.Time, topo.PortID, fabric.FrameID)          {}
func (o *orderTap) Sent(topo.PortID, fabric.FrameID, unit.Time, unit.Time) {}
func (o *orderTap) Paused(unit.Time, topo.PortID, uint8, bool)             {}
func (o *orderTap) Trimmed(unit.Time, topo.PortID, fabric.FrameID)         {}
