package goal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"weft/trace"
)

// The binary form is little endian and packed. A header is followed by a block per rank:
//
//	u64 cookie, u32 ranks, u8 highest CPU, u8 highest NIC, per rank u64 start and u64 end of its block
//	u32 operations, u32 roots, u32 each root, 39 bytes per operation, u32 each dependant
//
// Starts and ends of blocks count from behind the cookie. Roots are the operations without dependencies.
const (
	cookie     = 4223
	spent      = 2342 // LogGOPSim writes it into files that it changed
	afterMagic = 8
	headSize   = 14
	nodeSize   = 39
	anyNumber  = math.MaxUint32
)

// binaryReader reads the binary form block by block.
type binaryReader struct {
	r       io.ReaderAt
	size    int64
	name    string
	ranks   int
	markers markers
	b       trace.Builder
	block   []byte
}

func (b *binaryReader) errorf(offset int64, format string, args ...any) error {
	return fmt.Errorf("%s: at byte %d: %w", b.name, offset, fmt.Errorf(format, args...))
}

// read fills p from an offset, which the caller has found to be within the file.
func (b *binaryReader) read(p []byte, offset int64) error {
	if n, err := b.r.ReadAt(p, offset); n < len(p) {
		return b.errorf(offset+int64(n), "the file cannot be read: %w", err)
	}
	return nil
}

func scanBinary(r io.ReaderAt, size int64, name string, visit visit) ([]string, error) {
	b := &binaryReader{r: r, size: size, name: name}
	if size < headSize {
		return nil, b.errorf(size, "the file ends within its header of %d bytes; make it anew from the text", headSize)
	}
	var head [headSize]byte
	if err := b.read(head[:], 0); err != nil {
		return nil, err
	}
	switch c := binary.LittleEndian.Uint64(head[:]); c {
	case cookie:
	case spent:
		return nil, b.errorf(0, "a simulation with --save-mem has used up this file; make it anew from the text")
	default:
		return nil, b.errorf(0, "the file begins with %d and not with %d, so it is no GOAL in binary form; name a file that txt2bin or weft made", c, cookie)
	}
	ranks := binary.LittleEndian.Uint32(head[afterMagic:])
	if ranks == 0 || int64(ranks) > (size-headSize)/16 {
		return nil, b.errorf(afterMagic, "the file is for %d ranks, but has room for %d of them; make it anew from the text", ranks, (size-headSize)/16)
	}
	b.ranks = int(ranks)
	table := bufio.NewReader(io.NewSectionReader(r, headSize, int64(ranks)*16))
	for rank := range b.ranks {
		var places [16]byte
		at := headSize + int64(rank)*16
		if _, err := io.ReadFull(table, places[:]); err != nil {
			return nil, b.errorf(at, "the file cannot be read: %w", err)
		}
		start, end := binary.LittleEndian.Uint64(places[:]), binary.LittleEndian.Uint64(places[8:])
		if behind := uint64(size - afterMagic); end > behind || start > end || start < headSize-afterMagic {
			return nil, b.errorf(at, "rank %d is from %d to %d behind the cookie, but the file ends at %d; it is cut off or damaged", rank, start, end, behind)
		}
		s, err := b.schedule(rank, int64(start)+afterMagic, int64(end-start))
		if err != nil {
			return nil, err
		}
		if err := visit(rank, s); err != nil {
			return nil, err
		}
	}
	return b.markers.notices(), nil
}

