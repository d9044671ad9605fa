package transport

import (
	"testing"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// adviser advises a host when the first frame comes.
type adviser struct {
	echoer
	host int32
	left bool
}

func (a *adviser) Advise(_ unit.Time, advice *protocol.Advice) bool {
	if !a.left {
		return false
	}
	a.left = false
	*advice = protocol.Advice{Host: a.host, Answer: protocol.Answer{3, 4}}
	return true
}

// counselled is a bundle that notes what it is advised.
type counselled struct {
	tied
	advices []protocol.Answer
	under   []bool
}

func (b *counselled) Advised(_ unit.Time, a protocol.Answer, underWay bool) {
	b.advices, b.under = append(b.advices, a), append(b.under, underWay)
}

// TestAdvice: what a receiving end advises goes to the bundle of a host in one frame of an acknowledgement's size, also if that host
// has sent nothing, and says whether it has begun.
func TestAdvice(t *testing.T) {
	for _, began := range []bool{false, true} {
		p := params(unit.MiB)
		p.Congestion.Advertise, p.Congestion.AnswerBytes = true, 6
		p.Congestion.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
			return &adviser{echoer: echoer{wrong: func(f string, args ...any) { t.Errorf(f, args...) }}, host: 1, left: env.Host == 2}
		}
		var bundles []*counselled
		p.Congestion.NewBundle = func(protocol.Env) protocol.Bundle {
			b := &counselled{tied: tied{rate: 10 * unit.Gbps}}
			bundles = append(bundles, b)
			return b
		}
		sources := make([]workload.Source, 3)
		sources[0] = &list{{Dst: 2, Size: payload}}
		if began {
			sources[1] = &list{{Dst: 2, Size: 100 * payload}}
		}
		advices := 0
		l := labConfig{
			Graph: star(t, 3), Groups: []Group{{Params: p, Sources: sources}},
			hooks: hooks{sent: func(_ sim.Time, h int32, f *fabric.Frame) {
				if f.Kind != end.Advice {
					return
				}
				advices++
				if h != 2 || f.Dst() != 1 || f.Size != ackSize+6 {
					t.Errorf("host %d advises host %d by %d B", h, f.Dst(), f.Size)
				}
			}},
		}.build(t)
		l.finish(t)
		if advices != 1 || l.transport.Counts().Advices != 1 {
			t.Fatalf("%d advices were sent, %d counted", advices, l.transport.Counts().Advices)
		}
		told := 0
		for _, b := range bundles {
			for i, a := range b.advices {
				told++
				if a != (protocol.Answer{3, 4}) || b.under[i] != began {
					t.Errorf("a bundle is advised %v, under way %v; want %v", a, b.under[i], began)
				}
			}
		}
		if told != 1 {
			t.Errorf("bundles heard of %d advices, want 1", told)
		}
	}
}
