package protocol

import "weft/unit"

// CreditClass is a priority class of ports that carries nothing but credits, each of
// which brings a frame of data over the same link the other way (ExpressPass, SIGCOMM
// 2017, §3.1). Ports let through no more credits than the data that they bring fills the
// link. The zero value is no such class.
type CreditClass struct {
	// Credit is a credit on the wire and Data the largest frame that it brings: credits
	// have Credit/(Credit+Data) of a link's rate.
	Credit, Data unit.Bytes
	// Queue is what waits at most, without the credit in service; Burst is the depth of
	// the token bucket.
	Queue, Burst unit.Bytes
}

// On tells whether there is such a class.
func (c CreditClass) On() bool { return c.Credit > 0 }

// Cost is how long a link of the given rate takes to earn the tokens for n bytes of
// credit.
func (c CreditClass) Cost(rate unit.Rate, n unit.Bytes) unit.Time {
	t := rate.Transmit(n * (c.Credit + c.Data))
	return (t + unit.Time(c.Credit) - 1) / unit.Time(c.Credit)
}

// CreditBucket is the token bucket of a link for its credits, with tokens counted in the
// time that it takes to earn them, so that no fraction of one is lost. The zero value is
// full.
type CreditBucket struct {
	full unit.Time // when it is full again
}

// Due returns from when on the tokens cover a cost, in a bucket that is full with depth.
func (b *CreditBucket) Due(cost, depth unit.Time) unit.Time { return b.full - depth + cost }

// Take takes a cost off.
func (b *CreditBucket) Take(now, cost unit.Time) { b.full = max(b.full, now) + cost }
