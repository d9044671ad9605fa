package transport

import (
	"testing"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// TestSourceMarks: a host marks once what its connections could have sent exceeds the threshold K: after K/(sum of R - C),
// of paces R at a link of rate C. While the sum is no more than C, and for one connection of whatever pace, nothing is marked.
func TestSourceMarks(t *testing.T) {
	const line = 100 * unit.Gbps
	const threshold = 25 * (payload + header)
	for _, rates := range [][]unit.Rate{
		{line}, {3 * line}, {line / 2, line / 2}, {line / 4, line / 2, line / 5},
		{line, line}, {line, line / 2}, {line, line, line, line}, {line * 3 / 5, line * 3 / 5}, {4 * line, line / 2},
	} {
		made := 0
		p := params(0)
		p.Env.Packet = payload + header
		p.Congestion.SourceMarks = true
		p.Congestion.New = func(protocol.Env) protocol.Congestion {
			made++
			return pacing(rates[made-1], unit.GiB)
		}
		var messages []workload.Message
		over := -line
		for i, r := range rates {
			messages = append(messages, workload.Message{Dst: int32(i + 1), Size: 2000 * payload})
			over += min(r, line)
		}
		first := unit.Forever
		l := labConfig{
			Graph: star(t, 6), SourceMarks: SourceMarks{On: true, KMin: threshold, KMax: threshold},
			Groups: []Group{{Params: p, Sources: from(0, 6, messages...)}},
			hooks: hooks{sent: func(now sim.Time, _ int32, f *fabric.Frame) {
				if f.Kind == end.Data && f.Flags&packet.Marked != 0 {
					first = min(first, now)
				}
			}},
		}.build(t)
		l.finish(t)
		if over <= 0 {
			if first != unit.Forever {
				t.Errorf("%v: a frame is marked at %v", rates, first)
			}
			continue
		}
		want, frames := over.Transmit(threshold), unit.Time(len(rates)+1)*over.Transmit(payload+header)
		if first < want-frames || first > want+frames {
			t.Errorf("%v: the first mark is at %v, want %v", rates, first, want)
		}
		if n := l.transport.Counts().SourceMarks; n == 0 {
			t.Errorf("%v: no mark is counted", rates)
		}
	}
}

// TestSourceMarksEnd: the backlog ends with what there is to send, so that later messages find none.
func TestSourceMarksEnd(t *testing.T) {
	p := params(unit.GiB)
	p.Env.Packet = payload + header
	p.Congestion.SourceMarks = true
	last := unit.Time(0)
	late := unit.Millisecond
	var messages []workload.Message
	for dst := int32(1); dst < 5; dst++ {
		messages = append(messages, workload.Message{Dst: dst, Size: 100 * payload})
	}
	for dst := int32(1); dst < 5; dst++ {
		messages = append(messages, workload.Message{Dst: dst, Size: 4 * payload, At: late})
	}
	labConfig{
		Graph: star(t, 5), SourceMarks: SourceMarks{On: true, KMin: 20 * payload, KMax: 20 * payload},
		Groups: []Group{{Params: p, Sources: from(0, 5, messages...)}},
		hooks: hooks{sent: func(now sim.Time, _ int32, f *fabric.Frame) {
			if f.Kind == end.Data && f.Flags&packet.Marked != 0 {
				last = now
			}
		}},
	}.build(t).finish(t)
	if last == 0 || last >= late {
		t.Errorf("the last mark is at %v", last)
	}
}
