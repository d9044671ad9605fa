package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"weft/problem"
	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/carrier"
	"weft/wire/internal/tape"
	"weft/wire/internal/transports"
)

// ID names an endpoint, wherever it stands and however often it starts.
type ID [16]byte

// String writes it in hexadecimal digits.
func (id ID) String() string { return fmt.Sprintf("%x", id[:]) }

// Config is how an endpoint is to be. Its zero value is an endpoint that takes no messages but replies.
type Config struct {
	// Handler, if not nil, is called for each message and request that arrives, in one of Handlers goroutines and so in no order. Without,
	// messages are refused. The body belongs to the handler. The context ends when Close gives up waiting; that of a request also when its
	// caller gives up or is gone, and when the handler returns. A panic of the handler ends the process, as in any goroutine.
	Handler func(ctx context.Context, m *Message)
	// Handlers is how many run at once; 0 is 64. Messages beyond that wait, and hold their memory.
	Handlers int
	// ID is that of the endpoint; zero draws one. Two that are open at once must not have the same.
	ID ID
	// Secret, if not empty, seals what is sent. All peers need the same.
	Secret []byte
	// Rate is that of the host's link; 0 is 10 Gb/s. RTT is the round trip of an unloaded network; 0 is 100 µs. Their product
	// is how much is sent before credit comes, and how much credit is out at once is 1.5 times it.
	Rate unit.Rate
	RTT  time.Duration
	// Datagram is the largest datagram, without UDP and IP; 0 is 1452 B, which fits Ethernet with IPv6. All peers need the same.
	// Where a path takes less, that is found out, and packets go in pieces (Peer.Datagram).
	Datagram unit.Bytes
	// Fits tells that all paths take datagrams of that size, as in a network of one's own: no path is asked, and none is found out that
	// does not.
	Fits bool
	// Peers is how many there can be at once; 0 is 1024. One that has been silent for Silence makes room for a new one, if nothing is under way
	// with it. Beyond that newcomers find nobody (ErrSilent).
	Peers int
	// Largest is the largest message that is taken; 0 is 64 MB. Memory bounds all messages that arrive, until their handlers return, and once
	// more all that are sent, a request until its reply came; 0 is 256 MB. It must be Largest at least. Those that wait to be sent for want
	// of it go in turn.
	Largest, Memory unit.Bytes
	// Silence is how long a peer that owes an answer may say nothing; 0 is 5 s.
	Silence time.Duration
	// Ports is how many source ports an endpoint has, over which packets are sprayed; 0 is 16.
	Ports int
	// Transport names the transport, as scenario files of weft name congestion controls; "" is "sird". Balancer names what chooses
	// among source ports, as they name balancers; "" is "ops", which takes a random one for each packet. Peers need the same.
	// Those that rely on what only switches can do are refused; the error lists the others.
	Transport, Balancer string
	// Custom, if not nil, is carried in place of what Transport and Balancer name.
	Custom *Custom
	// Burst is how many packets to a peer that leave at one instant take the same source port, and so the same path, so that
	// the kernel takes them as one; 0 is 16, and with 1 each packet leaves by itself. Where the kernel takes no
	// bursts it is 1. Under a balancer of runs (Custom.Balancer.Run above 1) it changes no source port: it is the most packets of
	// a burst, and a burst also ends where a run does.
	Burst int
	// Record, if not nil, gets all that the transport is told and decides, which Replay reads. It should have a buffer.
	// It is written to until the endpoint is closed.
	Record io.Writer
	// Capture, if not nil, gets each datagram that the endpoint sends and receives, as a pcapng file for Wireshark. It should
	// have a buffer. An error ends the capture alone; Close returns it. It is written to until the endpoint is closed.
	Capture io.Writer
}

// Custom is a transport with a balancer of the caller's own: those of weft with other options, or new ones. It goes without Config.Record,
// since Replay builds transports by their names.
type Custom struct {
	// Name is all by which peers know whether they have the same, so it should say the options.
	Name string
	// Control is what an entry of weft's registry builds as a congestion control, and Balancer what one builds as a balancer.
	Control  protocol.CongestionControl
	Balancer protocol.Balancer
}

// Default values of Config.
const (
	defaultHandlers = 64
	defaultRate     = 10 * unit.Gbps
	defaultRTT      = 100 * time.Microsecond
	defaultDatagram = 1452 * unit.Byte
	defaultPeers    = 1024
	defaultLargest  = 64 * unit.MB
	defaultMemory   = 256 * unit.MB
	defaultSilence  = 5 * time.Second
	defaultPorts    = 16
	defaultBurst    = 16
)

// link is what Ethernet, IP and UDP add to a datagram: preamble, gap, head and checksum, and the longer head of IP.
const link = (38 + 40 + 8) * unit.Byte

