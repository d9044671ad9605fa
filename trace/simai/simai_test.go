package simai

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/trace"
	"weft/trace/collective"
	"weft/trace/loggops"
	"weft/unit"
)

// parsed returns the trace of a text.
func parsed(t fataler, text string, settings collective.Settings) *trace.Trace {
	t.Helper()
	f, err := read(strings.NewReader(text), "x.txt")
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	tr := &trace.Trace{}
	tr.Calls, tr.Notices, err = f.scan("x.txt", settings, func(rank int, s *trace.Schedule) error {
		if rank != len(tr.Ranks) {
			t.Fatalf("rank %d comes after %d ranks", rank, len(tr.Ranks))
		}
		tr.Ranks = append(tr.Ranks, *s)
		return nil
	})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return tr
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

const transformer = "HYBRID_TRANSFORMER_FWD_IN_BCKWD"

// TestGroups has the groups that SimAI's simulator makes of 32 ranks in tensor groups of 4 and expert groups
// of 4, and those of two stages.
func TestGroups(t *testing.T) {
	for _, test := range []struct {
		tensor, expert, pipeline, ranks, rank int
		want                                  [groups][]int32
		places, numbers                       [groups]int
	}{
		{4, 4, 1, 32, 21, [groups][]int32{
			tensorGroup: {20, 21, 22, 23}, dataGroup: {1, 5, 9, 13, 17, 21, 25, 29}, expertGroup: {17, 21, 25, 29}, dataExpertGroup: {5, 21},
		}, [groups]int{1, 5, 1, 1}, [groups]int{5, 1, 5, 5}},
		{2, 2, 2, 16, 13, [groups][]int32{
			tensorGroup: {12, 13}, dataGroup: {9, 11, 13, 15}, expertGroup: {13, 15}, dataExpertGroup: {9, 13},
		}, [groups]int{1, 2, 0, 1}, [groups]int{6, 3, 7, 5}},
	} {
		f := &workload{tensor: test.tensor, expert: test.expert, pipeline: test.pipeline, ranks: test.ranks}
		for g := range groupKind(groups) {
			var got team
			f.team(g, test.rank, &got)
			if diff := cmp.Diff(team{test.want[g], test.places[g], test.numbers[g]}, got, cmp.AllowUnexported(team{})); diff != "" {
				t.Errorf("%+v, %s (-want +got):\n%s", test, g.name(0), diff)
			}
		}
	}
}

// TestGroupsArePartitions: the groups of a kind have every rank once, at its place, and numbers from 0.
func TestGroupsArePartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		upTo := func(name string) int { return rapid.IntRange(1, 4).Draw(t, name) }
		f := &workload{tensor: upTo("tp"), expert: upTo("ep"), pipeline: upTo("pp")}
		f.ranks = f.tensor * f.expert * f.pipeline * upTo("edp")
		for g := range groupKind(groups) {
			members := map[int][]int32{}
			for rank := range f.ranks {
				var one team
				f.team(g, rank, &one)
				if one.ranks[one.place] != int32(rank) {
					t.Fatalf("rank %d is not at its place: %+v", rank, one)
				}
				if before, known := members[one.number]; known && !slices.Equal(before, one.ranks) {
					t.Fatalf("%s is %v and %v", g.name(one.number), before, one.ranks)
				}
				members[one.number] = slices.Clone(one.ranks)
			}
			n := f.ranks / f.size(g)
			if len(members) != n {
				t.Fatalf("%d groups of %s, want %d", len(members), g.name(0), n)
			}
			for number := range n {
				if len(members[number]) != f.size(g) {
					t.Fatalf("%s is %v", g.name(number), members[number])
				}
			}
		}
	})
}

// calcs lists the sizes of a rank's computations in the order in which LogGOPS runs them.
func calcs(s *trace.Schedule) (list []int64) {
	for i := range uint32(s.Len()) {
		if o := s.At(i); o.Kind == trace.Calc {
			list = append(list, o.Size)
		}
	}
	return list
}

