package fabric

import "weft/topo"

// FrameID names a frame in its domain's slab. A frame that crosses to another
// domain gets a new one there.
type FrameID int32

// Frame is what travels: the header fields that switches and hosts look at. It
// holds no payload and fits twice in a cache line.
type Frame struct {
	// src and dst are host indices, each above a byte of other things: below dst stands the group.
	src, dst uint32
	// Message, Serial and Seq belong to the transport: a number of the message that
	// its sender uses again, its ordinal, and the packet within it.
	Message uint32
	Serial  uint32
	Seq     uint32
	// Aux belongs to the transport. With the Extended flag it is the index of an
	// extension, which the fabric carries along and frees with the frame.
	Aux uint32
	// Size is the frame on the wire in bytes, headers included.
	Size uint16
	// Entropy is hashed by switches, with source and destination, to choose
	// among equal next hops.
	Entropy uint16
	// Kind and Bits belong to the transport.
	Kind, Bits uint8
	// Flags belongs to the fabric.
	Flags Flags
	// Class is the priority class in the low bits and the number of the way in
	// which switches spray (Config.Sprays) above them.
	Class uint8
}

// Flags is what the fabric notes on a frame.
type Flags uint8

// Flags of a frame.
const (
	// Marked: congestion experienced (ECN CE).
	Marked Flags = 1 << iota
	// Trimmed: the payload was cut off in a switch.
	Trimmed
	// Extended: Aux is the index of an extension.
	Extended
)

// hostShift is where hosts begin in their words. All of a graph must fit above it.
const (
	hostShift = 8
	lowByte   = 1<<hostShift - 1

	_ = uint(1<<(32-hostShift) - topo.MaxHosts)
)

// Src returns the index of the host from which a frame comes.
func (f *Frame) Src() int32 { return int32(f.src >> hostShift) }

// Dst returns the index of the host to which a frame goes.
func (f *Frame) Dst() int32 { return int32(f.dst >> hostShift) }

// Group returns the transport's group of traffic.
func (f *Frame) Group() uint8 { return uint8(f.dst) }

// Address says from where to where a new frame goes, and in which group.
func (f *Frame) Address(src, dst int32, group uint8) {
	f.src, f.dst = uint32(src)<<hostShift, uint32(dst)<<hostShift|uint32(group)
}

// TurnBack sends a frame of the same group to the host from which it came.
func (f *Frame) TurnBack() {
	f.src, f.dst = f.dst&^lowByte, f.src&^lowByte|f.dst&lowByte
}

// Originated tells that a switch made the frame, with a controller's notice (Domain.Notice).
func (f *Frame) Originated() bool { return f.Class&originated != 0 }

const (
	classMask  = 7
	originated = 8 // the bit of Class between these
	sprayShift = 4
)

// MaxSprays is the number of ways to spray that frames can tell apart.
const MaxSprays = 1 << (8 - sprayShift)

// MaxFrame is the largest frame on the wire in bytes.
const MaxFrame = 1<<16 - 1

// ExtensionWords is the size of a frame extension in 64-bit words.
const ExtensionWords = 10

// Extension is what a frame carries beyond its fixed header: selective
// acknowledgements, telemetry.
type Extension [ExtensionWords]uint64

// slab holds the frames and extensions of a domain.
type slab struct {
	frames  []Frame
	free    []FrameID
	exts    []Extension
	freeExt []uint32
	trails  []Trail // of the extensions; fewer, or none, unless switches stamp
}

// take returns a frame with undefined content. It may move the slab: pointers to
// frames taken before do not survive it.
func (s *slab) take() FrameID {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	s.frames = append(s.frames, Frame{})
	return FrameID(len(s.frames) - 1)
}

// keep puts a frame into the slab that is not in it, which its number gone tells.
func (s *slab) keep(f *Frame, id FrameID) FrameID {
	if id == gone {
		id = s.take()
		s.frames[id] = *f
	}
	return id
}

// release returns a frame and its extension to the slab.
func (s *slab) release(id FrameID) {
	if f := &s.frames[id]; f.Flags&Extended != 0 {
		s.freeExt = append(s.freeExt, f.Aux)
	}
	s.free = append(s.free, id)
}

// extend gives the frame an extension, with undefined content.
func (s *slab) extend(f *Frame) *Extension {
	f.Flags |= Extended
	if n := len(s.freeExt); n > 0 {
		f.Aux = s.freeExt[n-1]
		s.freeExt = s.freeExt[:n-1]
	} else {
		f.Aux = uint32(len(s.exts))
		s.exts = append(s.exts, Extension{})
	}
	return &s.exts[f.Aux]
}
