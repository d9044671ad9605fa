// Package congestion has the congestion controls that are compared
// with more than one balancer or transport: the per-ACK variant of DCTCP that
// MP-RDMA and ARCANE use, DCTCP itself, TCP Reno, Ultra Ethernet's NSCC, Swift, and a constant window,
// which go by windows; and those of network adapters, which pace at rates: DCQCN in two forms,
// TIMELY, a DCTCP of rates, HPCC and FNCC, which go by what switches stamp, a bound on the latter two whose
// switches notify senders themselves, and RoCC and RCP, whose rates switches compute.
//
// Windows are counted in full packets, as floating-point numbers, and are kept
// between a least and a largest one; only Swift's may be less than a packet. Amounts in their options count wire bytes,
// headers included, and are rounded up to whole packets, so that 1 BDP keeps the
// line busy; Window gives the payload of as many packets.
//
// An acknowledgement of several packets counts as that many, the unmarked ones
// before the marked ones. A duplicate, which acknowledges nothing new, counts
// for nothing, marked or not; only what switches stamped on it does.
package congestion

import (
	"fmt"

	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// Entries returns the congestion controls of this package for a catalog.
func Entries() []catalog.Entry[protocol.CongestionControl] {
	return []catalog.Entry[protocol.CongestionControl]{
		catalog.Define("mprdma",
			"DCTCP's per-ACK variant: +1/window per packet, -1/2 per marked one, -1 per lost one",
			"Lu et al., NSDI 2018 (MP-RDMA), as used in ARCANE §4.1", MPRDMA.Build),
		catalog.Define("dctcp",
			"DCTCP: once per window, cuts by half the smoothed share of marked packets",
			"Alizadeh et al., SIGCOMM 2010, §3.1; RFC 8257", DCTCP.Build),
		catalog.Define("reno",
			"TCP Reno: slow start, additive increase, half the window for a loss; no ECN",
			"RFC 5681; RFC 6582", Reno.Build).Alias("tcp", "newreno"),
		catalog.Define("nscc",
			"Ultra Ethernet's NSCC: acts by the quadrant of congestion mark and queueing delay",
			"Ultra Ethernet Specification 1.0; uet-htsim", NSCC.Build),
		catalog.Define("swift",
			"Swift: steers the round-trip time to a target that grows with hops and with ever smaller windows",
			"Kumar et al., SIGCOMM 2020, §3; SIRD, NSDI 2025, Table 2", Swift.Build),
		catalog.Define("dcqcn",
			"DCQCN: paces at a rate that notifications cut, and timers and byte counters raise again",
			"Zhu et al., SIGCOMM 2015, §3", DCQCN.Build),
		catalog.Define("dcqcn-nic",
			"DCQCN as network adapters have it: cuts and the share of marks are clocked",
			"HPCC's simulator (SIGCOMM 2019), its mode for ConnectX", DCQCNNIC.Build).Alias("dcqcn-mlx", "mlx"),
		catalog.Define("timely",
			"TIMELY: paces at a rate that follows the round-trip time and its gradient",
			"Mittal et al., SIGCOMM 2015, §4", Timely.Build),
		catalog.Define("dctcp-rate",
			"DCTCP as a rate: starts at line rate, cuts and grows once per round trip",
			"HPCC's simulator (SIGCOMM 2019)", DCTCPRate.Build),
		catalog.Define("hpcc",
			"HPCC: steers the bytes in flight of the most loaded link by what switches stamp on data",
			"Li et al., SIGCOMM 2019, §3", HPCC.Build),
		catalog.Define("fncc",
			"FNCC: HPCC that switches tell on acknowledgements, and receivers how many flows share the last hop",
			"Xu et al., 2024 (FNCC), Algorithms 1 to 3", FNCC.Build),
		catalog.Define("direct",
			"a bound: FNCC whose switches also notify the flows of a congested queue themselves, at once",
			"weft", Direct.Build),
		catalog.Define("rocc",
			"RoCC: switches compute a fair rate for each egress queue, and tell it to the flows in it",
			"Taheri et al., CoNEXT 2020 (RoCC)", RoCC.Build),
		catalog.Define("rcp",
			"RCP: switches offer a rate at each egress queue, and packets carry the least of their path to the sender",
			"Dukkipati et al., IWQoS 2005 (RCP)", RCP.Build),
		catalog.Define("constant",
			"a window that never changes",
			"weft", Constant.Build).Alias("fixed-window", "no-cc", "none"),
	}
}

// packets returns how many full packets a is, rounded up and at least 1.
func packets(a unit.Amount, env protocol.Env) float64 {
	bytes := a.Resolve(env.BDP, 0)
	return float64(max(1, (bytes-1)/env.Packet+1))
}

// bounds are the least and the largest window in packets, and the payload of a
// packet in bytes.
type bounds struct {
	least, largest float64
	payload        float64
}

// newBounds resolves the options of a window; the least is one packet when
// absent. The largest is raised to the least.
func newBounds(least *unit.Amount, largest unit.Amount, env protocol.Env) bounds {
	b := bounds{least: 1, payload: float64(env.Payload)}
	if least != nil {
		b.least = packets(*least, env)
	}
	b.largest = max(b.least, packets(largest, env))
	return b
}

func (b *bounds) clamp(window float64) float64 { return min(max(window, b.least), b.largest) }

// bytes returns the payload of a window.
func (b *bounds) bytes(window float64) unit.Bytes { return unit.Bytes(window * b.payload) }

// step returns the sizes of an acknowledgement's two parts.
func step(a *protocol.Ack) (unmarked, marked int32) {
	marked = min(a.MarkedPackets, a.Packets)
	return a.Packets - marked, marked
}

// checkAmounts reports an option that is no size of a window. Absent ones are
// nil.
func checkAmounts(options ...named) error {
	for _, o := range options {
		if o.amount == nil {
			continue
		}
		if err := protocol.CheckAmounts(`"1BDP" or "256KiB"`, protocol.NamedAmount{Name: o.name, Amount: *o.amount}); err != nil {
			return err
		}
	}
	return nil
}

type named struct {
	name   string
	amount *unit.Amount
}

// checkRange reports a number that is not from least to most.
func checkRange(name string, value, least, most float64) error {
	if value >= least && value <= most {
		return nil
	}
	return fmt.Errorf("%s is %v; it must be %v to %v", name, value, least, most)
}

// wrap returns the first error, prefixed with the control's name.
func wrap(control string, errs ...error) error {
	if err := first(errs...); err != nil {
		return fmt.Errorf("%s: %w", control, err)
	}
	return nil
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