// TestOrder has the order of the phases of each parallelism. Each time says which phase of which layer it is.
func TestOrder(t *testing.T) {
	const layers = "3\na -1 11 ALLREDUCE 8 12 ALLREDUCE 8 13 ALLREDUCE 8 1\nb -1 21 ALLREDUCE 8 22 ALLREDUCE 8 23 ALLREDUCE 8 2\nc -1 31 NONE 0 32 NONE 8 33 ALLREDUCE 0 3\n"
	for header, want := range map[string][]int64{
		// Alone, a rank has no collectives, and no time after them.
		transformer + " model_parallel_NPU_group: 1 all_gpus: 1":                                              {11, 21, 31, 32, 33, 22, 23, 12, 13},
		"HYBRID_TRANSFORMER all_gpus: 1":                                                                      {11, 21, 31, 32, 33, 22, 23, 12, 13},
		transformer + " model_parallel_NPU_group: 2 all_gpus: 2":                                              {11, 1, 21, 2, 31, 32, 33, 22, 2, 23, 12, 1, 13},
		transformer + " model_parallel_NPU_group: 1 all_gpus: 2":                                              {11, 21, 31, 32, 33, 22, 23, 2, 12, 13, 1},
		transformer + " all_gpus: 1 checkpoints: 1 0 checkpoint_initiates: 1 2":                               {11, 21, 31, 11, 21, 32, 33, 22, 23, 12, 13},
		transformer + " model_parallel_NPU_group: 2 all_gpus: 2 checkpoints: 2 0 1 checkpoint_initiates: 1 2": {11, 1, 21, 2, 31, 21, 2, 32, 33, 22, 2, 23, 12, 1, 13},
		"DATA all_gpus: 2":                  {11, 21, 31, 33, 32, 23, 2, 22, 13, 1},
		"MODEL all_gpus: 2":                 {11, 1, 21, 2, 31, 32, 33, 22, 2, 23, 12, 13},
		"DISTRIBUTED_INFERENCE all_gpus: 2": {11, 1, 21, 2, 31},
	} {
		tr := parsed(t, header+"\n"+layers, collective.Settings{})
		for r := range tr.Ranks {
			if got := calcs(&tr.Ranks[r]); !slices.Equal(got, want) {
				t.Errorf("%s, rank %d: %v, want %v", header, r, got, want)
			}
		}
	}
}

// TestTimes compares with closed forms: one byte takes 1 ns, a message 1 us more.
func TestTimes(t *testing.T) {
	const latency = 1000
	p := loggops.Parameters{Latency: latency * unit.Nanosecond, GapPerByte: unit.Nanosecond, Eager: 1 << 40}
	rules := collective.Choice{{Algorithm: collective.Ring}, {Kind: collective.AllToAll, Algorithm: collective.Pairwise}}
	// ring is how long a ring of n ranks passes on parts of s bytes, so many times.
	ring := func(times, n, s int64) int64 { return times * (latency + s/n - 1) }
	for _, test := range []struct {
		name, text string
		want       int64
	}{
		{"all-reduce, as in microAllReduce", transformer + " model_parallel_NPU_group: 8 ep: 1 pp: 1 ga: 1 all_gpus: 8 checkpoints: 0\n1\nembedding_layer -1 556000 ALLREDUCE 65536 1 NONE 0 1 NONE 0 7\n",
			556000 + ring(14, 8, 65536) + 7 + 1 + 1},
		{"all-gather and reduce-scatter", transformer + " model_parallel_NPU_group: 4 all_gpus: 8\n1\na -1 100 ALLGATHER 4096 200 REDUCESCATTER 8192 300 NONE 0 10\n",
			100 + ring(3, 4, 4096) + 10 + 200 + ring(3, 4, 8192) + 10 + 300},
		{"all-to-all of experts", transformer + " model_parallel_NPU_group: 2 ep: 4 all_gpus: 8\n1\na -1 100 ALLTOALL_EP 4096 0 NONE 0 0 NONE 0 10\n",
			100 + ring(3, 4, 4096) + 10},
		// The all-reduce of layer 1 runs beside the gradients of layer 0.
		{"weights beside computation", transformer + " all_gpus: 4\n2\na -1 0 NONE 0 50000 NONE 0 0 NONE 0 0\nb -1 0 NONE 0 0 NONE 0 10 ALLREDUCE 4000 0\n",
			10 + max(50000, ring(6, 4, 4000))},
		{"weights longer than computation", transformer + " all_gpus: 4\n2\na -1 0 NONE 0 500 NONE 0 0 NONE 0 0\nb -1 0 NONE 0 0 NONE 0 10 ALLREDUCE 4000 9\n",
			10 + ring(6, 4, 4000) + 9},
		// Collectives of one kind of group follow each other.
		{"two of weights", transformer + " all_gpus: 4\n2\na -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 4000 0\nb -1 0 NONE 0 0 NONE 0 10 ALLREDUCE 4000 0\n",
			10 + 2*ring(6, 4, 4000)},
		{"MODEL overlaps input gradients", "MODEL all_gpus: 4\n2\na -1 0 NONE 0 0 NONE 0 40 NONE 0 0\nb -1 0 NONE 0 10 ALLREDUCE 4000 100000 NONE 0 0\n",
			10 + 100000 + 40},
		{"MODEL waits for them", "MODEL all_gpus: 4\n2\na -1 0 NONE 0 0 NONE 0 40 NONE 0 0\nb -1 0 NONE 0 10 ALLREDUCE 4000 100 NONE 0 0\n",
			10 + ring(6, 4, 4000) + 40},
	} {
		tr := parsed(t, test.text, collective.Settings{Choice: rules})
		r, err := loggops.Run(context.Background(), tr, p)
		if err != nil || r.Stuck.Total > 0 {
			t.Fatalf("%s: %v, %v", test.name, err, r)
		}
		if got := int64(r.End() / unit.Nanosecond); got != test.want {
			t.Errorf("%s: ends at %d ns, want %d", test.name, got, test.want)
		}
	}
}

