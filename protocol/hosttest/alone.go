package hosttest

import (
	"weft/protocol"
	"weft/unit"
)

// This file is for tests of a host for itself, which is given packets and asked for packets.

// Failer is told what is wrong.
type Failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Env is what a host of SIRD's evaluation knows of it, with so many hosts: 100 Gb/s, frames
// of 1538 B and eight classes.
func Env(hosts int32) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: 100 * unit.Gbps, Packet: 1538, BDP: 100 * unit.KB, BaseRTT: 5500 * unit.Nanosecond,
		Hosts: hosts, Payload: 1460, Header: 78, Control: 84, Classes: 8,
	}
}

// Check fails if a host's books are wrong.
func Check(t Failer, h protocol.HostTransport) {
	t.Helper()
	if err := h.Check(); err != nil {
		t.Fatalf("%v", err)
	}
}

// Drain returns the packets of a kind that a host can send now, and drops the others.
func Drain(t Failer, h protocol.HostTransport, now unit.Time, kind uint8) (list []protocol.Packet) {
	t.Helper()
	for {
		var p protocol.Packet
		if !h.Next(now, &p) {
			return list
		}
		if p.Kind == kind {
			list = append(list, p)
		}
		Check(t, h)
	}
}

// Wake lets a host act on its times up to one, none of them before now.
func Wake(t Failer, h protocol.HostTransport, now, until unit.Time) {
	t.Helper()
	for at, ok := h.Deadline(); ok && at <= until; at, ok = h.Deadline() {
		now = max(at, now)
		h.Expire(now)
		Check(t, h)
	}
}
