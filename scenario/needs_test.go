package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/scenario"
	"weft/unit"
)

// hostTransport stands for a transport of hosts that is never run.
func hostTransport(protocol.HostEnv) protocol.HostTransport { return nil }

// withParts returns the built-in registry with a control and a balancer, both called mine.
func withParts(t *testing.T, c protocol.CongestionControl, b protocol.Balancer) *scenario.Registry {
	t.Helper()
	reg := weft.Builtin()
	if err := reg.Congestion.Add(catalog.Define("mine", "a control", "", func(struct{}) (protocol.CongestionControl, error) { return c, nil })); err != nil {
		t.Fatal(err)
	}
	if err := reg.Balancers.Add(catalog.Define("mine", "a balancer", "", func(struct{}) (protocol.Balancer, error) { return b, nil })); err != nil {
		t.Fatal(err)
	}
	return reg
}

// TestNeedsInWords asks what parts need that have one need each.
func TestNeedsInWords(t *testing.T) {
	must := func(n protocol.Need) protocol.Needs { return protocol.Needs{Must: n} }
	for _, c := range []struct {
		control        protocol.CongestionControl
		needs, without []string
	}{
		{protocol.CongestionControl{}, nil, nil},
		{protocol.CongestionControl{Needs: must(protocol.Marks)}, []string{"fabric.ecn other than off"}, nil},
		{protocol.CongestionControl{Needs: protocol.Needs{Wants: []protocol.Want{{Need: protocol.Marks, Without: "is slow"}}}}, nil, []string{"with fabric.ecn: off it is slow"}},
		{protocol.CongestionControl{Needs: protocol.Needs{Wants: []protocol.Want{{Need: protocol.DeepQueues, Without: "is late"}, {Need: protocol.Telemetry, Without: "is blind"}}}}, nil,
			[]string{"with a fabric.queue below 4BDP it is late", "without fabric.telemetry it is blind"}},
		{protocol.CongestionControl{Needs: must(protocol.Trimming)}, []string{"fabric.overflow: trim", "a limit of fabric.queue"}, nil},
		{protocol.CongestionControl{Needs: must(protocol.Telemetry | protocol.Pauses)},
			[]string{"fabric.telemetry", "fabric.pfc"}, nil},
		{protocol.CongestionControl{NewHost: hostTransport, Echoes: true}, nil, nil},
		{protocol.CongestionControl{NewHost: hostTransport}, []string{"a transport.balancer that learns nothing, such as ops"}, nil},
		{protocol.CongestionControl{NewHost: hostTransport, Needs: must(protocol.Symmetric)}, []string{"transport.balancer: ecmp"}, nil},
		{protocol.CongestionControl{Needs: protocol.Needs{Classes: 3}}, []string{"fabric.classes: 3 or more"}, nil},
		{protocol.CongestionControl{Needs: protocol.Needs{Must: protocol.Credits, Classes: 2, FewerClasses: true}},
			[]string{"fabric.classes: 2 or more (other options do with fewer)", "fabric.credits: {}"}, nil},
	} {
		reg := withParts(t, c.control, protocol.Balancer{Needs: c.control.Needs, Oblivious: true})
		needs, without := scenario.ControlNeeds(reg, "mine")
		if !slices.Equal(needs, c.needs) || !slices.Equal(without, c.without) {
			t.Errorf("the control needs %q and else %q, want %q and %q", needs, without, c.needs, c.without)
		}
		if c.control.NewHost != nil {
			continue
		}
		needs, without = scenario.BalancerNeeds(reg, "mine")
		if !slices.Equal(needs, c.needs) || !slices.Equal(without, c.without) {
			t.Errorf("the balancer needs %q and else %q, want %q and %q", needs, without, c.needs, c.without)
		}
	}
	for name, want := range map[string]string{
		"mprdma": "a transport.congestion with a window (such as nscc); transport.ack.every: 1", "mptcp": "a transport.congestion of connections (such as nscc)", "arcane": "", "nothing": "",
	} {
		if needs, _ := scenario.BalancerNeeds(weft.Builtin(), name); strings.Join(needs, "; ") != want {
			t.Errorf("%s needs %q, want %q", name, needs, want)
		}
	}
}

