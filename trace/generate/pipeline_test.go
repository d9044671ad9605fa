package generate

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"weft/trace"
	"weft/trace/loggops"
	"weft/unit"
)

// replayed returns when a replay ends, in nanoseconds. Without parameters messages take no time.
func replayed(t interface {
	Helper()
	Fatal(...any)
}, tr *trace.Trace, p loggops.Parameters) int64 {
	t.Helper()
	p.Eager = math.MaxInt64
	r, err := loggops.Run(context.Background(), tr, p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stuck.Total > 0 {
		t.Fatal(r.Stuck.List[0])
	}
	return int64(r.End() / unit.Nanosecond)
}

// TestBubble: without communication an iteration of m micro-batches takes m + p - 1 times as long as one
// micro-batch at a stage, and with v chunks m + (p - 1)/v (Narayanan et al., SC 2021, section 2.2).
func TestBubble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Int64Range(1, 6).Draw(t, "stages")
		v := rapid.Int64Range(1, 4).Draw(t, "chunks")
		per := rapid.Int64Range(1, 3).Draw(t, "layers per chunk")
		m := rapid.Int64Range(1, 12).Draw(t, "micro-batches")
		f := rapid.Int64Range(1, 1000).Draw(t, "forward")
		b := rapid.Int64Range(1, 1000).Draw(t, "backward")
		iterations := rapid.Int64Range(1, 2).Draw(t, "iterations")
		schedule := rapid.SampledFrom([]string{"1f1b", "gpipe", "interleaved"}).Draw(t, "schedule")
		if schedule == "interleaved" && (p == 1 || v == 1) || schedule != "interleaved" {
			v = 1
			schedule = map[bool]string{true: "gpipe", false: "1f1b"}[schedule == "gpipe"]
		}
		if v > 1 {
			m *= p
			schedule = fmt.Sprintf("{kind: interleaved, chunks: %d}", v)
		}
		text := fmt.Sprintf("model: {kind: llama-7b, layers: %d}\nbatch: {global: %d}\nparallel: {pipeline: %d}\ndurations: {forward: %dns, backward: %dns}\nschedule: %s\niterations: %d\n",
			p*v*per, m, p, f, b, schedule, iterations)
		s, err := Parse("test.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		tr, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		want := iterations * (m*v + p - 1) * per * (f + b)
		if got := replayed(t, tr, loggops.Parameters{}); got != want {
			t.Fatalf("%s ends at %d ns, not %d", text, got, want)
		}
	})
}

// TestSteps: each stage takes each micro-batch forward and then backward through each chunk, and holds no
// more of them between than the schedule says.
func TestSteps(t *testing.T) {
	held := func(list []step) (most int) {
		n := 0
		for _, s := range list {
			if n++; s.direction == backward {
				n -= 2
			}
			most = max(most, n)
		}
		return most
	}
	const p, m = 4, 8
	for stage := range int64(p) {
		for _, c := range []struct {
			name   string
			list   []step
			chunks int64
			most   int
		}{
			{"1f1b", alternating(p, stage, m, 1), 1, int(p - stage)},
			{"gpipe", allForward(p, stage, m, 1), 1, m},
			{"interleaved", interleaved(p, stage, m, 3), 3, int(2*(p-1-stage) + 2*p + 1)},
		} {
			seen := map[step]int{}
			last := map[int64]int64{}
			for i, s := range c.list {
				if s.last {
					last[s.chunk]++
				}
				s.last = false
				if s.direction == backward {
					there, ok := seen[step{micro: s.micro, chunk: s.chunk}]
					if !ok || there > i {
						t.Errorf("%s, stage %d: %v goes backward first", c.name, stage, s)
					}
				}
				seen[s] = i
			}
			if len(c.list) != int(2*m*c.chunks) || len(seen) != len(c.list) {
				t.Errorf("%s: %d steps, %d of them different", c.name, len(c.list), len(seen))
			}
			if got := held(c.list); got != c.most {
				t.Errorf("%s, stage %d: holds %d micro-batches, not %d", c.name, stage, got, c.most)
			}
			for chunk := range c.chunks {
				if last[chunk] != 1 {
					t.Errorf("%s: chunk %d has %d last steps", c.name, chunk, last[chunk])
				}
			}
		}
	}
}

// TestOverlap: reductions in buckets hide behind the layers that still go backward, but for the last bucket.
func TestOverlap(t *testing.T) {
	const text = "model: {kind: llama-7b, layers: 4, hidden: 1024, heads: 8, feed_forward: 2048, vocabulary: 64}; batch: {global: 2}; parallel: {data: 2}; durations: {forward: 1ms, backward: 10ms}; gradients: {clip: false, overlap: %v, bucket: 1B}"
	p := loggops.Parameters{GapPerByte: 100 * unit.Picosecond}
	const compute = 4 * 11 * 1000 * 1000
	apart := replayed(t, generated(t, fmt.Sprintf(text, false)), p) - compute
	hidden := replayed(t, generated(t, fmt.Sprintf(text, true)), p) - compute
	// Reductions take as long as their bytes. That of the first layer, which goes backward last, is not hidden,
	// nor that of the embedding.
	const layer, matrix = 4*1024*1024 + 3*1024*2048 + 2*1024, 64 * 1024
	if got, want := float64(hidden)/float64(apart), float64(layer+matrix)/(4*layer+2*matrix); math.Abs(got/want-1) > 0.01 {
		t.Errorf("reductions take %d ns, and %d ns in buckets: %v of it, not %v", apart, hidden, got, want)
	}
}
