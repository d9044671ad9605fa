package cut

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/trace"
	"weft/trace/generate"
	"weft/trace/goal"
)

func read(t *testing.T, text string) *trace.Trace {
	t.Helper()
	tr, err := goal.ReadText(strings.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// written is a trace as text.
func written(tr *trace.Trace) string {
	var b strings.Builder
	if err := goal.WriteText(&b, tr); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestByHand: what needs something that was left out goes, too, and nothing else.
func TestByHand(t *testing.T) {
	tr := read(t, `num_ranks 3
rank 0 {
a: calc 5
b: send 10b to 1 tag 1
c: send 20b to 2 tag 2
d: calc 6
e: calc 7
b requires a
c irequires a
e requires d
a requires e
}
rank 1 {
a: recv 10b from 0 tag 1
b: calc 8
c: send 30b to 2 tag 3
c requires b
}
rank 2 {
a: recv 30b from 1 tag 3
b: calc 9
c: calc 9
d: recv 20b from 0 tag 2
b requires a
}
`)
	// Of rank 0, a, b and c need e, which is the fifth operation.
	got, err := Operations(tr, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := written(read(t, `num_ranks 3
rank 0 {
d: calc 6
}
rank 1 {
b: calc 8
c: send 30b to 2 tag 3
c requires b
}
rank 2 {
a: recv 30b from 1 tag 3
b: calc 9
c: calc 9
b requires a
}
`))
	if written(got) != want {
		t.Error(written(got))
	}
	for _, c := range []struct {
		do   func() (*trace.Trace, error)
		want string
	}{
		{func() (*trace.Trace, error) { return Operations(tr, 0) }, "keep at least 1"},
		{func() (*trace.Trace, error) {
			return Ranks(read(t, "num_ranks 2\nrank 0 {\na: send 1b to 1\n}\nrank 1 {\nrecv 1b from -1\n}\n"), 1, 1)
		}, "rank 0, a: send 1b to 1 tag 0: it sends to ranks 1 to 1; keep it, too"},
		{func() (*trace.Trace, error) { return Ranks(tr, 0, 1) }, "rank 2 is not among ranks 0 to 1"},
		{func() (*trace.Trace, error) { return Ranks(tr, 1, 3) }, "ranks are 0 to 2"},
		{func() (*trace.Trace, error) {
			return Operations(read(t, "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nx: recv 1b from -1\n}\n"), 1)
		}, "rank 1, x: recv 1b from -1 tag 0: times decide"},
		{func() (*trace.Trace, error) {
			return Operations(read(t, "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\n}\n"), 1)
		}, "of the first 1 operation per rank, each waits for others behind"},
		{func() (*trace.Trace, error) {
			return Operations(read(t, "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n"), 1)
		}, "wait for each other"},
	} {
		if _, err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
}

// trained is a generated trace of a small training.
func trained(t *rapid.T) *trace.Trace {
	s, err := generate.Parse("t.yaml", []byte(fmt.Sprintf("model: {kind: custom, layers: 4, hidden: 32, heads: 4, vocabulary: 64, sequence: 16}\nparallel: {data: 2, tensor: 2, pipeline: %d}\nbatch: {global: %d}",
		rapid.SampledFrom([]int{1, 2}).Draw(t, "stages"), 2*rapid.IntRange(1, 3).Draw(t, "micro-batches"))))
	if err != nil {
		t.Fatal(err)
	}
	tr, err := s.Generate()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// naive returns how many operations of each rank are left when those that cannot stay are removed, again and
// again until none is.
func naive(tr *trace.Trace, n int) []int {
	type place struct {
		rank int
		op   uint32
	}
	type queue struct {
		source, rank int
		tag          int64
	}
	sends, recvs := map[queue][]place{}, map[queue][]place{}
	needs := map[place][]place{}
	left := map[place]bool{}
	for r := range tr.Ranks {
		s := &tr.Ranks[r]
		for i := range uint32(s.Len()) {
			at := place{r, i}
			left[at] = int(i) < n
			switch o := s.At(i); o.Kind {
			case trace.Send:
				q := queue{r, int(o.Peer), o.Tag}
				sends[q] = append(sends[q], at)
			case trace.Recv:
				q := queue{int(o.Peer), r, o.Tag}
				recvs[q] = append(recvs[q], at)
			}
			s.Dependants(i, func(op uint32, _ bool) { needs[place{r, op}] = append(needs[place{r, op}], at) })
		}
	}
	for q, list := range sends {
		for i, at := range list {
			needs[at] = append(needs[at], recvs[q][i])
			needs[recvs[q][i]] = append(needs[recvs[q][i]], at)
		}
	}
	for changed := true; changed; {
		changed = false
		for at, stays := range left {
			if stays && slices.ContainsFunc(needs[at], func(other place) bool { return !left[other] }) {
				left[at], changed = false, true
			}
		}
	}
	counts := make([]int, len(tr.Ranks))
	for at, stays := range left {
		if stays {
			counts[at.rank]++
		}
	}
	return counts
}

// TestConsistent: any beginning of a training matches, leaves out no more than it must, and keeps calls or parts
// of them. All operations give the trace again.
func TestConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := trained(t)
		most := 0
		for r := range tr.Ranks {
			most = max(most, tr.Ranks[r].Len())
		}
		n := rapid.IntRange(1, most).Draw(t, "operations")
		got, err := Operations(tr, n)
		if err != nil {
			t.Fatal(err)
		}
		if f := got.Check(3); f.Total > 0 {
			t.Fatal(f.List)
		}
		if f := got.Match(3); f.Total > 0 {
			t.Fatal(f.List)
		}
		counts := naive(tr, n)
		for r := range got.Ranks {
			s := &got.Ranks[r]
			if s.Len() != counts[r] {
				t.Fatalf("rank %d has %d operations, not %d", r, s.Len(), counts[r])
			}
			for _, span := range s.Spans() {
				if int(span.Call) >= len(got.Calls) || int(span.End) > s.Len() {
					t.Fatal(span)
				}
			}
		}
		if n == most && (written(got) != written(tr) || len(got.Calls) != len(tr.Calls)) {
			t.Fatal("the whole trace differs")
		}
	})
}

// TestRanks: replicas that exchange nothing are cut apart.
func TestRanks(t *testing.T) {
	tr := read(t, "num_ranks 4\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\nrank 2 {\na: send 7b to 3\n}\nrank 3 {\nb: recv 7b from -1\n}\n")
	got, err := Ranks(tr, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := written(read(t, "num_ranks 2\nrank 0 {\na: send 7b to 1\n}\nrank 1 {\nb: recv 7b from -1\n}\n")); written(got) != want {
		t.Error(written(got))
	}
}