// TestEveryNeedHasARow wants one thing at a time.
func TestEveryNeedHasARow(t *testing.T) {
	for n := protocol.Need(1); n&protocol.AllNeeds != 0; n <<= 1 {
		reg := withParts(t, protocol.CongestionControl{Needs: protocol.Needs{Wants: []protocol.Want{{Need: n, Without: "is slow"}}}}, protocol.Balancer{})
		if _, without := scenario.ControlNeeds(reg, "mine"); len(without) != 1 || !strings.HasPrefix(without[0], "with") || !strings.HasSuffix(without[0], " it is slow") {
			t.Errorf("of need %b the table says %q", n, without)
		}
	}
}

// madeUp is a scenario of a control and a balancer called mine; TEXT is what its fabric has.
const madeUp = "weft: 1\ntopology: {kind: star, hosts: 4}\nfabric: {TEXT}\ntransport:\n  congestion: mine\n  balancer: mine\ntraffic:\n- {name: main, pattern: tornado, size: 10kB}\n"

// TestEveryNeedIsChecked makes up parts that have one need each: each is refused where the part is named, with the reason and what to
// write, and what a scenario has is not.
func TestEveryNeedIsChecked(t *testing.T) {
	window := func(protocol.Env) protocol.Congestion { return endless{} }
	must := func(n protocol.Need) protocol.Needs { return protocol.Needs{Must: n} }
	connections := protocol.CongestionControl{New: window}
	for _, tt := range []struct {
		name       string
		control    protocol.CongestionControl
		needs      protocol.Needs // of the control, or of the balancer
		lacks      string         // the fabric
		has        string
		ofControl  string // what is said of the control that has the needs
		ofBalancer string // and of the balancer
	}{
		{"telemetry", connections, must(protocol.Telemetry), "telemetry: null", "telemetry: {}",
			"x.yaml:5:15: transport.congestion: mine needs switches that stamp packets with their queue occupancy, but fabric.telemetry is absent; write fabric: {telemetry: {}}, or choose a control that does not need it, such as nscc",
			"x.yaml:6:13: transport.balancer: mine needs switches that stamp packets with their queue occupancy, but fabric.telemetry is absent; write fabric: {telemetry: {}}, or choose another balancer, such as ops"},
		{"pauses", connections, must(protocol.Pauses), "", "pfc: 500KB",
			"mine needs switches that pause their neighbours instead of dropping, but fabric.pfc is absent, so full queues drop; write fabric: {pfc: 500KB}, or fabric: {pfc: hpcc, buffer: 16MB}",
			"transport.balancer: mine needs switches that pause"},
		{"classes", connections, protocol.Needs{Classes: 3}, "classes: 2", "classes: 3",
			"mine uses 3 priority classes from class 0 on, but fabric.classes is 2; write fabric: {classes: 3}", "transport.balancer: mine uses 3 priority classes"},
		{"marks", connections, must(protocol.Marks), "ecn: \"off\"", "ecn: red",
			"transport.congestion: mine learns of congestion from marks, and without them from losses only, but with fabric.ecn: off no port marks congestion; write fabric: {ecn: red}, or choose a control that uses delay, such as swift",
			"transport.balancer: mine learns of congestion from marks, and without them from losses only, but with fabric.ecn: off no port marks congestion; write fabric: {ecn: red}, or choose another balancer, such as ops"},
		{"trimming", connections, must(protocol.Trimming), "overflow: drop", "overflow: trim",
			"mine learns of lost packets from their trimmed headers, but with fabric.overflow: drop switches drop packets whole; write fabric: {overflow: trim}, or choose a control that does not need it, such as nscc",
			"write fabric: {overflow: trim}, or choose another balancer, such as ops"},
		{"credits", protocol.CongestionControl{New: window}, must(protocol.Credits), "credits: null", "none",
			"mine needs ports that limit credits, in a class of their own, but fabric.credits is absent; write fabric: {classes: 2, credits: {data: 4160B}}", "but fabric.credits is absent"},
		{"shared buffer", connections, must(protocol.SharedBuffer), "", "buffer: 16MB",
			"mine needs a buffer that the ports of a switch share, but fabric.buffer is absent; write fabric: {buffer: 16MB}, or choose a control that does not need it", "but fabric.buffer is absent"},
		{"deep queues", connections, must(protocol.DeepQueues), "queue: 1BDP", "queue: 4BDP",
			"transport.congestion: mine needs buffers that hardly ever drop, but queues of ", "(1.0 BDP) drop the backlog at a receiver; write fabric: {queue: 4BDP} or more, or infinite"},
		{"windows under receivers", protocol.CongestionControl{New: window, NewReceiver: func(protocol.HostEnv) protocol.Receiver { return nil }}, must(protocol.AckClock | protocol.PacketAcks), "", "none",
			"mine needs packets that are clocked out by acknowledgements, but with mine receivers decide when packets go", "transport.balancer: mine needs packets that are clocked out by acknowledgements, but with mine receivers decide"},
		{"windows of hosts", protocol.CongestionControl{NewHost: hostTransport}, must(protocol.AckClock | protocol.PacketAcks), "", "none",
			"", "transport.balancer: mine needs packets that are clocked out by acknowledgements, and an acknowledgement for every packet, but mine is a host transport, which has none; choose another balancer, such as ops"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.control
			c.Needs = tt.needs
			blind := func(protocol.Env) protocol.Entropy { return deaf{} }
			for _, side := range []struct {
				want string
				reg  *scenario.Registry
			}{
				{tt.ofControl, withParts(t, c, protocol.Balancer{Oblivious: true, New: blind})},
				{tt.ofBalancer, withParts(t, tt.control, protocol.Balancer{Oblivious: true, New: blind, Needs: tt.needs})},
			} {
				want, reg := side.want, side.reg
				if tt.lacks != "none" && want != "" {
					if err := madeUpWith(reg, tt.lacks); err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("with fabric: {%s}: %v\nwant %q", tt.lacks, err, want)
					}
				}
				if tt.has != "none" {
					if err := madeUpWith(reg, tt.has); err != nil {
						t.Errorf("with fabric: {%s}: %v", tt.has, err)
					}
				}
			}
		})
	}
}

