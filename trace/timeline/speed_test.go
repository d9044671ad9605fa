package timeline_test

import (
	"math"
	"testing"

	"weft/trace/internal/draw"
	"weft/trace/loggops"
	"weft/trace/timeline"
)

// BenchmarkBig accounts for a random trace with its critical path.
func BenchmarkBig(b *testing.B) {
	tr := draw.Trace(1, draw.Shape{Ranks: 128, Messages: 400_000, Calcs: 400_000, CPUs: 4, NICs: 1, Eager: 65535, Distinct: true})
	p := loggops.Defaults()
	p.Eager = math.MaxInt64
	l := replay(b, tr, p)
	begin, end := l.Bounds()
	operations := 0
	for r := range tr.Ranks {
		operations += tr.Ranks[r].Len()
	}
	rate := func(b *testing.B) { b.ReportMetric(float64(b.N*operations)/b.Elapsed().Seconds(), "operations/s") }
	b.Run("account", func(b *testing.B) {
		for b.Loop() {
			timeline.Account(tr, l, begin, end)
		}
		rate(b)
	})
	b.Run("critical", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			timeline.Critical(tr, l)
		}
		rate(b)
	})
}