// schedule reads the block of a rank.
func (b *binaryReader) schedule(rank int, at, size int64) (*trace.Schedule, error) {
	if size < 8 {
		return nil, b.errorf(at, "the block of rank %d has %d bytes; it has at least 8", rank, size)
	}
	b.block = slices.Grow(b.block[:0], int(size))[:size]
	if err := b.read(b.block, at); err != nil {
		return nil, err
	}
	n, roots := int64(binary.LittleEndian.Uint32(b.block)), int64(binary.LittleEndian.Uint32(b.block[4:]))
	nodesAt := 8 + 4*roots
	appendixAt := nodesAt + n*nodeSize
	switch {
	case n > trace.MaxOperations:
		return nil, b.errorf(at, "rank %d has %d operations, which is too much for weft", rank, n)
	case roots > n || appendixAt > size || (size-appendixAt)%4 != 0:
		return nil, b.errorf(at, "rank %d has %d operations and %d roots, which do not fit into the %d bytes of its block; the file is damaged", rank, n, roots, size)
	}
	nodes, appendix := b.block[nodesAt:appendixAt], b.block[appendixAt:]
	total := uint64(0)
	for i := range n {
		where := at + nodesAt + i*nodeSize
		node := nodes[i*nodeSize:][:nodeSize]
		o, err := b.operation(node, rank, where)
		if err != nil {
			return nil, err
		}
		b.b.Add(o)
		ends, starts := binary.LittleEndian.Uint32(node[23:]), binary.LittleEndian.Uint32(node[31:])
		total += uint64(ends) + uint64(starts)
		if total > uint64(len(appendix)/4) {
			return nil, b.errorf(where, "operation %d of rank %d brings the dependencies to %d, but the block has room for %d; the file is damaged", i, rank, total, len(appendix)/4)
		}
		for _, list := range []struct {
			n, first uint32
			start    bool
		}{{starts, binary.LittleEndian.Uint32(node[35:]), true}, {ends, binary.LittleEndian.Uint32(node[27:]), false}} {
			for k := range uint64(list.n) {
				entry := (uint64(list.first) + k) * 4
				if entry+4 > uint64(len(appendix)) {
					return nil, b.errorf(where, "dependants of operation %d of rank %d are at %d of a list of %d; the file is damaged", i, rank, entry/4, len(appendix)/4)
				}
				op := binary.LittleEndian.Uint32(appendix[entry:])
				if int64(op) >= n {
					return nil, b.errorf(at+appendixAt+int64(entry), "operation %d of rank %d waits for another, but there are %d; the file is damaged", op, rank, n)
				}
				b.b.Require(op, uint32(i), list.start)
			}
		}
	}
	s := b.b.Schedule()
	return &s, b.counts(&s, rank, at, nodes, b.block[8:nodesAt])
}

// operation reads one of a rank.
func (b *binaryReader) operation(node []byte, rank int, where int64) (o trace.Operation, err error) {
	o = trace.Operation{
		Kind: trace.Kind(node[4]), CPU: uint16(node[21]), NIC: uint16(node[22]),
	}
	peer, size, tag := binary.LittleEndian.Uint32(node[5:]), binary.LittleEndian.Uint64(node[9:]), binary.LittleEndian.Uint32(node[17:])
	if size > trace.MaxSize {
		return o, b.errorf(where+9, "an operation of rank %d has the size %d, which is too large", rank, size)
	}
	o.Size = int64(size)
	switch o.Kind {
	case trace.Calc:
		o.NIC = 0
		return o, nil
	case trace.Send, trace.Recv:
	default:
		return o, b.errorf(where+4, "an operation of rank %d has the type %d; 1 is send, 2 recv, 3 calc", rank, node[4])
	}
	o.Peer, o.Tag = int32(min(peer, trace.MaxRank)), int64(tag)
	if o.Kind == trace.Recv {
		if peer == anyNumber {
			o.Peer = trace.AnySource
		}
		if tag == anyNumber {
			o.Tag = trace.AnyTag
		}
	} else if tag == anyNumber {
		return o, b.errorf(where+17, "a send of rank %d has any tag; only receives take any tag", rank)
	}
	b.markers.take(&o, b.ranks)
	if o.Kind != trace.Calc && o.Peer != trace.AnySource && int(o.Peer) >= b.ranks {
		return o, b.errorf(where+5, "the peer of a %v of rank %d is rank %d; ranks are 0 to %d", o.Kind, rank, peer, b.ranks-1)
	}
	return o, nil
}

// counts compares what the file says of dependencies with these.
func (b *binaryReader) counts(s *trace.Schedule, rank int, at int64, nodes, roots []byte) error {
	where := at + 8
	for i, n := range s.Waits() {
		if said := binary.LittleEndian.Uint32(nodes[i*nodeSize:]); said != n {
			return b.errorf(at+8+int64(len(roots))+int64(i)*nodeSize, "operation %d of rank %d is said to have %d dependencies, but has %d; the file is damaged", i, rank, said, n)
		}
		if n > 0 {
			continue
		}
		if len(roots) == 0 || binary.LittleEndian.Uint32(roots) != uint32(i) {
			return b.errorf(where, "operation %d of rank %d waits for nothing, but is not the next in the list of roots; the file is damaged", i, rank)
		}
		roots, where = roots[4:], where+4
	}
	if len(roots) > 0 {
		return b.errorf(where, "the list of roots of rank %d has %d that wait for others; the file is damaged", rank, len(roots)/4)
	}
	return nil
}
