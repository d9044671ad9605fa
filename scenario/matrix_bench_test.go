package scenario_test

import "testing"

const study10000 = least + `compare:
  - {name: ECMP, transport: {balancer: ecmp}}
  - {name: ARCANE, transport: {balancer: arcane}}
matrix:
  - {path: traffic.main.size, range: {from: 1KiB, to: 100KiB, step: 1KiB}}
  - {path: transport.rto, range: {from: 10us, to: 100us, step: 10us}}
  - name: fault
    levels: {healthy: {}, slow: {faults: [{kind: degrade, links: "tor0->spine0", rate: 50%}]}, a: {fabric.queue: 2BDP}, b: {fabric.queue: 3BDP}, c: {fabric.queue: 4BDP}}
seeds: 5
`

// BenchmarkMatrix expands 10 000 cells.
func BenchmarkMatrix(b *testing.B) {
	f, err := parse(b, study10000)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := f.Matrix()
		if err != nil || len(m.Cells) != 10000 {
			b.Fatal(err)
		}
	}
}
