package carrier

import (
	"testing"

	"weft/unit"
	"weft/wire/internal/lan"
)

// The network of these tests: hosts on one switch, whose queues hold 20 bandwidth-delay products and mark above 1.25.
const (
	hop      = 4 * unit.Microsecond // a link's delay
	overhead = 66 * unit.Byte
)

func star(t testing.TB, hosts int, change ...func(*Config)) *world {
	link := lan.Link{Rate: testRate, Delay: hop, Queue: 500 * unit.KB, Mark: 31 * unit.KB}
	change = append(change, func(c *Config) { c.Carried = true }) // the book has no probes of paths
	return newWorldOn(t, hosts, lan.Config{Seed: 1, Up: link, Down: link, Overhead: overhead}, change...)
}

// connections are those of the transports that are.
func connections() []string { return carried[1:] }

// spent returns how long a message takes until it is confirmed.
func (w *world) spent(from int, p *Peer, b []byte) unit.Time {
	w.t.Helper()
	began := w.Now()
	h := w.submit(from, p, b)
	for {
		if err, done := w.ends[from].ended[h]; done && err == nil {
			return w.Now() - began
		} else if done || w.Now() > began+10*unit.Second {
			w.t.Fatalf("a message of %d B ended %v: %v", len(b), done, err)
		}
		w.Run(w.Now() + 100*unit.Nanosecond)
	}
}

// TestUnloaded has a message on an idle network take the time of its packets, one after another, over both links, and of the last
// acknowledgement. That is so up to the initial window of the control, of which DCTCP's is the least, 10 packets.
func TestUnloaded(t *testing.T) {
	for _, name := range connections() {
		w := star(t, 2, over(t, name, ""))
		p := w.connect(0, 1)
		env := &w.ends[0].env
		for _, packets := range []int{1, 2, 7, 8, 10} {
			took := w.spent(0, p, body(1, packets*int(env.Payload)))
			// What a packet is reckoned as is a little more than it has on the wire.
			most := unit.Time(packets-1)*testRate.Transmit(env.Packet) + 2*testRate.Transmit(env.Packet) + 4*hop + 2*testRate.Transmit(env.Control)
			if took > most+200*unit.Nanosecond || took < most-500*unit.Nanosecond {
				t.Errorf("%s: %d packets take %v, and %v by the book", name, packets, took, most)
			}
			w.Run(w.Now() + 100*unit.Microsecond)
		}
	}
}

// TestLoneFlow has one long message fill the link.
func TestLoneFlow(t *testing.T) {
	for _, name := range connections() {
		w := star(t, 2, over(t, name, ""))
		p := w.connect(0, 1)
		const n = 30_000_000
		env := &w.ends[0].env
		took := w.spent(0, p, body(1, n))
		least := unit.Time(n/env.Payload) * testRate.Transmit(env.Packet)
		t.Logf("%s: %v, %.1f %% of the link, %d lost", name, took, 100*float64(least)/float64(took), w.ends[0].Counts.Lost)
		if took > least*103/100+10*testRTT {
			t.Errorf("%s: %d B take %v, and their packets %v", name, n, took, least)
		}
	}
}

