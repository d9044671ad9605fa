package congestion

import (
	"fmt"
	"math"

	"weft/protocol"
	"weft/unit"
)

// unlimited is the window of a control without one.
const unlimited = unit.TiB

// pacedWindow limits the data in flight of a control that paces at a rate. It is rounded up to
// whole packets, as in a sender that looks at its window before each packet and may overshoot it
// by less than one.
type pacedWindow struct {
	// most is the window at line rate, in packets; 0 is no limit.
	most float64
	// scales tells that the window shrinks with the rate.
	scales        bool
	line, payload float64
}

// newPacedWindow returns the limit of an option that is absent without one.
func newPacedWindow(most *unit.Amount, scales bool, env protocol.Env) pacedWindow {
	w := pacedWindow{scales: scales, line: float64(env.LineRate), payload: float64(env.Payload)}
	if most != nil {
		w.most = float64(most.Resolve(env.BDP, 0)) / float64(env.Packet)
	}
	return w
}

// at returns the payload that may be in flight at a rate in bit/s.
func (w *pacedWindow) at(rate float64) unit.Bytes {
	switch {
	case w.most == 0:
		return unlimited
	case w.scales:
		return w.whole(w.most * rate / w.line)
	}
	return w.whole(w.most)
}

func (w *pacedWindow) whole(packets float64) unit.Bytes {
	return unit.Bytes(max(1, math.Ceil(packets)) * w.payload)
}

// paceAt returns the pace of a rate in bit/s.
func paceAt(rate float64) protocol.Pace { return protocol.Pace{Rate: unit.Rate(math.Round(rate))} }

// rateOr returns a rate that an option gives, or the absent one, in bit/s.
func rateOr(given *unit.Rate, absent float64) float64 {
	if given != nil {
		return float64(*given)
	}
	return absent
}

// roundTrips tells round trips from each other by the packets that begin them: one is over with
// the first acknowledgement of a packet that was sent after it began. A packet that was sent more
// than once, whose time is not known, ends none.
type roundTrips struct{ began unit.Time }

// over tells whether an acknowledgement ends the round trip.
func (r *roundTrips) over(a *protocol.Ack) bool { return a.RTT > 0 && a.Now-a.RTT >= r.began }

// checkLeast reports a least rate that is not positive.
func checkLeast(least unit.Rate) error { return checkPositive("least", &least) }

// checkPositive reports a rate that is not positive. One that is absent is nil.
func checkPositive(name string, rate *unit.Rate) error {
	if rate == nil || *rate >= 1 {
		return nil
	}
	return fmt.Errorf("%s is %v; it must be positive", name, *rate)
}

// checkNumber reports a number that is not from least to most. One that is absent is nil.
func checkNumber(name string, value *float64, least, most float64) error {
	if value == nil {
		return nil
	}
	return checkRange(name, *value, least, most)
}

// checkRate reports a rate that is negative. One that is absent is nil.
func checkRate(name string, rate *unit.Rate) error {
	if rate == nil || *rate >= 0 {
		return nil
	}
	return fmt.Errorf("%s is %v; it must not be negative", name, *rate)
}

// checkTime reports a time that is shorter than the least. One that is absent is nil.
func checkTime(name string, t *unit.Time, least unit.Time) error {
	if t == nil || *t >= least {
		return nil
	}
	return fmt.Errorf("%s is %v; it must be at least %v", name, *t, least)
}

// checkSize reports a size that is not positive. One that is absent is nil.
func checkSize(name string, size *unit.Bytes) error {
	if size == nil || *size >= 1 {
		return nil
	}
	return fmt.Errorf("%s is %v; it must be positive", name, *size)
}

// checkBytes reports a size of a header that no frame can have.
func checkBytes(name string, b unit.Bytes) error {
	if b >= 0 && b <= mostHeader {
		return nil
	}
	return fmt.Errorf("%s is %v; it must be 0B to %v", name, b, unit.Bytes(mostHeader))
}

const mostHeader = 1024 // bytes, of one header

// checkWord reports a word that is none of those allowed. One that is absent is nil.
func checkWord(name string, word *string, allowed ...string) error {
	if word == nil {
		return nil
	}
	list := ""
	for i, a := range allowed {
		if a == *word {
			return nil
		}
		switch {
		case i == len(allowed)-1 && i > 0:
			list += " or "
		case i > 0:
			list += ", "
		}
		list += a
	}
	return fmt.Errorf("%s is %q; it must be %s", name, *word, list)
}

// pauses is what controls want that know no losses but those that timeouts tell.
func pauses() []protocol.Want {
	return []protocol.Want{{Need: protocol.Pauses, Without: "does not react to lost packets, which only retransmission timeouts find"}}
}

// onePath is what a control does without it that compares the stamps of one path.
func onePath() protocol.Want {
	return protocol.Want{Need: protocol.OnePath, Without: "compares no stamps of one path with those of another, so that it hardly reacts"}
}

// adapters is the setup of controls of network adapters: one path, a fabric without loss, and
// adapters that take packets in order only. Where and how it marks differs.
func adapters(source string, marking protocol.Stated[protocol.Law]) protocol.Setup {
	return protocol.Setup{
		Balancer: protocol.State("ecmp", source), Marking: marking,
		Queue:    protocol.State(protocol.Deep, source+": lossless"),
		Recovery: protocol.State("go-back-n", "RoCE adapters, as in HPCC's simulator"),
	}
}

// unmarked states that no port marks.
func unmarked(source string) protocol.Stated[protocol.Law] {
	return protocol.State(protocol.Unmarked, source)
}

func bdps(n float64) unit.Amount { return unit.Amount{BDPs: n} }
