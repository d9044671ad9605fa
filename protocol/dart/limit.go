package dart

import (
	"math"

	"weft/protocol"
	"weft/unit"
)

// share is what a receiver says of its link: parts of whole, and whether it is congested itself. It
// is the second word of an answer; the first is that of the fallback.
type share struct {
	parts, whole uint64
	congested    bool
	// asks is the bit that the sender's packets are to carry from now on; see notice.
	asks bool
}

// alone is the share of a lone sender.
var alone = share{parts: 1, whole: 1}

const (
	partsShift   = 48
	congestedBit = 1 << 63
	asksBit      = 1 << 62
	mostParts    = 1<<14 - 1
)

// word returns a share as a word. On the wire it is n.
func (s share) word() uint64 {
	w := s.parts<<partsShift | s.whole
	if s.congested {
		w |= congestedBit
	}
	if s.asks {
		w |= asksBit
	}
	return w
}

func readShare(w uint64) share {
	return share{parts: w >> partsShift & mostParts, whole: w & (1<<partsShift - 1), congested: w&congestedBit != 0, asks: w&asksBit != 0}
}

// below tells whether a share is less than another one.
func (s share) below(o share) bool { return s.parts*o.whole < o.parts*s.whole }

// limit is the sending end for all connections of a host to another one (§III-A): they keep to C/n together.
type limit struct {
	line, apportioned, rate unit.Rate
	drain                   float64
	confirms                bool
	// answered tells that an acknowledgement came since the first message began.
	answered bool
	// advised, if not 0, is the rate at which the next message begins, unless the advice of the time is older than idle.
	advised      unit.Rate
	advice, idle unit.Time
}

func newLimit(o Options, env protocol.Env) *limit {
	l := &limit{line: env.LineRate, apportioned: env.LineRate, rate: env.LineRate, drain: float64(o.Drain), idle: o.Idle}
	if o.Rate == "receiver" && env.PeerRate > 0 {
		l.apportioned = env.PeerRate
	}
	return l
}

// Start implements protocol.Bundle: flows begin at line rate, or at the share that the receiver advertised.
func (l *limit) Start(now unit.Time) {
	l.rate, l.answered = l.line, false
	if l.advised > 0 && now-l.advice <= l.idle {
		l.rate = l.advised
	}
	l.advised = 0
}

// Answered implements protocol.Bundle.
func (l *limit) Answered(_ unit.Time, a protocol.Answer) {
	s := readShare(a[1])
	l.rate, l.confirms, l.answered = l.of(s), s.asks, true
}

// Advised implements protocol.Advised (§III-D). An acknowledgement of a message under way was sent after the advice.
func (l *limit) Advised(now unit.Time, a protocol.Answer, underWay bool) {
	switch rate := l.of(readShare(a[1])); {
	case !underWay:
		l.advised, l.advice = rate, now
	case !l.answered:
		l.rate = rate
	}
}

// of returns the rate of a share.
func (l *limit) of(s share) unit.Rate {
	if s.parts >= s.whole {
		return max(1, l.apportioned)
	}
	return max(1, unit.Rate(math.Round(float64(l.apportioned)*l.drain*float64(s.parts)/float64(s.whole))))
}

// Confirms implements protocol.Confirmer.
func (l *limit) Confirms() bool { return l.confirms }

// Pace implements protocol.Bundle.
func (l *limit) Pace() protocol.Pace { return protocol.Pace{Rate: l.rate} }
