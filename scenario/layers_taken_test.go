package scenario_test

import (
	"slices"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/protocol/entropy"
	"weft/scenario"
	"weft/unit"
)

// taken is what the choosers of a run did with layers.
type taken struct {
	at       []unit.Time // of packets
	layer    []int
	answered map[int]unit.Time // when the last acknowledgement of each layer came
}

// share returns which part of the packets from a time on went to some layers.
func (s *taken) share(from unit.Time, layers ...int) float64 {
	in, all := 0, 0
	for i, at := range s.at {
		if at < from {
			continue
		}
		all++
		if slices.Contains(layers, s.layer[i]) {
			in++
		}
	}
	return float64(in) / float64(all)
}

// spied is a chooser whose layers are noted.
type spied struct {
	protocol.Entropy
	layers uint16
	notes  *taken
}

func (c *spied) Next(now unit.Time) uint16 {
	v := c.Entropy.Next(now)
	c.notes.at, c.notes.layer = append(c.notes.at, now), append(c.notes.layer, int(v%c.layers))
	return v
}

func (c *spied) Acked(a *protocol.Ack) {
	c.notes.answered[int(a.Entropy%c.layers)] = a.Now
	c.Entropy.Acked(a)
}

// SetSubflow implements protocol.Sibling.
func (c *spied) SetSubflow(number int, shared uint64) {
	if s, ok := c.Entropy.(protocol.Sibling); ok {
		s.SetSubflow(number, shared)
	}
}

// spy runs a scenario, whose balancer is "spied", with a balancer of weft's and some of its options, and notes the layers that its packets take.
func spy(t *testing.T, text, balancer string, with func(options any), sets ...string) *taken {
	t.Helper()
	reg := weft.Builtin()
	e, ok := reg.Balancers.Lookup(balancer)
	if !ok {
		t.Fatalf("no balancer %q", balancer)
	}
	options, err := e.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	if with != nil {
		with(options)
	}
	choice, err := catalog.Choose(e, options)
	if err != nil {
		t.Fatal(err)
	}
	notes := &taken{answered: map[int]unit.Time{}}
	if err := reg.Balancers.Add(catalog.Define("spied", "notes layers", "", func(struct{}) (protocol.Balancer, error) {
		b, err := choice.Build()
		make := b.New
		b.New = func(env protocol.Env) protocol.Entropy { return &spied{make(env), uint16(env.Layers), notes} }
		return b, err
	})); err != nil {
		t.Fatal(err)
	}
	f, err := scenario.Parse("spied.yaml", []byte(text), reg, sets)
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{Domains: 1, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.Unfinished > 0 {
		t.Fatalf("%s: %d messages are unfinished", balancer, r.Summary.Unfinished)
	}
	return notes
}

// TestSprayingTakesAllLayers: over layers a random entropy for each packet is a random layer, also where receivers pull (EQDS,
// NDP) and with a transport of hosts (SIRD).
func TestSprayingTakesAllLayers(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: slim-fly, order: 3, hosts_per_switch: 2, rate: 100Gbps}
routing: {policy: {kind: layers, layers: 5}}
transport: {balancer: spied, congestion: sird}
traffic: [{name: main, pattern: tornado, size: 1MiB}]
`
	for _, control := range []string{"sird", "eqds", "ndp", "nscc"} {
		s := spy(t, text, "ops", nil, "transport.congestion="+control)
		for layer := range 5 {
			if share := s.share(0, layer); share < 0.18 || share > 0.22 {
				t.Errorf("%s: layer %d has %.3f of %d packets, want a fifth", control, layer, share, len(s.at))
			}
		}
	}
}

// TestARCANELeavesLayers has some links of a switch fail, or slow down, with routes that stay. From then on ARCANE sends
// little over the layers that have them, with a window, with credit of EQDS, and with SIRD. Spraying goes on as before.
func TestARCANELeavesLayers(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: slim-fly, order: 3, hosts_per_switch: 2, rate: 100Gbps}
routing: {policy: {kind: layers, layers: 6, density: 60%}, reconverge: never}
fabric: {host_jitter: none, queue: 100kB}
transport: {balancer: spied, congestion: nscc}
traffic: [{name: main, hosts: [host0], pattern: {kind: incast, receiver: host30}, size: 8MiB}]
`
	const fails, settled = 50 * unit.Microsecond, 300 * unit.Microsecond
	down := `faults=[{kind: link-down, links: "a0r0->b2r0", at: 50us}]`
	slow := `faults=[{kind: degrade, links: "a0r0->b2r0", at: 50us, rate: 10Gbps}]`
	// Spraying shows which layers have the link: no acknowledgement comes from them.
	sprayed := spy(t, text, "ops", nil, down)
	var crossed []int
	for layer := range 6 {
		if sprayed.answered[layer] < fails+20*unit.Microsecond {
			crossed = append(crossed, layer)
		}
	}
	if len(crossed) != 3 {
		t.Fatalf("layers %v have the link, want half of them", crossed)
	}
	if share := sprayed.share(settled, crossed...); share < 0.45 || share > 0.55 {
		t.Errorf("spraying sends %.2f of the packets there, want a half", share)
	}
	// By exact hosts SIRD's message is delivered, although its acknowledgements go over the dead link.
	for _, fault := range []string{down, slow} {
		for _, control := range []string{"nscc", "mprdma", "eqds", "sird"} {
			s := spy(t, text, "arcane", nil, fault, "transport.congestion="+control)
			most := map[string]float64{down: 0.02, slow: 0.25}[fault]
			if share := s.share(settled, crossed...); share > most {
				t.Errorf("%s, %s: %.3f of the packets go there, want %.2f at most", fault, control, share, most)
			}
		}
	}
}

// TestSubflowsTakeLayers: with apart, as many subflows as layers have a layer each.
func TestSubflowsTakeLayers(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: slim-fly, order: 3, hosts_per_switch: 2, rate: 100Gbps}
routing: {policy: {kind: layers, layers: 4}}
transport: {balancer: spied, congestion: dctcp}
traffic: [{name: main, pattern: tornado, size: 32KiB}]
`
	s := spy(t, text, "mptcp", func(options any) { o := options.(*entropy.MPTCP); o.Subflows, o.Apart = 4, true })
	for layer := range 4 {
		if share := s.share(0, layer); share != 0.25 {
			t.Errorf("layer %d has %v of the packets, want a quarter", layer, share)
		}
	}
}
