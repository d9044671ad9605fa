package emulate

import (
	"fmt"
	"slices"

	"weft/config"
	"weft/emulate/internal/fleet"
	"weft/internal/connection/hosted"
	"weft/problem"
	"weft/protocol"
	"weft/scenario"
	"weft/transport"
	"weft/unit"
)

// This file compares the connections of a simulation with those of real endpoints,
// which have some fixed settings.

// ours returns the parameters of real endpoints' connections.
func ours(t *scenario.LiveTraffic) transport.Params {
	packet := t.Payload + t.Header
	return hosted.Params(t.Control, t.Balancer, &protocol.HostEnv{
		Payload: t.Payload, Header: t.Header, Control: t.Header, Packet: packet, BDP: packet, BaseRTT: t.Fabric.RTT,
	})
}

// refused returns errors for settings that real endpoints' connections cannot follow.
func refused(s *scenario.Scenario, t *scenario.LiveTraffic) error {
	if t.Control.NewHost != nil {
		return nil
	}
	wrong := new(config.Error)
	g, real := &t.Groups[0], ours(t)
	if !g.PerPair {
		wrong.Append(s.Errorf("transport.connection", "%w", problem.New("real endpoints keep a connection to each peer").Mend("write transport.connection: pair")))
	}
	if g.Recovery.Kind != real.Recovery.Kind {
		why, kind := "real endpoints find losses by the order of packets from each source port", "order"
		if real.Recovery.Kind == transport.SACK {
			why, kind = "real endpoints find losses by later packets where all take one path", "sack"
		}
		wrong.Append(s.Errorf("transport.recovery", "%w", problem.New("%s", why).Mend("write transport.recovery: %s", kind)))
	}
	return wrong.Err()
}

// otherwise lists differences between real endpoints with their hosts and the
// simulation, and how to remove each difference.
func otherwise(t *scenario.LiveTraffic) (notes []string) {
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	notes = append(notes, t.Unlike...)
	if ports := fleet.Ports(len(t.Fabric.Hosts)); t.Entropies > ports {
		note("transport.balancer.entropies: %d in the simulation, and %d on wire, as many as an endpoint has source ports; write %[2]d to have both alike", t.Entropies, ports)
	}
	if t.Windows {
		note("record.windows: real endpoints do not tell of their windows, so there is no series of them on wire")
	}
	if t.Control.SourceMarks {
		note("transport.congestion.source_marks: NICs mark in the simulation, and none marks on wire; write false to have both alike")
	}
	if own := t.Fabric.Hosts[0].Rate; t.Control.NewBundle != nil && slices.ContainsFunc(t.Fabric.Hosts, func(h scenario.LiveHost) bool { return h.Rate != own }) {
		note("hosts' links have several rates: real endpoints share the rate of their own link, and know no other, where the simulation may share that of the receiver's")
	}
	real := ours(t)
	for i := range t.Groups {
		g := &t.Groups[i]
		alike := func(key string, simulated, onWire any) {
			note("%s: %v in the simulation, and %v on wire; write %[3]v to have both alike", g.Key(key), simulated, onWire)
		}
		if g.AckSize != t.Header {
			note("%s: %v in the simulation; on wire acknowledgements are as long as what they say, and endpoints reckon with %v", g.Key("ack.size"), g.AckSize, t.Header)
		}
		if t.Control.NewHost == nil {
			connections(g, real, note, alike)
		} else if g.Fixed && !t.Balancer.Oblivious {
			note("%s: the balancer waits for %v in the simulation, and has no timeout on wire", g.Key("rto"), g.RTO)
		}
	}
	if t.Control.NewHost == nil && len(t.Groups) > 1 {
		note("each of %d groups of traffic, replies included, has connections of its own in the simulation; on wire a host has two to each other one: for messages up to a bandwidth-delay product, and for longer ones", len(t.Groups))
	}
	return notes
}

// connections notes how the connections of a group differ from those of real endpoints.
func connections(g *scenario.LiveGroup, real transport.Params, note func(string, ...any), alike func(key string, simulated, onWire any)) {
	if g.AckEvery != real.AckEvery {
		alike("ack.every", g.AckEvery, real.AckEvery)
	}
	// The round trip of endpoints is rounded, and the file's may be, too.
	if off := g.AckDelay - real.AckDelay; real.AckEvery > 1 && (off > real.AckDelay/50 || -off > real.AckDelay/50) {
		alike("ack.delay", g.AckDelay, real.AckDelay.RoundUp(unit.Nanosecond))
	}
	if g.AckBitmap != real.AckBitmap {
		alike("ack.bitmap", g.AckBitmap, real.AckBitmap)
	}
	if g.Unmarked != real.Unmarked && real.AckEvery > 1 && !g.Balancer.Oblivious {
		alike("ack.entropies", returned(g.Unmarked), returned(real.Unmarked))
	}
	if g.Fixed {
		note("%s: %v in the simulation; on wire timeouts adapt, and are %v at least; remove rto to have both adapt", g.Key("rto"), g.RTO, real.RTO.RoundUp(unit.Microsecond))
	}
	switch real.Recovery.Kind {
	case transport.Order:
		if g.Recovery.Silence != real.Recovery.Silence {
			alike("recovery.silence", g.Recovery.Silence, real.Recovery.Silence)
		}
	case transport.SACK:
		if g.Recovery.Duplicates != real.Recovery.Duplicates {
			alike("recovery.duplicates", g.Recovery.Duplicates, real.Recovery.Duplicates)
		}
	}
}

// returned is the name, in scenario files, of the entropies that an acknowledgement returns.
func returned(unmarked bool) string {
	if unmarked {
		return "unmarked"
	}
	return "trigger"
}
