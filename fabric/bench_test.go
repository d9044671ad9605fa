//go:build unix

package fabric_test

import (
	"syscall"
	"testing"

	"weft/fabric"
	"weft/protocol"
	"weft/topo"
	"weft/unit"
)

// BenchmarkPorts passes frames through full switches whose ports are plain, have
// priorities, or limit credits, and reports the processor time of a hop.
//
//	go test ./fabric -run '^$' -bench Ports -count 5
func BenchmarkPorts(b *testing.B) {
	g, err := topo.LeafSpine{ToRs: 4, HostsPerToR: 8, Spines: 4, Rate: 100 * unit.Gbps, Delay: unit.Microsecond}.Build()
	if err != nil {
		b.Fatal(err)
	}
	credits := protocol.CreditClass{Credit: 1000, Data: 9000, Queue: 8000, Burst: 4000}
	for _, kind := range []struct {
		name string
		port fabric.PortConfig
	}{
		{"plain", fabric.PortConfig{Limit: 50 * unit.KiB}},
		{"classes", fabric.PortConfig{Limit: 50 * unit.KiB, Classes: 3}},
		{"credits", fabric.PortConfig{Limit: 50 * unit.KiB, Classes: 3, Credit: credits}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			n, err := fabric.New(fabric.Config{
				Graph: g, Tables: tables(b, g, nil), Domain: topo.Partition(g, 1), Sprays: sprays[:1],
				Port: func(topo.PortID) fabric.PortConfig { return kind.port },
				Endpoint: func(d *fabric.Domain) fabric.Endpoint {
					for h := range d.Hosts {
						d.SetTimer(int32(h), 0)
					}
					return &blaster{d: d, hosts: int32(len(g.Hosts)), hashed: true}
				},
			})
			if err != nil {
				b.Fatal(err)
			}
			now := 100 * unit.Microsecond
			n.Run(now, 1)
			_, first := n.Totals()
			started := processorTime(b)
			for b.Loop() {
				now += 10 * unit.Microsecond
				n.Run(now, 1)
			}
			_, hops := n.Totals()
			b.ReportMetric(float64(processorTime(b)-started)/float64(hops-first), "cpu-ns/hop")
		})
	}
}

// processorTime returns the nanoseconds that the process has used.
func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
