package generate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/config"
	"weft/trace"
	"weft/trace/loggops"
)

// drawn draws a specification of a small training.
func drawn(t *rapid.T) string {
	one := func(name string, most int64) int64 { return rapid.Int64Range(1, most).Draw(t, name) }
	pick := func(name string, words ...string) string { return rapid.SampledFrom(words).Draw(t, name) }
	power := func(name string, most int) int64 { return 1 << rapid.IntRange(0, most).Draw(t, name) }
	tensor, context, expert, stages := power("tensor", 2), power("context", 1), power("expert", 1), one("stages", 3)
	data := expert * one("data", 2)
	chunks := int64(1)
	schedule := pick("schedule", "1f1b", "gpipe", "interleaved")
	if schedule == "interleaved" {
		if stages == 1 {
			schedule = "1f1b"
		} else {
			chunks = 2
		}
	}
	micro := one("micro-batches", 3)
	if chunks > 1 {
		micro *= stages
	}
	var b strings.Builder
	fmt.Fprintf(&b, "model: {kind: custom, layers: %d, hidden: 32, heads: 8, kv_heads: 2, feed_forward: 64, vocabulary: 100, sequence: 16, block: %s", stages*chunks*one("layers", 2), pick("block", "gpt", "llama"))
	sequence := rapid.Bool().Draw(t, "sequence")
	if expert > 1 || rapid.Bool().Draw(t, "experts") {
		fmt.Fprintf(&b, ", experts: 4, active_experts: 2, shared_experts: 1, dense_layers: 1")
		sequence = true
	}
	b.WriteString("}\n")
	order := strings.Join(rapid.Permutation(dimensionNames[:]).Draw(t, "order"), "-")
	fmt.Fprintf(&b, "parallel: {tensor: %d, context: %d, expert: %d, pipeline: %d, data: %d, sequence: %v, scatter_gather: %v, order: %s, context_exchange: %s}\n",
		tensor, context, expert, stages, data, sequence, rapid.Bool().Draw(t, "scatter"), order, pick("exchange", "all-gather", "ring"))
	recompute := pick("recompute", "none", "selective", "full")
	fmt.Fprintf(&b, "batch: {global: %d}\nschedule: %s\nzero: %d\nrecompute: %s\niterations: %d\n", micro*data, schedule, rapid.IntRange(0, 3).Draw(t, "zero"), recompute, one("iterations", 2))
	fmt.Fprintf(&b, "gradients: {overlap: %v, bucket: %s}\n", rapid.Bool().Draw(t, "overlap"), pick("bucket", "1B", "10KB", "160MB"))
	if rapid.Bool().Draw(t, "durations") && recompute != "selective" {
		fmt.Fprintf(&b, "durations: {forward: %s, backward: 20ns}\n", pick("forward", "0s", "10ns"))
	}
	if rapid.Bool().Draw(t, "algorithm") {
		fmt.Fprintf(&b, "algorithms: [any=%s]\n", pick("which", "ring", "direct", "pairwise"))
	}
	return b.String()
}

// sound reports what is wrong with a trace: operations that never begin, messages that do not match, and
// calls of which ranks have different notions.
func sound(t *rapid.T, tr *trace.Trace) {
	if f := tr.Check(5); f.Total > 0 {
		t.Fatal(f.List)
	}
	if f := tr.Match(5); f.Total > 0 {
		t.Fatal(f.List)
	}
	replayed(t, tr, loggops.Parameters{})
	type end struct {
		ranks    int
		out, in  int64
		messages int
	}
	ends := make([]end, len(tr.Calls))
	for r := range tr.Ranks {
		s := &tr.Ranks[r]
		covered := uint32(0)
		for _, span := range s.Spans() {
			if span.First < covered {
				t.Fatalf("rank %d: spans overlap at %d", r, span.First)
			}
			covered = span.End
			e := &ends[span.Call]
			e.ranks++
			for i := span.First; i < span.End; i++ {
				switch o := s.At(i); o.Kind {
				case trace.Send:
					e.out += o.Size
					e.messages++
				case trace.Recv:
					e.in += o.Size
				}
			}
		}
	}
	for i, e := range ends {
		if c := tr.Calls[i]; e.ranks != c.Ranks && c.Name != "halo" && c.Name != "neighbours" && c.Name != "sweep" || e.out != e.in || e.messages == 0 && c.Ranks > 1 {
			t.Fatalf("%v has %+v", c, e)
		}
	}
}

