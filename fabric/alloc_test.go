package fabric_test

import (
	"fmt"
	"runtime"
	"testing"

	"weft/fabric"
	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// blaster is an endpoint whose hosts send as fast as their links allow, to a
// host far away, and forget what they receive.
type blaster struct {
	d     *fabric.Domain
	hosts int32
	next  uint16
	// hashed keeps to the first way to spray.
	hashed bool
	// fields gives every second frame a field.
	fields bool
}

func (b *blaster) Receive(_ sim.Time, _ int32, id fabric.FrameID) bool {
	b.d.Free(id)
	return false
}

func (b *blaster) Pull(_ sim.Time, h int32) (fabric.FrameID, bool, bool) {
	id := b.d.Alloc()
	f := b.d.Frame(id)
	src := b.d.Hosts[h]
	f.Address(src, (src+b.hosts/2)%b.hosts, 0)
	f.Size, f.Entropy = 1000+b.next%1000, b.next
	spray := uint8(int(b.next) % len(sprays))
	if b.hashed {
		spray = 0
	}
	f.SetClass(uint8(b.next%3), spray)
	if b.next%4 == 0 {
		b.d.AddReport(f)
	}
	giveTokens(b.d, b.d.Frame(id))
	if b.fields && b.next%2 == 1 {
		b.d.PutField(id, protocol.Field{uint64(b.next)})
	}
	b.next += 7
	return id, true, true
}

func (b *blaster) Timer(sim.Time, int32) bool { return true }

func (b *blaster) Paused(sim.Time, int32, uint8) bool { return true }

// TestNoAllocationPerFrame fills a network, of plain ports or with priorities and
// trimming or credits, and counts allocations once everything has reached its size.
func TestNoAllocationPerFrame(t *testing.T) {
	ports := map[string]fabric.PortConfig{
		"plain":      {Limit: 50 * unit.KiB, ECN: true, KMin: 10 * unit.KiB, KMax: 40 * unit.KiB, PMax: 1},
		"classes":    {Limit: 50 * unit.KiB, Classes: 3, Trim: &fabric.TrimConfig{Header: 64, Limit: 5 * unit.KiB, Coin: true}},
		"ratio":      {Limit: 50 * unit.KiB, Classes: 3, Trim: &fabric.TrimConfig{Header: 64, Limit: 5 * unit.KiB, Coin: true, Ratio: 10}},
		"credits":    {Limit: 50 * unit.KiB, Classes: 3, Credit: protocol.CreditClass{Credit: 1000, Data: 9000, Queue: 8000, Burst: 4000}},
		"deflection": {Limit: 50 * unit.KiB, Classes: 3},
		"detours":    {Limit: 20 * unit.KiB, Classes: 3},
		"informed":   {Limit: 20 * unit.KiB, Classes: 3},
	}
	detours := map[string]*route.Detours{"detours": {Decide: route.ByLocalQueues, Flowlet: unit.Microsecond, Flowlets: 256}, "informed": {Decide: route.ByAllQueues, Delay: 7 * unit.Microsecond}}
	// Frames of a host are one message, whose first and last ones come again and again.
	deflection := fabric.DeflectConfig{Tokens: 4, Threshold: 5 * unit.KiB, Table: 8, Age: unit.Microsecond, Ends: func(_ *fabric.Domain, f *fabric.Frame) (first, last bool) {
		return f.Entropy%3 == 0, f.Entropy%5 == 0
	}}
	g := graph(t, topo.LeafSpine{ToRs: 4, HostsPerToR: 4, Spines: 2, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0})
	for name, port := range ports {
		for _, domains := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d domains", name, domains), func(t *testing.T) {
				deflect := fabric.DeflectConfig{}
				if name == "deflection" {
					deflect = deflection
				}
				routes := setup{Graph: g}
				if name == "classes" {
					routes.Layers = 5
				}
				if name == "ratio" {
					routes.Layers = onPaths
				}
				n, err := fabric.New(fabric.Config{
					Graph: g, Tables: routes.tables(t, nil), Domain: topo.Partition(g, domains), Sprays: sprays,
					Port: func(topo.PortID) fabric.PortConfig { return port }, Deflect: deflect, Detours: detours[name],
					Endpoint: func(d *fabric.Domain) fabric.Endpoint {
						for h := range d.Hosts {
							d.SetTimer(int32(h), 0)
						}
						return &blaster{d: d, hosts: int32(len(g.Hosts))}
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				n.Run(200*unit.Microsecond, 1)
				var before, after runtime.MemStats
				start, _ := n.Totals()
				runtime.ReadMemStats(&before)
				n.Run(400*unit.Microsecond, 1)
				runtime.ReadMemStats(&after)
				end, _ := n.Totals()
				frames := end.Injected - start.Injected
				if allocations := after.Mallocs - before.Mallocs; frames < 10_000 || allocations*1000 > frames {
					t.Errorf("%d allocations for %d frames", allocations, frames)
				}
				// What is not freed would be allocated again, if in few blocks.
				if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 4*frames {
					t.Errorf("%d bytes allocated for %d frames", bytes, frames)
				}
				if end.Dropped == 0 {
					t.Error("no queue was full")
				}
				if c := n.Detoured(); (c.Detours > 0) != (detours[name] != nil) {
					t.Errorf("%+v", c)
				}
				if c := n.Deflections(400 * unit.Microsecond); (c.Rows > 0) != (name == "deflection") {
					t.Errorf("%+v", c)
				}
				if err := n.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
