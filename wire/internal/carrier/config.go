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

// ID identifies an endpoint across addresses and restarts.
type ID [16]byte

// Config configures a carrier. All fields down to Ports are needed, except Secret.
type Config struct {
	ID ID
	// Life identifies one run of the endpoint: it differs each time the endpoint starts.
	Life uint64
	// Seed seeds all random choices, including sessions and nonces. It must be secret if peers
	// are not trusted.
	Seed [32]byte
	// Rate is the rate of the host's link, and RTT the round-trip time of an unloaded network.
	Rate unit.Rate
	RTT  unit.Time
	// Datagram is the size of the largest datagram, which some paths may not take. Overhead is
	// what the link adds to each.
	Datagram, Overhead unit.Bytes
	// Carried asserts that all paths carry Datagram, so that none is probed.
	Carried bool
	// Burst is the most that is sent at once after the driver was late.
	Burst unit.Bytes
	// Secret, if not empty, is the secret that peers share. Then everything except handshakes is
	// sealed.
	Secret []byte
	// Peers is the largest number of peers at once.
	Peers int
	// Largest is the largest message accepted. Incoming limits the memory of arriving messages.
	Largest, Incoming unit.Bytes
	// Listens is set if messages other than replies are accepted.
	Listens bool
	// Silence is how long a peer that owes an answer may be silent.
	Silence unit.Time
	// Transport makes the host transport. Balancer chooses the entropies of data packets.
	Transport protocol.CongestionControl
	Balancer  protocol.Balancer
	// TransportHash identifies the transport with its options. Peers with another hash are
	// refused, because they would interpret packets differently.
	TransportHash uint32
	// Ports is the number of source ports, which entropies select from.
	Ports int
	// Run is the largest number of packets to a peer that share an entropy if they leave at one
	// instant, so that they can leave as a burst; 0 is 1. The balancer's own Run takes
	// precedence.
	Run int
	// Record, if not nil, receives the transport's calls (package tape). Name says how to rebuild
	// the transport.
	Record io.Writer
	Name   tape.Name

	limits keyLimits // the zero value means defaults
}

const (
	// mostMessage is the largest message that any endpoint accepts.
	mostMessage = unit.TiB
	// mostPackets is the largest number of packets in a message. Transports count them in 32 bits
	// and compare differences.
	mostPackets = 1<<31 - 1
)

// headOf returns the size of the largest head of a transport's data packets. Both peers compute
// the same, whatever messages they accept.
func headOf(t *protocol.HostTraits) (unit.Bytes, error) {
	p := t.Fullest
	if p.Wire == 0 { // the transport does not say, so it may use all fields
		p = protocol.Packet{
			Wire: math.MaxUint16, Echo: math.MaxUint16, Tag: math.MaxUint64, Size: math.MaxInt64, Offset: math.MaxInt64, Amount: math.MaxInt64,
			Number: math.MaxUint32, Extra: math.MaxUint32, SentAt: math.MaxInt64, EchoAt: math.MaxInt64,
		}
	}
	p.Size, p.Offset, p.Amount = min(p.Size, mostMessage), min(p.Offset, mostMessage), min(p.Amount, mostMessage)
	n, err := codec.HeadOf(&p)
	return unit.Bytes(n), err
}

// Sizes returns the payload of a full packet and the size of the rest, including the link's
// overhead.
func (cfg *Config) Sizes() (payload, header unit.Bytes, err error) {
	head, err := headOf(&cfg.Transport.Host)
	if err != nil {
		return 0, 0, fmt.Errorf("the largest packet of the transport: %w", err)
	}
	around := codec.HeadSize + head + sumSize
	if len(cfg.Secret) > 0 {
		around += codec.SealOverhead - sumSize
	}
	lightest := unit.Bytes(slices.Max(cfg.Transport.Host.Lighter[:])) // header bytes that some kinds of packet save and use for payload
	if cfg.Datagram < 2*around+lightest {
		return 0, 0, fmt.Errorf("datagrams of %v leave no room for payload", cfg.Datagram)
	}
	return cfg.Datagram - around - lightest, around + cfg.Overhead, nil
}

// Counts holds counters since the start.
type Counts struct {
	// Sent and Received count datagrams, SentBytes and ReceivedBytes their bytes.
	Sent, Received, SentBytes, ReceivedBytes uint64
	// Malformed counts datagrams in a wrong format, Unsealed those whose sender lacks the secret,
	// Repeated copies, and Strange ones of an unknown session. Full counts peers for whom there
	// was no room, and Mismatched those with another transport.
	Malformed, Unsealed, Repeated, Strange, Full, Mismatched uint64
	// Marked counts packets with a congestion mark.
	Marked uint64
	// Split counts packets sent in pieces.
	Split uint64
	// Rotated counts changes to a next key.
	Rotated uint64
	// Fresh and Spare count payload bytes that were new, and that had arrived before.
	Fresh, Spare uint64
	// Lost counts packets considered lost, and Timeouts those among them that stayed unanswered
	// for too long.
	Lost, Timeouts uint64
	// Resent counts packets whose payload was sent before. Data counts arrived packets with new
	// payload, DataMarked those among them with a congestion mark, and Copies packets with
	// payload but nothing new.
	Resent, Data, DataMarked, Copies uint64
	// Refused counts peers' messages that found no room or no handler.
	Refused uint64
	// Delivered counts messages that arrived, and Confirmed those that peers confirmed.
	Delivered, Confirmed uint64
}
