package netns

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"weft/unit"
)

// errUnavailable is returned when nothing of this package works: the system is not
// Linux, or does not let this user have namespaces. A *missingError has details.
var errUnavailable = errors.New("namespaces are not available")

// missingError reports what an emulated fabric lacks. It wraps errUnavailable.
type missingError struct {
	// Kind is what is missing, such as "user namespaces".
	Kind string
	// Found is how that was noticed, and Remedy is what would help.
	Found, Remedy string
	// Err is the system's error, if there was one.
	Err error
}

func (e *missingError) Error() string {
	text := e.Kind + " are not available: " + e.Found
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns errUnavailable and the system's error, if any.
func (e *missingError) Unwrap() []error {
	if e.Err == nil {
		return []error{errUnavailable}
	}
	return []error{errUnavailable, e.Err}
}

// Options describe the hosts to build.
type Options struct {
	// Names are the hosts' names, in order. They become host names and entries of /etc/hosts.
	Names []string
	// MTU is the MTU of all links: the bytes of a frame after its 14 bytes of
	// Ethernet header. 0 means 1500.
	MTU int
	// Rates are the rates of the hosts' links, in the order of Names. The kernel of a
	// host queues up to 1000 packets that its link has no time for yet. With a rate
	// of 0, or without Rates, it passes on all packets at once.
	Rates []unit.Rate
}

// Bounds of the MTU: IPv4 needs 68 bytes, and veth allows up to 65535.
const (
	defaultMTU  = 1500
	leastMTU    = 68
	greatestMTU = 65535
	// most is how many hosts 10.0.0.0/8 can address, excluding its broadcast and the next hop.
	most = 1<<24 - 3
	// Header is the length of the Ethernet header of a frame.
	Header = 14
)

func (o *Options) check() error {
	if o.MTU == 0 {
		o.MTU = defaultMTU
	}
	if o.MTU < leastMTU || o.MTU > greatestMTU {
		return fmt.Errorf("an MTU of %d; it may be from %d to %d", o.MTU, leastMTU, greatestMTU)
	}
	if len(o.Names) > most {
		return fmt.Errorf("%d hosts; 10.0.0.0/8 has addresses for %d", len(o.Names), most)
	}
	if o.Rates != nil && len(o.Rates) != len(o.Names) {
		return fmt.Errorf("%d rates for %d hosts", len(o.Rates), len(o.Names))
	}
	return checkNames(o.Names)
}

// Addr returns the IPv4 address of a host: 10.0.0.0 + host + 1.
func Addr(host int) netip.Addr {
	n := host + 1
	return netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
}

// Addr6 returns the IPv6 address of a host: fd00:: + host + 1.
func Addr6(host int) netip.Addr {
	n := host + 1
	return netip.AddrFrom16([16]byte{0: 0xfd, 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)})
}

// HostOf returns the host with an address, and whether a host can have it.
func HostOf(addr netip.Addr) (int, bool) {
	addr = addr.Unmap()
	b := addr.As16()
	n := int(b[13])<<16 | int(b[14])<<8 | int(b[15])
	return n - 1, n > 0 && (addr == Addr(n-1) || addr == Addr6(n-1))
}

// Command is a program to run on a host.
type Command struct {
	// Host is the number of the host.
	Host int
	// Args are the program and its arguments. Shell returns them for a shell command line.
	Args []string
	// Dir is the working directory, and Env the environment. If empty, they are those
	// of this process.
	Dir string
	Env []string
	// Stdin is the command's input; nil means empty input.
	Stdin io.Reader
	// Stdout and Stderr receive what the command writes, as it writes it; nil discards it. If
	// both are the same, one goroutine writes to them. Lines splits output into whole lines.
	Stdout, Stderr io.Writer
	// Terminal connects this process's standard input and outputs instead of the three above,
	// and makes the command the terminal's foreground. It is for interactive shells.
	Terminal bool
	// Grace is the time from SIGTERM to SIGKILL; 0 means 2 s.
	Grace time.Duration
}

// Shell returns the arguments that make sh run a command line.
func Shell(line string) []string { return []string{"sh", "-c", line} }

// Lost counts frames that kernels dropped. Tap.Drops counts those for which the tap had no room.
type Lost struct {
	// Queued counts frames that found the queue of their host's kernel full, because its
	// programs sent more than its link carries. Without rates there is no such queue.
	Queued uint64
	// Sent counts frames lost between hosts and the tap, Received those lost between
	// the tap and hosts, both because a processor's queue was full.
	Sent, Received uint64
}

// Since returns what was lost after an earlier count.
func (l Lost) Since(before Lost) Lost {
	return Lost{l.Queued - before.Queued, l.Sent - before.Sent, l.Received - before.Received}
}

// Packet is a frame from or to a host.
type Packet struct {
	// Host is the number of the host that sent the frame or gets it.
	Host int32
	// At is when the kernel received the frame from the host, relative to TapOptions.Start.
	At time.Duration
	// Data is the frame, including the Ethernet header. Tap.Read uses its capacity.
	Data []byte
}

// TapOptions describe a Tap.
type TapOptions struct {
	// Start is the zero of Packet.At. It must have a monotonic reading, as from
	// time.Now. The zero value means the time at which the tap is made.
	Start time.Time
	// Batch is the most packets that one system call sends; 0 means 64.
	Batch int
	// Buffer is the memory for frames that wait to be read; 0 means 64 MB. Each frame takes the
	// room of a full MTU. If the kernel has less memory, the buffer is smaller: see Tap.Room.
	Buffer int
}

// NewBatch returns packets with room for a frame of the MTU each, for Tap.Read.
func NewBatch(n, mtu int) []Packet {
	batch, size := make([]Packet, n), mtu+Header
	room := make([]byte, n*size)
	for i := range batch {
		batch[i].Data = room[i*size : (i+1)*size : (i+1)*size]
	}
	return batch
}
