package packet

// ID identifies a packet in its store. A packet that moves to another store gets a new ID there.
type ID int32

// None identifies no packet.
const None ID = -1

// Packet is the header of a packet, as switches and hosts see it. It holds no payload, and two
// fit in a cache line.
type Packet struct {
	// src and dst are host indices in the upper bits. The low byte of src is the walk, which
	// belongs to switches. The low byte of dst is the group, which belongs to the transport.
	src, dst uint32
	// Message, Serial and Seq belong to the transport: the number of the message, which its
	// sender reuses, the message's ordinal, and the packet's number in the message.
	Message uint32
	Serial  uint32
	Seq     uint32
	// Aux belongs to the transport. With the Extended flag, it is the number of the packet's
	// views instead; see [Store.Aux].
	Aux uint32
	// Size is the size on the wire in bytes, headers included.
	Size uint16
	// Entropy is hashed by switches, with source and destination, to choose among equal next
	// hops.
	Entropy uint16
	// Kind and Bits belong to the transport.
	Kind, Bits uint8
	// Flags belongs to the network, except Own.
	Flags Flags
	// class holds the priority class in its low bits. Above them is the index of the spraying
	// method (fabric.Config.Sprays).
	class uint8
}

const (
	hostShift = 8 // position of the host in src and dst
	besides   = 1<<hostShift - 1
)

// MaxHosts is the number of hosts that packets can address.
const MaxHosts = 1 << (32 - hostShift)

// Src returns the index of the sending host.
func (p *Packet) Src() int32 { return int32(p.src >> hostShift) }

// Dst returns the index of the destination host.
func (p *Packet) Dst() int32 { return int32(p.dst >> hostShift) }

// Group returns the transport's traffic group.
func (p *Packet) Group() uint8 { return uint8(p.dst) }

// Address sets source, destination and group of a new packet.
func (p *Packet) Address(src, dst int32, group uint8) {
	p.src, p.dst = uint32(src)<<hostShift, uint32(dst)<<hostShift|uint32(group)
}

// TurnBack swaps source and destination and resets the walk. The group stays.
func (p *Packet) TurnBack() {
	p.src, p.dst = p.dst&^besides, p.src&^besides|uint32(p.Group())
}

// Flags holds a packet's flags.
type Flags uint8

// Flags of a packet. Two further bits are the stamping mode; see Forward.
const (
	// Marked means congestion experienced (ECN CE).
	Marked Flags = 1 << iota
	// Trimmed means that a switch cut off the payload.
	Trimmed
	// Extended means that Aux is the number of the packet's views.
	Extended

	stampShift = 3

	// Originated means that a switch made the packet, with a controller's notice
	// ([Store.Notice]).
	Originated Flags = 1 << 5
	// Own belongs to the transport, which has no more room in Bits. The network passes it on.
	Own Flags = 1 << 6
)

// Originated reports whether a switch made the packet.
func (p *Packet) Originated() bool { return p.Flags&Originated != 0 }

const (
	sprayShift = 3
	classMask  = 1<<sprayShift - 1
)

// MaxSprays is the number of spraying methods that packets can name.
const MaxSprays = 1 << (8 - sprayShift)

// Priority returns a packet's priority class.
func (p *Packet) Priority() uint8 { return p.class & classMask }

// Spray returns the index of the method by which switches spray the packet.
func (p *Packet) Spray() uint8 { return p.class >> sprayShift }

// Sprayed reports whether switches choose its next hops other than by hash.
func (p *Packet) Sprayed() bool { return p.class >= 1<<sprayShift }

// SetClass sets a packet's priority class and its spraying method, an index in
// fabric.Config.Sprays.
func (p *Packet) SetClass(class, spray uint8) { p.class = class | spray<<sprayShift }

// SetPriority changes a packet's priority class.
func (p *Packet) SetPriority(class uint8) { p.class = p.class&^classMask | class }

// MaxSize is the largest packet on the wire, in bytes.
const MaxSize = 1<<16 - 1
