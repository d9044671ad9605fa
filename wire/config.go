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

// ID identifies an endpoint across addresses and restarts.
type ID [16]byte

// String returns the ID in hexadecimal.
func (id ID) String() string { return fmt.Sprintf("%x", id[:]) }

// Config configures an endpoint. With the zero value, the endpoint refuses all messages except
// replies.
type Config struct {
	// Handler, if not nil, is called for each arriving message and request, in one of Handlers
	// goroutines and so in no particular order. Without it, messages are refused. The body
	// belongs to the handler. The context ends when Close gives up waiting. The context of a
	// request also ends when the handler returns, and when its caller gives up or is gone. A
	// panic in the handler ends the process, as in any goroutine.
	Handler func(ctx context.Context, m *Message)
	// Handlers is the number of handlers that run at once; 0 is 64. Further messages wait, and
	// hold their memory.
	Handlers int
	// ID identifies the endpoint; zero draws one at random. Two open endpoints must not have the
	// same ID.
	ID ID
	// Secret, if not empty, encrypts and authenticates what is sent. All peers need the same
	// secret.
	Secret []byte
	// Rate is the rate of the host's link; 0 is 10 Gb/s. RTT is the round-trip time of an
	// unloaded network; 0 is 100 µs. Their product, the BDP, limits what is sent before credit
	// arrives. At most 1.5 BDP of credit is outstanding at once.
	Rate unit.Rate
	RTT  time.Duration
	// Datagram is the largest datagram, without UDP and IP headers; 0 is 1452 B, which fits
	// Ethernet with IPv6. All peers need the same. If a path takes only smaller ones, the
	// endpoint detects that and sends packets in pieces (Peer.Datagram).
	Datagram unit.Bytes
	// Fits asserts that all paths take datagrams of that size, as in a network of one's own.
	// Paths are then neither probed nor checked.
	Fits bool
	// Peers is the largest number of peers at once; 0 is 1024. A peer that has been silent for
	// Silence and has nothing under way makes room for a new one. If there is no room, newcomers
	// get no answer (ErrSilent).
	Peers int
	// Largest is the largest message accepted; 0 is 64 MB. Memory limits the total size of
	// arriving messages, until their handlers return, and separately of sent messages, with
	// requests counted until their reply arrives; 0 is 256 MB. It must be at least Largest.
	// Messages that wait for memory are sent in order.
	Largest, Memory unit.Bytes
	// Silence is how long a peer that owes an answer may be silent; 0 is 5 s.
	Silence time.Duration
	// Ports is the number of source ports over which packets are sprayed; 0 is 16.
	Ports int
	// Transport names the transport, as weft's scenario files name congestion controls; "" is
	// "sird". Balancer names the algorithm that chooses among source ports, as they name
	// balancers; "" is "ops", which takes a random port for each packet. Peers need the same.
	// Names that need support from switches are refused; the error lists the others.
	Transport, Balancer string
	// Custom, if not nil, replaces Transport and Balancer.
	Custom *Custom
	// Burst is how many packets that leave for a peer at the same instant share a source port,
	// and so a path, so that the kernel can take them in one call; 0 is 16, and with 1 each
	// packet leaves by itself. Without kernel support it is 1. Under a balancer with runs
	// (Custom.Balancer.Run above 1) it changes no source ports: it limits the size of a burst,
	// which also ends where a run does.
	Burst int
	// Record, if not nil, receives the transport's inputs and decisions, in the format that
	// Replay reads. It should be buffered. The endpoint writes to it until it is closed.
	Record io.Writer
	// Capture, if not nil, receives each datagram that the endpoint sends or receives, as a
	// pcapng file for Wireshark. It should be buffered. An error ends only the capture; Close
	// returns it. The endpoint writes to it until it is closed.
	Capture io.Writer
}

// Custom is a transport and a balancer of the caller's own: weft's with other options, or new
// ones. It excludes Config.Record, since Replay builds transports by their names.
type Custom struct {
	// Name is all that peers compare to see whether they use the same, so it should include the
	// options.
	Name string
	// Control is a congestion control, as an entry of weft's registry builds one. Balancer is a
	// balancer, built likewise.
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

// link is what Ethernet, IP and UDP add to a datagram: 38 B for preamble, gap, header and
// checksum, 40 B for the longer IP header, and 8 B for UDP.
const link = (38 + 40 + 8) * unit.Byte

// filled returns the configuration with defaults for zero fields.
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

// check returns an error that names each invalid field.
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

// within returns an error if a field is out of range, with the field's name as the problem's
// path.
func within[T int | unit.Bytes | unit.Rate | time.Duration](name string, v, least, most T) error {
	if v < least || v > most {
		return problem.At(name, "%s of the configuration is %v", name, v).Mend("give it from %v to %v", least, most)
	}
	return nil
}

// carried returns the carrier's configuration. With alone set, datagrams leave without bursts.
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

// Sizes returns how many bytes of a message a full packet carries, and how many further bytes it
// takes on Ethernet with IPv6, preamble and gap included. To simulate the same packets, use them
// as transport.payload and transport.header.
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

// picoseconds converts a duration to the carrier's clock.
func picoseconds(d time.Duration) unit.Time { return unit.Time(d) * unit.Nanosecond }

// Difference is the first difference between a replay and the recording.
type Difference = tape.Difference

// Replay feeds a recording (Config.Record) to a new transport and returns how many calls it
// answered in the same way. If one differs, the error names its line.
func Replay(r io.Reader) (calls int, err error) {
	return ReplayIn(r, nil)
}

// ReplayIn is Replay with the control transformed by carry. It serves to run the transport in
// another carrier, such as the simulator's by solo.Carry. Differences in the carrier's behaviour
// count too.
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
