package wire

import (
	"net/netip"

	"weft/unit"
	"weft/wire/internal/burst"
	"weft/wire/internal/carrier"
)

// path returns what is known of bursts to a peer; nil for what goes to none.
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

// lately is the path that was asked for last.
type lately struct {
	peer *carrier.Peer
	path *burst.Path
}

// part forgets the path to a peer.
func (e *Endpoint) part(p *carrier.Peer) {
	if q := e.paths[p]; q != nil {
		e.out.Forget(q)
		delete(e.paths, p)
	}
	e.lately = lately{}
}

var _ burst.Peer = farEnd{}

// farEnd is a peer as a path sees it.
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
