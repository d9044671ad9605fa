package wire

import (
	"net/netip"
	"time"
)

// Stats are counts since the endpoint was opened.
type Stats struct {
	// Sent and Received are datagrams, SentBytes and ReceivedBytes their bytes, without UDP and IP.
	Sent, Received, SentBytes, ReceivedBytes uint64
	// Delivered are messages that came, Confirmed those that peers confirmed, and Refused those of peers for which there was
	// no room or no handler.
	Delivered, Confirmed, Refused uint64
	// Lost are packets that were taken for lost, and Timeouts those of them of which nothing was heard for too long; others were
	// reported missing. Resent are packets whose payload was sent before.
	Lost, Timeouts, Resent uint64
	// Packets are those that came with payload that had not come before, and Copies those of whose payload nothing was new. Spare
	// are the bytes of payload of the latter.
	Packets, Copies, Spare uint64
	// Marked are packets that met congestion (ECN), with payload or without, and PacketsMarked those that Packets counts.
	Marked, PacketsMarked uint64
	// RTTs are round-trip times, from when a packet leaves until its acknowledgement is read, of packets that were sent once. It
	// is nil of transports that measure none, as SIRD, Homa and pHost do not.
	RTTs *RoundTrips
	// Malformed, Unsealed, Repeated and Strange are datagrams that were not taken: broken ones, those of who lacks the secret,
	// copies, and those of sessions that nobody knows.
	Malformed, Unsealed, Repeated, Strange uint64
	// Busy are datagrams for which the kernel had no room, and Oversized those that are larger than their path takes. Split are
	// packets that went in pieces, since their path does not take datagrams as large as Config.Datagram.
	Busy, Oversized, Split uint64
	// Paced are datagrams that waited until Config.Rate let them go. Late is how long after that they left in all, and LateP50
	// and LateP99 are its percentiles, to 0.4 %. One that left too early, by half a packet at most, was not late.
	Paced                  uint64
	Late, LateP50, LateP99 time.Duration
	// Bursts is what the kernel sent and received in one go.
	Bursts BurstStats
}

// BurstStats are counts of datagrams that the kernel sent or received together (UDP_SEGMENT, UDP_GRO).
type BurstStats struct {
	// Sent are bursts, and SentDatagrams the datagrams of all. SentSizes counts bursts by their datagrams: 2 and 3, 4 to 7,
	// 8 to 15, 16 to 31, 32 to 63, and 64.
	Sent, SentDatagrams uint64
	SentSizes           [6]uint64
	// Refused are bursts that the kernel did not take. Their datagrams were sent one by one.
	Refused uint64
	// Received are those that came together, and ReceivedDatagrams the datagrams of all.
	Received, ReceivedDatagrams uint64
	// SendOff and ReceiveOff say why no bursts are sent at all, or why none are received whole. They are empty where
	// the kernel does it.
	SendOff, ReceiveOff string
	// Alone says of peers, by their addresses, why no bursts are sent to them now: the path or the kernel loses or
	// refuses them. They are tried again later.
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
