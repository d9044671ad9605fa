package transport

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// divided returns a transport of n subflows, with a window of w packets each.
func divided(n, w int) Params {
	p := params(unit.Bytes(w) * payload)
	p.Balancer = spraying()
	p.Balancer.Subflows = n
	return p
}

// The packets of a message are split evenly, and each part has an entropy of its own.
func TestPartsOfAMessage(t *testing.T) {
	for _, tt := range []struct {
		size unit.Bytes
		want []int // packets of the parts
	}{
		{1, []int{1}},
		{payload, []int{1}},
		{2*payload + 1, []int{1, 1, 1}},
		{8 * payload, []int{2, 2, 2, 2}},
		{10*payload + 5, []int{3, 3, 3, 2}},
	} {
		p := divided(4, 100)
		p.Balancer.New = func(env protocol.Env) protocol.Entropy {
			return &constant{uint16(env.Rand.Uint64())}
		}
		type part struct{ message, entropy uint32 }
		packets, bytes := map[part]int{}, unit.Bytes(0)
		order := []part{}
		c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(tt.size))}}}
		c.sent = func(_ sim.Time, _ int32, f *fabric.Frame) {
			if kindOf(f) != end.Data {
				return
			}
			k := part{f.Message, uint32(f.Entropy)}
			if packets[k]++; packets[k] == 1 {
				order = append(order, k)
			}
			bytes += unit.Bytes(f.Size) - header
		}
		m := c.build(t).finish(t)
		var got []int
		for _, k := range order {
			got = append(got, packets[k])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || bytes != tt.size {
			t.Errorf("%v: %v sent, packets of its parts (-want +got):\n%s", tt.size, bytes, diff)
		}
		if len(m) != 1 || m[0].Size != tt.size {
			t.Errorf("recorded %+v", m)
		}
	}
}

// A message is delivered with the last of its parts, and its row has the retransmissions
// of all of them.
func TestMessageIsCompleteWithAllParts(t *testing.T) {
	p := divided(4, 100)
	p.RTO = 50 * unit.Microsecond
	lost := map[uint32]int{} // packets, by part
	var last sim.Time
	c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(40*payload), workload.Message{Dst: 1, Size: 3 * payload})}}}
	c.received = func(now sim.Time, _ int32, f *fabric.Frame) bool {
		if kindOf(f) != end.Data || f.Serial != 0 {
			return true
		}
		last = now
		if f.Seq == 9 && f.Bits&end.Again == 0 { // the last of each part
			lost[f.Message]++
			return false
		}
		return true
	}
	l := c.build(t)
	m := l.finish(t)
	if len(lost) != 4 || m[0].Retransmits != 4 || m[0].Timeouts != 4 || m[1].Retransmits != 0 {
		t.Errorf("lost %v; recorded %+v", lost, m)
	}
	if m[0].End != last || m[0].End < p.RTO {
		t.Errorf("it ended at %v; its last packet arrived at %v", m[0].End, last)
	}
	for h := range l.transport.endpoints[0].hosts {
		if n := l.transport.endpoints[0].Receiving.Parts(int32(h)); n != 0 {
			t.Errorf("host %d still counts the parts of %d messages", h, n)
		}
	}
}

// Windows are of subflows, and pairs of hosts keep a connection for each.
func TestSubflowsOfAPair(t *testing.T) {
	starts := 0
	p := divided(3, 2)
	p.PerPair = true
	p.Balancer.New = func(protocol.Env) protocol.Entropy { starts++; return &constant{} }
	outstanding, most := 0, 0
	c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(30*payload), message1(30*payload))}}}
	c.sent = func(_ sim.Time, _ int32, f *fabric.Frame) {
		if kindOf(f) == end.Data {
			outstanding++
			most = max(most, outstanding)
		}
	}
	c.received = func(_ sim.Time, _ int32, f *fabric.Frame) bool {
		if kindOf(f) == end.Ack {
			outstanding--
		}
		return true
	}
	c.build(t).finish(t)
	if starts != 3 || most != 6 {
		t.Errorf("%d connections for two messages, up to %d packets under way; want 3 and 6", starts, most)
	}
}

