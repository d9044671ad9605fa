package fabric_test

import (
	"testing"

	"weft/route"
	"weft/topo"
	"weft/unit"
)

// TestDecisionsAreKept has nine flows burst as in TestUGALRule, where three take the detour. Each sends once more 5 µs later, when the queues are
// empty again: within the gap the three go round again, beyond it all go straight. A new entropy is a new flow. In a table of
// one entry all nine go the way of the first, as they go to one switch.
func TestDecisionsAreKept(t *testing.T) {
	const frames, size = 9, 1000
	g := graph(t, topo.Clique{Switches: ptr(3), HostsPerSwitch: ptr(frames), Cables: topo.Cables{Rate: 100 * unit.Gbps, Delay: unit.Microsecond}})
	for _, c := range []struct {
		name    string
		flowlet unit.Time
		entries int
		other   uint16 // how much the entropy changes
		spray   uint8
		want    uint64
	}{
		{"each packet", 0, 0, 0, hashed, 3},
		{"within the gap", 20 * unit.Microsecond, 1024, 0, hashed, 6},
		{"beyond the gap", unit.Microsecond, 1024, 0, hashed, 3},
		{"another entropy", 20 * unit.Microsecond, 1 << 20, 100, hashed, 3},
		{"one entry", 20 * unit.Microsecond, 1, 0, hashed, 0},
		{"switches choose the entropy", 20 * unit.Microsecond, 1024, 100, random, 6},
	} {
		s := setup{Graph: g, Seed: 1, Detours: &route.Detours{Decide: route.ByLocalQueues, Flowlet: c.flowlet, Flowlets: c.entries}}
		for h := range int32(frames) {
			first := send{Src: h, Dst: frames + h, ID: uint32(h), Size: size, Entropy: uint16(h), Spray: c.spray}
			again := first
			again.At, again.ID, again.Entropy = unit.Time(5+h)*unit.Microsecond, uint32(frames+h), first.Entropy+c.other
			if c.spray != hashed {
				first.Entropy, again.Entropy = 0, 0 // as their senders have it
			}
			s.Sends = append(s.Sends, first, again)
		}
		n := s.build(t)
		n.drain(t)
		if got := n.Detoured(); got.Frames != 2*frames || got.Detours != c.want {
			t.Errorf("%s: %+v, want %d detours", c.name, got, c.want)
		}
	}
}