// anyFile draws a file and what each group's ranks send together.
func anyFile(t *rapid.T) (text string, sent map[groupKind]int64) {
	upTo := func(name string) int { return rapid.IntRange(1, 3).Draw(t, name) }
	tensor, expert, pipeline, rest := upTo("tp"), upTo("ep"), upTo("pp"), upTo("edp")
	ranks := tensor * expert * pipeline * rest
	sizes := map[groupKind]int64{tensorGroup: int64(tensor), dataGroup: int64(expert * rest), expertGroup: int64(expert), dataExpertGroup: int64(rest)}
	sent = map[groupKind]int64{}
	var b strings.Builder
	layers := upTo("layers")
	fmt.Fprintf(&b, "%s model_parallel_NPU_group: %d ep: %d pp: %d vpp: 1 ga: 1 all_gpus: %d pp_comm 5\n%d\n", transformer, tensor, expert, pipeline, ranks, layers)
	for range layers {
		b.WriteString("layer -1")
		for i, own := range []groupKind{tensorGroup, tensorGroup, dataGroup} {
			name := rapid.SampledFrom([]string{"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"}).Draw(t, "collective")
			suffix := rapid.SampledFrom([]string{"", "_EP", "_DP_EP"}).Draw(t, "suffix")
			bytes := rapid.Int64Range(0, 6000).Draw(t, "bytes")
			moved := bytes
			if i == 0 && bytes > 0 {
				moved = max(bytes, 4096)
			}
			group := own
			switch suffix {
			case "_EP":
				group = expertGroup
			case "_DP_EP":
				group = dataExpertGroup
			}
			times := int64(1)
			switch name {
			case "NONE":
				suffix, times = "", 0
			case "ALLREDUCE":
				times = 2
			}
			sent[group] += times * moved * (sizes[group] - 1) * (int64(ranks) / sizes[group])
			fmt.Fprintf(&b, " %d %s%s %d", rapid.IntRange(0, 9).Draw(t, "time"), name, suffix, bytes)
		}
		fmt.Fprintf(&b, " %d\n", rapid.IntRange(0, 1).Draw(t, "update"))
	}
	return b.String(), sent
}

// TestAnyFile: a trace of a file can be replayed, its ranks send what the formulas say, and its spans are those
// of its collectives.
func TestAnyFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, sent := anyFile(t)
		// Each algorithm sends as few bytes as possible.
		rules := collective.Choice{{Kind: collective.AllToAll, Algorithm: rapid.SampledFrom([]collective.Algorithm{collective.Pairwise, collective.Direct}).Draw(t, "all-to-all")}, {Algorithm: collective.Ring}}
		tr := parsed(t, text, collective.Settings{Choice: rules})
		if f := tr.Check(9); f.Total > 0 {
			t.Fatalf("%v of\n%s", f.List, text)
		}
		if f := tr.Match(9); f.Total > 0 {
			t.Fatalf("%v of\n%s", f.List, text)
		}
		r, err := loggops.Run(context.Background(), tr, loggops.Parameters{Latency: 5 * unit.Nanosecond})
		if err != nil || r.Stuck.Total > 0 {
			t.Fatalf("%v, %v of\n%s", err, r.Stuck.List, text)
		}
		got := map[groupKind]int64{}
		parts := make([]int, len(tr.Calls))
		for rank := range tr.Ranks {
			s := &tr.Ranks[rank]
			for i := range uint32(s.Len()) {
				if o := s.At(i); o.Kind == trace.Send {
					got[groupKind(o.CPU-1)] += o.Size
				}
			}
			for _, span := range s.Spans() {
				parts[span.Call]++
			}
		}
		for g, want := range sent {
			// Each step of a ring sends each part of a buffer once, and so do all steps n - 1 of them.
			if got[g] != want {
				t.Fatalf("%s: %d B are sent, want %d, of\n%s", g.name(0), got[g], want, text)
			}
		}
		for i, c := range tr.Calls {
			if c.Ranks < 2 || parts[i] > c.Ranks || c.Size > int64(c.Ranks) && parts[i] != c.Ranks || c.Group == "" || c.Name == "" {
				t.Fatalf("call %d, %+v, has %d spans, of\n%s", i, c, parts[i], text)
			}
		}
	})
}

