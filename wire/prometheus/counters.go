package prometheus

import (
	"github.com/prometheus/client_golang/prometheus"

	"weft/wire"
)

// counter is one metric of an endpoint. Metrics with the same name have the same help and differ
// in a label.
type counter struct {
	name, help string
	labels     prometheus.Labels
	value      func(*wire.Stats) uint64
}

const (
	dropped = "Datagrams that came and were not taken, by reason: malformed ones, those of who lacks the secret, copies, and those of sessions that nobody knows."
	enabled = "Whether the kernel sends, or receives, many datagrams in one go: 1, or 0."
	unsent  = "Datagrams that did not leave, by reason: the kernel had no room, or they are larger than their path takes."
)

func because(reason string) prometheus.Labels { return prometheus.Labels{"reason": reason} }

// counters lists the counters in wire.Stats, without pacing and burst sizes.
var counters = []counter{
	{"sent_datagrams_total", "Datagrams that were sent.", nil, func(s *wire.Stats) uint64 { return s.Sent }},
	{"received_datagrams_total", "Datagrams that came.", nil, func(s *wire.Stats) uint64 { return s.Received }},
	{"sent_bytes_total", "Bytes of datagrams that were sent, without UDP and IP.", nil, func(s *wire.Stats) uint64 { return s.SentBytes }},
	{"received_bytes_total", "Bytes of datagrams that came, without UDP and IP.", nil, func(s *wire.Stats) uint64 { return s.ReceivedBytes }},
	{"delivered_messages_total", "Messages that came whole.", nil, func(s *wire.Stats) uint64 { return s.Delivered }},
	{"confirmed_messages_total", "Messages that peers confirmed.", nil, func(s *wire.Stats) uint64 { return s.Confirmed }},
	{"refused_messages_total", "Messages of peers for which there was no room or no handler.", nil, func(s *wire.Stats) uint64 { return s.Refused }},
	{"lost_packets_total", "Packets that were taken for lost.", nil, func(s *wire.Stats) uint64 { return s.Lost }},
	{"timed_out_packets_total", "Those of the packets that were taken for lost of which nothing was heard for too long.", nil, func(s *wire.Stats) uint64 { return s.Timeouts }},
	{"resent_packets_total", "Packets whose payload was sent before.", nil, func(s *wire.Stats) uint64 { return s.Resent }},
	{"new_packets_total", "Packets that came with payload that had not come before.", nil, func(s *wire.Stats) uint64 { return s.Packets }},
	{"new_marked_packets_total", "Those of the packets with new payload that met congestion, by their ECN marks.", nil, func(s *wire.Stats) uint64 { return s.PacketsMarked }},
	{"repeated_packets_total", "Packets that came with payload of which nothing was new.", nil, func(s *wire.Stats) uint64 { return s.Copies }},
	{"repeated_payload_bytes_total", "Bytes of payload that had come before.", nil, func(s *wire.Stats) uint64 { return s.Spare }},
	{"split_packets_total", "Packets that went in pieces, since their path takes no larger datagrams.", nil, func(s *wire.Stats) uint64 { return s.Split }},
	{"marked_packets_total", "Packets that met congestion, by their ECN marks, with payload or without.", nil, func(s *wire.Stats) uint64 { return s.Marked }},
	{"dropped_datagrams_total", dropped, because("malformed"), func(s *wire.Stats) uint64 { return s.Malformed }},
	{"dropped_datagrams_total", dropped, because("unsealed"), func(s *wire.Stats) uint64 { return s.Unsealed }},
	{"dropped_datagrams_total", dropped, because("repeated"), func(s *wire.Stats) uint64 { return s.Repeated }},
	{"dropped_datagrams_total", dropped, because("strange"), func(s *wire.Stats) uint64 { return s.Strange }},
	{"unsent_datagrams_total", unsent, because("busy"), func(s *wire.Stats) uint64 { return s.Busy }},
	{"unsent_datagrams_total", unsent, because("oversized"), func(s *wire.Stats) uint64 { return s.Oversized }},
	{"refused_bursts_total", "Bursts that the kernel did not take; their datagrams were sent one by one.", nil, func(s *wire.Stats) uint64 { return s.Bursts.Refused }},
	{"received_bursts_total", "Bursts that the kernel handed over as one.", nil, func(s *wire.Stats) uint64 { return s.Bursts.Received }},
	{"received_burst_datagrams_total", "Datagrams of bursts that the kernel handed over as one.", nil, func(s *wire.Stats) uint64 { return s.Bursts.ReceivedDatagrams }},
}

// gauges lists the metrics that describe the current state.
var gauges = []counter{
	{"bursts_enabled", enabled, prometheus.Labels{"direction": "send"}, func(s *wire.Stats) uint64 { return on(s.Bursts.SendOff) }},
	{"bursts_enabled", enabled, prometheus.Labels{"direction": "receive"}, func(s *wire.Stats) uint64 { return on(s.Bursts.ReceiveOff) }},
	{"lone_peers", "Peers to which no bursts are sent now, since the path or the kernel loses or refuses them.", nil, func(s *wire.Stats) uint64 { return uint64(len(s.Bursts.Alone)) }},
}

// on returns 1 if off is empty, which means that the feature works.
func on(off string) uint64 {
	if off != "" {
		return 0
	}
	return 1
}

// largest holds the upper limits of the classes in wire.BurstStats.SentSizes.
var largest = [...]float64{3, 7, 15, 31, 63, 64}

// sizes returns the cumulative counts of bursts by number of datagrams.
func sizes(b *wire.BurstStats) map[float64]uint64 {
	at, sum := map[float64]uint64{}, uint64(0)
	for i, n := range b.SentSizes {
		sum += n
		at[largest[i]] = sum
	}
	return at
}
