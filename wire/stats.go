package wire

// Stats are counts since the endpoint was opened.
type Stats struct {
	// Sent and Received are datagrams, SentBytes and ReceivedBytes their bytes, without UDP and IP.
	Sent, Received, SentBytes, ReceivedBytes uint64
	// Delivered are messages that came, Confirmed those that peers confirmed, and Refused those of peers for which there was
	// no room or no handler.
	Delivered, Confirmed, Refused uint64
	// Lost are packets that were taken for lost, and Spare bytes of payload that had come before.
	Lost, Spare uint64
	// Marked are packets that met congestion (ECN).
	Marked uint64
	// Malformed, Unsealed, Repeated and Strange are datagrams that were not taken: broken ones, those of who lacks the secret,
	// copies, and those of sessions that nobody knows.
	Malformed, Unsealed, Repeated, Strange uint64
	// Busy are datagrams for which the kernel had no room, and Oversized those that are larger than their path takes. Split are
	// packets that went in pieces, since their path does not take datagrams as large as Config.Datagram.
	Busy, Oversized, Split uint64
}

// Stats returns the counts.
func (e *Endpoint) Stats() Stats {
	e.mu.Lock()
	c, oversized := e.carrier.Counts, e.oversized
	e.mu.Unlock()
	return Stats{
		Sent: c.Sent, Received: c.Received, SentBytes: c.SentBytes, ReceivedBytes: c.ReceivedBytes,
		Delivered: c.Delivered, Confirmed: c.Confirmed, Refused: c.Refused, Lost: c.Lost, Spare: c.Spare, Marked: c.Marked,
		Malformed: c.Malformed, Unsealed: c.Unsealed, Repeated: c.Repeated, Strange: c.Strange, Busy: e.bank.Counters().Busy, Oversized: oversized,
		Split: c.Split,
	}
}
