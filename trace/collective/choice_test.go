package collective

import (
	"strings"
	"testing"

	"weft/trace"
)

// TestChoice: the first rule that fits holds, then the default.
func TestChoice(t *testing.T) {
	var c Choice
	for _, text := range []string{"all-reduce:64KiB=tree", "all_reduce=ring", "any=hierarchical"} {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		c = append(c, r)
	}
	for _, one := range []struct {
		choice Choice
		kind   Kind
		size   int64
		want   Algorithm
	}{
		{c, AllReduce, 65536, tree},
		{c, AllReduce, 65537, Ring},
		{c, AllToAll, 5, Hierarchical},
		{c[:2], AllToAll, 5, Pairwise},
		{nil, AllReduce, 16 << 10, RecursiveDoubling},
		{nil, AllReduce, 16<<10 + 1, halvingDoubling},
		{nil, AllReduce, 1 << 30, Ring},
		{Choice{{0, 0, Pairwise}}, Gather, 5, tree}, // gathers are not pairwise
	} {
		if got := one.choice.Algorithm(one.kind, one.size); got != one.want {
			t.Errorf("%v: %v of %d takes %v, not %v", one.choice, one.kind, one.size, got, one.want)
		}
	}
	for _, k := range allKinds() {
		for _, size := range []int64{0, 1 << 16, 1 << 40} {
			if a := Choice(nil).Algorithm(k, size); a.lowering(k) == nil {
				t.Errorf("the default for %v of %d bytes is %v", k, size, a)
			}
		}
	}
}

// TestRules: rules are read as they are written.
func TestRules(t *testing.T) {
	for _, r := range append(defaults(), Rule{0, 4096, tree}) {
		if got, err := ParseRule(r.String()); err != nil || got != r {
			t.Errorf("%v is read as %v, %v", r, got, err)
		}
	}
	for text, want := range map[string]string{
		"ring":                     "there is no =",
		"all-reduce=rnig":          `did you mean "ring"`,
		"all-redcue=ring":          `did you mean "all-reduce"`,
		"all-reduce:5=ring":        "5",
		"all-reduce:0B=ring":       "fits nothing",
		"all-to-all=ring":          "all-to-all has no algorithm ring; choose one of recursive-doubling, pairwise, direct, hierarchical",
		"barrier=halving-doubling": "barrier has no algorithm halving-doubling",
	} {
		if _, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestRefused: calls that cannot be, with what can.
func TestRefused(t *testing.T) {
	group := []int32{0, 1, 2}
	for _, c := range []struct {
		call  Call
		a     Algorithm
		place int
		want  string
	}{
		{Call{Kind: AllReduce}, 0, 0, "all-reduce has no algorithm algorithm 0; choose one of ring"},
		{Call{}, Ring, 0, "there is no collective of kind 0"},
		{Call{Kind: AllReduce}, Ring, 3, "place 3 is outside of the group of 3 ranks"},
		{Call{Kind: Reduce, Root: 3}, Ring, 0, "root 3 is outside"},
		{Call{Kind: Reduce, Size: trace.MaxSize}, Ring, 0, "out of range"},
		{Call{Kind: Reduce, Size: -1}, Ring, 0, "out of range"},
		{Call{Kind: Reduce, Tag: trace.MaxTag}, Ring, 0, "tags from"},
		{Call{Kind: Reduce, Reduction: -1}, Ring, 0, "rate above 0"},
		{Call{Kind: Reduce}, Hierarchical, 0, "ranks per node"},
	} {
		var b trace.Builder
		if _, err := c.call.Lower(&b, c.a, group, c.place, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.call, err)
		}
	}
}

// TestAlone: a rank alone has nothing to do, and what comes after waits for what came before.
func TestAlone(t *testing.T) {
	for _, k := range allKinds() {
		for _, a := range algorithmsOf(k) {
			var b trace.Builder
			ends, err := Call{Kind: k, Size: 100, Node: 8}.Lower(&b, a, []int32{4}, 0, []uint32{7, 9})
			if err != nil || b.Len() != 0 || len(ends) != 2 || ends[0] != 7 {
				t.Error(k, a, ends, err)
			}
		}
	}
}
