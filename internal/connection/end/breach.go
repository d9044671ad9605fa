package end

import "weft/unit"

// Breach reports that a host transport broke the contract of protocol.HostTransport, or that a
// congestion control broke its own.
type Breach struct {
	At   unit.Time
	Host int32
	// Hosted is set if a host transport broke the contract.
	Hosted bool
	// Promise is the interface in package protocol whose rule was broken.
	Promise string
	// Rule says what the implementation did and what it must do.
	Rule string
}

// Earlier returns the earlier of two breaches. Either may be nil.
func (b *Breach) Earlier(o *Breach) *Breach {
	if b == nil || o != nil && (o.At < b.At || o.At == b.At && o.Host < b.Host) {
		return o
	}
	return b
}
