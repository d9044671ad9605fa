package hosted

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/catalog"
	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/arcane"
	"weft/protocol/congestion"
	"weft/protocol/dart"
	"weft/protocol/entropy"
	"weft/protocol/eqds"
	"weft/protocol/hosttest"
	"weft/protocol/ndp"
	"weft/protocol/reliable"
	"weft/protocol/sird"
	"weft/unit"
)

// failer is what tests and their drawn cases have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func build[T any](t failer, entries []catalog.Entry[T], name string) T {
	t.Helper()
	built, err := catalog.BuildDefault(entries, name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return built
}

func controls() []catalog.Entry[protocol.CongestionControl] {
	return append(congestion.Entries(), dart.Entries()...)
}

func balancers() []catalog.Entry[protocol.Balancer] {
	return append(entropy.Entries(), arcane.Entries()...)
}

func control(t failer, transport, balancer string) protocol.CongestionControl {
	t.Helper()
	c, err := Control(build(t, controls(), transport), build(t, balancers(), balancer))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c
}

// carried are the controls, and spreads the balancers, that hosts can have.
var (
	carried = []string{"dctcp", "nscc", "swift", "dart", "reno", "mprdma", "dcqcn", "dcqcn-nic", "dctcp-rate", "timely", "constant"}
	spreads = []string{"ops", "ecmp", "arcane", "round-robin", "flowlet", "plb", "bitmap", "mprdma"}
)

const largest = 8 * unit.MB

func env(hosts, host int32, seed uint64, out *protocol.HostOutput) protocol.HostEnv {
	e := hosttest.Env(hosts)
	e.Host, e.Out, e.Rand, e.Largest = host, out, rand.NewPCG(seed, uint64(host)), largest
	return e
}

func network(t failer, hosts int32, c protocol.CongestionControl) (*hosttest.LAN, func(host int32) func(*protocol.HostOutput) protocol.HostTransport) {
	seed := uint64(1)
	open := func(host int32) func(out *protocol.HostOutput) protocol.HostTransport {
		return func(out *protocol.HostOutput) protocol.HostTransport {
			seed++
			return c.NewHost(env(hosts, host, seed, out))
		}
	}
	l := hosttest.New(t, hosts, func(host int32, out *protocol.HostOutput) protocol.HostTransport { return open(host)(out) })
	l.Header = func(*protocol.Packet) unit.Bytes { return hosttest.Env(hosts).Header }
	l.FIFO = true
	return l, open
}

// idle demands that nothing is kept of messages that ended.
func idle(t failer, l *hosttest.LAN) {
	t.Helper()
	for i, p := range l.Hosts {
		h := p.HostTransport.(*host)
		for _, q := range h.peers {
			if q == nil {
				continue
			}
			if q.free.Len() != len(q.outgoing) || !q.waiting[short].Empty() || !q.waiting[long].Empty() {
				t.Fatalf("host %d keeps messages to %d: %+v", i, q.number, q.outgoing)
			}
		}
		if n := h.connections.Receiving.Open(); n != 0 || len(h.withdrawals.list) != 0 {
			t.Fatalf("host %d keeps %d messages that come, and %d withdrawals", i, n, len(h.withdrawals.list))
		}
		if n := h.outbox().Len(); n != 0 {
			t.Fatalf("host %d has %d packets to send", i, n)
		}
	}
}

// TestMessages sends messages among four hosts over a network that loses and repeats packets, takes some back, and has hosts
// replaced: each is delivered and completed once, or ends, and nothing is kept of it.
func TestMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := control(t, rapid.SampledFrom(carried).Draw(t, "control"), rapid.SampledFrom(spreads).Draw(t, "balancer"))
		l, open := network(t, 4, c)
		loss := rapid.SampledFrom([]float64{0, 0, 0.02, 0.1}).Draw(t, "loss")
		l.Fate = hosttest.Chance(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), loss, loss/2, 2*unit.Microsecond)
		type sent struct {
			from int32
			tag  uint64
		}
		var messages []sent
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			l.Run(l.Now + unit.Time(rapid.IntRange(0, 200).Draw(t, "wait"))*unit.Microsecond)
			host := rapid.Int32Range(0, 3).Draw(t, "host")
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 6:
				to := (host + rapid.Int32Range(1, 3).Draw(t, "to")) % 4
				size := unit.Bytes(rapid.SampledFrom([]int{1, 5_000, 90_000, 400_000, 3_000_000}).Draw(t, "size"))
				messages = append(messages, sent{host, l.Send(host, to, size, 0)})
			case what < 9 && len(messages) > 0:
				m := rapid.SampledFrom(messages).Draw(t, "which")
				l.Cancel(m.from, m.tag)
			case what == 9:
				l.Replace(host, open(host))
			}
		}
		l.Finish(l.Now + 60*unit.Second)
		idle(t, l)
	})
}

