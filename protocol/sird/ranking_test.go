package sird

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// compared is a host of which each decision is compared with the plain scan, after everything
// that happens to it.
type compared struct {
	*host
	t       rapid.TB
	reached map[string]int
}

// Ready implements protocol.HostTransport.
func (c compared) Ready() (unit.Time, bool) {
	want := c.scan()
	if c.next != undecided && c.next != want {
		c.t.Fatalf("at %v: message %d is still to be granted to, and by the plain scan it is %d", c.now, c.next, want)
	}
	if got := c.selectSender(); got != want {
		c.t.Fatalf("at %v: message %d of %d is selected, and by the plain scan %d", c.now, got, len(c.wanting), want)
	}
	c.note(want)
	return c.host.Ready()
}

// note counts what was decided how.
func (c compared) note(selected int32) {
	short := 0
	for _, w := range c.wanting {
		if m := &c.inbox[w.message]; m.size-m.granted < c.payload {
			short++
		}
	}
	if short != c.short {
		c.t.Fatalf("%d messages want less than a packet's credit, and %d are counted", short, c.short)
	}
	if len(c.wanting) <= few {
		return
	}
	c.reached["many messages"]++
	if c.ranks.Len() > 1 {
		c.reached["many senders"]++
	}
	switch full := c.used+c.packet <= c.b; {
	case full && selected < 0:
		c.reached["no bucket of a sender"]++
	case !full && c.short == 0:
		c.reached["no room"]++
	case !full && selected >= 0:
		c.reached["room for a short one only"]++
	}
	for _, w := range c.wanting {
		if m := &c.inbox[w.message]; selected >= 0 && w.message != selected && m.size-m.received == c.inbox[selected].size-c.inbox[selected].received {
			c.reached["a tie"]++
			break
		}
	}
}

// crowd is a network in which many messages wait, of few sizes, so that many are equal.
type crowd struct {
	Options
	hosts    int32
	messages int
	sizes    []unit.Bytes
	loss     float64
	jitter   unit.Time
	seed     uint64
}

// run compares every decision with that of the plain scan. Whether all arrives is a matter of
// other tests.
func (c *crowd) run(t rapid.TB, reached map[string]int) {
	env := testEnv(c.hosts)
	l := hosttest.New(t, c.hosts, func(i int32, out *protocol.HostOutput) protocol.HostTransport {
		env.Host, env.Out = i, out
		return compared{newHost(newConfig(c.Options, env), env), t, reached}
	})
	rng := rand.New(rand.NewPCG(c.seed, 0))
	chance := hosttest.Chance(rng, c.loss, 0, c.jitter)
	l.Fate = func(from int32, p *protocol.Packet) []unit.Time {
		if p.Payload > 0 && rng.IntN(8) == 0 {
			p.Flags |= protocol.Marked
		}
		return chance(from, p)
	}
	for range c.messages {
		l.Run(l.Now + unit.Time(rng.IntN(int(unit.Microsecond))))
		l.Send(1+rng.Int32N(c.hosts-1), 0, c.sizes[rng.IntN(len(c.sizes))], uint8(rng.IntN(3)))
	}
	l.Run(10 * unit.Millisecond)
}

// TestSelectSenderAsScanned draws crowds, with and without losses.
func TestSelectSenderAsScanned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		o.UnschT = rapid.SampledFrom([]unit.Threshold{{}, {Amount: unit.Amount{Bytes: 1458}}, {Amount: unit.Amount{BDPs: 1}}, {Amount: unit.Amount{BDPs: 4}}}).Draw(t, "unscht of many")
		o.B.BDPs = rapid.SampledFrom([]float64{0.05, 0.1, 1.5}).Draw(t, "b of many")
		o.SenderBucket = rapid.SampledFrom([]unit.Amount{{BDPs: 1}, {Bytes: 2 * full}}).Draw(t, "bucket of many")
		c := crowd{
			Options:  o,
			hosts:    rapid.Int32Range(2, 12).Draw(t, "hosts"),
			seed:     rapid.Uint64().Draw(t, "seed"),
			loss:     rapid.SampledFrom([]float64{0, 0, 0.01, 0.2}).Draw(t, "loss"),
			jitter:   rapid.SampledFrom([]unit.Time{0, 3 * unit.Microsecond}).Draw(t, "jitter"),
			sizes:    rapid.SliceOfN(rapid.SampledFrom([]unit.Bytes{1, 700, 1458, 1459, 5 * 1458, 6*1458 - 1, 20 * 1458, 70 * 1458}), 1, 3).Draw(t, "sizes"),
			messages: rapid.IntRange(few, 50).Draw(t, "messages"),
		}
		c.run(t, map[string]int{})
	})
}

// TestSelectSenderEachWay has crowds in which each way to decide is taken, which those that are
// drawn only may.
func TestSelectSenderEachWay(t *testing.T) {
	reached := map[string]int{}
	for _, preset := range []string{Paper, NSDI25} {
		for _, policy := range []string{"srpt", "round-robin"} {
			for _, bucket := range []unit.Amount{{BDPs: 1}, {Bytes: 2 * full}} {
				o := testOptions()
				o.Preset, o.Policy, o.UnschT, o.B.BDPs, o.SenderBucket = preset, policy, unit.Threshold{}, 0.1, bucket
				c := crowd{Options: o, hosts: 4, messages: 50, sizes: []unit.Bytes{700, 1459, 5 * 1458}}
				c.run(t, reached)
			}
		}
	}
	for _, what := range []string{"many messages", "many senders", "no bucket of a sender", "no room", "room for a short one only", "a tie"} {
		if reached[what] < 10 {
			t.Errorf("%s: reached %d times only", what, reached[what])
		}
	}
}

// TestGlobalBucketOfMany fills B to the byte while many messages wait, with full packets, and
// with one at last that takes no more than a control frame.
func TestGlobalBucketOfMany(t *testing.T) {
	for _, rest := range []unit.Bytes{0, 84} {
		o := testOptions()
		o.B = unit.Amount{Bytes: 10*full + rest}
		b := newBare(o)
		for k := range int32(2 * few) {
			b.request(0, 1+k%7, uint32(k/7), 100*mss)
		}
		for n := range 10 {
			b.next(t, slow(n), kindCredit)
		}
		b.none(t, slow(20))
		b.request(slow(20), 1, 9, 4)
		if rest > 0 {
			b.next(t, slow(20), kindCredit)
		}
		b.none(t, slow(30))
		if b.used != b.b {
			t.Errorf("b is %v, want all of B, %v", b.used, b.b)
		}
	}
}

// TestUnscheduledDataRanks lets unscheduled data of long messages arrive, which takes no credit:
// the message of which it leaves the least is granted to next.
func TestUnscheduledDataRanks(t *testing.T) {
	o := testOptions()
	o.UnschT.Amount.BDPs = 4
	b := newBare(o)
	arrive := func(peer int32, number uint32, packet unit.Bytes) {
		p := data(peer, number, 80*mss, packet*mss)
		p.Amount = 69 * mss
		b.Receive(0, p)
	}
	for k := range int32(2 * few) {
		arrive(1+k%7, uint32(k/7), 0)
	}
	for i, want := range []want{{peer: 1}, {peer: 5, message: 1}, {peer: 3}} {
		for packet := range unit.Bytes(i) {
			arrive(want.peer, uint32(want.message), 1+packet)
		}
		if m := &b.inbox[b.candidate()]; m.peer != want.peer || m.number != uint32(want.message) {
			t.Errorf("message %d of host %d is next, want %d of host %d", m.number, m.peer, want.message, want.peer)
		}
	}
}
