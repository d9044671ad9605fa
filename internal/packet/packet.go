package packet

// ID names a packet in its store. One that goes to another store gets a new number there.
type ID int32

// None is the number of no packet.
const None ID = -1

// Packet is the header of a packet: what switches and hosts look at. It holds no payload and fits twice in a
// cache line.
type Packet struct {
	// src and dst are host indices. Each stands above a byte of its own: below src is the walk, which belongs
	// to switches, and below dst the group, which belongs to the transport.
	src, dst uint32
	// Message, Serial and Seq belong to the transport: a number of the message that
	// its sender uses again, its ordinal, and the packet within it.
	Message uint32
	Serial  uint32
	Seq     uint32
	// Aux belongs to the transport. With the Extended flag it is the number of the packet's views; see
	// [Store.Aux].
	Aux uint32
	// Size is the packet on the wire in bytes, headers included.
	Size uint16
	// Entropy is hashed by switches, with source and destination, to choose
	// among equal next hops.
	Entropy uint16
	// Kind and Bits belong to the transport.
	Kind, Bits uint8
	// Flags belongs to the network, but for Own.
	Flags Flags
	// class is the priority class in the low bits and the number of the way in
	// which switches spray (fabric.Config.Sprays) above them.
	class uint8
}

const (
	hostShift = 8 // of a host in its word
	besides   = 1<<hostShift - 1
)

// MaxHosts is the number of hosts that packets can tell apart.
const MaxHosts = 1 << (32 - hostShift)

// Src returns the index of the host from which a packet comes.
func (p *Packet) Src() int32 { return int32(p.src >> hostShift) }

// Dst returns the index of the host to which a packet goes.
func (p *Packet) Dst() int32 { return int32(p.dst >> hostShift) }

// Group returns the transport's group of traffic.
func (p *Packet) Group() uint8 { return uint8(p.dst) }

// Address says from where to where a new packet goes, and in which group.
func (p *Packet) Address(src, dst int32, group uint8) {
	p.src, p.dst = uint32(src)<<hostShift, uint32(dst)<<hostShift|uint32(group)
}

// TurnBack sends a packet of the same group to the host from which it came, on a walk that begins anew.
func (p *Packet) TurnBack() {
	p.src, p.dst = p.dst&^besides, p.src&^besides|uint32(p.Group())
}

// Flags is what the network notes on a packet.
type Flags uint8

// Flags of a packet. Two bits of them are the way in which it is stamped: see Forward.
const (
	// Marked: congestion experienced (ECN CE).
	Marked Flags = 1 << iota
	// Trimmed: the payload was cut off in a switch.
	Trimmed
	// Extended: Aux is the number of its views.
	Extended

	stampShift = 3

	// Originated: a switch made it, with a controller's notice ([Store.Notice]).
	Originated Flags = 1 << 5
	// Own belongs to the transport, which has no room for it in Bits. The network passes it on.
	Own Flags = 1 << 6
)

// Originated tells that a switch made the packet.
func (p *Packet) Originated() bool { return p.Flags&Originated != 0 }

const (
	sprayShift = 3
	classMask  = 1<<sprayShift - 1
)

// MaxSprays is the number of ways to spray that packets can tell apart.
const MaxSprays = 1 << (8 - sprayShift)

// Priority returns a packet's priority class.
func (p *Packet) Priority() uint8 { return p.class & classMask }

// Spray returns the number of the way in which switches spray a packet.
func (p *Packet) Spray() uint8 { return p.class >> sprayShift }

// Sprayed tells whether switches choose its next hops otherwise than by hash.
func (p *Packet) Sprayed() bool { return p.class >= 1<<sprayShift }

// SetClass sets a packet's priority class, and in which way switches spray it, as a number in
// fabric.Config.Sprays.
func (p *Packet) SetClass(class, spray uint8) { p.class = class | spray<<sprayShift }

// SetPriority moves a packet to another class.
func (p *Packet) SetPriority(class uint8) { p.class = p.class&^classMask | class }

// MaxSize is the largest packet on the wire in bytes.
const MaxSize = 1<<16 - 1
