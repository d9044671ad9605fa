package sird

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/protocol"
	"weft/protocol/hosttest"
	"weft/unit"
)

// TestDeadSender checks that the credit of a sender that dies comes back, that others go
// on with all of B meanwhile, and that nothing is lost if it comes back later.
func TestDeadSender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := testOptions()
		o.Preset = rapid.SampledFrom([]string{Paper, NSDI25}).Draw(t, "preset")
		o.Silence = 200 * unit.Microsecond
		l := newNet(t, o, 3, testEnv(3))
		l.Fate = hosttest.Chance(rand.New(rand.NewPCG(1, 1)), rapid.SampledFrom([]float64{0, 0.02}).Draw(t, "loss"), 0, unit.Microsecond)
		l.Send(1, 0, 3*unit.MB, 0)
		l.Send(1, 0, 50*unit.KB, 0)
		l.Run(unit.Time(rapid.IntRange(int(10*unit.Microsecond), int(150*unit.Microsecond)).Draw(t, "death")))
		l.Dead[1] = true
		l.Run(l.Now + 2*unit.Millisecond)
		h := l.hosts[0]
		if s := h.senders[1]; s == nil || s.used != 0 || h.used != 0 {
			t.Fatalf("%v of credit is still outstanding, %v with the dead sender", h.used, s.used)
		}
		l.Send(2, 0, 2*unit.MB, 0)
		l.Run(l.Now + 20*unit.Millisecond)
		if n := len(l.Delivered); n < 1 {
			t.Fatal("the message of another host did not arrive while one was dead")
		}
		if rapid.Bool().Draw(t, "revives") {
			l.Revive(1)
			l.Finish(100 * unit.Second)
		}
	})
}

// TestRampUp has 100 hosts send to one: with all messages scheduled the receiver gets its full rate
// one round trip after the requests (§6.2.4).
func TestRampUp(t *testing.T) {
	o := testOptions()
	o.UnschT = unit.Threshold{Amount: unit.Amount{Bytes: 1400}}
	const senders = 100
	l := newNet(t, o, senders+1, testEnv(senders+1))
	bytes, first := unit.Bytes(0), unit.Time(0)
	l.Arrived = func(to int32, p *protocol.Packet) {
		if to == 0 && p.Kind == kindData {
			if first == 0 {
				first = l.Now
			}
			bytes += p.Wire
		}
	}
	for from := range int32(senders) {
		l.Send(from+1, 0, 50*unit.KB, 0)
	}
	l.Run(100 * unit.Microsecond)
	requests := 2*l.Delay + l.Rate.Transmit(2*84)
	trip := 4*l.Delay + l.Rate.Transmit(2*84+2*full)
	if first > requests+trip {
		t.Errorf("the first data came at %v, more than a round trip of %v after the first request at %v", first, trip, requests)
	}
	if rate := bytes.Over(l.Now - first); rate < 96*unit.Gbps {
		t.Errorf("then data came at %v only", rate)
	}
}

// TestLastDropped loses exactly the packets that nothing follows: a request, an unscheduled
// message as a whole, a credit, the confirmation.
func TestLastDropped(t *testing.T) {
	for kind, name := range []string{"data", "request", "status", "credit", "query", "done"} {
		for _, size := range []unit.Bytes{1, 20 * mss, 80 * mss} {
			for _, preset := range []string{Paper, NSDI25} {
				o := testOptions()
				o.Preset = preset
				l := newNet(t, o, 2, testEnv(2))
				// Of data and queries the first ones, so that others must follow.
				l.Fate = hosttest.LoseFirst(uint8(kind), 2)
				l.Send(0, 1, size, 0)
				if l.Run(10 * unit.Second) {
					t.Fatalf("%s: something goes on for ever", name)
				}
				if err := l.Settled(); err != nil {
					t.Errorf("%s of %v, preset %s: %v", name, size, preset, err)
				}
			}
		}
	}
}

// TestUnconfirmed sends without confirmations: a sender is done when all is sent, and a
// receiver gives up what its sender has forgotten, credit included.
func TestUnconfirmed(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		for _, loss := range []float64{0, 0.1} {
			o := testOptions()
			o.Preset, o.Confirm = preset, false
			l := newNet(t, o, 2, testEnv(2))
			l.Fate = hosttest.Chance(rand.New(rand.NewPCG(3, 3)), loss, 0, 0)
			for range 20 {
				l.Send(0, 1, 120*unit.KB, 0)
				l.Send(0, 1, 20*unit.KB, 0)
			}
			if l.Run(1000 * unit.Second) {
				t.Fatalf("preset %s, loss %v: something goes on for ever", preset, loss)
			}
			if len(l.Completed) != 40 && loss == 0 || len(l.Delivered) == 40 != (loss == 0) {
				t.Errorf("preset %s, loss %v: %d messages completed and %d delivered, of 40", preset, loss, len(l.Completed), len(l.Delivered))
			}
			if c := l.hosts[1].Credit(); c.Outstanding != 0 {
				t.Errorf("preset %s, loss %v: %v of credit is outstanding at the end", preset, loss, c.Outstanding)
			}
		}
	}
}

