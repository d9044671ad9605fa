package transport

import (
	"slices"
	"testing"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
	"weft/workload"
)

// This file has packets with views side by side: what one feature writes does not touch what another does.

// stampedCredit is a control that spends credit and notes how many switches stamped its packets.
type stampedCredit struct {
	protocol.Credited
	hops *[]int
}

func (c stampedCredit) Acked(a *protocol.Ack) {
	*c.hops = append(*c.hops, len(a.Stamps.Hops))
	c.Credited.Acked(a)
}

// TestStampsBesideCredit has switches stamp the data of an incast that is trimmed and pulled, or its acknowledgements:
// the messages end as they do without, and every acknowledgement brings the stamp of the switch.
func TestStampsBesideCredit(t *testing.T) {
	const senders, packets = 6, 50
	run := func(way protocol.Stamping) (ends []unit.Time, hops []int, counts Counts) {
		p := pulled(t, 20)
		make := p.Congestion.New
		p.Congestion.Stamping = way
		p.Congestion.New = func(env protocol.Env) protocol.Congestion {
			return stampedCredit{make(env).(protocol.Credited), &hops}
		}
		l := labConfig{Graph: star(t, senders+1), Port: trimming, Telemetry: true, Groups: []Group{{Params: p, Sources: to0(senders, packets*payload)}}}.build(t)
		for _, m := range l.finish(t) {
			ends = append(ends, m.End)
		}
		return ends, hops, l.transport.Counts()
	}
	plain, _, want := run(protocol.NoStamps)
	if want.Trims == 0 {
		t.Fatal("nothing was trimmed")
	}
	for _, way := range []protocol.Stamping{protocol.OnData, protocol.OnAcks} {
		ends, hops, counts := run(way)
		if !slices.Equal(ends, plain) || counts != want {
			t.Errorf("stamped in way %d the messages end at %v, want %v", way, ends, plain)
		}
		if len(hops) < senders*packets || slices.ContainsFunc(hops, func(n int) bool { return n != 1 }) {
			t.Errorf("in way %d %d acknowledgements bring stamps of %v switches, want 1 each", way, len(hops), hops)
		}
	}
}

// listening is a receiving end that notes the incasts of which it hears.
type listening struct {
	echoer
	incasts *[][]int32
}

func (l *listening) Heard(h *protocol.Heard) {
	if h.Incast != nil {
		*l.incasts = append(*l.incasts, slices.Clone(h.Incast.Senders))
	}
	l.echoer.Heard(h)
}

// stampedWindow notes stamps and answers.
type stampedWindow struct {
	fixed
	stamped, answered *int
}

func (c *stampedWindow) Acked(a *protocol.Ack) {
	if len(a.Stamps.Hops) == 1 {
		*c.stamped++
	}
	if a.Answered {
		*c.answered++
	}
}

// TestListsAndAnswersBesideStamps has first packets bring a list of senders of which one has a number that needs more
// than 16 bits, all data be stamped, and acknowledgements bring an answer beside the stamps and sixteen entropies.
func TestListsAndAnswersBesideStamps(t *testing.T) {
	senders := []int32{0, 1, packet.MaxHosts - 1}
	for _, every := range []int{1, 16} {
		var incasts [][]int32
		stamped, answered, acks := 0, 0, 0
		p := params(unit.MiB)
		p.AckEvery, p.Unmarked = every, true
		p.Congestion.Stamping = protocol.OnData
		p.Congestion.ListBytes, p.Congestion.AnswerBytes = 2, 10
		p.Congestion.New = func(protocol.Env) protocol.Congestion {
			return &stampedWindow{fixed{window: unit.MiB}, &stamped, &answered}
		}
		p.Congestion.NewAnswerer = func(protocol.HostEnv) protocol.Answerer {
			return &listening{echoer{wrong: t.Errorf}, &incasts}
		}
		entropies := 0
		sources := from(0, 2, message1(32*payload))
		(*sources[0].(*list))[0].Round = &workload.Round{Number: 7, Senders: senders}
		c := labConfig{Graph: star(t, 2), Telemetry: true, Groups: []Group{{Params: p, Sources: sources}}}
		var l *lab
		c.received = func(_ unit.Time, _ int32, f *packet.Packet) bool {
			if f.Kind == end.Ack {
				acks++
				if r := l.transport.endpoints[0].d.Report(f); r != nil {
					entropies += int(r.Entropies)
				}
			}
			return true
		}
		l = c.build(t)
		l.finish(t)
		if len(incasts) != 1 || !slices.Equal(incasts[0], senders) {
			t.Errorf("every %d: lists %v, want %v", every, incasts, senders)
		}
		if acks != 32/every || stamped != acks || answered != acks || every > 1 && entropies != 32 {
			t.Errorf("every %d: %d acknowledgements, %d with stamps, %d with answers, %d entropies", every, acks, stamped, answered, entropies)
		}
	}
}