func TestDividedBDP(t *testing.T) {
	p := divided(4, 1)
	p.Balancer.DivideBDP = true
	p.Env.BDP, p.Env.BDPPackets = 8000, 8
	var seen []protocol.Env
	p.Congestion.New = func(env protocol.Env) protocol.Congestion {
		seen = append(seen, env)
		return &fixed{window: payload}
	}
	c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(4*payload))}}}
	c.build(t).finish(t)
	if len(seen) != 4 || seen[0].BDP != 2000 || seen[0].BDPPackets != 2 {
		t.Errorf("controls were made for %+v", seen)
	}
}

// sibling notes what it is told.
type sibling struct {
	constant
	told *[]struct {
		number int
		shared uint64
	}
}

func (s *sibling) SetSubflow(number int, shared uint64) {
	*s.told = append(*s.told, struct {
		number int
		shared uint64
	}{number, shared})
}

// TestSiblings: subflows of a message are told their numbers and the same number, whoever owns the connections.
func TestSiblings(t *testing.T) {
	for name, owner := range map[string]func(*Params){
		"message": func(*Params) {}, "pair": func(p *Params) { p.PerPair = true }, "pool": func(p *Params) { p.Pool = 2 },
	} {
		p := divided(3, 2)
		owner(&p)
		var s sibling
		s.told = new([]struct {
			number int
			shared uint64
		})
		p.Balancer.New = func(protocol.Env) protocol.Entropy { return &s }
		c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(30*payload), message1(30*payload))}}}
		c.build(t).finish(t)
		shared := map[uint64]int{}
		for i, told := range *s.told {
			if told.number != i%3 {
				t.Errorf("connection owned by a %s: subflow %d is told that it is %d", name, i, told.number)
			}
			shared[told.shared]++
		}
		want := map[string]int{"message": 2, "pair": 1, "pool": 1}[name]
		if len(shared) != want {
			t.Errorf("connection owned by a %s: they are told %v, want %d numbers", name, shared, want)
		}
	}
}

// shrinking halves its window at every third call, whatever it is told.
type shrinking struct {
	window unit.Bytes
	calls  int
	cuts   []bool // by call
}

func (c *shrinking) Start(unit.Time)     { c.window = 1 << 20 * payload }
func (c *shrinking) Window() unit.Bytes  { return c.window }
func (c *shrinking) Acked(*protocol.Ack) { c.step() }
func (c *shrinking) Lost(*protocol.Loss) { c.step() }
func (c *shrinking) step() {
	cut := c.calls%3 == 2
	if c.calls++; cut {
		c.window = max(c.window/2, payload)
		cut = c.window > payload
	}
	c.cuts = append(c.cuts, cut)
}

// cutting notes which of its calls told of a smaller window.
type cutting struct {
	constant
	cuts []bool
}

func (e *cutting) Acked(a *protocol.Ack) { e.cuts = append(e.cuts, a.Cut) }
func (e *cutting) Lost(l *protocol.Loss) { e.cuts = append(e.cuts, l.Cut) }

// TestChoosersHearOfCuts: the entropy chooser is told which acknowledgements and losses made the window smaller.
func TestChoosersHearOfCuts(t *testing.T) {
	for _, kind := range []string{"selective", "sack", "go-back-n"} {
		p := params(0)
		p.Recovery, p.RTO = recovering()[kind], 50*unit.Microsecond
		control, chooser := &shrinking{}, &cutting{}
		p.Congestion.New = func(protocol.Env) protocol.Congestion { return control }
		p.Balancer.New = func(protocol.Env) protocol.Entropy { return chooser }
		c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(40*payload))}}}
		c.received = losing(end.Data, map[uint32]int{4: 1, 11: 1, 12: 2, 30: 1})
		c.build(t).finish(t)
		if diff := cmp.Diff(control.cuts, chooser.cuts); diff != "" || len(chooser.cuts) < 40 {
			t.Errorf("%s: cuts (-of the control, +told):\n%s", kind, diff)
		}
	}
}
