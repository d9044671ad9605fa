package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// MPRDMA is the variant of DCTCP with an update for every acknowledgement that
// MP-RDMA introduced (Lu et al., "Multi-Path Transport for RDMA in Datacenters",
// NSDI 2018) and ARCANE uses for all balancers (§4.1). In packets, with window w:
//
//	unmarked packet acknowledged:  w + 1/w
//	marked packet acknowledged:    w - 1/2
//	packet lost:                   w - 1
//
// Every lost packet counts, however many a window loses, and so does one that
// arrived trimmed. ARCANE names the decrease by one packet only, and neither the
// initial nor the least window. The initial and largest window of 1.5 BDP are
// those of the authors' simulator (artefact of REPS, EuroSys 2026): above 1 BDP a
// window fills queues only, and half a BDP is what a queue of 1 BDP holds before
// RED at 20 % and 80 % marks every other packet. Without a limit, a flow that
// meets no congestion would grow for as long as it lasts and pour all of that
// into the first queue. The same simulator takes 1/4 of a packet for a marked
// one, not 1/2.
type MPRDMA struct {
	Initial       unit.Amount  `yaml:"initial" default:"1.5BDP" doc:"Window at the start of a connection, in wire bytes or BDP." source:"authors' simulator (REPS artefact); not in ARCANE"`
	Least         *unit.Amount `yaml:"least" doc:"Smallest window, in wire bytes or BDP (default: one packet)." source:"authors' simulator (REPS artefact); not in ARCANE"`
	Largest       unit.Amount  `yaml:"largest" default:"1.5BDP" doc:"Largest window, in wire bytes or BDP." source:"authors' simulator (REPS artefact); not in ARCANE"`
	CutMarked     float64      `yaml:"cut_marked" default:"0.5" min:"0" max:"1000" doc:"Packets by which a marked packet shrinks the window." source:"MP-RDMA, NSDI 2018"`
	CutLost       float64      `yaml:"cut_lost" default:"1" min:"0" max:"1000" doc:"Packets by which a lost packet shrinks the window." source:"ARCANE §4.1"`
	TrimmedIsLost bool         `yaml:"trimmed_is_lost" default:"true" doc:"Whether a packet that arrived trimmed shrinks the window like a lost one." source:"authors' simulator (REPS artefact); not in ARCANE"`
}

// Build returns the control. It fails if an option is out of bounds.
func (o MPRDMA) Build() (protocol.CongestionControl, error) {
	err := wrap("mprdma",
		checkAmounts(named{"initial", &o.Initial}, named{"least", o.Least}, named{"largest", &o.Largest}),
		checkRange("cut_marked", o.CutMarked, 0, maxCut), checkRange("cut_lost", o.CutLost, 0, maxCut))
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{Needs: protocol.Needs{Must: protocol.Marks}, Setup: arcaneSetup("ARCANE §4.1"), New: func(env protocol.Env) protocol.Congestion {
		c := &mprdma{
			bounds:    newBounds(o.Least, o.Largest, env),
			cutMarked: o.CutMarked, cutLost: o.CutLost, trimmedIsLost: o.TrimmedIsLost,
		}
		c.initial = c.clamp(packets(o.Initial, env))
		c.Start(0)
		return c
	}}, nil
}

// maxCut bounds the packets that one packet can take from a window: more would
// only be more than any window.
const maxCut = 1000

type mprdma struct {
	window float64
	bounds
	cutMarked, cutLost float64
	trimmedIsLost      bool
	initial            float64
}

func (c *mprdma) Start(unit.Time)    { c.window = c.initial }
func (c *mprdma) Window() unit.Bytes { return c.bytes(c.window) }

func (c *mprdma) Acked(a *protocol.Ack) {
	unmarked, marked := step(a)
	for ; unmarked > 0 && c.window < c.largest; unmarked-- {
		c.window += 1 / c.window
	}
	c.window = min(c.window, c.largest)
	if marked > 0 {
		c.shrink(float64(float64(marked) * c.cutMarked))
	}
}

func (c *mprdma) Lost(l *protocol.Loss) {
	if l.Cause == protocol.Trimmed && !c.trimmedIsLost {
		return
	}
	c.shrink(c.cutLost)
}

func (c *mprdma) shrink(packets float64) { c.window = max(c.window-packets, c.least) }

// arcaneSetup is that of ARCANE's evaluation: its balancer, and marks from 20 to 80 % of 1 BDP.
func arcaneSetup(source string) protocol.Setup {
	return protocol.Setup{
		Balancer: protocol.State("arcane", source),
		Marking:  protocol.State(protocol.RED(unit.Amount{Share: 0.2}, unit.Amount{Share: 0.8}, 1), source),
		Queue:    protocol.State(protocol.Depth{BDPs: 1}, source),
	}
}
