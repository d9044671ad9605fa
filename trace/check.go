package trace

import (
	"fmt"
	"strings"
)

// Check finds what makes a replay impossible whatever carries it: peers that are no ranks, and cycles.
// It lists the first most faults. A trace without any may still have messages that match nothing, which
// Match finds.
func (t *Trace) Check(most int) Faults {
	f := Faults{Most: most}
	for r := range t.Ranks {
		t.peers(r, &f)
		t.cycle(r, &f)
	}
	return f
}

// peers finds operations whose peers are not in the trace.
func (t *Trace) peers(r int, f *Faults) {
	s := &t.Ranks[r]
	for i := range uint32(s.Len()) {
		o := s.At(i)
		switch {
		case o.Kind == Calc, o.Kind == Recv && o.Peer == AnySource, o.Peer >= 0 && int(o.Peer) < len(t.Ranks):
			continue
		}
		f.Add(t.Fault(badPeer, r, i, "%v: there is no rank %d; ranks are 0 to %d", o, o.Peer, len(t.Ranks)-1))
	}
}

// cycle finds a chain of operations of one rank that wait for each other.
func (t *Trace) cycle(r int, f *Faults) {
	s := &t.Ranks[r]
	if s.Dependencies() == 0 {
		return
	}
	waits := s.Waits()
	var ready []uint32
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, uint32(i))
		}
	}
	done := 0
	for ; len(ready) > 0; done++ {
		op := ready[len(ready)-1]
		ready = s.Release(op, true, waits, ready[:len(ready)-1])
		ready = s.Release(op, false, waits, ready)
	}
	if done == s.Len() {
		return
	}
	chain := s.chain(waits)
	var text strings.Builder
	for k, c := range chain {
		next := chain[(k+1)%len(chain)]
		word := "requires"
		if c.start {
			word = "irequires"
		}
		if k == mostOfChain && len(chain) > mostOfChain+1 {
			fmt.Fprintf(&text, ", and so on over %d operations", len(chain))
			break
		}
		if k > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%s %s %s", s.Name(c.op), word, s.Name(next.op))
	}
	f.Add(t.Fault(cycle, r, chain[0].op, "operations wait for each other: %s; remove one of these dependencies", text.String()))
}

// mostOfChain is how many links of a cycle are listed.
const mostOfChain = 8

// link is an operation of a chain, which waits for the next one.
type link struct {
	op    uint32
	start bool // for its start
}

// chain returns a cycle among the operations that still wait: each waits for the next, the last for
// the first. It begins with its first operation in the order of the schedule.
func (s *Schedule) chain(waits []uint32) []link {
	// Each operation that waits has a predecessor that waits as well, so that walking back from any of
	// them must come to an operation twice.
	before := map[uint32]link{}
	start := uint32(0)
	for i := range uint32(s.Len()) {
		if waits[i] == 0 {
			continue
		}
		s.Dependants(i, func(op uint32, onStart bool) {
			if _, known := before[op]; waits[op] > 0 && !known {
				before[op] = link{i, onStart}
			}
		})
		start = i
	}
	seen := map[uint32]bool{}
	at := start
	for !seen[at] {
		seen[at] = true
		at = before[at].op
	}
	first, least := at, at
	var list []link
	for {
		b := before[at]
		list = append(list, link{at, b.start})
		least = min(least, at)
		if at = b.op; at == first {
			break
		}
	}
	for list[0].op != least {
		list = append(list[1:], list[0])
	}
	return list
}
