package wire

import (
	"net/netip"

	"weft/unit"
	"weft/wire/internal/burst"
	"weft/wire/internal/carrier"
)

// path returns what is known about bursts to a peer. It is nil if p is nil.
func (e *Endpoint) path(p *carrier.Peer) *burst.Path {
	switch p {
	case nil:
		return nil
	case e.lately.peer:
		return e.lately.path
	}
	q := e.paths[p]
	if q == nil {
		q = burst.NewPath(farEnd{e.carrier, p})
		e.paths[p] = q
	}
	e.lately = lately{p, q}
	return q
}

// lately caches the last result of path.
type lately struct {
	peer *carrier.Peer
	path *burst.Path
}

// part forgets the path to a peer that is gone.
func (e *Endpoint) part(p *carrier.Peer) {
	if q := e.paths[p]; q != nil {
		e.out.Forget(q)
		delete(e.paths, p)
	}
	e.lately = lately{}
}

var _ burst.Peer = farEnd{}

// farEnd presents a peer to its path.
type farEnd struct {
	carrier *carrier.Carrier
	peer    *carrier.Peer
}

func (f farEnd) Probe(now unit.Time, size int, b []byte) (port int, to netip.AddrPort, n int, ok bool) {
	d, ok := f.carrier.Probe(now, f.peer, size, b)
	return d.Port, d.To, d.Size, ok
}

func (f farEnd) Answers() uint64 { return f.peer.Answers() }

func (f farEnd) Heard() unit.Time { return f.peer.Heard() }
