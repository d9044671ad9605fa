package transport

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// ledger keeps, from what crosses the border of a host and what its control is
// told, the packets in flight of its one connection.
type ledger struct {
	t       rapid.TB
	control protocol.Congestion
	payload unit.Bytes
	limit   uint32 // reorder limit

	packets map[uint32]*[]packetState // by serial number of the message
	bytes   unit.Bytes
	entropy map[uint16]place // of packets in flight
	unsent  int              // packets of all messages that were never sent
	resend  int              // lost packets that wait
}

type place struct{ serial, seq uint32 }

type packetState uint8

const (
	never packetState = iota
	flying
	given // up for lost
	known // to have arrived
)

func (l *ledger) payloadOf(f *fabric.Frame) unit.Bytes { return unit.Bytes(f.Size) - header }

func (l *ledger) sent(_ sim.Time, host int32, f *fabric.Frame) {
	if host != 0 || f.Kind != end.Data {
		return
	}
	states := l.packets[f.Serial]
	if states == nil {
		s := make([]packetState, f.Aux)
		states = &s
		l.packets[f.Serial] = states
	}
	switch state := &(*states)[f.Seq]; *state {
	case never:
		if l.limit > 0 {
			oldest := uint32(0)
			for (*states)[oldest] == known {
				oldest++
			}
			if f.Seq >= oldest+l.limit {
				l.t.Fatalf("packet %d is sent while %d is not acknowledged; the limit is %d", f.Seq, oldest, l.limit)
			}
		}
		l.unsent--
	case given:
		l.resend--
	default:
		l.t.Fatalf("packet %d of message %d is sent though its copy is not lost", f.Seq, f.Serial)
	}
	size := l.payloadOf(f)
	if w := l.control.Window(); l.bytes > 0 && l.bytes+size > w {
		l.t.Fatalf("packet %d brings what is in flight from %d to %d bytes; the window is %d", f.Seq, l.bytes, l.bytes+size, w)
	}
	(*states)[f.Seq] = flying
	l.bytes += size
	l.entropy[f.Entropy] = place{f.Serial, f.Seq}
}

// arrived notes what the acknowledgement that host 0 is about to see tells.
func (l *ledger) received(_ sim.Time, host int32, f *fabric.Frame) bool {
	if host == 0 && f.Kind == end.Ack {
		states := *l.packets[f.Serial]
		l.known(states, f.Seq)
		for q := range f.Aux {
			l.known(states, q)
		}
	}
	return true
}

func (l *ledger) known(states []packetState, seq uint32) {
	switch states[seq] {
	case flying:
		l.bytes -= l.payload
	case given:
		l.resend--
	}
	states[seq] = known
}

// idle checks that the host had no packet that it was allowed to send.
func (l *ledger) idle(now sim.Time, host int32) {
	if host == 0 && l.limit == 0 && l.unsent+l.resend > 0 && (l.bytes == 0 || l.bytes+l.payload <= l.control.Window()) {
		l.t.Fatalf("at %d the host is idle with %d bytes in flight of %d, %d packets to send and %d to repeat",
			now, l.bytes, l.control.Window(), l.unsent, l.resend)
	}
}

// ledgered is a control that tells a ledger what is given up.
type ledgered struct {
	protocol.Congestion
	ledger *ledger
}

func (c *ledgered) Lost(loss *protocol.Loss) {
	l := c.ledger
	at := l.entropy[loss.Entropy]
	state := &(*l.packets[at.serial])[at.seq]
	if *state != flying {
		l.t.Fatalf("packet %d is lost, but it was not in flight", at.seq)
	}
	*state = given
	l.bytes -= l.payload
	l.resend++
	c.Congestion.Lost(loss)
}

// TestWindow sends messages over lossy paths under a window that changes at
// random, and compares every transmission with an account of what is in flight.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 3, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 0})
		for i := range g.Links { // paths of unlike length reorder
			g.Links[i].Delay += sim.Time(i) * unit.Microsecond
		}
		l := &ledger{t: t, payload: payload, packets: map[uint32]*[]packetState{}, entropy: map[uint16]place{}}
		l.limit = rapid.SampledFrom([]uint32{0, 0, 1, 4, 30}).Draw(t, "reorder limit")
		p := params(0)
		p.ReorderLimit, p.PerPair = l.limit, true
		p.Env.Payload = payload
		p.RTO = rapid.SampledFrom([]unit.Time{20 * unit.Microsecond, 60 * unit.Microsecond, unit.Millisecond}).Draw(t, "RTO")
		p.Congestion.New = func(env protocol.Env) protocol.Congestion {
			l.control = &ledgered{Congestion: wandering(env), ledger: l}
			return l.control
		}
		count(&p) // an entropy tells its packet
		var messages []workload.Message
		for range rapid.IntRange(1, 4).Draw(t, "messages") {
			packets := rapid.IntRange(1, 80).Draw(t, "packets")
			messages = append(messages, workload.Message{Dst: 1, Size: unit.Bytes(packets) * payload})
			l.unsent += packets
		}
		lab := labConfig{
			Graph: g, Seed: rapid.Uint64().Draw(t, "seed"),
			Groups: []Group{{Params: p, Sources: from(0, 2, messages...)}},
			hooks:  hooks{sent: l.sent, received: l.received, idle: l.idle},
		}.build(t)
		loss := unit.Ratio(rapid.SampledFrom([]float64{0, 0, 0.02, 0.1}).Draw(t, "loss"))
		for port := range topo.PortID(2 * len(g.Links)) {
			lab.Apply(0, fault.Change{Port: port, What: fault.SetLoss, Loss: loss})
		}
		lab.finish(t)
		if l.unsent != 0 || l.resend != 0 {
			t.Errorf("all is delivered, but %d packets were never sent and %d wait", l.unsent, l.resend)
		}
	})
}

