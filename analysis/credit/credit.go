// Package credit has the arithmetic of informed overcommitment: how much credit a receiver needs
// when some of its senders are congested, and where credit sits when several receivers share a
// sender (SIRD, NSDI 2025, §4.2 and §6.1.2).
package credit

import (
	"fmt"
	"math"

	"weft/unit"
)

// Receiver has congested senders and wants to saturate its downlink. All links have the same
// rate.
type Receiver struct {
	// BDP is the credit in flight that saturates the downlink. SThr is the credit that a
	// congested sender holds in steady state.
	BDP, SThr unit.Bytes
	// Senders is the number of its congested senders (k). Fanout is the number of receivers that
	// each of them sends to (f).
	Senders, Fanout int
}

func (r Receiver) check() error {
	switch {
	case r.BDP < 1 || r.SThr < 0:
		return fmt.Errorf("a BDP of %v and an SThr of %v; the former must be positive and the latter not negative", r.BDP, r.SThr)
	case r.Senders < 1:
		return fmt.Errorf("%d congested senders; there must be at least 1", r.Senders)
	case r.Fanout <= r.Senders:
		return fmt.Errorf("%d senders with %d receivers each give a receiver its full rate and are no bottleneck; each must have more than %[1]d receivers (Equation 1)", r.Senders, r.Fanout)
	}
	return nil
}

// Needed returns the least B in bytes: the credit in flight plus the receiver's share of the
// credit that senders hold (Equation 2).
func (r Receiver) Needed() (float64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	return float64(r.BDP) + float64(float64(r.Senders)*float64(r.SThr))/float64(r.Fanout), nil
}

// NeededLast returns the least B if the senders prefer all other receivers, so that each holds
// SThr of this one's credit. Fanout then drops out of Equation 2.
func (r Receiver) NeededLast() float64 {
	return float64(r.BDP) + float64(float64(r.Senders)*float64(r.SThr))
}

// Limit returns the bound that Needed stays below for any number of congested senders (Equation
// 3).
func (r Receiver) Limit() float64 { return float64(r.BDP + r.SThr) }

// LeastSThr returns a seventh of the BDP. With a lower threshold DCTCP's control loop, which SIRD
// uses for its senders, loses throughput (DCTCP, SIGCOMM 2010, §3.3, Equation 13: K > C·RTT/7).
func LeastSThr(bdp unit.Bytes) float64 { return float64(bdp) / 7 }

// LeastSThrPackets returns LeastSThr rounded up to whole packets of a size, in bytes. The
// guideline counts K in packets.
func LeastSThrPackets(bdp, packet unit.Bytes) float64 {
	return math.Ceil(LeastSThr(bdp)/float64(packet)) * float64(packet)
}

// Outcast is one sender whose uplink several receivers share.
type Outcast struct {
	BDP, SThr unit.Bytes
	Receivers int
}

// Shares is the distribution of credit, in bytes.
type Shares struct {
	// Each is the credit that each receiver has outstanding with the sender. AtSender is the
	// credit that the sender holds from all of them; the rest is in flight.
	Each, AtSender float64
}

// Informed returns the shares in steady state with marks from SThr on. A single receiver does not
// congest the sender, and its bucket limits it to 1 BDP.
func (o Outcast) Informed() Shares {
	if o.Receivers < 2 {
		return o.Uninformed()
	}
	return Shares{Each: float64(o.BDP+o.SThr) / float64(o.Receivers), AtSender: float64(o.SThr)}
}

// Uninformed returns the shares without marks: each receiver grants 1 BDP, and the uplink carries
// 1 BDP in all.
func (o Outcast) Uninformed() Shares {
	return Shares{Each: float64(o.BDP), AtSender: float64(o.BDP) * float64(o.Receivers-1)}
}
