package expresspass

import "weft/unit"

// feedback decides how fast a receiver sends credits for a flow (§3.2, Algorithm 1). Rates
// are shares of the most that a link lets through.
type feedback struct {
	rate, w float64
	// updated is when the rate was last changed.
	updated unit.Time
	rtt     unit.Time // smoothed; 0 until data came
	// next is the number of the credit after the last that data came for. Of credits since
	// the last change, total were answered or passed over, and dropped is the latter.
	next           uint32
	total, dropped int32
	// held tells that w may not grow at the next increase, since the last change was a
	// decrease.
	held bool
}

// start begins anew, for a flow with a number of packets to send. In the public simulator
// only rate and w do: what was counted since the last change goes on when a message asks for
// credits again, and so does held, which a message begins with.
func (f *feedback) start(c *config, now unit.Time, packets int64) {
	f.rate, f.w = c.alpha, c.wInit
	if packets < c.small {
		f.rate = f.rate * float64(packets) / float64(c.small)
	}
	f.updated = now
	if !c.sird {
		f.held = false
		f.total, f.dropped = 0, 0
	}
}

// answered takes note of data that came for a credit: those between it and the last one
// were lost. It returns false for one that came late.
func (f *feedback) answered(now unit.Time, credit uint32, sent unit.Time) bool {
	passed := int32(credit - f.next)
	if passed < 0 {
		return false
	}
	f.total += passed + 1
	f.dropped += passed
	f.next = credit + 1
	sample := max(1, now-sent)
	if f.rtt == 0 {
		f.rtt = sample
	} else {
		f.rtt = (4*f.rtt + sample) / 5
	}
	return true
}

// update changes the rate if a round-trip time has passed and anything was heard.
func (f *feedback) update(c *config, now unit.Time) {
	if f.total == 0 || now-f.updated < f.rtt || f.rtt == 0 {
		return
	}
	f.change(c, now)
}

// change changes the rate by what was heard since the last change.
func (f *feedback) change(c *config, now unit.Time) {
	loss := float64(f.dropped) / float64(f.total)
	target := c.targetLoss
	if c.sird {
		target = (1 - f.rate) * c.targetLoss
	}
	if loss > target {
		f.decrease(c, now, loss, target)
	} else {
		f.increase(c, target)
	}
	least := float64(c.gap) / float64(f.rtt)
	f.rate = max(min(f.rate, c.mostRate), least)
	f.updated = now
	f.total, f.dropped = 0, 0
}

// The conversions keep products from being fused with sums, so that results are the same
// on all platforms.

func (f *feedback) increase(c *config, target float64) {
	switch {
	case f.held:
		f.held = false
	case c.wStep > 0:
		f.w = min(f.w+c.wStep, c.wMax)
	default:
		f.w = (f.w + c.wMax) / 2
	}
	if c.sird {
		f.rate = float64(f.w*1) + float64((1-f.w)*f.rate)
		return
	}
	f.rate = float64((1-f.w)*f.rate) + float64(f.w*(1+target))
}

func (f *feedback) decrease(c *config, now unit.Time, loss, target float64) {
	if c.sird {
		delivered := float64(f.total-f.dropped) * float64(c.gap) / float64(now-f.updated)
		f.rate = min(f.rate, float64(delivered*(1+target)))
	} else {
		f.rate = float64(f.rate*(1-loss)) * (1 + target)
	}
	f.w = max(f.w/2, c.wMin)
	f.held = true
}

// longest bounds the pause, which could be beyond what a time can hold: few packets of a flow
// on a slow link make its rate a small part of alpha.
const longest = 1000 * unit.Second

// pause returns how long to wait before the next credit, without jitter.
func (f *feedback) pause(c *config) unit.Time {
	return unit.Time(min(float64(c.gap)/f.rate, float64(longest)))
}
