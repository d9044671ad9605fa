package fabric

import "weft/topo"

// FrameID names a frame in its domain's slab. A frame that crosses to another
// domain gets a new one there.
type FrameID int32

// Frame is what travels: the header fields that switches and hosts look at. It
// holds no payload and fits twice in a cache line.
type Frame struct {
	// src and dst are host indices. Each stands above a byte of its own: below src is the walk, which belongs
	// to the fabric, and below dst the group, which belongs to the transport.
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
	// class is the priority class in the low bits and the number of the way in
	// which switches spray (Config.Sprays) above them.
	class uint8
}

const (
	hostShift = 8 // of a host in its word
	besides   = 1<<hostShift - 1

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

// TurnBack sends a frame of the same group to the host from which it came, on a walk that begins anew.
func (f *Frame) TurnBack() {
	f.src, f.dst = f.dst&^besides, f.src&^besides|uint32(f.Group())
}

// walk is what switches note of a frame's way: its tokens (deflect.go) in the low bits, its phase (detour.go) above.
type walk uint8

const (
	tokenBits  = 4
	tokenMask  = 1<<tokenBits - 1
	phaseShift = tokenBits
)

func (f *Frame) walk() walk { return walk(f.src) }

func (f *Frame) setWalk(w walk) { f.src = f.src&^besides | uint32(w) }

// Flags is what the fabric notes on a frame.
type Flags uint8

// Flags of a frame. Two bits of them are the way in which it is stamped: see Forward.
const (
	// Marked: congestion experienced (ECN CE).
	Marked Flags = 1 << iota
	// Trimmed: the payload was cut off in a switch.
	Trimmed
	// Extended: Aux is the index of an extension.
	Extended

	stampShift = 3

	// originated: a switch made it.
	originated Flags = 1 << 5
)

// Originated tells that a switch made the frame, with a controller's notice (Domain.Notice).
func (f *Frame) Originated() bool { return f.Flags&originated != 0 }

const (
	sprayShift = 3
	classMask  = 1<<sprayShift - 1
)

// MaxSprays is the number of ways to spray that frames can tell apart.
const MaxSprays = 1 << (8 - sprayShift)

// Priority returns a frame's priority class.
func (f *Frame) Priority() uint8 { return f.class & classMask }

// spray returns the number of the way in which switches spray a frame.
func (f *Frame) spray() uint8 { return f.class >> sprayShift }

// sprayed tells whether switches choose its next hops otherwise than by hash.
func (f *Frame) sprayed() bool { return f.class >= 1<<sprayShift }

// SetClass sets a frame's priority class, and in which way switches spray it, as a number in Config.Sprays.
func (f *Frame) SetClass(class, spray uint8) { f.class = class | spray<<sprayShift }

// setPriority moves a frame to another class.
func (f *Frame) setPriority(class uint8) { f.class = f.class&^classMask | class }

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
