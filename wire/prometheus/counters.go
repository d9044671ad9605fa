package prometheus

import (
	"github.com/prometheus/client_golang/prometheus"

	"weft/wire"
)

// counter is a count of an endpoint. Those of one name have the same help, and are told apart by a label.
type counter struct {
	name, help string
	labels     prometheus.Labels
	value      func(*wire.Stats) uint64
}

const (
	dropped = "Datagrams that came and were not taken, by reason: malformed ones, those of who lacks the secret, copies, and those of sessions that nobody knows."
	unsent  = "Datagrams that did not leave, by reason: the kernel had no room, or they are larger than their path takes."
)

func because(reason string) prometheus.Labels { return prometheus.Labels{"reason": reason} }

// counters are all that wire.Stats counts, but for pacing.
var counters = []counter{
	{"sent_datagrams_total", "Datagrams that were sent.", nil, func(s *wire.Stats) uint64 { return s.Sent }},
	{"received_datagrams_total", "Datagrams that came.", nil, func(s *wire.Stats) uint64 { return s.Received }},
	{"sent_bytes_total", "Bytes of datagrams that were sent, without UDP and IP.", nil, func(s *wire.Stats) uint64 { return s.SentBytes }},
	{"received_bytes_total", "Bytes of datagrams that came, without UDP and IP.", nil, func(s *wire.Stats) uint64 { return s.ReceivedBytes }},
	{"delivered_messages_total", "Messages that came whole.", nil, func(s *wire.Stats) uint64 { return s.Delivered }},
	{"confirmed_messages_total", "Messages that peers confirmed.", nil, func(s *wire.Stats) uint64 { return s.Confirmed }},
	{"refused_messages_total", "Messages of peers for which there was no room or no handler.", nil, func(s *wire.Stats) uint64 { return s.Refused }},
	{"lost_packets_total", "Packets that were taken for lost.", nil, func(s *wire.Stats) uint64 { return s.Lost }},
	{"repeated_payload_bytes_total", "Bytes of payload that had come before.", nil, func(s *wire.Stats) uint64 { return s.Spare }},
	{"marked_packets_total", "Packets that met congestion, by their ECN marks.", nil, func(s *wire.Stats) uint64 { return s.Marked }},
	{"dropped_datagrams_total", dropped, because("malformed"), func(s *wire.Stats) uint64 { return s.Malformed }},
	{"dropped_datagrams_total", dropped, because("unsealed"), func(s *wire.Stats) uint64 { return s.Unsealed }},
	{"dropped_datagrams_total", dropped, because("repeated"), func(s *wire.Stats) uint64 { return s.Repeated }},
	{"dropped_datagrams_total", dropped, because("strange"), func(s *wire.Stats) uint64 { return s.Strange }},
	{"unsent_datagrams_total", unsent, because("busy"), func(s *wire.Stats) uint64 { return s.Busy }},
	{"unsent_datagrams_total", unsent, because("oversized"), func(s *wire.Stats) uint64 { return s.Oversized }},
}