// TestDefaults states what an empty configuration comes to at the evaluation's BDP: the values of
// Tables 1 and 2, g of DCTCP there, and floors and fair share as the simulator has them.
func TestDefaults(t *testing.T) {
	defaults, err := Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv(2)
	paper := config{
		paper: true,
		bdp:   100 * unit.KB, b: 150 * unit.KB, bucket: 100 * unit.KB, unschT: 100 * unit.KB, sThr: 50 * unit.KB,
		senderFloor: 10 * unit.KB, netFloor: 3 * unit.KB,
		payload: env.Payload, header: env.Header, packet: env.Packet, control: env.Control,
		gain: 0.08, policy: srpt, fair: one / 2, rate: 99 * unit.Gbps, line: 100 * unit.Gbps,
		controlClass: 0, unschedClass: 0, schedClass: 1,
		confirm: true, reclaims: true, silence: 5 * unit.Millisecond, hosts: env.Hosts, largest: math.MaxInt64,
	}
	for k := range paper.weight {
		paper.weight[k] = 1
	}
	code := paper
	code.paper, code.reclaims, code.rate = false, false, 100*unit.Gbps
	code.ahead = code.rate.Transmit(562)

	o := defaults.(*Options)
	if o.Preset != Paper {
		t.Errorf("the preset is %s by default, want %s", o.Preset, Paper)
	}
	for preset, want := range map[string]config{Paper: paper, NSDI25: code} {
		o.Preset = preset
		if diff := cmp.Diff(want, *newConfig(*o, env), cmp.AllowUnexported(config{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", preset, diff)
		}
	}
}

// TestRefuses lists options that make no sense.
func TestRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"sthr 0":       {func(o *Options) { o.SThr = unit.Threshold{} }, "sthr is 0"},
		"sthr tiny":    {func(o *Options) { o.SThr = unit.Threshold{Amount: unit.Amount{BDPs: 1e-6}} }, "sthr is 1e-06BDP, less than a byte with a bdp of 100KB"},
		"warn sthr":    {func(o *Options) { o.SThr = unit.Threshold{Amount: unit.Amount{Bytes: 1537}} }, "warning: sird: sthr is 1537B, below one frame of 1538B"},
		"sthr inf":     {func(o *Options) { o.SThr = unit.Threshold{Inf: true} }, ""},
		"b negative":   {func(o *Options) { o.B = unit.Amount{Bytes: -1} }, "b is negative"},
		"b share":      {func(o *Options) { o.B = unit.Amount{Share: 0.5} }, "share"},
		"b small":      {func(o *Options) { o.B = unit.Amount{Bytes: 1537} }, "b is 1537B"},
		"bucket small": {func(o *Options) { o.SenderBucket = unit.Amount{Bytes: 1537} }, "sender_bucket is 1537B"},
		"preset":       {func(o *Options) { o.Preset = "x" }, "preset"},
		"silence":      {func(o *Options) { o.Silence = 10 * unit.Microsecond }, "silence is 10us"},
		"weights":      {func(o *Options) { o.Weights = []int{1} }, "weights have no effect"},
		"weight 0":     {func(o *Options) { o.Policy, o.Weights = "classes", []int{0} }, "weights must be 1 to 1000 each, but one is 0"},
		"gain":         {func(o *Options) { o.Gain = 0 }, "gain"},
		"warn b":       {func(o *Options) { o.B = unit.Amount{BDPs: 0.5} }, "warning: sird: b is 50KB, below 1 BDP"},
		"warn bdp":     {func(o *Options) { own := unit.Bytes(10000); o.BDP = &own }, "warning: sird: b is 15KB by a bdp of 10KB, below 1 BDP of the fabric"},
		"defaults":     {func(*Options) {}, ""},
	} {
		o := testOptions()
		tt.change(&o)
		got := ""
		c, err := o.Build()
		if err == nil {
			var warnings []string
			if warnings, err = c.CheckHost(testEnv(2)); len(warnings) > 0 {
				got = "warning: " + warnings[0]
			}
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
