package pcapng

import (
	"encoding/binary"
	"io"
	"net/netip"
	"sync"
	"time"
)

// Types of blocks and options, and values in them.
const (
	sectionHeader  = 0x0a0d0d0a
	interfaceBlock = 1
	enhancedPacket = 6

	byteOrder = 0x1a2b3c4d
	linkRaw   = 101 // starts with an IP header, whose version gives the family

	endOfOptions  = 0
	shbUserAppl   = 4
	ifName        = 2
	ifDescription = 3
	ifTimeUnit    = 9
	epbFlags      = 2

	nanoseconds = 9 // decimal exponent
	inbound     = 1
	outbound    = 2
)

// Interface describes where datagrams were captured.
type Interface struct{ Name, Description string }

// Datagram is a sent or received datagram.
type Datagram struct {
	From, To netip.AddrPort
	// Sent is set if it left the interface, and unset if it arrived.
	Sent bool
	// ECN is the two-bit ECN field of the IP header.
	ECN  uint8
	Data []byte
}

// Writer writes a capture. It is safe for concurrent use. After an error of the io.Writer it
// writes nothing more.
type Writer struct {
	mu    sync.Mutex
	to    io.Writer
	clock func() time.Time
	block []byte // kept to avoid allocations
	err   error
}

// New begins a capture. The writer should be buffered; the caller flushes it.
func New(to io.Writer, i Interface) *Writer { return begin(to, i, time.Now) }

func begin(to io.Writer, i Interface, clock func() time.Time) *Writer {
	w := &Writer{to: to, clock: clock}
	w.section()
	w.describe(i)
	w.flush()
	return w
}

// Write adds a datagram with the current time. Times in a file increase unless the system's clock
// runs backwards.
func (w *Writer) Write(d Datagram) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	b := w.block
	at := uint64(w.clock().UnixNano())
	start := len(b)
	b = append32(b, enhancedPacket, 0, 0, uint32(at>>32), uint32(at))
	lengths := len(b)
	b = append32(b, 0, 0)
	b = appendIP(b, &d)
	size := uint32(len(b) - lengths - 8)
	binary.LittleEndian.PutUint32(b[lengths:], size)
	binary.LittleEndian.PutUint32(b[lengths+4:], size)
	b = padded(b)
	direction := uint32(inbound)
	if d.Sent {
		direction = outbound
	}
	// An option is its code, its length and its value. This one has four bytes.
	b = append32(b, epbFlags|4<<16, direction, endOfOptions)
	w.block = closed(b, start)
	w.flush()
}

// Err returns the first error of the io.Writer.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// flush writes the finished blocks.
func (w *Writer) flush() {
	_, w.err = w.to.Write(w.block)
	w.block = w.block[:0]
}

func (w *Writer) section() {
	start := len(w.block)
	b := append32(w.block, sectionHeader, 0, byteOrder)
	b = binary.LittleEndian.AppendUint16(b, 1) // version 1.0
	b = binary.LittleEndian.AppendUint16(b, 0)
	b = binary.LittleEndian.AppendUint64(b, 1<<64-1) // section of unknown length
	b = appendOption(b, shbUserAppl, []byte("weft"))
	b = appendOption(b, endOfOptions, nil)
	w.block = closed(b, start)
}

func (w *Writer) describe(i Interface) {
	start := len(w.block)
	b := append32(w.block, interfaceBlock, 0, linkRaw, 0) // no length limit
	b = appendOption(b, ifName, []byte(i.Name))
	b = appendOption(b, ifDescription, []byte(i.Description))
	b = appendOption(b, ifTimeUnit, []byte{nanoseconds})
	b = appendOption(b, endOfOptions, nil)
	w.block = closed(b, start)
}

func append32(b []byte, list ...uint32) []byte {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// appendOption appends an option. An option without a value is omitted, unless it is the end of
// options.
func appendOption(b []byte, code uint16, value []byte) []byte {
	if len(value) == 0 && code != endOfOptions {
		return b
	}
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return padded(append(b, value...))
}

// padded pads to a multiple of four bytes, as blocks require.
func padded(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

// closed ends a block, whose length stands at both its ends.
func closed(b []byte, start int) []byte {
	b = append32(b, uint32(len(b)-start+4))
	copy(b[start+4:], b[len(b)-4:])
	return b
}