// TestCalls names each collective of each group once.
func TestCalls(t *testing.T) {
	tr := parsed(t, transformer+" model_parallel_NPU_group: 2 pp: 2 all_gpus: 8\n1\na -1 1 ALLGATHER 5000 1 NONE 0 1 REDUCESCATTER 200 1\n", collective.Settings{})
	want := []trace.Call{
		{Name: "all-gather", Group: "tp0", Ranks: 2, Size: 5000}, {Name: "all-gather", Group: "tp1", Ranks: 2, Size: 5000},
		{Name: "all-gather", Group: "tp2", Ranks: 2, Size: 5000}, {Name: "all-gather", Group: "tp3", Ranks: 2, Size: 5000},
		{Name: "reduce-scatter", Group: "dp0", Ranks: 2, Size: 200}, {Name: "reduce-scatter", Group: "dp1", Ranks: 2, Size: 200},
		{Name: "reduce-scatter", Group: "dp2", Ranks: 2, Size: 200}, {Name: "reduce-scatter", Group: "dp3", Ranks: 2, Size: 200},
	}
	if diff := cmp.Diff(want, tr.Calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(tr.Notices) != 1 || !strings.Contains(tr.Notices[0], "the 2 stages of the pipeline work side by side") {
		t.Errorf("notices: %v", tr.Notices)
	}
	var calls []int32
	for _, s := range tr.Ranks[5].Spans() {
		calls = append(calls, s.Call)
	}
	if !slices.Equal(calls, []int32{2, 4 + 3}) {
		t.Errorf("rank 5 takes part in %v", calls)
	}
}

// TestManyCalls leaves spans out where they would be too many.
func TestManyCalls(t *testing.T) {
	var b strings.Builder
	const layers = mostCalls/512 + 1
	fmt.Fprintf(&b, "%s model_parallel_NPU_group: 2 all_gpus: 1024\n%d\n%s", transformer, layers, strings.Repeat("a -1 0 ALLREDUCE 1 0 NONE 0 0 NONE 0 0\n", layers))
	f, err := read(strings.NewReader(b.String()), "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	if calls, notice := f.calls(); calls != nil || notice != "4194816 collectives are too many to name each in results" {
		t.Errorf("%d calls, %q", len(calls), notice)
	}
	s, err := (&writer{workload: f}).schedule(3)
	if err != nil || s.Spans() != nil {
		t.Errorf("%v, %d spans", err, len(s.Spans()))
	}
	f.layers = f.layers[1:]
	if calls, notice := f.calls(); len(calls) != mostCalls || notice != "" {
		t.Errorf("%d calls, %q", len(calls), notice)
	}
}

func TestScan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "layers.txt")
	text := "\ufeff" + transformer + " model_parallel_NPU_group: 2 all_gpus: 4\r\n1\r\na\t-1\t5 ALLREDUCE 64\r\n1 NONE 0 1 ALLTOALL 64 0"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if !Is([]byte(text)) || Is([]byte("num_ranks 4\n")) || Is(nil) || !Is([]byte("MICRO\n1")) {
		t.Error("formats are not told apart")
	}
	ranks := 0
	count := func(int, *trace.Schedule) error {
		ranks++
		return nil
	}
	if calls, notices, err := Scan(path, collective.Settings{}, count); err != nil || ranks != 4 || len(calls) != 4 || len(notices) != 0 {
		t.Errorf("%d ranks, %d calls, %v, %v", ranks, len(calls), notices, err)
	}
	if _, _, err := Scan(filepath.Join(t.TempDir(), "none"), collective.Settings{}, count); err == nil {
		t.Error("no error of a missing file")
	}
	// Hierarchical collectives need to know what a node is.
	settings := collective.Settings{Choice: collective.Choice{{Algorithm: collective.Hierarchical}}}
	if _, _, err := Scan(path, settings, count); err == nil || !strings.Contains(err.Error(), "layers.txt: rank 0: all-reduce by nodes needs the ranks per node") {
		t.Errorf("got %v", err)
	}
	settings.Node, ranks = 2, 0
	if _, _, err := Scan(path, settings, count); err != nil || ranks != 4 {
		t.Errorf("by nodes: %d ranks, %v", ranks, err)
	}
}

// BenchmarkSchedule makes the schedules of a rank of a large file.
func BenchmarkSchedule(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	fmt.Fprintf(&text, "%s model_parallel_NPU_group: 2 ep: 16 all_gpus: 768\n200\n", transformer)
	for range 200 {
		fmt.Fprintf(&text, "l -1 %d ALLGATHER 1000000 1 ALLTOALL_EP 1000000 1 REDUCESCATTER 1000000 1\n", r.IntN(1000))
	}
	f, err := read(strings.NewReader(text.String()), "x.txt")
	if err != nil {
		b.Fatal(err)
	}
	w := writer{workload: f}
	operations := 0
	for b.Loop() {
		s, err := w.schedule(5)
		if err != nil {
			b.Fatal(err)
		}
		operations += s.Len()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(operations), "ns/operation")
}
