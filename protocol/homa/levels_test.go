package homa

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
	"weft/workload"
)

// These tests are of levels of priority.

func TestUnscheduledLevels(t *testing.T) {
	for preset, want := range map[string][]uint8{SIRD: {2, 2, 1, 0}, Paper: {2, 2, 2, 2}} {
		s := 5
		b := newBare(t, func(o *Options) {
			o.Preset, o.Scheduled, o.Cutoffs = preset, &s, []unit.Bytes{1000, 1000 + unsched}
		})
		b.submit(1, 1000+3*unsched)
		var got []uint8
		for range 4 {
			got = append(got, b.next(0, kindUnscheduled).Class)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("preset %s: %s", preset, diff)
		}
	}
}

// wka are the options for WKa.
func wka(o *Options, scheduled int) {
	o.Scheduled = &scheduled
	o.Sizes = &workload.SizeSpec{CDF: "../../scenarios/data/wka.csv", Rule: workload.Step}
}

func TestCutoffs(t *testing.T) {
	for scheduled, want := range map[int][]unit.Bytes{
		5: {2644, 26554},
		4: {1349, 7696, 50259},
		7: nil,
	} {
		o := testOptions(SIRD)
		wka(&o, scheduled)
		if diff := cmp.Diff(want, build(t, o, testEnv(2)).cutoffs); diff != "" {
			t.Errorf("%d scheduled levels: %s", scheduled, diff)
		}
	}
	// All messages are of one size that is unscheduled: by the bytes left each level has
	// half of the packets, by size there is nothing to divide.
	s := 6
	o := testOptions(SIRD)
	o.Scheduled, o.Sizes = &s, &workload.SizeSpec{Fixed: 10 * unsched}
	if diff := cmp.Diff([]unit.Bytes{5 * unsched}, build(t, o, testEnv(2)).cutoffs); diff != "" {
		t.Error(diff)
	}
	// Where only one packet is, scheduled ones within the first round trip count too: the last
	// has 1330 B, the others 1456 B. With grants for 9 of them at 0, half of the 16028 B on the
	// wire is reached with the fifth from the end.
	one := o
	one.Unscheduled = &unit.Amount{Bytes: unsched}
	if diff := cmp.Diff([]unit.Bytes{1330 + 4*1456}, build(t, one, testEnv(2)).cutoffs); diff != "" {
		t.Error(diff)
	}
	o.Preset = Paper
	if c := build(t, o, testEnv(2)); len(c.cutoffs) != 0 && c.cutoffs[0] != 0 {
		t.Errorf("cutoffs %v", c.cutoffs)
	}
}

func TestLevelsByWorkload(t *testing.T) {
	for size, want := range map[unit.Bytes]int{1000: 1, 200 * unit.KB: 4, 100 * unit.MB: 7, 400 * unit.KB: 6} {
		o := testOptions(Paper)
		o.Sizes = &workload.SizeSpec{Fixed: size}
		if c := build(t, o, testEnv(2)); c.scheduled != want || c.overcommit != want {
			t.Errorf("messages of %v: %d scheduled levels and k = %d, want %d", size, c.scheduled, c.overcommit, want)
		}
	}
}

func TestScheduledLevels(t *testing.T) {
	b := newBare(t, nil)
	level := func(peer int32) unit.Bytes {
		t.Helper()
		for i, s := range b.ranked[:min(len(b.ranked), b.overcommit)] {
			if s.peer == peer {
				return unit.Bytes(b.grantLevel(b.top+i, b.top, 0, 0))
			}
		}
		return -1
	}
	check := func(what string, want ...unit.Bytes) {
		t.Helper()
		var got []unit.Bytes
		for peer := range int32(len(want)) {
			got = append(got, level(peer+1))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	b.arrive(0, 1, 0, 9*first)
	check("one sender", 7)
	b.arrive(0, 2, 0, 8*first)
	check("a shorter one comes", 7, 6)
	b.arrive(0, 3, 0, 7*first)
	check("another shorter one", 7, 6, 5)
	b.arrive(0, 4, 0, 10*first)
	check("a longer one", 6, 5, 4, 7)
	for peer := int32(5); peer <= 8; peer++ {
		b.arrive(0, peer, 0, 20*first+unit.Bytes(peer))
	}
	check("as many as there are, and one that waits", 3, 2, 1, 4, 5, 6, 7, -1)
	b.arrive(0, 9, 0, 6*first)
	check("a shorter one pushes all", 4, 3, 2, 5, 6, 7, -1, -1, 1)
}

func TestLevelsLeftEmpty(t *testing.T) {
	for preset, want := range map[string][]grant{
		Paper: {{1, unsched + 67*sched, 6}, {3, unsched + 2*sched, 7}},
		SIRD:  {{1, unsched + 67*sched, 5}, {3, unsched + 2*sched, 6}},
	} {
		b := newBare(t, func(o *Options) { thin(o); o.Preset = preset })
		b.arrive(0, 1, 0, unsched+100*sched)
		b.arrive(0, 2, 0, unsched+101*sched)
		now := 10 * unit.Microsecond
		for at, ok := b.Deadline(); ok && at < now; at, ok = b.Deadline() {
			b.Expire(at)
		}
		b.drop()
		// Both have 66 packets in flight, the first at level 6, and a third comes.
		b.arrive(now, 3, 0, unsched+300*sched)
		for k := range unit.Bytes(35) { // of the second the rest is granted
			b.data(now, 2, 0, unsched+101*sched, unsched+k*sched)
		}
		b.drop()
		if len(b.ranked) != 2 {
			t.Fatalf("preset %s: %d senders want grants", preset, len(b.ranked))
		}
		b.data(now, 1, 0, unsched+100*sched, unsched)
		now += rate.Transmit(full)
		b.Expire(now)
		if diff := cmp.Diff(want, b.drop()); diff != "" {
			t.Errorf("preset %s: %s", preset, diff)
		}
	}
}

func TestTailBoost(t *testing.T) {
	s := 5
	b := newBare(t, func(o *Options) {
		thin(o)
		o.Scheduled, o.Cutoffs, o.TailBoost = &s, []unit.Bytes{2 * sched, 4 * sched}, unit.Amount{Bytes: 6*full + 1}
	})
	b.arrive(0, 1, 0, unsched+10*sched)
	levels := []unit.Bytes{}
	for now := unit.Time(0); len(b.ranked) > 0; now += unit.Microsecond {
		b.Expire(now)
		for _, g := range b.drop() {
			levels = append(levels, g.Level)
		}
	}
	// The first was granted when the unscheduled packet arrived.
	if diff := cmp.Diff([]unit.Bytes{7, 7, 7, 2, 2, 1, 1, 0, 0}, levels); diff != "" {
		t.Error(diff)
	}
}

func TestSharedLevels(t *testing.T) {
	k, s := 3, 2
	b := newBare(t, func(o *Options) {
		o.Priorities, o.Overcommit, o.Scheduled, o.ShareLevels = 3, &k, &s, true
	})
	want := map[int][]int{1: {2}, 2: {1, 2}, 3: {1, 2, 2}}
	for n := 1; n <= 3; n++ {
		b.arrive(0, int32(n), 0, unit.Bytes(9-n)*first)
		var got []int
		for i := range b.ranked {
			got = append(got, b.grantLevel(b.top+i, b.top, 0, 0))
		}
		if diff := cmp.Diff(want[n], got); diff != "" {
			t.Errorf("%d senders: %s", n, diff)
		}
	}
}
