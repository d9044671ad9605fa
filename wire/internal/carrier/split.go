package carrier

import (
	"slices"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// This file sends packets that are too large for the path in pieces, and reassembles the peers'.
// A transport uses one packet size for all peers, so adapting to a path happens at the level of
// datagrams.

// splitting is a packet that is being sent in pieces.
type splitting struct {
	session *session
	port    int
	burst   uint32
	packet  []byte
	next    codec.Fragment
}

// left reports whether there are pieces to send.
func (sp *splitting) left() bool {
	return sp.next.Index < sp.next.Count && sp.session.peer != nil && !sp.session.peer.gone
}

// split begins to send a packet in pieces of at most size bytes, heads included, and charges the
// additional heads to the wire. It returns false if the packet does not fit into the largest
// number of pieces.
func (c *Carrier) split(s *session, port int, burst uint32, packet []byte, size unit.Bytes) bool {
	around := codec.HeadSize + codec.FragmentHead + s.trailer()
	count := codec.FragmentsOf(len(packet), int(size)-around)
	if count > codec.MostFragments || len(packet) > 1<<16-1 {
		return false
	}
	sp := &c.parts
	sp.session, sp.port, sp.burst, sp.packet = s, port, burst, append(sp.packet[:0], packet...)
	sp.next = codec.Fragment{Packet: s.packets, Count: uint8(count), Total: uint16(len(packet))}
	s.packets++
	c.Counts.Split++
	c.free += c.cfg.Rate.Transmit(unit.Bytes(count-1)*(unit.Bytes(around)+c.cfg.Overhead) + codec.FragmentHead)
	return true
}

// piece writes the next piece of a packet into b.
func (c *Carrier) piece(now unit.Time, b []byte) (d Datagram, ok bool) {
	sp := &c.parts
	c.scratch = codec.AppendFragment(c.scratch[:0], sp.next, sp.packet)
	sp.next.Index++
	out, ok := c.encode(now, b[:0], sp.session, codec.Piece, c.scratch)
	return Datagram{To: sp.session.to, Port: sp.port, Size: len(out), Peer: sp.session.peer, Burst: sp.burst}, ok
}

const (
	// mostGathered limits the incomplete packets of a peer, and gatheredBytes their total size. A
	// new packet displaces the oldest: pieces follow one another, so a packet whose pieces are
	// late has lost some.
	mostGathered  = 64
	gatheredBytes = 256 << 10
)

// gathered is a packet that is being reassembled.
type gathered struct {
	session *session
	first   codec.Fragment // the first piece to arrive, for the fields that all share
	packet  []byte
	came    [codec.MostFragments/64 + 1]uint64
	left    int
	marked  bool
}

// gather adds a piece. When its packet is complete, gather returns it, valid until the next call,
// and whether any piece was marked.
func (c *Carrier) gather(s *session, body []byte, marked bool) (packet []byte, mark bool) {
	f, piece, err := codec.ParseFragment(body)
	if err != nil || unit.Bytes(f.Total) > c.cfg.Datagram {
		c.Counts.Malformed++
		return nil, false
	}
	p := s.peer
	i := slices.IndexFunc(p.pieces, func(g *gathered) bool { return g.session == s && g.first.Packet == f.Packet })
	if i < 0 {
		c.makeRoom(p, int(f.Total))
		i = len(p.pieces)
		p.pieces = append(p.pieces, c.blank(s, f))
		p.gathered += int(f.Total)
	}
	g := p.pieces[i]
	if g.first.Count != f.Count || g.first.Total != f.Total {
		c.Counts.Malformed++
		return nil, false
	}
	g.marked = g.marked || marked
	word, bit := f.Index/64, uint64(1)<<(f.Index%64)
	if g.came[word]&bit != 0 {
		return nil, false
	}
	g.came[word] |= bit
	from, _ := f.Span()
	copy(g.packet[from:], piece)
	if g.left--; g.left > 0 {
		return nil, false
	}
	c.drop(p, i)
	return g.packet, g.marked
}

// makeRoom drops the oldest incomplete packets of a peer until there is room for another.
func (c *Carrier) makeRoom(p *Peer, size int) {
	for len(p.pieces) >= mostGathered || len(p.pieces) > 0 && p.gathered+size > gatheredBytes {
		c.drop(p, 0)
	}
}

// drop removes a packet from the incomplete ones and keeps its memory for reuse.
func (c *Carrier) drop(p *Peer, i int) {
	g := p.pieces[i]
	p.gathered -= len(g.packet)
	p.pieces = slices.Delete(p.pieces, i, i+1)
	if len(c.blanks) < mostGathered {
		c.blanks = append(c.blanks, g)
	}
}

// blank returns a packet without pieces.
func (c *Carrier) blank(s *session, f codec.Fragment) *gathered {
	var g *gathered
	if n := len(c.blanks); n > 0 {
		g, c.blanks = c.blanks[n-1], c.blanks[:n-1]
	} else {
		g = new(gathered)
	}
	packet := slices.Grow(g.packet[:0], int(f.Total))[:f.Total]
	*g = gathered{session: s, first: f, packet: packet, left: int(f.Count)}
	return g
}

// onPiece handles a piece of a packet.
func (c *Carrier) onPiece(now unit.Time, s *session, body []byte, marked bool) {
	if packet, mark := c.gather(s, body, marked); packet != nil {
		c.onPacket(now, s.peer, packet, mark)
	}
}

// whole returns the size of a datagram that carries a packet in one piece.
func (s *session) whole(packet []byte) unit.Bytes {
	return unit.Bytes(codec.HeadSize + len(packet) + s.trailer())
}

// trailer returns the size of the trailer after the body.
func (s *session) trailer() int {
	if s.keys == nil {
		return sumSize
	}
	return codec.SealOverhead
}

// portOf returns the source port that an entropy selects.
func (c *Carrier) portOf(p *protocol.Packet) int { return int(p.Entropy % c.env.Paths) }
