package generate

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/trace"
	"weft/trace/collective"
	"weft/unit"
)

// counted compares the operations that are counted for a rank of each stage with those that it has.
func counted(t *rapid.T, s *Spec, tr *trace.Trace) {
	k := s.source.(*training)
	for stage := range k.grid.size[pipelineDim] {
		rank := k.grid.rank(place{pipelineDim: stage})
		each, last := k.amounts(int(rank), s.counter())
		got, want := s.Iterations*((k.micro-1)*each+last), int64(tr.Ranks[rank].Len())
		if least := 2 * k.schedule.Chunks; got != want && each > least && last > least {
			t.Fatalf("stage %d: %d operations are counted, and %d are made", stage, got, want)
		}
	}
}

// TestTooMany: what would bring a rank to too many operations is refused at once, with a number that is not
// too much.
func TestTooMany(t *testing.T) {
	const head = "model: {kind: custom, layers: 8, hidden: 64, heads: 8, vocabulary: 100, sequence: 32}; "
	for _, c := range []struct{ text, want string }{
		{"kernel: {kind: stencil-2d, grid: [4, 4], local: [4, 4]}; iterations: 1000000000",
			"test.yaml:2:13: all iterations take 9000000000 operations per rank, but a rank can have 67108864; choose at most 7456540 iterations"},
		{"kernel: {kind: stencil-3d, grid: [1, 1, 1], local: [4, 4, 4], compute: 0s}; iterations: 1000000000", "choose at most 67108864 iterations"},
		{"kernel: {kind: sweep, grid: [3, 3]}; iterations: 1000000", "choose at most 167772 iterations"},
		{"kernel: {kind: sweep, grid: [2, 2], local: [1, 1, 1000000000], block: 1}",
			"test.yaml:1:9: an iteration takes 24000000000 operations per rank, but a rank can have 67108864; choose smaller numbers"},
		{"kernel: {kind: random, ranks: 2, neighbours: 1}; iterations: 30000000", "choose at most 22369621 iterations"},
		{"kernel: {kind: fft, grid: [2, 2]}; iterations: 10000000", "choose at most 9586980 iterations"},
		{head + "iterations: 1000000000", "test.yaml:2:13: all iterations take "},
		{head + "batch: {global: 1000000000, micro: 2}", "test.yaml:2:17: the micro-batches of an iteration take "},
		{head + "batch: {global: 1000000000}; parallel: {pipeline: 4}; schedule: interleaved", "choose at most "},
		{head + "batch: {global: 1000000000}; parallel: {pipeline: 4, data: 2, tensor: 2}; zero: 3", "choose at most "},
		{head + "batch: {global: 1000000000}; durations: {forward: 0s, backward: 0s}; gradients: {clip: false}", "choose at most 33554432"},
		{"model: {kind: custom, layers: 100000, hidden: 4096, heads: 1024, vocabulary: 100, sequence: 1024}; parallel: {tensor: 1024}; batch: {global: 1}; algorithms: [any=ring]",
			"test.yaml:1:8: the micro-batches of an iteration take 1637220477 operations per rank, but a rank can have 67108864; choose fewer layers or smaller groups"},
	} {
		text := strings.ReplaceAll(c.text, "; ", "\n")
		begin := time.Now()
		_, err := Parse("test.yaml", []byte(text))
		if took := time.Since(begin); took > time.Second {
			t.Errorf("%s: takes %v", c.text, took)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n  gives %v\n  not   %s", c.text, err, c.want)
			continue
		}
		least := regexp.MustCompile(`choose at most (\d+)`).FindStringSubmatch(err.Error())
		if least == nil {
			continue
		}
		key := "iterations"
		if strings.Contains(text, "global") {
			key = "batch.global"
		}
		if _, err := Parse("test.yaml", []byte(text), key+"="+least[1]); err != nil {
			t.Errorf("%s with %s: %v", c.text, least[1], err)
		}
		most := int64(0)
		fmt.Sscan(least[1], &most)
		if _, err := Parse("test.yaml", []byte(text), fmt.Sprintf("%s=%d", key, most+8)); err == nil {
			t.Errorf("%s with %d: no error", c.text, most+8)
		}
	}
}

// TestTooManyFromOutside: settings that replace those of the file count as well.
func TestTooManyFromOutside(t *testing.T) {
	const text = "model: {kind: custom, layers: 2, hidden: 64, heads: 8, vocabulary: 100, sequence: 32}; parallel: {tensor: 4}; algorithms: [any=tree]; iterations: %d"
	s := spec(t, fmt.Sprintf(text, 1))
	per := int64(0)
	for range 2 {
		tr, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		each, last := s.source.(*training).amounts(0, s.counter())
		if got, want := (s.source.(*training).micro-1)*each+last, int64(tr.Ranks[0].Len()); got != want || got == per {
			t.Fatalf("%d operations are counted, and %d are made", got, want)
		}
		per = int64(tr.Ranks[0].Len())
		s.Override(collective.Settings{Choice: collective.Choice{{Algorithm: collective.Ring}}, Reduction: unit.Gbps})
	}
	s = spec(t, fmt.Sprintf(text, 1+mostOperations/per))
	s.Override(collective.Settings{Choice: collective.Choice{{Algorithm: collective.Ring}}, Reduction: unit.Gbps})
	err := s.Scan(func(int, *trace.Schedule) error { return errors.New("a rank is made") })
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("choose at most %d iterations", mostOperations/per)) {
		t.Error(err)
	}
}
