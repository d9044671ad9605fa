package scenario

import (
	"cmp"
	"errors"
	"slices"

	"weft/catalog"
	"weft/problem"
	"weft/unit"
)

// LossRecovery configures how a transport recovers losses: a kind ("go-back-n"), or a
// mapping ({kind: irn, rto_low: 50us}).
type LossRecovery struct {
	Kind       string      `yaml:"kind" doc:"selective: what times out, or was trimmed, is sent again. go-back-n: the receiver drops what comes after a missing packet and asks for that one; the sender goes back to it and sends everything after it again. irn: the receiver takes packets in any order and reports those that come after a missing one; the sender sends again what later packets have overtaken, and has at most one BDP between the oldest unacknowledged packet and the newest. sack: TCP's; the sender sends again what a number of later packets have overtaken. order: for spraying; the sender sends again what a later packet with the same entropy has overtaken, asks by a probe where no later packet follows, and acknowledgements have bitmaps. See docs/loss.md." source:"go-back-n: RoCE NICs, as in HPCC's simulator; irn: Mittal et al., SIGCOMM 2018, §3; sack: RFC 6675; order: after Ordered Chaos, SC 2026" enum:"selective,go-back-n,irn,sack,order"`
	AskAgain   *unit.Time  `yaml:"ask_again" doc:"With go-back-n: time after which a receiver asks for the same packet again, if more arrives (default: 500us)." source:"HPCC's simulator" min:"1ns"`
	RTOLow     *unit.Time  `yaml:"rto_low" doc:"With irn: timeout of a packet while few packets are in flight (default: 100us)." source:"IRN §4.1" min:"1ns"`
	RTOHigh    *unit.Time  `yaml:"rto_high" doc:"With irn: timeout while more are (default: 320us)." source:"IRN §4.1" min:"1ns"`
	Few        *int        `yaml:"few" doc:"With irn: how many packets of a message in flight are few (default: 3)." source:"IRN §4.1" min:"0" max:"65536"`
	Duplicates *int        `yaml:"duplicates" doc:"With sack: how many later packets must be acknowledged before a packet counts as missing (default: 3)." source:"RFC 5681 §3.2; RFC 6675 (DupThresh)" min:"1" max:"16777216"`
	Class      *int        `yaml:"class" doc:"Priority class of retransmissions, which go ahead of packets that are sent for the first time: before transport.class, and with overflow: trim after class 0, that of headers (default: that of the data)." source:"FatPaths, SC 2020, §III-C" min:"0" max:"7"`
	Tolerance  *int        `yaml:"tolerance" doc:"With irn: how many packets may overtake another before it counts as missing (default: 0)." source:"weft" min:"0" max:"16777216"`
	Silence    *unit.Ratio `yaml:"silence" doc:"With order: how long nothing is heard of a packet before a probe follows it on its path, in round trips, the largest of late (default: 125%)." source:"weft; RFC 8985 waits 200%" min:"100%" max:"6400%"`
}

// The kinds of loss recovery.
const (
	selective = "selective"
	goBackN   = "go-back-n"
	irn       = "irn"
	sack      = "sack"
	byOrder   = "order"
)

func recoveryKinds() []string { return []string{selective, goBackN, irn, sack, byOrder} }

// The defaults of their options.
const (
	askAgain   = 500 * unit.Microsecond
	irnRTOLow  = 100 * unit.Microsecond
	irnRTOHigh = 320 * unit.Microsecond
	irnFew     = 3
	duplicates = 3
	silence    = unit.Ratio(1.25)
)

// Form describes the short form of a LossRecovery.
func (LossRecovery) Form() catalog.Form {
	return catalog.Form{Name: "selective, go-back-n, irn, sack or order", Example: goBackN, Words: recoveryKinds()}
}

// UnmarshalText reads a kind.
func (r *LossRecovery) UnmarshalText(text []byte) error {
	if kind := string(text); slices.Contains(recoveryKinds(), kind) {
		*r = LossRecovery{Kind: kind}
		return nil
	}
	return problem.New("%.40q is no way to recover losses", text).Mend("write %s, %s, %s, %s or %s, or as in {kind: %[3]s, rto_low: 50us}", selective, goBackN, irn, sack, byOrder)
}

// MarshalText writes r in the form that UnmarshalText reads. It fails if r needs a mapping.
func (r LossRecovery) MarshalText() ([]byte, error) {
	if r != (LossRecovery{Kind: r.Kind}) {
		return nil, errors.New("a recovery with options cannot be written as one word")
	}
	return []byte(r.Kind), nil
}

// kind returns the kind of recovery. The default is selective.
func (r *LossRecovery) kind() string { return cmp.Or(r.Kind, selective) }

// rtoLow returns the low timeout of IRN.
func (r *LossRecovery) rtoLow() unit.Time { return otherwise(r.RTOLow, irnRTOLow) }

// otherwise returns the given value, or a default if it is nil.
func otherwise[T any](said *T, preset T) T {
	if said == nil {
		return preset
	}
	return *said
}