// filled returns the configuration with its defaults.
func (c Config) filled() Config {
	c.Handlers = cmp.Or(c.Handlers, defaultHandlers)
	c.Rate, c.RTT = cmp.Or(c.Rate, defaultRate), cmp.Or(c.RTT, defaultRTT)
	c.Datagram = cmp.Or(c.Datagram, defaultDatagram)
	c.Peers, c.Ports = cmp.Or(c.Peers, defaultPeers), cmp.Or(c.Ports, defaultPorts)
	c.Largest, c.Memory = cmp.Or(c.Largest, defaultLargest), cmp.Or(c.Memory, defaultMemory)
	c.Burst = cmp.Or(c.Burst, defaultBurst)
	c.Silence = cmp.Or(c.Silence, defaultSilence)
	return c
}

// check names the field that cannot be so.
func (c *Config) check() error {
	if err := errors.Join(
		within("Handlers", c.Handlers, 1, 1<<20),
		within("Peers", c.Peers, 1, 1<<20),
		within("Ports", c.Ports, 1, 256),
		within("Burst", c.Burst, 1, 64),
		within("Datagram", c.Datagram, 512, 65_000),
		within("Largest", c.Largest, 1, unit.TiB),
		within("Memory", c.Memory, 1, 16*unit.TiB),
		within("Rate", c.Rate, unit.Mbps, unit.Tbps),
		within("RTT", c.RTT, time.Microsecond, 10*time.Second),
		within("Silence", c.Silence, 10*c.RTT, time.Hour),
	); err != nil {
		return err
	}
	if c.Memory < c.Largest {
		return problem.New("Memory of the configuration is %v, less than the largest message, %v", c.Memory, c.Largest).Mend("raise Memory, or lower Largest")
	}
	return nil
}

// within tells that a field is out of its range, with its name as the path of the problem.
func within[T int | unit.Bytes | unit.Rate | time.Duration](name string, v, least, most T) error {
	if v < least || v > most {
		return problem.At(name, "%s of the configuration is %v", name, v).Mend("give it from %v to %v", least, most)
	}
	return nil
}

// carried returns what the carrier stands on, where bursts are sent or datagrams leave alone.
func (c *Config) carried(alone bool) (out carrier.Config, err error) {
	out = carrier.Config{
		ID: carrier.ID(c.ID), Rate: c.Rate, RTT: picoseconds(c.RTT), Datagram: c.Datagram, Carried: c.Fits, Overhead: link,
		Burst: max(2*(c.Datagram+link), c.Rate.In(2*unit.Millisecond)), Secret: c.Secret, Peers: c.Peers, Largest: c.Largest, Incoming: c.Memory, Listens: c.Handler != nil,
		Silence: picoseconds(c.Silence), Ports: c.Ports, Run: c.Burst, Record: c.Record,
	}
	if alone {
		out.Run = 1
	}
	_, _ = rand.Read(out.Seed[:])
	var life [8]byte
	_, _ = rand.Read(life[:])
	out.Life = binary.BigEndian.Uint64(life[:])
	if c.ID == (ID{}) {
		_, _ = rand.Read(out.ID[:])
	}
	built, err := c.built()
	out.Transport, out.Balancer, out.Name, out.TransportHash = built.Transport, built.Balancer, built.Name, built.Hash
	return out, err
}

// built returns the transport with its balancer.
func (c *Config) built() (transports.Built, error) {
	if c.Custom == nil {
		return transports.Build(c.Transport, c.Balancer)
	}
	if c.Transport != "" || c.Balancer != "" || c.Record != nil {
		return transports.Built{}, problem.New("Custom of the configuration goes without Transport, Balancer and Record").Mend("leave them empty")
	}
	return transports.Custom(c.Custom.Name, c.Custom.Control, c.Custom.Balancer)
}

// Sizes returns how many bytes of a message a full packet carries, and how many that packet has beside them on Ethernet over IPv6,
// preamble and gap included. A simulation of the same packets has them as transport.payload and transport.header.
func (c Config) Sizes() (payload, header unit.Bytes, err error) {
	c = c.filled()
	if err = c.check(); err == nil {
		var carried carrier.Config
		if carried, err = c.carried(false); err == nil {
			payload, header, err = carried.Sizes()
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("wire: %w", err)
	}
	return payload, header, nil
}

// picoseconds is a duration in the unit of the carrier's clock.
func picoseconds(d time.Duration) unit.Time { return unit.Time(d) * unit.Nanosecond }

// Difference is where a replay answers otherwise than the endpoint did.
type Difference = tape.Difference

// Replay feeds what Config.Record got to a new transport, and returns how many calls it answered as it did then. The error names
// the first line that differs.
func Replay(r io.Reader) (calls int, err error) {
	return ReplayIn(r, nil)
}

// ReplayIn is Replay with what carry makes of the control: transports in another carrier, as solo.Carry puts them into that of the
// simulator. What the carrier does otherwise is a difference, too.
func ReplayIn(r io.Reader, carry func(protocol.CongestionControl) protocol.CongestionControl) (calls int, err error) {
	calls, err = tape.Replay(r, func(name tape.Name) (protocol.CongestionControl, error) {
		c, err := transports.Replay(name)
		if err != nil || carry == nil {
			return c, err
		}
		return carry(c), nil
	})
	if err != nil {
		return calls, fmt.Errorf("wire: replay: %w", err)
	}
	return calls, nil
}