// madeUpWith verifies the made-up scenario with a fabric.
func madeUpWith(reg *scenario.Registry, fabric string) error {
	f, err := scenario.Parse("x.yaml", []byte(strings.Replace(madeUp, "TEXT", fabric, 1)), reg, nil)
	if err == nil {
		_, err = f.Variants[0].Verify()
	}
	return err
}

// TestWantsAreNoticed makes up a balancer that can do without what a fabric does not have.
func TestWantsAreNoticed(t *testing.T) {
	b := protocol.Balancer{Oblivious: true, New: func(protocol.Env) protocol.Entropy { return deaf{} }, Needs: protocol.Needs{Wants: []protocol.Want{
		{Need: protocol.Telemetry, Without: "guesses"}, {Need: protocol.Marks, Without: "is slow"}, {Need: protocol.AckClock, Without: "is random"},
	}}}
	reg := withParts(t, protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion { return endless{} }}, b)
	for fabric, want := range map[string][]string{
		"ecn: red": {"fabric.telemetry is absent, and mine guesses; write fabric: {telemetry: {}}, or choose another balancer, such as ops"},
		"ecn: \"off\"": {
			"fabric.telemetry is absent, and mine guesses; write fabric: {telemetry: {}}, or choose another balancer, such as ops",
			"with fabric.ecn: off no port marks congestion, and mine is slow; write fabric: {ecn: {kind: red, kmin: 0.2BDP, kmax: 0.8BDP}} for ports that do",
		},
	} {
		f, err := scenario.Parse("x.yaml", []byte(strings.Replace(madeUp, "TEXT", fabric, 1)), reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Variants[0].Verify()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("with fabric: {%s}: %q, %v; want %q", fabric, got, err, want)
		}
	}
}

// TestNeedsOfUnusedTransports: what the transport of all traffic needs is of no concern if each
// group has its own, and that of replies is.
func TestNeedsOfUnusedTransports(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: star, hosts: 4}\nfabric: {overflow: drop}\ntransport: {congestion: eqds, balancer: ops}\ntraffic:\n- {name: main, pattern: tornado, size: 10kB, transport: {congestion: swift}"
	if err := verified("x.yaml", top+"}\n"); err != nil {
		t.Errorf("no group needs trimming: %v", err)
	}
	const want = "traffic[0].reply.transport.congestion: ndp learns of lost packets"
	if err := verified("x.yaml", top+", reply: {size: 1kB, transport: {congestion: ndp}}}\n"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("replies need trimming: %v, want %q", err, want)
	}
}

// endless is a window that never changes, and deaf a chooser that knows one entropy.
type (
	endless struct{}
	deaf    struct{}
)

func (endless) Start(unit.Time)       {}
func (endless) Acked(*protocol.Ack)   {}
func (endless) Lost(*protocol.Loss)   {}
func (endless) Window() unit.Bytes    { return unit.MiB }
func (deaf) Start(unit.Time)          {}
func (deaf) Resume(unit.Time)         {}
func (deaf) Next(unit.Time) uint16    { return 0 }
func (deaf) Acked(a *protocol.Ack)    {}
func (deaf) Lost(loss *protocol.Loss) {}
