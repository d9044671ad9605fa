package replay

import (
	"weft/internal/readable"
	"weft/trace"
)

// Stuck returns what keeps a replay from its end when nothing happens any more: receives that no message
// reached, messages that no receive took, and how many operations wait for these. It lists the first most
// faults. All operations have ended if there are none.
func Stuck(t *trace.Trace, ranks []*Rank, most int) trace.Faults {
	f := trace.Faults{Most: most}
	for rank, r := range ranks {
		receives, messages := r.Waiting()
		for _, op := range receives {
			f.Add(t.Fault(trace.UnmatchedRecv, rank, op, "%v: no message has come for it", t.Ranks[rank].At(op)))
		}
		for _, m := range messages {
			f.Add(t.Fault(trace.UnmatchedSend, int(m.Source), m.Op, "%v: rank %d has posted no receive for it", t.Ranks[m.Source].At(m.Op), rank))
		}
	}
	for rank, r := range ranks {
		if n := r.unbegun(); n > 0 {
			f.Add(trace.Fault{Wrong: trace.Unbegun, Rank: rank, Text: readable.Count(n, "operation") + " held back by others that never end"})
		}
	}
	return f
}