// TestTwoFlows has two long messages from two hosts share the link of a receiver, equally over 40 ms each of four starts. DCTCP
// promises that on average, since both meet the same marks in a round trip, and Swift since both steer to one delay; Dart gives each
// exactly a half. NSCC promises least: who came later may take another round trip for the base one.
func TestTwoFlows(t *testing.T) {
	apart := map[string]float64{"dctcp": 0.05, "nscc": 0.1, "swift": 0.02, "dart": 0.005}
	bytes := make([]byte, 40_000_000)
	const long = 40 * unit.Millisecond
	for _, name := range connections() {
		var sum [2]float64
		var each []float64
		for _, later := range []unit.Time{0, 3, 39, 210} {
			w := star(t, 3, over(t, name, ""))
			first, second := w.connect(0, 2), w.connect(1, 2)
			w.submit(0, first, bytes)
			w.Run(w.Now() + later*unit.Microsecond)
			w.submit(1, second, bytes)
			w.Run(w.Now() + 5*unit.Millisecond)
			sent := func() (list [2]float64) {
				for i := range list {
					c := w.ends[i].Counts
					list[i] = float64(c.SentBytes) + float64(overhead)*float64(c.Sent)
				}
				return list
			}
			before := sent()
			w.Run(w.Now() + long)
			after := sent()
			a, b := after[0]-before[0], after[1]-before[1]
			sum[0], sum[1], each = sum[0]+a, sum[1]+b, append(each, a/b)
			if link := (a + b) / float64(testRate.In(long)); link < 0.97 || w.Counts().Dropped > 0 {
				t.Errorf("%s: two flows have %.1f %% of the link, with %d datagrams dropped", name, 100*link, w.Counts().Dropped)
			}
		}
		share := sum[0] / sum[1]
		t.Logf("%s: %.3f of each other, by start %.3f", name, share, each)
		if most := 1 + apart[name]; share > most || 1/share > most {
			t.Errorf("%s: two flows send %.3f of each other, by start %.3f", name, share, each)
		}
	}
}

// TestIncast has eight hosts send to one at once: its link is full, and nothing is lost, nor taken for lost.
func TestIncast(t *testing.T) {
	const senders, n = 8, 4_000_000
	for _, name := range connections() {
		w := star(t, senders+1, over(t, name, ""))
		handles := make([]uint64, senders)
		var peers []*Peer
		for i := range senders {
			peers = append(peers, w.connect(i+1, 0))
		}
		began := w.Now()
		for i, p := range peers {
			handles[i] = w.submit(i+1, p, body(uint64(i), n))
		}
		env := &w.ends[0].env
		least := unit.Time(senders*n/env.Payload) * testRate.Transmit(env.Packet)
		left := senders
		for left > 0 && w.Now() < began+2*least {
			w.Run(w.Now() + 10*unit.Microsecond)
			left = 0
			for i, h := range handles {
				if _, ok := w.ends[i+1].ended[h]; !ok {
					left++
				}
			}
		}
		took, lost := w.Now()-began, uint64(0)
		for _, e := range w.ends {
			lost += e.Counts.Lost
		}
		if left > 0 || took > least*102/100+10*testRTT || lost > 0 || w.Counts().Dropped > 0 {
			t.Errorf("%s: an incast takes %v, and its packets %v; %d packets were taken for lost, %+v", name, took, least, lost, w.Counts())
		}
	}
}

// tardy is an endpoint whose driver has coarse timers.
type tardy struct{ *end }

const tick = 100 * unit.Microsecond

func (e tardy) Wake(now unit.Time) unit.Time {
	at := e.end.Wake(now)
	if at > now && at < unit.Forever {
		at = (at + tick - 1) / tick * tick
	}
	return at
}

// TestTardy has two endpoints with coarse timers share the link of a receiver, over a control that paces its packets: what
// timers are late by is made good for, so that the link is as full, and shared as equally, as with exact ones.
func TestTardy(t *testing.T) {
	w := star(t, 3, over(t, "dart", ""), func(c *Config) { c.Burst = testRate.In(2 * tick) })
	for i := range 2 {
		w.Remove(w.ends[i].addr)
		w.Add(tardy{w.ends[i]}, w.ends[i].addr)
	}
	long := make([]byte, 30_000_000)
	first, second := w.connect(0, 2), w.connect(1, 2)
	w.submit(0, first, long)
	w.submit(1, second, long)
	w.Run(w.Now() + 2*unit.Millisecond)
	a, b := w.ends[0].Counts.SentBytes, w.ends[1].Counts.SentBytes
	const time = 30 * unit.Millisecond
	w.Run(w.Now() + time)
	a, b = w.ends[0].Counts.SentBytes-a, w.ends[1].Counts.SentBytes-b
	if share, link := float64(a)/float64(b), float64(a+b)/float64(testRate.In(time)); share > 1.02 || share < 0.98 || link < 0.93 {
		t.Errorf("%.3f of each other, %.1f %% of the link but for what it adds", share, 100*link)
	}
}