// TestMany sends more messages at once than there are numbers: they come all, and short ones before long ones that were there
// first.
func TestMany(t *testing.T) {
	l, _ := network(t, 2, control(t, "nscc", "ops"))
	var first []uint64
	for range 20 {
		first = append(first, l.Send(0, 1, 4*unit.MB, 0))
	}
	for range 3 * mostNumbers {
		l.Send(0, 1, 150*unit.KB, 0) // long ones as well
	}
	for range 3 * mostNumbers {
		l.Send(0, 1, 500, 0)
	}
	l.Run(500 * unit.Microsecond)
	done := 0
	for _, n := range l.Completed {
		done += n
	}
	if done < 3*mostNumbers || l.Completed[[2]uint64{0, first[1]}] > 0 {
		t.Errorf("%d messages are done", done)
	}
	l.Finish(unit.Second)
	idle(t, l)
}

// TestRefused has each control and balancer of the catalogs carried, or refused for what it says that it needs.
func TestRefused(t *testing.T) {
	all := append(append(append(controls(), eqds.Entries()...), ndp.Entries()...), sird.Entries()...)
	reasons := map[string]string{
		"hpcc": "stamp packets", "fncc": "stamp packets", "direct": "rates or notices from switches", "rocc": "rates or notices from switches", "rcp": "rates or notices from switches",
		"eqds": "trim packets", "ndp": "trim packets", "sird": "no control of connections",
	}
	for _, e := range all {
		built, err := e.BuildDefault()
		if err != nil {
			t.Fatal(err)
		}
		_, err = Control(built, build(t, balancers(), "ops"))
		if why := reasons[e.Name]; (err != nil) != (why != "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", e.Name, err, why)
		}
	}
	reasons = map[string]string{
		"letflow": "paths to switches", "adaptive-roce": "paths to switches", "mptcp": "subflows", "spritz": "explicit paths", "flicr": "explicit paths",
		"fatpaths": "explicit paths",
	}
	for _, e := range balancers() {
		built, err := e.BuildDefault()
		if err != nil {
			t.Fatal(err)
		}
		_, err = Control(build(t, controls(), "dctcp"), built)
		if why := reasons[e.Name]; (err != nil) != (why != "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", e.Name, err, why)
		}
	}
}

// TestNothingAllocated passes packets of long messages between two hosts.
func TestNothingAllocated(t *testing.T) {
	for _, of := range [][2]string{{"dctcp", "ops"}, {"nscc", "arcane"}, {"swift", "ecmp"}, {"dart", "ops"}} {
		c := control(t, of[0], of[1])
		every := func(*protocol.Packet) bool { return true }
		hosttest.CheckAllocations(t, 150*unit.Nanosecond, 20_000, every, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
			e := env(2, i, 1, out)
			e.Largest = 0
			return c.NewHost(e)
		})
	}
}

// TestMore writes what acknowledgements say and reads it again, and reads nothing of what is cut, or longer.
func TestMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r *packet.Report
		var a *protocol.Answer
		if rapid.Bool().Draw(t, "reports") {
			r = &packet.Report{Base: rapid.Uint32Range(0, mostPackets).Draw(t, "base"), Packets: rapid.Uint16Range(1, reliable.SelectiveBits).Draw(t, "packets")}
			r.Marked = rapid.Uint16Range(0, r.Packets).Draw(t, "marked")
			for i := range rapid.IntRange(0, len(r.Bitmap)).Draw(t, "words") {
				r.Bitmap[i] = rapid.Uint64().Draw(t, "word")
			}
			r.Entropies = rapid.Uint16Range(0, min(r.Packets-r.Marked, uint16(len(r.Returned)))).Draw(t, "entropies")
			for i := range r.Entropies {
				r.Returned[i] = rapid.Uint16().Draw(t, "entropy")
			}
		}
		if rapid.Bool().Draw(t, "answers") {
			a = &protocol.Answer{rapid.Uint64().Draw(t, "word"), rapid.Uint64().Draw(t, "word")}
		}
		var memory protocol.More
		more := writeMore(&memory, r, a)
		var got said
		if !readMore(more, &got) || got.reported != (r != nil) || got.answered != (a != nil) || r != nil && got.report != *r || a != nil && got.answer != *a {
			t.Fatalf("%v, %v became %+v", r, a, got)
		}
		if more == nil {
			return
		}
		for n := range more.Length {
			cut := *more
			if cut.Length = n; readMore(&cut, &got) {
				t.Fatalf("%d of %d bytes are read", n, more.Length)
			}
		}
		if longer := *more; longer.Length < protocol.MostMore {
			if longer.Length++; readMore(&longer, &got) {
				t.Fatal("a byte too many is read")
			}
		}
	})
}
