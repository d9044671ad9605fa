package carrier

import (
	"slices"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// This file sends packets that are larger than what the path takes in pieces, and puts those of peers together. A transport cuts
// messages into packets of one size for all peers, so it is datagrams that differ by the path.

// splitting is a packet of which some pieces are still to be sent.
type splitting struct {
	session *session
	port    int
	burst   uint32
	packet  []byte
	next    codec.Fragment
}

// left tells whether there are pieces to send.
func (sp *splitting) left() bool {
	return sp.next.Index < sp.next.Count && sp.session.peer != nil && !sp.session.peer.gone
}

// split begins to send a packet in pieces of a size, heads included, and takes the time that their heads have the wire. It returns false if
// there is no number of pieces to which that leads.
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
	// mostGathered is of how many packets of a peer pieces are kept, and gatheredBytes how much they take together. The oldest
	// makes room for a new one: pieces follow one another, and so late ones are lost, or the packet.
	mostGathered  = 64
	gatheredBytes = 256 << 10
)

// gathered is a packet of which some pieces have come.
type gathered struct {
	session *session
	first   codec.Fragment // the piece that came first, for what all have
	packet  []byte
	came    [codec.MostFragments/64 + 1]uint64
	left    int
	marked  bool
}

// gather keeps a piece, and returns the packet once it is whole: its bytes, valid until the next call, and whether a piece was marked.
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

// makeRoom forgets the oldest packets of a peer that are not whole, until there is room for another one.
func (c *Carrier) makeRoom(p *Peer, size int) {
	for len(p.pieces) >= mostGathered || len(p.pieces) > 0 && p.gathered+size > gatheredBytes {
		c.drop(p, 0)
	}
}

// drop takes a packet out of those that are gathered, and keeps its memory for another one.
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

// onPiece takes a piece of a packet.
func (c *Carrier) onPiece(now unit.Time, s *session, body []byte, marked bool) {
	if packet, mark := c.gather(s, body, marked); packet != nil {
		c.onPacket(now, s.peer, packet, mark)
	}
}

// whole tells how large a datagram is that carries a packet as a whole.
func (s *session) whole(packet []byte) unit.Bytes {
	return unit.Bytes(codec.HeadSize + len(packet) + s.trailer())
}

// trailer is the size of what stands behind the body.
func (s *session) trailer() int {
	if s.keys == nil {
		return sumSize
	}
	return codec.SealOverhead
}

// portOf is the source port that an entropy leads to.
func (c *Carrier) portOf(p *protocol.Packet) int { return int(p.Entropy % c.env.Paths) }
