package workload

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

// TestStencil sends to the neighbours of FatPaths' stencil, of few hosts to those of offsets that make
// sense, and in the same order to random ones.
func TestStencil(t *testing.T) {
	to := func(o Stencil, n int) inTurn {
		s, err := Setting{Hosts: n, Seed: 3}.withMembers()
		if err != nil {
			t.Fatal(err)
		}
		d, err := o.Resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		return d.(inTurn)
	}
	if got := to(Stencil{}, 100)[0]; !slices.Equal(got, []int32{1, 99, 42, 58}) {
		t.Errorf("host0 of 100 sends to %v", got)
	}
	if got := to(Stencil{}, 10_001)[10_000]; !slices.Equal(got, []int32{0, 9_999, 1336, 8663}) {
		t.Errorf("host10000 of 10001 sends to %v", got)
	}
	if got := to(Stencil{}, 42)[5]; !slices.Equal(got, []int32{6, 4}) {
		t.Errorf("host5 of 42 sends to %v, and not to itself", got)
	}
	if got := to(Stencil{Offsets: []int{-3, 5}}, 10)[1]; !slices.Equal(got, []int32{8, 6}) {
		t.Errorf("host1 of 10 sends to %v", got)
	}
	// In random order the same graph: from host to host by the offset 1 and back by -1.
	random := to(Stencil{Ranks: Shuffled}, 50)
	ordered, at := 0, int32(0)
	for range 50 {
		next := random[at][0]
		if random[next][1] != at {
			t.Fatalf("host%d follows host%d, before which is host%d", next, at, random[next][1])
		}
		if next == at+1 {
			ordered++
		}
		at = next
	}
	if at != 0 || ordered > 10 {
		t.Errorf("after 50 steps at host%d, %d of them in order of hosts", at, ordered)
	}
}

// TestStencilRounds plays stencils over networks of random delays: a host sends the messages of a round at the instant
// at which it has all of its neighbours' (with a barrier: at which all hosts have theirs and the signals
// have come), and the time to compute is over. All are sent and received once.
func TestStencilRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "hosts")
		o := Stencil{
			Offsets: rapid.SliceOfN(rapid.SampledFrom([]int{1, -1, 2, -2, 5}), 1, 4).Draw(t, "offsets"),
			Rounds:  ptr(rapid.IntRange(1, 5).Draw(t, "rounds")),
			Compute: unit.Time(rapid.IntRange(0, 2000).Draw(t, "compute")),
			Barrier: rapid.Bool().Draw(t, "barrier"),
			Ranks:   Shuffled,
		}
		offsets, err := o.offsets(n)
		if err != nil {
			t.Skip("only to oneself")
		}
		fan := len(offsets)
		tr := Traffic{Pattern: stencilRounds{o}, Sizes: Fixed(1000), Arrival: Once{Count: 1}, Start: us}
		if rapid.Bool().Draw(t, "jitter") {
			tr.Jitter = 3000
		}
		var begun, latest, sent [12][5]unit.Time // by host and round: first message sent, last one received, last one sent
		var received [12][5]int
		p := &play{sources: sources(t, tr, Setting{Hosts: n}), slowest: 5000, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))}
		p.started = func(now unit.Time, src int32, ordinal uint64, m Message) {
			if r := int(ordinal) / fan; int(ordinal)%fan == 0 {
				begun[src][r] = now
			} else if now != begun[src][r] {
				t.Errorf("host%d sends message %d at %v, the first of the round at %v", src, ordinal, now, begun[src][r])
			}
			sent[src][int(ordinal)/fan] = now
		}
		p.delivered = func(now unit.Time, _ int32, ordinal uint64, dst int32) {
			r := int(ordinal) / fan
			received[dst][r]++
			latest[dst][r] = now
		}
		p.run(t)
		for r := range *o.Rounds {
			all := unit.Time(0) // when the last host has ended the round
			for h := range n {
				if received[h][r] != fan {
					t.Errorf("host%d received %d messages in round %d, want %d", h, received[h][r], r, fan)
				}
				all = max(all, latest[h][r])
			}
			for h := 0; h < n && r+1 < *o.Rounds; h++ {
				want := max(latest[h][r], sent[h][r]) + o.Compute
				if !o.Barrier {
					if got := begun[h][r+1]; got != want {
						t.Errorf("host%d begins round %d at %v, want %v", h, r+1, got, want)
					}
					continue
				}
				// A signal to the first host and one back take 700 each, if they are of others.
				least, most := all+o.Compute, all+1400+o.Compute
				if got := begun[h][r+1]; got < least || got > most {
					t.Errorf("host%d begins round %d at %v, after the barrier of %v to %v", h, r+1, got, least, most)
				}
			}
		}
	})
}
