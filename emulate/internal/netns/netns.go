package netns

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"weft/unit"
)

// errUnavailable is why nothing of this package works: the system is not Linux, or does not
// let this user have namespaces. A *missingError says more.
var errUnavailable = errors.New("namespaces are not available")

// missingError tells what is missing for an emulated fabric. It is an errUnavailable.
type missingError struct {
	// Kind is what is missing, such as "user namespaces".
	Kind string
	// Found is how that was found out, and Remedy what would help.
	Found, Remedy string
	// Err is what the system answered, if it was asked.
	Err error
}

func (e *missingError) Error() string {
	text := e.Kind + " are not available: " + e.Found
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns what the system answered, and errUnavailable.
func (e *missingError) Unwrap() []error {
	if e.Err == nil {
		return []error{errUnavailable}
	}
	return []error{errUnavailable, e.Err}
}

// Options describe the hosts to build.
type Options struct {
	// Names are those of the hosts, in order. They become host names and stand in /etc/hosts.
	Names []string
	// MTU is that of all links: what a frame has behind its 14 bytes of Ethernet. 0 is 1500.
	MTU int
	// Rates are those of the hosts' links, in the order of Names. The kernel of a host keeps what its link has no time for yet, 1000
	// packets at most. With a rate of 0, or without Rates, it gives all away at once.
	Rates []unit.Rate
}

// Bounds of the MTU: IPv4 asks for 68 bytes, and veth goes up to 65535.
const (
	defaultMTU  = 1500
	leastMTU    = 68
	greatestMTU = 65535
	// most is how many hosts 10.0.0.0/8 has room for, without its broadcast and the next hop.
	most = 1<<24 - 3
	// Header is the length of the Ethernet header before the packet of a frame.
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

// HostOf returns the host that has an address, and whether there can be one.
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
	// Args are the program and its arguments. Shell returns those of a line for sh.
	Args []string
	// Dir is the working directory, and Env the environment; empty ones are this process's.
	Dir string
	Env []string
	// Stdin is read by the command; nil is an empty input.
	Stdin io.Reader
	// Stdout and Stderr get what the command writes, as it writes it; nil drops it. Where both
	// are the same, they are written by one goroutine. Lines makes whole lines of it.
	Stdout, Stderr io.Writer
	// Terminal passes this process's standard input and outputs through in place of the three,
	// and makes the command the terminal's foreground. It is for a shell that a person uses.
	Terminal bool
	// Grace is how long the command has after SIGTERM until SIGKILL; 0 is 2 s.
	Grace time.Duration
}

// Shell returns the arguments of a line that sh runs.
func Shell(line string) []string { return []string{"sh", "-c", line} }

// Lost counts frames that kernels dropped. Tap.Drops has those that the tap had no room for.
type Lost struct {
	// Queued found the queue of their host's kernel full: its programs send more than its link carries. Without rates there
	// is no such queue.
	Queued uint64
	// Sent were lost between hosts and the tap, and Received between the tap and hosts, because a queue of a processor was full.
	Sent, Received uint64
}

// Since returns what was lost after an earlier count.
func (l Lost) Since(before Lost) Lost {
	return Lost{l.Queued - before.Queued, l.Sent - before.Sent, l.Received - before.Received}
}

// Packet is a frame from or to a host.
type Packet struct {
	// Host is the number of the host that sent it, or gets it.
	Host int32
	// At is when the kernel had the frame from the host, on the clock of TapOptions.Start.
	At time.Duration
	// Data is the frame, from the Ethernet header on. Tap.Read uses its capacity.
	Data []byte
}

// TapOptions describe a Tap.
type TapOptions struct {
	// Start is the zero of Packet.At. It must have a monotonic reading, as time.Now gives it.
	// The zero value is the time at which the tap is made.
	Start time.Time
	// Batch is how many packets one system call sends at most; 0 is 64.
	Batch int
	// Buffer is the memory for frames that wait to be read; 0 is 64 MB. Each takes the room of a
	// whole MTU. If the kernel has less, it is less: Tap.Room.
	Buffer int
}

// NewBatch returns packets with room for frames of an MTU each, for Tap.Read.
func NewBatch(n, mtu int) []Packet {
	batch, size := make([]Packet, n), mtu+Header
	room := make([]byte, n*size)
	for i := range batch {
		batch[i].Data = room[i*size : (i+1)*size : (i+1)*size]
	}
	return batch
}
