package transports

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/tape"
)

// TestAll builds each transport with each balancer: those that cannot be had say why, and name others; all others are told apart,
// make a host, and can be found by what a recording says of them.
func TestAll(t *testing.T) {
	cs, bs, err := catalogs()
	if err != nil {
		t.Fatal(err)
	}
	usables, spread := names(cs, usable), names(bs, spreads)
	for _, name := range []string{"sird", "dctcp", "nscc", "swift", "dart"} {
		if !slices.Contains(usables, name) {
			t.Errorf("%s is not among %v", name, usables)
		}
	}
	for _, name := range []string{"arcane", "ecmp", "ops"} {
		if !slices.Contains(spread, name) {
			t.Errorf("%s is not among %v", name, spread)
		}
	}
	seen := map[uint32]bool{}
	for _, e := range cs.Entries() {
		control, err := e.BuildDefault()
		if err != nil {
			t.Fatal(err)
		}
		c, whole := e.Name, control.NewHost != nil
		for _, b := range bs.Names() {
			built, err := Build(c, b)
			if err != nil {
				if slices.Contains(usables, c) && slices.Contains(spread, b) && !whole || !strings.Contains(err.Error(), "but it") && !strings.Contains(err.Error(), ": it") {
					t.Errorf("%s with %s: %v", c, b, err)
				}
				continue
			}
			if seen[built.Hash] {
				t.Errorf("%s with %s has the hash of another", c, b)
			}
			seen[built.Hash] = true
			again, err := Replay(built.Name)
			if err != nil || built.Name.Transport != c || (built.Name.Balancer == b) == whole {
				t.Errorf("%s with %s: %+v, %v", c, b, built.Name, err)
				continue
			}
			h := again.NewHost(protocol.HostEnv{
				Rand: rand.NewPCG(1, 1), Out: new(protocol.HostOutput), LineRate: unit.Gbps, BaseRTT: unit.Millisecond, BDP: 125 * unit.KB,
				Packet: 1500, Payload: 1400, Header: 100, Control: 100, Hosts: 2, Largest: unit.MB, Classes: 8,
			})
			h.Submit(0, &protocol.HostMessage{Peer: 1, Tag: 8, Bytes: 1000})
			if p := (protocol.Packet{}); !h.Next(0, &p) {
				t.Errorf("%s with %s sends %+v", c, b, p)
			}
		}
	}
	if len(seen) < len(spread)*(len(usables)-1) {
		t.Errorf("%d pairs of %d transports and %d balancers", len(seen), len(usables), len(spread))
	}
}

// TestNames finds entries by what they are called elsewhere, and takes the defaults for no name.
func TestNames(t *testing.T) {
	for _, of := range []struct {
		transport, balancer string
		want                tape.Name
	}{
		{"", "", tape.Name{Transport: "sird"}},
		{"dctcp", "", tape.Name{Transport: "dctcp", Balancer: "ops"}},
		{"DASR", "reps", tape.Name{Transport: "dart", Balancer: "arcane"}},
	} {
		if b, err := Build(of.transport, of.balancer); err != nil || b.Name != of.want {
			t.Errorf("%q with %q: %+v, %v", of.transport, of.balancer, b.Name, err)
		}
	}
	if _, err := Build("", "oblivious"); err == nil { // which may be one of two
		t.Error("a balancer of two names")
	}
}
