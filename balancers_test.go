package weft_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/unit"
)

// TestBalancersStateTheirEntropies sets the option entropies of every balancer that has it: the balancer states the number, and
// its choosers use that many. Balancers without the option state none.
func TestBalancersStateTheirEntropies(t *testing.T) {
	const option = "entropies"
	with := 0
	for _, e := range weft.Builtin().Balancers.Entries() {
		fields, err := catalog.Fields(e.Options())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(fields, func(f catalog.Field) bool { return f.Name == option })
		if i < 0 {
			if b, err := e.BuildDefault(); err != nil || b.Entropies != 0 {
				t.Errorf("%s has no option %s, but states %d: %v", e.Name, option, b.Entropies, err)
			}
			continue
		}
		with++
		for _, n := range []int{1, 4, 64} {
			options, err := e.Defaults()
			if err != nil {
				t.Fatal(err)
			}
			if err := fields[i].Parse(reflect.ValueOf(options).Elem().FieldByIndex(fields[i].Index), strconv.Itoa(n)); err != nil {
				t.Fatal(err)
			}
			b, err := e.Build(options)
			if err != nil {
				t.Fatal(err)
			}
			if used := entropiesUsed(&b); b.Entropies != n || used != n {
				t.Errorf("%s with %s: %d states %d and uses %d", e.Name, option, n, b.Entropies, used)
			}
		}
	}
	if with == 0 {
		t.Error("no balancer has the option")
	}
}

// entropiesUsed counts the different entropies of many connections under a balancer.
func entropiesUsed(b *protocol.Balancer) int {
	c := b.New(protocol.Env{
		Rand: rand.NewPCG(1, 2), Payload: 4096, Packet: 4160, BDP: 32 * 4160, BDPPackets: 32, BaseRTT: 10 * unit.Microsecond,
		RTO: 100 * unit.Microsecond, LineRate: 100 * unit.Gbps,
	})
	used := map[uint16]bool{}
	now := unit.Time(0)
	for range 500 {
		c.Start(now)
		for range 40 {
			used[c.Next(now)] = true
			now += unit.Microsecond
		}
	}
	return len(used)
}