// TestSound: whatever is trained, all messages match, all operations end, and calls are whole. The same
// text makes the same trace, rank by rank or at once.
func TestSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawn(t)
		s, err := Parse("test.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s%v", text, err)
		}
		tr, err := s.Generate()
		if err != nil {
			t.Fatalf("%s%v", text, err)
		}
		if len(tr.Ranks) != s.Ranks() {
			t.Fatal(len(tr.Ranks), s.Ranks())
		}
		sound(t, tr)
		counted(t, s, tr)
		err = s.Scan(func(r int, one *trace.Schedule) error {
			if one.Len() != tr.Ranks[r].Len() || one.Dependencies() != tr.Ranks[r].Dependencies() {
				t.Fatalf("rank %d differs", r)
			}
			for i := range uint32(one.Len()) {
				if one.At(i) != tr.Ranks[r].At(i) {
					t.Fatalf("rank %d: %v, not %v", r, one.At(i), tr.Ranks[r].At(i))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestOrder: the first dimension of the order counts through neighbours, and groups of a class have every
// rank once.
func TestOrder(t *testing.T) {
	p := parallel{Data: 4, Tensor: 2, Pipeline: 3, Context: 2, Expert: 2, Order: "tp-cp-ep-dp-pp"}
	g, err := p.grid()
	if err != nil {
		t.Fatal(err)
	}
	if got := g.group(tensorClass, g.place(5), tensorDim); !slices.Equal(got.ranks, []int32{4, 5}) || got.place != 1 || got.number != 2 {
		t.Error(got)
	}
	if got := g.group(pipelineClass, g.place(5), pipelineDim); !slices.Equal(got.ranks, []int32{5, 21, 37}) || got.number != 5 {
		t.Error(got)
	}
	if got := g.group(dataClass, g.place(1), contextDim, expertDim, dataDim); !slices.Equal(got.ranks, []int32{1, 3, 5, 7, 9, 11, 13, 15}) {
		t.Error(got)
	}
	rapid.Check(t, func(t *rapid.T) {
		p.Order = strings.Join(rapid.Permutation(dimensionNames[:]).Draw(t, "order"), "-")
		g, err := p.grid()
		if err != nil {
			t.Fatal(err)
		}
		over := rapid.SliceOfDistinct(rapid.SampledFrom([]dimension{tensorDim, contextDim, expertDim, dataDim, pipelineDim}), rapid.ID).Draw(t, "over")
		groups := map[int][]int32{}
		for r := range g.ranks() {
			at := g.place(r)
			if int64(g.rank(at)) != r {
				t.Fatal(r, at)
			}
			one := g.group(tensorClass, at, over...)
			if one.ranks[one.place] != int32(r) {
				t.Fatalf("rank %d is not at its place of %v", r, one)
			}
			if was, ok := groups[one.number]; ok && !slices.Equal(was, one.ranks) {
				t.Fatal(was, one)
			}
			groups[one.number] = one.ranks
		}
		if n := len(groups); n*len(groups[0]) != int(g.ranks()) {
			t.Fatal(n)
		}
	})
}

// TestEntries: catalogs take their entries.
func TestEntries(t *testing.T) {
	if n := len(Known()); n != len(publishedModels())+1+6+3+5 {
		t.Error(n)
	}
}

// TestRefused: what is wrong is named with its line and a remedy.
func TestRefused(t *testing.T) {
	const head = "model: {kind: custom, layers: 8, hidden: 64, heads: 8, vocabulary: 100, sequence: 32}\n"
	for _, c := range []struct{ text, want string }{
		{"iterations: 2", "test.yaml:1:1: there is neither a model nor a kernel; write one of them"},
		{"model: llama-7", `test.yaml:1:8: unknown model "llama-7"; did you mean "llama-7b"?`},
		{"model: custom", `test.yaml:1:8: model: "layers", "hidden", "heads", "vocabulary" and "sequence" are missing; write as in layers: 32, hidden: 4096, heads: 32, vocabulary: 32000, sequence: 4096, or name a published model`},
		{"model: {kind: custom, layers: 2, hidden: 64, heads: 4, sequence: 16}", `"vocabulary" is missing; write as in vocabulary: 32000, or name`},
		{head + "paralel: {data: 2}", `test.yaml:2:1: unknown key "paralel"`},
		{head + "parallel:\n  tensor: 3", "test.yaml:3:11: 3 does not divide the attention heads, 8; choose a divisor of 8, as in 2"},
		{head + "parallel: {pipeline: 3}", "test.yaml:2:22: 3 stages do not divide 8 layers; choose as in 2, or give the layers of each under parallel.split"},
		{head + "parallel: {pipeline: 2, split: [3, 4]}", "the numbers add up to 7, and the model has 8 layers"},
		{head + "parallel: {pipeline: 2, split: [8]}", "there are 1 numbers for 2 stages"},
		{head + "parallel: {expert: 2, data: 2}", "the model has no experts"},
		{head + "parallel: {context: 5}", "5 does not divide the sequence, 32; choose a divisor of 32, as in 4"},
		{head + "parallel: {order: tp-dp}", `"tp-dp" is no order of ranks; write each of tp, cp, ep, dp and pp once`},
		{head + "parallel: {data: 4}\nbatch: {global: 6, micro: 2}", "test.yaml:3:17: 6 sequences are not a multiple of 8, which is a micro-batch of 2 for each of 4 copies of the model; choose as in 8"},
		{head + "schedule: interleaved", "the interleaved schedule needs several stages"},
		{head + "schedule: interleaved\nparallel: {pipeline: 2}\nbatch: {global: 3}", "the interleaved schedule needs a multiple of 2 micro-batches, as many as stages, but there are 3; choose as in 4"},
		{head + "durations: {forward: 1ms, backward: 2ms}\naccelerator: h100", "the accelerator has no effect"},
		{head + "durations: {forward: 1ms, backward: 2ms}\nrecompute: selective", "test.yaml:3:12: durations do not say how long the core of attention takes, so that selective has no effect; add the core's time to durations.backward and leave recompute out, or choose full"},
		{head + "algorithms: [all-reduce=pairwise, gather=ring]", "gather has no algorithm ring"},
		{head + "kernel: {kind: random, ranks: 8}", "there is a model and a kernel"},
		{"kernel: {kind: random, ranks: 8}\nzero: 1", "test.yaml:2:7: zero is for models, and has no effect on a kernel; leave it out"},
		{"kernel: {kind: random, ranks: 6}", "6 ranks have at most 5 neighbours each; choose at most that"},
		{"kernel: {kind: stencil-3d, grid: [2, 2], local: [4, 4, 4]}", "grid has 2 numbers; give 3, one per dimension"},
		{"kernel: {kind: sweep, grid: [2, 2], block: 7}", "7 planes do not divide 100; choose as in 5"},
		{"model: {kind: mixtral-8x7b, active_experts: 9}", "a token goes to 9 experts, but there are 8"},
		{"model: mixtral-8x7b\nparallel: {data: 8, expert: 8, tensor: 2}", "set parallel.sequence to true"},
		{"model: {kind: llama-7b, hidden: 10000000, feed_forward: 100000000, experts: 100000}", "too many parameters"},
		{"model: {kind: llama-7b, sequence: 100000000, heads: 100000, hidden: 100000}", "too large to count"},
	} {
		_, err := Parse("test.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n  gives %v\n  not   %s", c.text, err, c.want)
		}
		if _, ok := err.(*config.Error); err != nil && !ok {
			t.Errorf("%s: a %T", c.text, err)
		}
	}
}

// TestAssignments: values from outside replace those of the file.
func TestAssignments(t *testing.T) {
	s, err := Parse("test.yaml", []byte("model: llama-7b\nparallel: {data: 2, tensor: 2}\n"), "parallel.data=4", "model.layers=16", "schedule=gpipe")
	if err != nil {
		t.Fatal(err)
	}
	if m := s.source.(*training).model; s.Ranks() != 8 || m.Layers != 16 || m.Hidden != 4096 || s.Schedule.Kind != "gpipe" {
		t.Error(s.Ranks(), m)
	}
	if _, err := Parse("test.yaml", []byte("model: llama-7b\n"), "parallel.tensor=5"); err == nil || !strings.Contains(err.Error(), "--set parallel.tensor=5") {
		t.Error(err)
	}
}

// FuzzParse: any text is refused or makes a trace that replays.
func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add("kernel: {kind: stencil-3d, grid: [2, 2, 2], local: [4, 4, 4]}")
	f.Add("kernel: {kind: sweep, grid: [2, 3]}")
	f.Add("kernel: {kind: fft, grid: [2, 3]}")
	f.Add("kernel: {kind: random, ranks: 8}")
	f.Add("model: {kind: mixtral-8x7b, layers: 2}\nparallel: {data: 2, expert: 2}\nschedule: {kind: interleaved}")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("test.yaml", []byte(text))
		if err != nil || s.Ranks() > 64 || s.Iterations > 2 {
			return
		}
		if k, ok := s.source.(*training); ok && (k.micro > 8 || len(k.layers) > 16 || k.model.Layers > 16) {
			return
		}
		if k, ok := s.source.(repeated); ok {
			if o, ok := k.kernel.(sweep); ok && o.blocks > 16 {
				return
			}
		}
		tr, err := s.Generate()
		if err != nil {
			return
		}
		if f := tr.Check(5); f.Total > 0 {
			t.Fatal(f.List)
		}
		if f := tr.Match(5); f.Total > 0 {
			t.Fatal(f.List)
		}
	})
}
