package scenario_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// mistaken is pHost with a mistake: its data is too large by a header field, or it does not
// report messages as completed.
type mistaken struct {
	protocol.HostTransport
	out   *protocol.HostOutput
	extra unit.Bytes
	mute  bool
}

func (m mistaken) Receive(now unit.Time, p *protocol.Packet) unit.Bytes {
	fresh := m.HostTransport.Receive(now, p)
	if m.mute {
		m.out.Events = slices.DeleteFunc(m.out.Events, func(e protocol.HostEvent) bool { return e.Kind == protocol.MessageCompleted })
	}
	return fresh
}

func (m mistaken) Next(now unit.Time, p *protocol.Packet) bool {
	ok := m.HostTransport.Next(now, p)
	if p.Payload > 0 {
		p.Wire += m.extra
	}
	return ok
}

// withMistaken returns a registry with a transport of hosts that a user wrote, who said nothing
// of what groups share.
func withMistaken(t *testing.T) *scenario.Registry {
	t.Helper()
	type options struct {
		Extra   unit.Bytes `yaml:"extra" default:"0B" doc:"What data is too large by."`
		Mute    bool       `yaml:"mute" default:"false" doc:"Whether it reports no message as completed."`
		Classes int        `yaml:"classes" default:"3" doc:"Classes that it asks for."`
	}
	reg := weft.Builtin()
	inner := byDefault(t, "phost")
	if err := reg.Congestion.Add(catalog.Define("mine", "pHost with a mistake", "", func(o options) (protocol.CongestionControl, error) {
		c := inner
		c.Receivers, c.Needs.Classes = nil, o.Classes
		c.NewHost = func(env protocol.HostEnv) protocol.HostTransport {
			return mistaken{inner.NewHost(env), env.Out, o.Extra, o.Mute}
		}
		return c, nil
	})); err != nil {
		t.Fatal(err)
	}
	return reg
}

const mistakenTop = hostedTop + "fabric: {classes: 3}\ntransport: {payload: 1460B, header: 40B, congestion: {kind: mine, extra: 8B}, balancer: ops}\n"

// TestBrokenTransportEndsTheRun has a transport of a user's own break a rule: the run ends with
// a sentence that names it, the host and the rule, for every cut the same.
func TestBrokenTransportEndsTheRun(t *testing.T) {
	f, err := scenario.Parse("test.yaml", []byte(mistakenTop+"traffic:\n- {name: main, pattern: tornado, size: 10kB}\n"), withMistaken(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "transport mine of host host0 broke a rule of protocol.HostTransport at "
	first := ""
	for _, cut := range []int{1, 2} {
		res, err := scenario.Run(context.Background(), f.Variants[0], scenario.RunOptions{Domains: cut, Threads: cut, Check: cut == 1})
		if err == nil {
			t.Fatalf("the run ended: %+v", res.Summary)
		}
		text := err.Error()
		if !strings.Contains(text, want) || !strings.HasSuffix(text, "of 1508 B; with the header its wire size must be 1500 B") || strings.Contains(text, "\n") {
			t.Errorf("got: %s\nwant: …%s…", text, want)
		}
		if first == "" {
			first = text
		} else if text != first {
			t.Errorf("another cut says\n%s\nand not\n%s", text, first)
		}
	}
}

// TestGroupsOfOwnTransportAgree refuses groups with other options of a transport that does not
// say what it shares, in place of ignoring those of the second.
func TestGroupsOfOwnTransportAgree(t *testing.T) {
	const groups = "traffic:\n- {name: a, pattern: tornado, size: 10kB}\n- {name: b, pattern: tornado, size: 10kB, transport: {congestion: {kind: mine, extra: %}}}\n"
	for extra, want := range map[string]string{"8B": "", "0B": "receivers grant credit with options other than those of traffic[0].transport"} {
		_, err := scenario.Parse("test.yaml", []byte(mistakenTop+strings.ReplaceAll(groups, "%", extra)), withMistaken(t), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("extra %s: %v, want %q", extra, err, want)
		}
	}
}

// TestTransportThatCompletesNothing delivers all messages and reports none as completed: the run
// is stuck, and the cause is not that a message waits for anything.
func TestTransportThatCompletesNothing(t *testing.T) {
	text := strings.Replace(mistakenTop, "extra: 8B", "mute: true", 1) + "traffic:\n- {name: main, pattern: tornado, size: 10kB}\n"
	f, err := scenario.Parse("test.yaml", []byte(text), withMistaken(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := scenario.Run(context.Background(), f.Variants[0], scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "all 8 messages were delivered, but MessageCompleted was reported 0 times; it must be reported once for each"
	if s := &res.Summary; s.Ended != record.Stuck || !strings.HasPrefix(s.Cause, want) {
		t.Errorf("it ended as %s: %s", s.Ended, s.Cause)
	}
}

// TestTransportThatAsksForTooMuch asks for more classes than ports can have: that is no mistake of
// the scenario's.
func TestTransportThatAsksForTooMuch(t *testing.T) {
	text := strings.Replace(mistakenTop, "extra: 8B", "classes: 12", 1) + "traffic:\n- {name: main, pattern: tornado, size: 10kB}\n"
	_, err := scenario.Parse("test.yaml", []byte(text), withMistaken(t), nil)
	const want = "mine uses 12 priority classes from class 0 on, but fabric.classes is 3; ports have 8 at most, so no scenario can run it: its entry must ask for fewer (Needs.Classes)"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got: %v\nwant: …%s…", err, want)
	}
}
