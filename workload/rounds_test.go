package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/unit"
)

// Messages list who sends in their incast, or all that take part: of bursts those that the same burst draws at
// every host, of an incast all senders each time.
func TestLookAhead(t *testing.T) {
	const hosts = 12
	for name, tr := range map[string]Traffic{
		"bursts":         {Pattern: Bursts{Senders: 4, Interval: ptr(10 * unit.Microsecond), Count: ptr(200)}, Arrival: Once{Count: 1}},
		"Poisson bursts": {Pattern: Bursts{Senders: 4, Interval: ptr(10 * unit.Microsecond), Count: ptr(200), Gaps: "exponential", Draw: "burst"}, Arrival: Once{Count: 1}},
		"incast":         {Pattern: Incast{Receiver: "host3", Senders: ptr(5)}, Arrival: Once{Count: 20}},
	} {
		for _, list := range []string{ListNone, ListSenders, ListMembers} {
			tr.Sizes, tr.LookAhead = Fixed(9), list
			type round struct {
				dst          int32
				sent, listed []int32
			}
			rounds := map[uint32]*round{}
			for h, source := range sources(t, tr, Setting{Hosts: hosts, Seed: 5, Group: "g"}) {
				for source != nil {
					m, ok := source.Next()
					if !ok {
						break
					}
					if (m.Round == nil) != (list == ListNone) {
						t.Fatalf("%s, %s: a message has the round %v", name, list, m.Round)
					}
					if m.Round == nil {
						continue
					}
					r := rounds[m.Round.Number]
					if r == nil {
						r = &round{dst: m.Dst, listed: slices.Sorted(slices.Values(m.Round.Senders))}
						rounds[m.Round.Number] = r
					}
					if got := slices.Sorted(slices.Values(m.Round.Senders)); r.dst != m.Dst || !slices.Equal(r.listed, got) {
						t.Fatalf("%s, %s: messages of round %d go to %d and %d and list %v and %v", name, list, m.Round.Number, r.dst, m.Dst, r.listed, got)
					}
					r.sent = append(r.sent, int32(h))
				}
			}
			for n, r := range rounds {
				want := r.sent
				if list == ListMembers {
					want = nil
					for h := range int32(hosts) {
						if h != r.dst {
							want = append(want, h)
						}
					}
				}
				if !slices.Equal(r.listed, want) {
					t.Fatalf("%s, %s: round %d lists %v, want %v", name, list, n, r.listed, want)
				}
			}
			if list != ListNone && len(rounds) < 20 {
				t.Errorf("%s, %s: %d rounds", name, list, len(rounds))
			}
		}
	}
}

// Patterns without incasts have nothing to list, and long lists have no room.
func TestLookAheadRefusals(t *testing.T) {
	for want, tr := range map[string]Traffic{
		"use incast or bursts": {Pattern: Permutation{}, Arrival: Once{Count: 1}},
		"use incast or":        {Pattern: AllToAll{Collective: Collective{Repeat: 1}, Connections: 1, Order: "shifted"}, Arrival: Once{Count: 1}},
		"a list names at most 36 senders, but there are 39": {Pattern: Incast{Receiver: "host0"}, Arrival: Once{Count: 1}},
		"at most 36 senders, but there are 37":              {Pattern: Bursts{Senders: 37, Interval: ptr(us), Count: ptr(1)}, Arrival: Once{Count: 1}},
	} {
		tr.Sizes, tr.LookAhead = Fixed(100), ListSenders
		if _, err := NewSources(tr, Setting{Hosts: 40}); err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%T: %v, want %q", tr.Pattern, err, want)
		}
	}
}
