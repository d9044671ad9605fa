package perfetto

import (
	"cmp"
	"fmt"
	"slices"

	"weft/trace"
	"weft/trace/timeline"
	"weft/unit"
)

// operations writes the operations of a rank: computations in the rows of their processors, sends and receives in
// rows in which no two last at the same time.
func (x *exporter) operations(rank int32) {
	sched, log := &x.trace.Ranks[rank], &x.log.Ranks[rank]
	var begun []uint32
	for i := range uint32(sched.Len()) {
		if log.Begin[i] != timeline.Never {
			begun = append(begun, i)
		}
	}
	slices.SortStableFunc(begun, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(log.Begin[a], log.Begin[b]), cmp.Compare(log.End[a], log.End[b]))
	})
	for _, kind := range []trace.Kind{trace.Send, trace.Recv, trace.Calc} {
		x.tracks.reset()
		for _, i := range begun {
			if sched.Kind(i) == kind {
				x.operation(timeline.Ref{Rank: rank, Op: i})
			}
		}
	}
}

func (x *exporter) operation(op timeline.Ref) {
	sched, log := &x.trace.Ranks[op.Rank], &x.log.Ranks[op.Rank]
	o, begin, end := sched.At(op.Op), log.Begin[op.Op], log.End[op.Op]
	if end == timeline.Never {
		end = x.end
	}
	described := words("operation", sched.Describe(op.Op))
	if o.Kind == trace.Calc {
		x.slice(row{op.Rank, cpuRow + int(o.CPU)}, fmt.Sprintf("cpu %d", o.CPU), "calc", begin, end, described)
		return
	}
	track := x.tracks.take(begin, end)
	if track == mostTracks {
		x.left++
		return
	}
	if o.Kind == trace.Send {
		at := row{op.Rank, sendRow + track}
		x.slice(at, "sends", fmt.Sprintf("send to %d", o.Peer), begin, end, described)
		if id, ok := x.arrows[op]; ok {
			x.arrow(at, id, true, begin)
		}
		return
	}
	at := row{op.Rank, recvRow + track}
	send := log.Took[op.Op]
	name := "receive"
	if send.Rank >= 0 {
		name = fmt.Sprintf("receive from %d", send.Rank)
	}
	x.slice(at, "receives", name, begin, end, described)
	if id, ok := x.arrows[send]; ok && send.Rank >= 0 {
		x.arrow(at, id, false, max(begin, end-unit.Nanosecond)) // it ends within the slice
	}
}

// longest numbers the messages that were on their way the longest, at most n, by their sends.
func longest(l *timeline.Log, n int) map[timeline.Ref]int {
	type message struct {
		send timeline.Ref
		took unit.Time
	}
	var list []message
	order := func(a, b message) int {
		return cmp.Or(cmp.Compare(b.took, a.took), cmp.Compare(a.send.Rank, b.send.Rank), cmp.Compare(a.send.Op, b.send.Op))
	}
	trim := func(to int) {
		slices.SortFunc(list, order)
		list = list[:min(to, len(list))]
	}
	for r := range l.Ranks {
		rank := &l.Ranks[r]
		for i, send := range rank.Took {
			if send.Rank < 0 || rank.End[i] == timeline.Never {
				continue
			}
			list = append(list, message{send, rank.End[i] - l.Ranks[send.Rank].Begin[send.Op]})
			if len(list) >= 2*n+1000 {
				trim(n)
			}
		}
	}
	trim(n)
	ids := map[timeline.Ref]int{}
	for i, m := range list {
		ids[m.send] = i + 1
	}
	return ids
}
