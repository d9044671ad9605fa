package timeline

import (
	"cmp"
	"slices"

	"weft/trace"
)

// takers finds the receive that took the message of a send. A log has the other direction alone. The receives of
// a rank are sorted when the first of them is looked for.
type takers struct {
	trace *trace.Trace
	log   *Log
	ranks [][]uint32 // receives that took something, by the send
}

func newTakers(t *trace.Trace, l *Log) takers { return takers{t, l, make([][]uint32, len(l.Ranks))} }

// of returns the receive that took the message of a send, if one did.
func (k *takers) of(send Ref) (recv Ref, ok bool) {
	peer := k.trace.Ranks[send.Rank].At(send.Op).Peer
	took := k.log.Ranks[peer].Took
	list := k.ranks[peer]
	if list == nil {
		list = []uint32{}
		for i, s := range took {
			if s.Rank >= 0 {
				list = append(list, uint32(i))
			}
		}
		slices.SortFunc(list, func(a, b uint32) int { return took[a].compare(took[b]) })
		k.ranks[peer] = list
	}
	i, ok := slices.BinarySearchFunc(list, send, func(op uint32, s Ref) int { return took[op].compare(s) })
	if !ok {
		return Ref{}, false
	}
	return Ref{peer, list[i]}, true
}

func (r Ref) compare(o Ref) int { return cmp.Or(cmp.Compare(r.Rank, o.Rank), cmp.Compare(r.Op, o.Op)) }
