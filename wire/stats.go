package wire

import (
	"net/netip"
	"time"
)

// Stats holds counters since the endpoint was opened.
type Stats struct {
	// Sent and Received count datagrams, SentBytes and ReceivedBytes their bytes without UDP and
	// IP headers.
	Sent, Received, SentBytes, ReceivedBytes uint64
	// Delivered counts messages that arrived, Confirmed those that peers confirmed, and Refused
	// those of peers that found no room or no handler.
	Delivered, Confirmed, Refused uint64
	// Lost counts packets considered lost. Timeouts counts those among them that stayed
	// unanswered for too long; the others were reported missing. Resent counts packets whose
	// payload was sent before.
	Lost, Timeouts, Resent uint64
	// Packets counts arrived packets with new payload. Copies counts packets whose payload had
	// all arrived before, and Spare their payload bytes.
	Packets, Copies, Spare uint64
	// Marked counts packets with a congestion mark (ECN), with or without payload. PacketsMarked
	// counts those among Packets.
	Marked, PacketsMarked uint64
	// RTTs holds round-trip times of packets sent once, from when a packet leaves until its
	// acknowledgement is read. It is nil for transports that measure none: SIRD, Homa and pHost.
	RTTs *RoundTrips
	// Malformed, Unsealed, Repeated and Strange count rejected datagrams: broken ones, ones whose
	// sender lacks the secret, copies, and ones of unknown sessions.
	Malformed, Unsealed, Repeated, Strange uint64
	// Busy counts datagrams for which the kernel had no room. Oversized counts datagrams too
	// large for their path. Split counts packets sent in pieces, because their path does not take
	// datagrams of Config.Datagram.
	Busy, Oversized, Split uint64
	// Paced counts datagrams that waited for Config.Rate. Late is the sum of the delays after
	// that wait, and LateP50 and LateP99 are percentiles, to within 0.4 %. A datagram that left
	// early, by half a packet at most, counts as on time.
	Paced                  uint64
	Late, LateP50, LateP99 time.Duration
	// Bursts counts what the kernel sent and received in one call.
	Bursts BurstStats
}

// BurstStats counts datagrams that the kernel sent or received together (UDP_SEGMENT, UDP_GRO).
type BurstStats struct {
	// Sent counts bursts, and SentDatagrams their datagrams. SentSizes counts bursts by their
	// number of datagrams: 2 and 3, 4 to 7, 8 to 15, 16 to 31, 32 to 63, and 64.
	Sent, SentDatagrams uint64
	SentSizes           [6]uint64
	// Refused counts bursts that the kernel did not take. Their datagrams were sent one by one.
	Refused uint64
	// Received counts bursts that arrived together, and ReceivedDatagrams their datagrams.
	Received, ReceivedDatagrams uint64
	// SendOff and ReceiveOff say why no bursts are sent, or received whole. They are empty if the
	// kernel supports them.
	SendOff, ReceiveOff string
	// Alone lists the peers that currently get no bursts, by address, with the reason: the path
	// or the kernel loses or refuses bursts. They are tried again later.
	Alone map[netip.AddrPort]string
}

// Stats returns the counts.
func (e *Endpoint) Stats() Stats {
	e.mu.Lock()
	c, out, trips := e.carrier.Counts, e.out.Counts, roundTrips(e.carrier.RTTs())
	var late Stats
	e.late.into(&late)
	alone := map[netip.AddrPort]string{}
	for p, q := range e.paths {
		if why, closed := q.Closed(); closed {
			alone[p.Addr()] = why
		}
	}
	e.mu.Unlock()
	b, o := e.bank.Counters(), e.bank.Offload()
	return Stats{
		Paced: late.Paced, Late: late.Late, LateP50: late.LateP50, LateP99: late.LateP99,
		Sent: c.Sent, Received: c.Received, SentBytes: c.SentBytes, ReceivedBytes: c.ReceivedBytes,
		Delivered: c.Delivered, Confirmed: c.Confirmed, Refused: c.Refused,
		Lost: c.Lost, Timeouts: c.Timeouts, Resent: c.Resent, Packets: c.Data, Copies: c.Copies, Spare: c.Spare,
		Marked: c.Marked, PacketsMarked: c.DataMarked, RTTs: trips,
		Malformed: c.Malformed, Unsealed: c.Unsealed, Repeated: c.Repeated, Strange: c.Strange, Busy: b.Busy, Oversized: out.Oversized, Split: c.Split,
		Bursts: BurstStats{
			Sent: out.Bursts, SentDatagrams: out.Datagrams, SentSizes: out.Sizes, Refused: out.Refused,
			Received: b.Merged, ReceivedDatagrams: b.MergedSegments, SendOff: o.SendOff, ReceiveOff: o.ReceiveOff, Alone: alone,
		},
	}
}
