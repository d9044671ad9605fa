package generate

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/trace"
)

// spec reads a specification, whose lines may be joined by semicolons.
func spec(t testing.TB, text string) *Spec {
	t.Helper()
	s, err := Parse("test.yaml", []byte(strings.ReplaceAll(text, "; ", "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func generated(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := spec(t, text).Generate()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// sent returns the bytes that a rank sends on a stream.
func sent(s *trace.Schedule, stream uint16) (bytes int64) {
	for i := range uint32(s.Len()) {
		if o := s.At(i); o.Kind == trace.Send && o.CPU == stream {
			bytes += o.Size
		}
	}
	return bytes
}

// TestParameters: counts of parameters agree with the totals of papers within 1 %.
func TestParameters(t *testing.T) {
	want := map[string]float64{
		"gpt3-175b": 175, "megatron-1t": 1008, "llama-7b": 6.7, "llama-3-70b": 70, "llama-3-405b": 405, "mixtral-8x7b": 47, "deepseek-v3": 671,
	}
	for _, p := range publishedModels() {
		m, err := p.filled()
		if err != nil {
			t.Fatal(p.name, err)
		}
		got := float64(m.Parameters()) / 1e9
		if math.Abs(got/want[p.name]-1) > 0.01 {
			t.Errorf("%s: %.2f billion parameters, published %v", p.name, got, want[p.name])
		}
		delete(want, p.name)
	}
	if len(want) > 0 {
		t.Error("not tested:", want)
	}
}

// TestClassicBlock: a layer of a GPT has 12h² + 13h parameters, and takes 24bsh² + 4bs²h operations forward
// (Narayanan et al., SC 2021, appendix).
func TestClassicBlock(t *testing.T) {
	const b, h, s = 3, 768, 512
	m, err := transformer{Layers: 1, Hidden: h, Heads: 12, Vocabulary: 1000, Sequence: s, GPT: true}.filled()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.shared(false); got != 12*h*h+13*h {
		t.Error(got)
	}
	for _, tensor := range []int64{1, 4} {
		c := costs{transformer: &m, tokens: b * s, tensor: tensor, expert: 1, activation: 2, weight: 2}
		if got := c.projection().flops + c.core().flops + c.feed().flops; got != (24*b*s*h*h+4*b*s*s*h)/tensor {
			t.Error(got)
		}
	}
}

const small = "model: {kind: custom, layers: 8, hidden: 64, heads: 8, kv_heads: 4, feed_forward: 128, vocabulary: 512, sequence: 32}; algorithms: [any=ring]; gradients: {precision: bf16, clip: false}"

// Of the model above.
const (
	layers, hidden, tokens = 8, 64, 32
	activations            = tokens * hidden * 2
)

// TestTensorVolume: a layer has four all-reduces of b·s·h numbers per micro-batch, six with full recomputation,
// and reduce-scatters and all-gathers of the same volume with sequence parallelism. The embedding has one, the
// head another, and the loss three of a number per token.
func TestTensorVolume(t *testing.T) {
	const micro, n = 3, 4
	reduce := func(size int64) int64 { return 2 * (n - 1) * size / n } // bytes that a rank sends
	for _, c := range []struct {
		options string
		each    int64
	}{
		{"", 4}, {"recompute: full", 6}, {"recompute: selective", 4}, {"recompute: full; zero: 2", 6},
	} {
		for _, sequence := range []bool{false, true} {
			tr := generated(t, fmt.Sprintf("%s; batch: {global: 6, micro: 2}; parallel: {tensor: 4, sequence: %v}; %s", small, sequence, c.options))
			want := micro * ((c.each*layers+2)*reduce(2*activations) + lossNumbers*reduce(4*2*tokens))
			for r := range tr.Ranks {
				if got := sent(&tr.Ranks[r], tensorStream); got != want {
					t.Errorf("%s, sequence %v, rank %d: sends %d bytes, not %d", c.options, sequence, r, got, want)
				}
			}
		}
	}
}

// TestZeROVolume: gradients and parameters take 2Ψ, and 3Ψ with ZeRO-3 (Rajbhandari et al., SC 2020,
// section 7). With several micro-batches, ZeRO-2 reduces gradients of each, and ZeRO-3 gathers parameters
// for each.
func TestZeROVolume(t *testing.T) {
	m := spec(t, small).source.(*training).model
	const n = 4
	psi := m.Parameters() * 2 / n * (n - 1)
	if m.Parameters()%n > 0 {
		t.Fatal("choose a model that divides evenly")
	}
	for _, micro := range []int64{1, 3} {
		for zero, want := range []int64{2 * psi, 2 * psi, (micro + 1) * psi, 3 * micro * psi} {
			for _, overlap := range []string{"overlap: false", "overlap: true, bucket: 1B", "overlap: true"} {
				text := strings.Replace(small, "clip: false", "clip: false, "+overlap, 1)
				tr := generated(t, fmt.Sprintf("%s; batch: {global: %d}; parallel: {data: 4}; zero: %d", text, 4*micro, zero))
				for r := range tr.Ranks {
					got := sent(&tr.Ranks[r], dataStream) + sent(&tr.Ranks[r], gatherStream)
					if math.Abs(float64(got-want)) > float64(want)/1000 { // parts of a layer may differ by some bytes
						t.Errorf("ZeRO-%d, %s, %d micro-batches: sends %d bytes, not %d", zero, overlap, micro, got, want)
					}
				}
			}
		}
	}
}

// TestExpertVolume: a layer with experts has four all-to-alls per micro-batch, of as many tokens as go to
// experts. Gradients of experts are reduced among the ranks that have the same ones.
func TestExpertVolume(t *testing.T) {
	const micro, e, active = 2, 4, 3
	for _, tensor := range []int64{1, 2} {
		text := strings.Replace(small, "layers: 8", "layers: 8, experts: 16, active_experts: 3, dense_layers: 2", 1)
		text = strings.Replace(text, "any=ring", "all-to-all=pairwise, any=ring", 1)
		s := spec(t, fmt.Sprintf("%s; batch: {global: 16}; parallel: {data: 8, expert: 4, tensor: %d, sequence: true}", text, tensor))
		tr, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		want := int64(micro * (layers - 2) * 4 * active * activations / e * (e - 1) / tensor)
		for r := range tr.Ranks {
			if got := sent(&tr.Ranks[r], expertStream); got != want {
				t.Errorf("rank %d sends %d bytes, not %d", r, got, want)
			}
		}
		counts := map[string]int{}
		m := s.source.(*training).model
		gradients := int64(0)
		for _, c := range tr.Calls {
			counts[c.Group+" "+c.Name]++
			if c.Group == "edp0" {
				gradients += c.Size
				if c.Ranks != 2 {
					t.Error(c)
				}
			}
		}
		if got := counts["ep0 all-to-all"]; got != micro*(layers-2)*4 {
			t.Error(got)
		}
		if want := (layers - 2) * 2 * m.routed(true) / e / tensor; gradients != want {
			t.Errorf("%d bytes of gradients of experts, not %d", gradients, want)
		}
	}
}

// TestContextVolume: keys and values are gathered forward and backward, and their gradients scattered; or go
// around, backward with their gradients.
func TestContextVolume(t *testing.T) {
	const n = 4
	keys := int64(2 * 4 * 8 * tokens / n * 2) // of one rank: keys and values, 4 heads of 8
	for _, way := range []string{"all-gather", "ring"} {
		tr := generated(t, fmt.Sprintf("%s; batch: {global: 1}; parallel: {context: 4, context_exchange: %s}", small, way))
		for r := range tr.Ranks {
			if got, want := sent(&tr.Ranks[r], contextStream), layers*3*keys*(n-1); got != want {
				t.Errorf("%s: rank %d sends %d bytes, not %d", way, r, got, want)
			}
		}
	}
}

// TestSharedHeads: keys and values of a rank are those of one head at least. If the tensor group has more ranks
// than there are heads, their matrices stay cut, so that the group collects queries, keys and values first.
func TestSharedHeads(t *testing.T) {
	const text = "model: {kind: llama-3-70b, layers: 1}; batch: {global: 1}; algorithms: [any=ring]; parallel: {context: 2, tensor: %d, context_exchange: %s}; recompute: %s"
	const head, sequence = 128, 4096 // of a rank
	within := map[int]int64{}
	for _, way := range []string{"all-gather", "ring"} {
		for _, n := range []int64{4, 8, 16, 64} {
			keys := int64(2 * head * sequence * 2) // one head of keys, one of values
			if n == 4 {
				keys *= 2
			}
			s := spec(t, fmt.Sprintf(text, n, way, "none"))
			tr, err := s.Generate()
			if err != nil {
				t.Fatal(err)
			}
			for r := range tr.Ranks {
				if got := sent(&tr.Ranks[r], contextStream); got != 3*keys {
					t.Fatalf("tensor %d, %s: rank %d sends %d bytes, not %d", n, way, r, got, 3*keys)
				}
			}
			within[int(n)] = sent(&tr.Ranks[0], tensorStream)
			// The matrices are cut, whatever the heads: each part of a layer has as many parameters.
			whole := s.source.(*training).model.shared(false)
			k := s.source.(*training).worker(0, s.writer())
			if got := k.units[1].shared; got != parts(whole, n) {
				t.Errorf("tensor %d: a rank has %d parameters of the layer, not %d", n, got, parts(whole, n))
			}
		}
	}
	// Collecting all queries, keys and values forward, and scattering their gradients backward. What else is sent
	// is 6 all-reduces of activations and 3 of a number per token.
	const hidden = 8192
	for _, n := range []int64{8, 16, 64} {
		want := (6*2*hidden*sequence*2 + 3*2*4*sequence) / n * (n - 1)
		if n > 8 {
			want += 2 * (64 + 2*8) * head * sequence * 2 / n * (n - 1)
		}
		if got := within[int(n)]; got != want {
			t.Errorf("tensor %d: a rank sends %d bytes in its tensor group, not %d", n, got, want)
		}
	}
	full := generated(t, fmt.Sprintf(text, 16, "ring", "full"))
	want := within[16] + (2*2*hidden+(64+2*8)*head)*sequence*2/16*15
	if got := sent(&full.Ranks[0], tensorStream); got != want {
		t.Errorf("recomputed: a rank sends %d bytes in its tensor group, not %d", got, want)
	}
	// The core of attention reads one head of keys and one of values at least.
	m := spec(t, "model: llama-3-70b").source.(*training).model
	for n, want := range map[int64]int64{8: 2, 16: 2, 4: 4, 1: 16} {
		c := costs{transformer: &m, tokens: 1, tensor: n, activation: 1}
		if got := c.core().bytes - 2*64/n*head; got != want*head {
			t.Errorf("tensor %d: the core reads %d bytes of keys and values, not %d heads", n, got, want)
		}
	}
}

// TestSharedExperts: the experts that see every token are cut over the tensor group in what they compute, in
// their gradients, and in what is sent: a rank collects the tokens of its group before and scatters sums behind,
// forward and backward.
func TestSharedExperts(t *testing.T) {
	const micro, n, e = 2, 2, 4
	const inner = 96
	volume := map[int]int64{}
	gradients := map[int]int64{}
	for _, shared := range []int{0, 1, 3} {
		text := strings.Replace(small, "layers: 8", fmt.Sprintf("layers: 8, experts: 16, shared_experts: %d, expert_feed_forward: %d, dense_layers: 2", shared, inner), 1)
		s := spec(t, text+"; batch: {global: 16}; parallel: {data: 8, expert: 4, tensor: 2, sequence: true}")
		tr, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		volume[shared] = sent(&tr.Ranks[1], tensorStream)
		for _, c := range tr.Calls {
			if c.Group == "dp0" {
				gradients[shared] += c.Size
			}
		}
		m := s.source.(*training).model
		c := costs{transformer: &m, tokens: tokens, tensor: n, expert: e, sequential: true, activation: 1, weight: 1}
		matrices := int64(shared * 3 * hidden * inner)
		moved := int64(2*hidden+shared*6*inner/n) * tokens
		if shared == 0 {
			moved = 0
		}
		if got, want := c.common(), (work{2 * tokens * matrices / n, matrices/n + moved}); got != want {
			t.Errorf("%d experts take %v, not %v", shared, got, want)
		}
	}
	for _, shared := range []int{1, 3} {
		if got, want := volume[shared]-volume[0], int64(micro*(layers-2)*4*activations*(n-1)/n); got != want {
			t.Errorf("%d experts send %d bytes in the tensor group, not %d", shared, got, want)
		}
		if got, want := gradients[shared]-gradients[0], int64((layers-2)*2*shared*3*hidden*inner/n); got != want {
			t.Errorf("%d experts have %d bytes of gradients, not %d", shared, got, want)
		}
	}
}

// TestPipelineVolume: a boundary between stages takes b·s·h numbers per micro-batch and direction, and a share
// of them per rank with sequence parallelism or scatter and gather. With chunks there are more boundaries.
func TestPipelineVolume(t *testing.T) {
	const micro, stages = 4, 4
	for _, c := range []struct {
		options    string
		chunks, by int64
	}{
		{"parallel: {pipeline: 4, tensor: 2}", 1, 1},
		{"parallel: {pipeline: 4, tensor: 2, sequence: true}", 1, 2},
		{"parallel: {pipeline: 4, tensor: 2, scatter_gather: true}", 1, 2},
		{"schedule: gpipe; parallel: {pipeline: 4, tensor: 2}", 1, 1},
		{"schedule: {kind: interleaved, chunks: 2}; parallel: {pipeline: 4, tensor: 2, sequence: true}", 2, 2},
	} {
		tr := generated(t, small+"; batch: {global: 4}; "+c.options)
		total := int64(0)
		for r := range tr.Ranks {
			total += sent(&tr.Ranks[r], pipelineStream)
		}
		if want := 2 * 2 * micro * (stages*c.chunks - 1) * activations / c.by; total != want {
			t.Errorf("%s: %d bytes, not %d", c.options, total, want)
		}
	}
}

// TestTiedEmbedding: the first and the last stage of a GPT reduce the gradients of the embedding.
func TestTiedEmbedding(t *testing.T) {
	text := strings.Replace(small, "layers: 8", "layers: 8, block: gpt", 1)
	for stages, want := range map[int]int{1: 0, 2: 4, 4: 4} { // two data, two tensor
		tr := generated(t, fmt.Sprintf("%s; parallel: {pipeline: %d, tensor: 2, data: 2}", text, stages))
		got := 0
		for _, c := range tr.Calls {
			if strings.HasPrefix(c.Group, "emb") {
				got++
				if c.Ranks != 2 || c.Size != 512*hidden/2*2 {
					t.Error(c)
				}
			}
		}
		if got != want {
			t.Errorf("%d stages: %d reductions, not %d", stages, got, want)
		}
	}
}