// TestTurns gives a host connections to four others, of groups or pairs, and has
// them take turns packet by packet while all have something to send.
func TestTurns(t *testing.T) {
	const packets = 50
	sizes := []unit.Bytes{packets, packets, packets, packets}
	for _, perPair := range []bool{false, true} {
		t.Run(fmt.Sprintf("per pair %v", perPair), func(t *testing.T) {
			p := params(unit.GiB)
			p.PerPair = perPair
			var messages []workload.Message
			for i, n := range sizes {
				messages = append(messages, workload.Message{Dst: int32(i + 1), Size: n * payload})
			}
			var order []int32
			lab := labConfig{
				Graph:  star(t, 5),
				Groups: []Group{{Params: p, Sources: from(0, 5, messages...)}},
				hooks: hooks{sent: func(_ sim.Time, h int32, f *fabric.Frame) {
					if h == 0 {
						order = append(order, f.Dst())
					}
				}},
			}.build(t)
			lab.finish(t)
			if len(order) != 4*packets {
				t.Fatalf("%d packets sent, want %d", len(order), 4*packets)
			}
			// The first round is shorter where sending began before the last
			// message was there.
			for i := 4; i+4 <= len(order)-4; i++ {
				var seen [5]bool
				for _, dst := range order[i : i+4] {
					if seen[dst] {
						t.Fatalf("packets %d to %d go to %v; four connections take turns", i, i+3, order[i:i+4])
					}
					seen[dst] = true
				}
			}
		})
	}
}

// TestAcksGoFirst has a host receive while it sends: acknowledgements do not wait
// behind its packets.
func TestAcksGoFirst(t *testing.T) {
	p := params(unit.GiB)
	sources := from(0, 2, workload.Message{Dst: 1, Size: 500 * payload})
	sources[1] = from(1, 2, workload.Message{Dst: 0, Size: 100 * payload})[1]
	arrived := map[uint32]sim.Time{}
	frame := (100 * unit.Gbps).Transmit(payload + header)
	lab := labConfig{
		Graph:  star(t, 2),
		Groups: []Group{{Params: p, Sources: sources}},
		hooks: hooks{
			received: func(now sim.Time, h int32, f *fabric.Frame) bool {
				if h == 0 && f.Kind == end.Data {
					arrived[f.Seq] = now
				}
				return true
			},
			sent: func(now sim.Time, h int32, f *fabric.Frame) {
				if at := arrived[f.Seq]; h == 0 && f.Kind == end.Ack && now > at+frame {
					t.Errorf("the acknowledgement of packet %d leaves %d after its arrival; a packet takes %d", f.Seq, now-at, frame)
				}
			},
		},
	}.build(t)
	lab.finish(t)
	if len(arrived) != 100 {
		t.Errorf("%d packets arrived, want 100", len(arrived))
	}
}

// TestNewMessageTakesItsTurn begins a message while another is being sent in
// packets that are short beside the links: the other, which waits for its turn
// already, goes first, and then the newcomer.
func TestNewMessageTakesItsTurn(t *testing.T) {
	p := params(unit.GiB)
	p.Payload = 100
	frame := (100 * unit.Gbps).Transmit(100 + header)
	for _, begins := range []unit.Time{1, frame - 1, frame + 1, 50*frame - 3, 333_333} {
		var first unit.Time
		l := labConfig{
			Graph: star(t, 3),
			Groups: []Group{{Params: p, Sources: from(0, 3,
				workload.Message{Dst: 1, Size: 10_000},
				workload.Message{At: begins, Dst: 2, Size: 100})}},
			hooks: hooks{sent: func(now sim.Time, h int32, f *fabric.Frame) {
				if f.Dst() == 2 && f.Kind == end.Data {
					first = now
				}
			}},
		}.build(t)
		l.finish(t)
		if want := ((begins+frame-1)/frame + 1) * frame; first != want {
			t.Errorf("begun at %d, its packet leaves at %d, want %d", begins, first, want)
		}
	}
}
