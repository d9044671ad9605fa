package trace

import (
	"cmp"
	"fmt"
	"slices"

	"weft/internal/readable"
)

// Match finds unmatched messages and receives before a replay, and lists the first most faults.
//
// Receives that name source and tag take the messages of that source and tag in order, so the surplus of
// either is unmatched. Which messages a receive with a wildcard takes depends on times. Of a rank with
// such receives, Match reports a surplus of receives that name source and tag, and compares the number of
// all receives with that of all messages. Peers must be ranks of the trace, which Check tests.
func (t *Trace) Match(most int) Faults {
	f := Faults{Most: most}
	first, sends := t.Inbound()
	var recvs []End
	for r := range t.Ranks {
		s := &t.Ranks[r]
		recvs = recvs[:0]
		wild := 0
		for i := range uint32(s.Len()) {
			o := s.At(i)
			switch {
			case o.Kind != Recv:
			case o.Peer == AnySource || o.Tag == AnyTag:
				wild++
			default:
				recvs = append(recvs, End{o.Peer, o.Tag, i})
			}
		}
		t.compare(r, sends[first[r]:first[r+1]], recvs, wild, &f)
	}
	return f
}

// End is an operation that sends to a rank or receives there, with the source and tag of the message.
type End struct {
	Source int32
	Tag    int64
	Op     uint32
}

// Compare orders ends by source, tag and operation.
func (e End) Compare(o End) int { return cmp.Or(e.CompareQueue(o), cmp.Compare(e.Op, o.Op)) }

// CompareQueue orders ends by source and tag. Messages and receives with equal ones match in order.
func (e End) CompareQueue(o End) int {
	return cmp.Or(cmp.Compare(e.Source, o.Source), cmp.Compare(e.Tag, o.Tag))
}

// Inbound returns the sends to each rank r as sends[first[r]:first[r+1]].
func (t *Trace) Inbound() (first []int, sends []End) {
	first = make([]int, len(t.Ranks)+1)
	each := func(visit func(peer int32, e End)) {
		for r := range t.Ranks {
			s := &t.Ranks[r]
			for i := range uint32(s.Len()) {
				if o := s.At(i); o.Kind == Send {
					visit(o.Peer, End{int32(r), o.Tag, i})
				}
			}
		}
	}
	each(func(peer int32, _ End) { first[peer+1]++ })
	for r := range t.Ranks {
		first[r+1] += first[r]
	}
	sends = make([]End, first[len(t.Ranks)])
	next := slices.Clone(first)
	each(func(peer int32, e End) {
		sends[next[peer]] = e
		next[peer]++
	})
	return first, sends
}

// compare compares the messages to a rank with its receives.
func (t *Trace) compare(rank int, sends, recvs []End, wild int, f *Faults) {
	total := len(recvs) + wild
	messages := len(sends)
	slices.SortFunc(sends, End.Compare)
	slices.SortFunc(recvs, End.Compare)
	for len(sends) > 0 || len(recvs) > 0 {
		var of End
		switch {
		case len(recvs) == 0 || len(sends) > 0 && sends[0].CompareQueue(recvs[0]) < 0:
			of = sends[0]
		default:
			of = recvs[0]
		}
		n, m := prefix(sends, of), prefix(recvs, of)
		for k := m; k < n && wild == 0; k++ {
			f.Add(t.Fault(UnmatchedSend, int(of.Source), sends[k].Op, "%v: rank %d has no receive for it; it has %s from rank %d with tag %d, for %s",
				t.Ranks[of.Source].At(sends[k].Op), rank, readable.Count(m, "receive"), of.Source, of.Tag, readable.Count(n, "message")))
		}
		for k := n; k < m; k++ {
			f.Add(t.Fault(UnmatchedRecv, rank, recvs[k].Op, "%v: no message reaches it; rank %d sends %s with tag %d, for %s",
				t.Ranks[rank].At(recvs[k].Op), of.Source, readable.Count(n, "message"), of.Tag, readable.Count(m, "receive")))
		}
		sends, recvs = sends[n:], recvs[m:]
	}
	if wild > 0 && messages != total {
		what := "a receive stays without a message"
		if messages > total {
			what = "a message stays without a receive"
		}
		f.Add(Fault{surplus, rank, "", fmt.Sprintf("%s, %d of them with a wildcard, for %s: %s", readable.Count(total, "receive"), wild, readable.Count(messages, "message"), what)})
	}
}

// prefix returns how many of list begin it with the source and tag of e.
func prefix(list []End, e End) int {
	n := 0
	for n < len(list) && list[n].CompareQueue(e) == 0 {
		n++
	}
	return n
}
