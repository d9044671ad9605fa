package flowfile

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"weft/internal/readable"
	"weft/unit"
)

// Completion is a line of a file of completion times (fct.txt): a finished flow.
//
//	SIP DIP SPORT DPORT SIZE START_NS FCT_NS STANDALONE_NS
//
// HPCC's simulator writes nodes as addresses of 8 hexadecimal digits, ConWeave's as numbers. In
// both, a flow ends when its sender has the last acknowledgement.
type Completion struct {
	// Src and Dst are node numbers.
	Src, Dst int32
	// SrcPort and DstPort distinguish flows between the same nodes.
	SrcPort, DstPort int64
	Size             unit.Bytes
	Start, FCT       unit.Time
	// Standalone is the completion time of the flow alone in the network.
	Standalone unit.Time
}

// Slowdown returns the completion time over the completion time alone.
func (c *Completion) Slowdown() float64 { return float64(c.FCT) / float64(c.Standalone) }

// FirstPort is the port of the first flow of a pair of nodes in HPCC's simulator. Each later flow
// has the next port.
const FirstPort = 10000

// MaxAddressed is the largest node number that has an address.
const MaxAddressed = 1<<16 - 1

// firstAddress is the address of node 0, 11.0.0.1.
const firstAddress = 0x0b000001

// address returns a node's address in HPCC's simulator: 11.h.l.1, where h and l are the high and
// low bytes of its number.
func address(node int32) uint32 {
	return firstAddress + uint32(node/256)<<16 + uint32(node%256)<<8
}

// WriteCompletions writes a file as HPCC's simulator does. Times are truncated to nanoseconds.
func WriteCompletions(w io.Writer, list []Completion) error {
	b := bufio.NewWriter(w)
	for i := range list {
		c := &list[i]
		for _, node := range []int32{c.Src, c.Dst} {
			if node > MaxAddressed {
				return fmt.Errorf("node %d has no address in HPCC's simulator, which has them up to %d", node, MaxAddressed)
			}
		}
		fmt.Fprintf(b, "%08x %08x %d %d %d %d %d %d\n", address(c.Src), address(c.Dst), c.SrcPort, c.DstPort, int64(c.Size),
			int64(c.Start/unit.Nanosecond), int64(c.FCT/unit.Nanosecond), int64(c.Standalone/unit.Nanosecond))
	}
	return b.Flush()
}

// ReadCompletions reads a file of HPCC's or ConWeave's simulator. Errors begin with the file's
// name, the line and the column.
func ReadCompletions(r io.Reader, name string) ([]Completion, error) {
	s := newScanner(r, name)
	var list []Completion
	for s.next() {
		c, err := s.completion()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, s.err()
}

func (s *scanner) completion() (c Completion, err error) {
	if n := len(s.words); n != 8 {
		return c, s.errorf(1, "the line has %d words; a finished flow is SIP DIP SPORT DPORT SIZE START_NS FCT_NS STANDALONE_NS", n)
	}
	for i, into := range []*int32{&c.Src, &c.Dst} {
		if *into, err = s.node(i); err != nil {
			return c, err
		}
	}
	const mostTime = int64(unit.Forever / unit.Nanosecond / 4)
	var size, start, fct, alone int64
	for i, part := range []struct {
		what        string
		least, most int64
		into        *int64
	}{
		{"the sender's port", 0, math.MaxUint16, &c.SrcPort}, {"the receiver's port", 0, math.MaxUint16, &c.DstPort},
		{"the size", 1, maxSize, &size}, {"the start", 0, mostTime, &start}, {"the completion time", 0, mostTime, &fct},
		{"the completion time alone", 1, mostTime, &alone},
	} {
		if *part.into, err = s.integer(2+i, part.what, part.least, part.most); err != nil {
			return c, err
		}
	}
	c.Size, c.Start, c.FCT, c.Standalone = unit.Bytes(size), unit.Time(start)*unit.Nanosecond, unit.Time(fct)*unit.Nanosecond, unit.Time(alone)*unit.Nanosecond
	return c, nil
}

// node reads word i of the line, an address or a number.
func (s *scanner) node(i int) (int32, error) {
	w := s.words[i]
	if len(w.text) != 8 {
		n, err := s.integer(i, "the node", 0, maxNode)
		return int32(n), err
	}
	a, err := strconv.ParseUint(w.text, 16, 32)
	if node := int32(a >> 8 & MaxAddressed); err == nil && uint32(a) == address(node) {
		return node, nil
	}
	return 0, s.errorf(w.column, "%q is not the address of a node; they are from %08x to %08x", readable.Clip(w.text), address(0), address(MaxAddressed))
}
