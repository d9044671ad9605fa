package generate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"weft/trace"
	"weft/trace/goal"
)

// TestRoofline: work takes as long as its operations or as its bytes, by the peaks of data sheets.
func TestRoofline(t *testing.T) {
	for _, c := range []struct {
		name, precision string
		work            work
		want            int64
	}{
		{"a100", "bf16", work{312e9, 0}, 2e6},
		{"a100", "fp32", work{156e9, 0}, 2e6},
		{"a100", "bf16", work{0, 2039e6 * 8}, 1e7},
		{"a100", "bf16", work{312e9, 2039e6 * 8}, 1e7},
		{"h100", "fp16", work{9894e8, 0}, 2e6},
		{"h100", "fp8", work{19789e8, 0}, 2e6},
		{"{kind: h100, efficiency: 25%}", "fp16", work{9894e8, 0}, 4e6},
		{"{kind: custom, peak: 10, bandwidth: 100, memory_efficiency: 50%}", "bf16", work{1, 100e6}, 2e6},
	} {
		s := spec(t, "model: llama-7b; accelerator: "+c.name)
		a, err := s.Accelerator.Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := a.nanoseconds(c.work, a.peak(c.precision)); got != c.want {
			t.Errorf("%s, %s: %v takes %d ns, not %d", c.name, c.precision, c.work, got, c.want)
		}
	}
}

// computed returns the computations of a rank, in nanoseconds.
func computed(s *trace.Schedule) (ns int64) {
	for i := range uint32(s.Len()) {
		if o := s.At(i); o.Kind == trace.Calc {
			ns += o.Size
		}
	}
	return ns
}

// TestComputed: a rank computes what its layers, the embedding, the head and the optimizer take. Backward takes
// twice as long as forward, and recomputation adds the core of attention, or whole layers.
func TestComputed(t *testing.T) {
	for _, m := range []string{"llama-7b, layers: 4", "mixtral-8x7b, layers: 4, sequence: 4096", "deepseek-v3, layers: 4"} {
		for recompute, add := range map[string]func(p *pieces) int64{
			"none":      func(*pieces) int64 { return 0 },
			"selective": func(p *pieces) int64 { return p.core[forward] },
			"full": func(p *pieces) int64 {
				return p.project[forward] + p.core[forward] + p.common[forward] + p.route[forward] + p.feed[forward]
			},
		} {
			s := spec(t, fmt.Sprintf("model: {kind: %s}; recompute: %s; batch: {global: 3}; parallel: {tensor: 2}", m, recompute))
			tr, err := s.Generate()
			if err != nil {
				t.Fatal(err)
			}
			k := s.source.(*training)
			once := 3*(k.embed[forward]+k.logits[forward]) + rounding
			for layer := range k.model.Layers {
				p := &k.times[0]
				if k.model.sparse(layer) {
					p = &k.times[1]
				}
				once += 3*(p.project[forward]+p.core[forward]+p.common[forward]+p.route[forward]+p.feed[forward]) + add(p) + 5*rounding
			}
			parameters := parts(k.model.Parameters(), 2)
			optimizer := k.nanoseconds(work{0, parameters * 30})
			got := computed(&tr.Ranks[1])
			if want := 3*once + optimizer; got > want || got < want-6*25*rounding-optimizer/1e6 {
				t.Errorf("%s, %s: computes %d ns, not %d", m, recompute, got, want)
			}
		}
	}
}

// rounding is how many nanoseconds twice the work may be less than twice its time.
const rounding = 1

// TestPinned: the same file makes the same trace, today and tomorrow. Who changes what is generated states
// the new hash.
func TestPinned(t *testing.T) {
	for text, want := range map[string]string{
		"model: {kind: deepseek-v3, layers: 8}; parallel: {data: 4, expert: 4, tensor: 2, sequence: true, pipeline: 2}; schedule: interleaved; zero: 1; iterations: 2": "5cc75ab3e70e3fa8",
		"model: {kind: gpt3-175b, layers: 2, sequence: 256}; parallel: {data: 2, context: 2, tensor: 2}; recompute: full; batch: {global: 4, micro: 2}":                "c7c6c1d489fb0209",
		"kernel: {kind: random, ranks: 20}; iterations: 2": "5c422ea3a35b69a8",
	} {
		var b strings.Builder
		if err := goal.WriteText(&b, generated(t, text)); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(b.String()))
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
