package homa

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// These tests hold messages to one receiver to closed forms, in packet times: each of some
// senders has one message of which blind packets go unscheduled and some more are granted.

const blind = 45

// loop is the time from a grant to its packet's arrival on an idle network, in packet times
// rounded up: two delays of 1.25 µs each way, and twice the grant's and the packet's time on a wire.
const loop = 43

// finishes returns when messages of so many scheduled packets have arrived, which start
// together, the first one's packets always before the second one's and so on. It counts in packet
// times on the downlink, from when the first packet could begin there.
func finishes(t rapid.TB, o Options, scheduled ...int) []int {
	t.Helper()
	o.Unscheduled = &unit.Amount{Bytes: blind * unsched}
	hosts := int32(len(scheduled)) + 1
	l := newNet(t, o, hosts, testEnv(hosts))
	times := make([]int, len(scheduled))
	packet := l.Rate.Transmit(full)
	l.Arrived = func(to int32, p *protocol.Packet) {
		if to != 0 || p.Payload == 0 {
			return
		}
		// Grants that share the senders' wires with nothing else shift no packet, so that
		// all arrive on the beat of the first while the downlink is never idle.
		times[p.Peer-1] = int((l.Now - 2*l.Delay - packet) / packet)
	}
	for i, n := range scheduled {
		l.Send(int32(i+1), 0, blind*unsched+unit.Bytes(n)*sched, 0)
	}
	l.Finish(unit.Second)
	return times
}

// Equal messages, with more than a round trip in flight. The first packet granted to the first
// message has the lowest level, since nothing else is known yet, and keeps it: what follows of
// this message has better levels, and so have others, as long as theirs is not the lowest. With
// up to k of them, that packet waits for the last message's turn, which is when all others have
// gone but their own first packets. With one or two senders at a time, it has the level that it
// needs, and messages end one after another.
func TestEqualMessages(t *testing.T) {
	const n = 500
	all := 4 * blind // unscheduled packets go first
	for _, preset := range []string{Paper, SIRD} {
		for _, tt := range []struct {
			k    int
			want []int
		}{
			{1, []int{all + n, all + 2*n, all + 3*n, all + 4*n}},
			{2, []int{all + n, all + 2*n, all + 3*n, all + 4*n}},
			{3, []int{all + 2*n - 1, all + 2*n, all + 3*n, all + 4*n}},
			{4, []int{all + 3*n - 2, all + 3*n - 1, all + 3*n, all + 4*n}},
			{7, []int{all + 3*n - 2, all + 3*n - 1, all + 3*n, all + 4*n}},
		} {
			o := testOptions(preset)
			o.Overcommit = &tt.k
			if diff := cmp.Diff(tt.want, finishes(t, o, n, n, n, n)); diff != "" {
				t.Errorf("preset %s, k = %d: %s", preset, tt.k, diff)
			}
		}
	}
}

// Near-equal messages: where the shortest is heard first, it is as with equal ones. Where the
// longest is, and by more than a message gains on others until its window is full, each newcomer
// takes a level above those before it. Then no packet has a worse level than those of its message
// that follow, and messages end one after another, the shortest first.
func TestNearEqualMessages(t *testing.T) {
	all := 4 * blind
	for _, preset := range []string{Paper, SIRD} {
		o := testOptions(preset)
		sum := 500 + 501 + 502
		if diff := cmp.Diff([]int{all + sum - 2, all + sum - 1, all + sum, all + sum + 503}, finishes(t, o, 500, 501, 502, 503)); diff != "" {
			t.Errorf("preset %s, shortest first: %s", preset, diff)
		}
		sum = 500 + 530 + 560
		if diff := cmp.Diff([]int{all + sum + 590, all + sum, all + 1030, all + 500}, finishes(t, o, 590, 560, 530, 500)); diff != "" {
			t.Errorf("preset %s, longest first: %s", preset, diff)
		}
	}
}

// Whatever the messages and the options: the i-th that ends does so no earlier than the i
// shortest need on the downlink, and if enough is in flight, the last one ends when all have
// gone, since the downlink is never idle.
func TestShortestFirstBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := testOptions(rapid.SampledFrom([]string{Paper, SIRD}).Draw(t, "preset"))
		k := rapid.IntRange(1, 7).Draw(t, "k")
		o.Overcommit = &k
		window := rapid.IntRange(5, 2*loop).Draw(t, "window")
		o.RTTBytes = unit.Amount{Bytes: unit.Bytes(window) * full}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 9).Draw(t, "sizes")
		ends := finishes(t, o, sizes...)
		slices.Sort(ends)
		slices.Sort(sizes)
		sum := 0
		for i, n := range sizes {
			if sum += blind + n; ends[i] < sum {
				t.Fatalf("%d messages have ended after %d packet times, of %d that they need", i+1, ends[i], sum)
			}
		}
		if last := ends[len(ends)-1]; window > loop && last != sum {
			t.Fatalf("all have ended after %d packet times, of %d that they need", last, sum)
		}
	})
}
