// Package credit has the arithmetic of informed overcommitment: how much credit a
// receiver needs beside congested senders, and where credit is when several receivers
// share a sender (SIRD, NSDI 2025, §4.2 and §6.1.2).
package credit

import (
	"fmt"
	"math"

	"weft/unit"
)

// Receiver gets data from congested senders and wants to saturate its downlink. All
// links have the same rate.
type Receiver struct {
	// BDP is the credit in flight that saturates the downlink, SThr the credit that a
	// congested sender holds in steady state.
	BDP, SThr unit.Bytes
	// Senders is how many congested senders it has (k), and Fanout to how many
	// receivers each of them sends (f).
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

// Needed is the least B in bytes: what is in flight, and the receiver's share of what
// the senders hold (Equation 2).
func (r Receiver) Needed() (float64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	return float64(r.BDP) + float64(float64(r.Senders)*float64(r.SThr))/float64(r.Fanout), nil
}

// NeededLast is the least B if the senders prefer all other receivers, so that each
// holds SThr of this one's credit: the fan-out falls out of Equation 2.
func (r Receiver) NeededLast() float64 {
	return float64(r.BDP) + float64(float64(r.Senders)*float64(r.SThr))
}

// Limit is what no number of congested senders comes up to (Equation 3).
func (r Receiver) Limit() float64 { return float64(r.BDP + r.SThr) }

// LeastSThr is a seventh of the BDP, below which DCTCP's control loop, which SIRD takes
// for its senders, loses throughput (DCTCP, SIGCOMM 2010, §3.3, Equation 13: K > C·RTT/7).
func LeastSThr(bdp unit.Bytes) float64 { return float64(bdp) / 7 }

// LeastSThrPackets is the same in whole packets of a size, in which the guideline counts
// K: the fewest that are no less, in bytes.
func LeastSThrPackets(bdp, packet unit.Bytes) float64 {
	return math.Ceil(LeastSThr(bdp)/float64(packet)) * float64(packet)
}

// Outcast is one sender whose uplink some receivers share.
type Outcast struct {
	BDP, SThr unit.Bytes
	Receivers int
}

// Shares is where credit is, in bytes.
type Shares struct {
	// Each is what each receiver has outstanding with the sender, AtSender what that
	// holds of all of them; the rest is in flight.
	Each, AtSender float64
}

// Informed are the shares in steady state with marks from SThr on. A single receiver
// does not congest the sender, and is bounded by its bucket of 1 BDP.
func (o Outcast) Informed() Shares {
	if o.Receivers < 2 {
		return o.Uninformed()
	}
	return Shares{Each: float64(o.BDP+o.SThr) / float64(o.Receivers), AtSender: float64(o.SThr)}
}

// Uninformed are the shares without marks: each receiver grants 1 BDP, of which the
// uplink carries 1 BDP in all.
func (o Outcast) Uninformed() Shares {
	return Shares{Each: float64(o.BDP), AtSender: float64(o.BDP) * float64(o.Receivers-1)}
}
