package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// FNCC is FNCC's congestion control: HPCC's sender (see hpcc), which hears of congestion sooner.
// Switches stamp acknowledgements on their way back, with the port over which the data left
// (protocol.OnAcks), in place of the data (§3.2.1, Algorithm 1). Data carry no stamps. And receivers
// count their flows N, so that congestion of the last hop ends within one acknowledgement (§3.2.2,
// Algorithm 2, LHCS). With the largest u of a single acknowledgement, not smoothed, and the
// rate B of the last hop, the link to the receiver:
//
//	the last hop has the largest u, and u > alpha:  Wc = beta·B·T/N
//
// What W becomes in that acknowledgement is read in two ways (lhcs_apply):
//
//   - scaled, the default, is the listing. UpdateWc sets Wc, and ComputeWind goes on with W = Wc/(U/eta) + WAI
//     (Algorithm 3, lines 30 to 32). So while U is above eta, W is below the share, which drains the queue.
//   - direct is the text. The window is "directly set to the final convergence value" (§3.2.2). Rates go at once to "a fair
//     rate * β", which drains the queue, and follow Equation 6 only when the congestion is over (§5.4.2). So W = Wc,
//     without division and without WAI, in each acknowledgement that finds the last hop above alpha. All others follow
//     Equation 6. A round trip that ends meanwhile sets the stage to 0, as a cut by U does.
//
// Wc is kept between the least rate and that of the line, as W is, which the paper does not say. A change of Wc by
// LHCS does not begin a round trip.
//
// The paper lists stamps in the order in which acknowledgements meet switches, so that its L[0] is
// the last hop. Here they are in the order of the data, and the last hop is the last of them.
//
// The paper gives no max_stage and no additive; they are HPCC's, by preset. It calls N the number of
// concurrent flows, and also that of connections. With count: open an idle connection does not
// count, and each part of a divided message does. N is at least 1.
//
// The end of a round trip makes W the reference, as in HPCC, also while the queue that LHCS found is
// still in U. With scaled, that W is below beta·B·T/N. So two flows whose round trips end at different times
// may leave the congestion with unequal references, which the additive increase makes equal.
//
// Stamps of switches near the sender are much younger than a round trip. So U shows the effect of W before Wc follows, and
// W = Wc/(U/eta) heads for the root of Wc·eta·C. A flow that finds a link free thus needs several multiplicative increases,
// each after max_stage additive ones, for what HPCC does in one. The listing has it so.
//
// Departures: Algorithm 3 as printed smooths U within the loop over ports, once for each new
// maximum. HPCC does so once per acknowledgement, and so does this control. It starts with U = 1, as
// HPCC's simulator does, where the listing has loads of 0. Stamps are live unless fabric.telemetry has a refresh,
// where the paper's switches write a table periodically (§4.1), and are taken when an acknowledgement comes to a switch.
// Of a path of more switches than protocol.MostStamps those next to the sender do not stamp.
// Acknowledgements must cross the switches of the data; the paper proposes symmetric hashing or
// spanning trees for it.
type FNCC struct {
	InFlight
	LHCS bool `yaml:"lhcs" default:"true" doc:"Whether congestion of the last hop sets the rate to a share of its link at once." source:"FNCC, Algorithm 2"`
	LastHop
	Stamp     unit.Bytes `yaml:"stamp_bytes" default:"8B" max:"1KiB" doc:"Growth of an acknowledgement at each switch." source:"FNCC, §4.3 (64 bits)"`
	CountSize unit.Bytes `yaml:"count_bytes" default:"4B" max:"1KiB" doc:"Size of N, with the number of stamps and the name of the path, in each acknowledgement." source:"FNCC, §3.2.3 (16 bits for N); weft"`
}

// Build returns the control. It fails if an option is out of bounds.
func (o FNCC) Build() (protocol.CongestionControl, error) {
	err := wrap("fncc", o.InFlight.check(), o.LastHop.check(), checkBytes("stamp_bytes", o.Stamp), checkBytes("count_bytes", o.CountSize))
	if err != nil {
		return protocol.CongestionControl{}, err
	}
	b := protocol.CongestionControl{
		Needs:    protocol.Needs{Must: protocol.Telemetry | protocol.Symmetric, Wants: pauses()},
		Setup:    adapters("FNCC §3.1", unmarked("FNCC §3.2: stamps are the signal")),
		Stamping: protocol.OnAcks, StampBytes: o.Stamp,
		New: func(env protocol.Env) protocol.Congestion { return o.InFlight.control(env, o.LHCS, o.LastHop) },
	}
	o.LastHop.answer(&b, o.CountSize)
	return b, nil
}
