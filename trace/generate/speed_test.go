package generate

import (
	"testing"

	"weft/trace"
)

// BenchmarkScan makes the schedules of GPT-3's training on 1024 ranks, and reports operations per second.
func BenchmarkScan(b *testing.B) {
	s := spec(b, "model: {kind: gpt3-175b, layers: 8}; parallel: {data: 16, tensor: 8, pipeline: 8}; batch: {global: 128}")
	operations := 0
	for b.Loop() {
		err := s.Scan(func(_ int, one *trace.Schedule) error {
			operations += one.Len()
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(operations)/b.Elapsed().Seconds(), "operations/s")
}
