package end

import "weft/unit"

// Breach tells that a transport of a host as a whole broke the promise of
// protocol.HostTransport, or a congestion control one of its own.
type Breach struct {
	At   unit.Time
	Host int32
	// Hosted tells that it was a transport of a host.
	Hosted bool
	// Promise is the interface of package protocol whose rule was broken.
	Promise string
	// Rule is what it did and what it must do.
	Rule string
}

// Earlier returns the one of two breaches that comes first, nil if there is none.
func (b *Breach) Earlier(o *Breach) *Breach {
	if b == nil || o != nil && (o.At < b.At || o.At == b.At && o.Host < b.Host) {
		return o
	}
	return b
}
