package carrier

import (
	"fmt"
	"io"
	"math"
	"slices"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
	"weft/wire/internal/tape"
)

// ID names an endpoint, wherever it stands and however often it starts.
type ID [16]byte

// Config is what a carrier stands on. All fields but Secret are needed.
type Config struct {
	ID ID
	// Life tells the lives of an endpoint apart: it differs each time that one starts.
	Life uint64
	// Seed is that of all random choices, sessions and nonces among them; it must be secret where peers are not trusted.
	Seed [32]byte
	// Rate is that of the host's link, and RTT the round trip of an unloaded network.
	Rate unit.Rate
	RTT  unit.Time
	// Datagram is the largest datagram, which paths may not take, and Overhead what the link adds to one.
	Datagram, Overhead unit.Bytes
	// Carried tells that all paths carry Datagram: none is asked.
	Carried bool
	// Burst is how much is sent at once after the driver was late.
	Burst unit.Bytes
	// Secret, if not empty, is what peers share: all but handshakes is sealed then.
	Secret []byte
	// Peers is how many peers there can be at once.
	Peers int
	// Largest is the largest message that is taken, and Incoming the memory of all that arrive.
	Largest, Incoming unit.Bytes
	// Listens tells that messages are taken at all.
	Listens bool
	// Silence is how long a peer that owes an answer may say nothing.
	Silence unit.Time
	// Transport makes the transport of the host, and Balancer chooses entropies of data.
	Transport protocol.CongestionControl
	Balancer  protocol.Balancer
	// TransportHash tells transports and their options apart. Peers of another one are refused, since packets mean what the
	// transport of their sender means.
	TransportHash uint32
	// Ports is how many source ports a host has; an entropy chooses among them.
	Ports int
	// Run is how many packets to a peer that leave at one instant have one entropy, at most, so that they can leave as a burst; 0 is 1.
	// The balancer's own Run goes before it.
	Run int
	// Record, if not nil, is what calls of the transport are written to (package tape), and Name what it is built from.
	Record io.Writer
	Name   tape.Name

	limits keyLimits // zero: defaults
}

const (
	// mostMessage is the largest message that any endpoint takes.
	mostMessage = unit.TiB
	// mostPackets is how many packets a message can have: transports count them in 32 bits, and compare differences.
	mostPackets = 1<<31 - 1
)

// headOf returns the size of the largest head of a transport's data, which both peers reckon alike, whatever messages they take.
func headOf(t *protocol.HostTraits) (unit.Bytes, error) {
	p := t.Fullest
	if p.Wire == 0 { // it does not say, and may use all fields
		p = protocol.Packet{
			Wire: math.MaxUint16, Echo: math.MaxUint16, Tag: math.MaxUint64, Size: math.MaxInt64, Offset: math.MaxInt64, Amount: math.MaxInt64,
			Number: math.MaxUint32, Extra: math.MaxUint32, SentAt: math.MaxInt64, EchoAt: math.MaxInt64,
		}
	}
	p.Size, p.Offset, p.Amount = min(p.Size, mostMessage), min(p.Offset, mostMessage), min(p.Amount, mostMessage)
	n, err := codec.HeadOf(&p)
	return unit.Bytes(n), err
}

// Sizes returns the payload of a full packet, and what that has beside it, with all that the link adds.
func (cfg *Config) Sizes() (payload, header unit.Bytes, err error) {
	head, err := headOf(&cfg.Transport.Host)
	if err != nil {
		return 0, 0, fmt.Errorf("the largest packet of the transport: %w", err)
	}
	around := codec.HeadSize + head + sumSize
	if len(cfg.Secret) > 0 {
		around += codec.SealOverhead - sumSize
	}
	lightest := unit.Bytes(slices.Max(cfg.Transport.Host.Lighter[:])) // header that packets of a kind do without, but no datagram
	if cfg.Datagram < 2*around+lightest {
		return 0, 0, fmt.Errorf("datagrams of %v leave no room for payload", cfg.Datagram)
	}
	return cfg.Datagram - around - lightest, around + cfg.Overhead, nil
}

// Counts are of what happened since the start.
type Counts struct {
	// Sent and Received are datagrams, SentBytes and ReceivedBytes their bytes.
	Sent, Received, SentBytes, ReceivedBytes uint64
	// Malformed were no datagrams of this format, Unsealed were not by who has the secret, Repeated came before, Strange
	// bore a session that nobody knows, Full found no room for their peer, and Mismatched were of a peer with another transport.
	Malformed, Unsealed, Repeated, Strange, Full, Mismatched uint64
	// Marked met congestion.
	Marked uint64
	// Split are packets that went in pieces.
	Split uint64
	// Rotated is how often a session went to its next key.
	Rotated uint64
	// Fresh and Spare are bytes of payload that had not come before, and that had.
	Fresh, Spare uint64
	// Lost are packets that were taken for lost, and Timeouts those of them of which nothing was heard for too long.
	Lost, Timeouts uint64
	// Resent are packets whose payload was sent before. Data are those that came with payload that had not come before, DataMarked
	// those of them that met congestion, and Copies those with payload of which none was new.
	Resent, Data, DataMarked, Copies uint64
	// Refused are messages of peers for which there was no room or nobody.
	Refused uint64
	// Delivered and Confirmed are messages that came, and that peers confirmed.
	Delivered, Confirmed uint64
}
