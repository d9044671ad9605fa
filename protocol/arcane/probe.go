package arcane

import (
	"weft/protocol"
	"weft/unit"
)

// prober is a sender that ends freezing by probes. It implements
// [protocol.Prober]; a transport that does not ask for probes leaves it with the
// end by time.
type prober struct{ *Sender }

// probing is what a sender that probes remembers.
type probing struct {
	interval, patience unit.Time

	failed  uint16    // entropy of the packet whose loss was taken for a failure
	asked   bool      // the transport sends probes
	giveUp  unit.Time // when freezing ends without an echo
	nextDue unit.Time // when the next probe is due
}

func newProbing(o Options, env protocol.Env) probing {
	p := probing{interval: env.RTO, patience: defaultPatience}
	if o.ProbeInterval != nil {
		p.interval = *o.ProbeInterval
	}
	if o.ProbePatience != nil {
		p.patience = *o.ProbePatience
	}
	return p
}

// Probe implements protocol.Prober: while the sender is frozen by a failure, it
// sends the entropy that failed once an interval.
func (p prober) Probe(now unit.Time) (entropy uint16, send bool, again unit.Time) {
	s := p.Sender
	if now > s.due {
		s.elapse(now)
	}
	if !s.frozen || s.forGood() {
		return 0, false, unit.Forever
	}
	b := &s.probing
	if !b.asked {
		// Now that there are probes, it is an echo that ends freezing.
		b.asked = true
		s.exit = b.giveUp
		if s.fixed {
			s.due = min(s.exit, s.freezeAt)
		}
	}
	if now < b.nextDue {
		return 0, false, b.nextDue
	}
	b.nextDue = later(now, b.interval)
	return b.failed, true, b.nextDue
}

// Probed implements protocol.Prober. A path that marks is congested, not dead.
func (p prober) Probed(now unit.Time, entropy uint16, marked bool) {
	s := p.Sender
	if s.frozen && !s.forGood() && entropy == s.probing.failed {
		s.thaw()
	}
}

// froze notes what probes will test.
func (b *probing) froze(l *protocol.Loss) {
	b.failed, b.asked = l.Entropy, false
	b.giveUp, b.nextDue = later(l.Now, b.patience), l.Now
}
