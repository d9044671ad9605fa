package scenario_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/topo"
)

// draw is the stream of random choices that makes one scenario.
type draw struct{ *rand.Rand }

// newDraw returns the choices of scenario number i.
func newDraw(i int) draw { return draw{rand.New(rand.NewPCG(0x77656674, uint64(i)))} }

// oneOf returns one of several values, all with the same probability.
func oneOf[T any](d draw, values ...T) T { return values[d.IntN(len(values))] }

// between returns a number from low to high, both included.
func (d draw) between(low, high int) int { return low + d.IntN(high-low+1) }

// chance is true with a probability of p.
func (d draw) chance(p float64) bool { return d.Float64() < p }

// options collects what a YAML mapping in braces says.
type options []string

func (o *options) set(key, format string, args ...any) {
	*o = append(*o, key+": "+fmt.Sprintf(format, args...))
}

func (o options) String() string { return "{" + strings.Join(o, ", ") + "}" }

// sketch is a random scenario: its text, and what the test must know of it.
type sketch struct {
	draw
	schedulers draw // for those of ports, which came later still
	later      draw // for choices that came later, so that older ones stay as they are
	text       strings.Builder
	graph      *topo.Graph
	// payload is the largest of the scenario's packets, classes the number of
	// classes of its ports, before trimming adds one.
	payload, header, classes int
	reply                    int // how many bytes longer acknowledgements are that complete messages
	// leastClass is the first class of data.
	leastClass int
	trimming   bool
	lossless   bool // switches pause their neighbours
	unmarked   bool // no port marks
	irn        bool // recovers losses as IRN
	byOrder    bool // finds losses by the order of packets
	// endless tells that traffic goes on for ever.
	endless bool
}

// newSketch draws scenario number i. Networks, messages and times are small, so
// that a run takes milliseconds, and extremes come often.
func newSketch(t testing.TB, i int) *sketch {
	s := &sketch{draw: newDraw(i), later: newDraw(3_000_000 + i), schedulers: newDraw(8_000_000 + i), leastClass: math.MaxInt}
	fmt.Fprintf(&s.text, "weft: 1\nname: random-%d\nseed: %d\n", i, s.IntN(1000))
	topology := s.topology()
	fmt.Fprintf(&s.text, "topology: %v\n", topology)
	s.graph = graphOf(t, topology)
	fmt.Fprintf(&s.text, "routing: {policy: %s, reconverge: %s}\n", oneOf(s.draw, "ecmp", "ecmp", "wcmp"), oneOf(s.draw, "never", "0s", "1ps", "4us", "25us"))
	s.payload, s.header = oneOf(s.draw, 200, 1000, 1500, 4096, 9000), oneOf(s.draw, 0, 40, 64)
	fmt.Fprintf(&s.text, "fabric: %v\n", s.fabric())
	fmt.Fprintf(&s.text, "transport: %v\n", s.transport(true))
	s.text.WriteString("traffic:\n")
	for g := range oneOf(s.draw, 1, 1, 2, 3) {
		fmt.Fprintf(&s.text, "  - %v\n", s.traffic(g))
	}
	s.faults()
	s.windows()
	fmt.Fprintf(&s.text, "engine: {domains: %s, queue: %s}\n", oneOf(s.draw, "auto", "2", "3", "8", "100"), oneOf(s.draw, "sweep", "calendar"))
	if !s.detours() {
		s.layers(topology)
	}
	s.tcp()
	return s
}

// tcp gives some scenarios more of TCP: Reno's windows, recovery by SACK, subflows in layers of their own, and
// hosts that take frames by interrupts; or classes for retransmissions.
func (s *sketch) tcp() {
	text := s.text.String()
	if s.later.chance(0.3) {
		text = plainWindows.ReplaceAllString(text, "congestion: "+oneOf(s.later, "reno", "{kind: reno, largest: 64KiB}")+"$1")
	}
	if s.later.chance(0.3) {
		text = strings.ReplaceAll(text, "balancer: mptcp", "balancer: {kind: mptcp, apart: true}")
	}
	if !s.irn && s.later.chance(0.4) {
		recovery := oneOf(s.later, "sack", "{kind: sack, duplicates: 1}")
		least := 0
		if s.trimming {
			recovery, least = "selective", 1
		}
		if s.leastClass > least && s.later.chance(0.7) {
			recovery = fmt.Sprintf("{kind: selective, class: %d}", s.later.between(least, s.leastClass-1))
		}
		text = recovering(text, recovery)
	}
	s.rewrite(s.ordered(s.interrupted(text)))
}

// ordered finds losses of some scenarios by the order of packets, where nothing is in the way of that.
func (s *sketch) ordered(text string) string {
	if s.irn || !s.later.chance(0.4) {
		return text
	}
	with := recovering(text, oneOf(s.later, "order", "order", "{kind: order, silence: 100%}", "{kind: order, silence: 300%}"))
	if errorsOf(with, nil) != "" {
		return text
	}
	s.byOrder = true
	return with
}

// recovering gives the scenario's transport a way to recover, if it has none.
func recovering(text, recovery string) string {
	return wholeTransport.ReplaceAllString(text, "\ntransport: {recovery: "+recovery+", payload$1\n")
}

// interrupted lets hosts of some scenarios take frames by interrupts.
func (s *sketch) interrupted(text string) string {
	if !s.later.chance(0.15) {
		return text
	}
	return strings.Replace(text, "\nfabric: {", "\nfabric: {nic_interrupts: "+oneOf(s.later, "1us", "10us", "33333ns")+", ", 1)
}

var (
	plainWindows = regexp.MustCompile(`congestion: (?:mprdma|dctcp)([,}])`)
	// wholeTransport is the scenario's own, without a recovery.
	wholeTransport = regexp.MustCompile(`\ntransport: \{payload((?:[^r\n]|r[^e\n]|re[^c\n])*)\n`)
)

// detours lets some scenarios route by intermediates.
func (s *sketch) detours() bool {
	if text := s.text.String(); strings.Contains(text, "expresspass") || strings.Contains(text, "fncc") || strings.Contains(text, "deflect") || !s.chance(0.2) {
		return false
	}
	s.policy(oneOf(s.draw, "valiant", "ugal", "{kind: ugal, threshold: 0B}", "{kind: ugal, information: global, delay: 1us}", "{kind: ugal, information: global, delay: 333ns, threshold: 1B}"))
	return true
}

// policy replaces the policy of routing.
func (s *sketch) policy(policy string) {
	text := s.text.String()
	for _, was := range []string{"policy: ecmp", "policy: wcmp"} {
		text = strings.Replace(text, was, "policy: "+policy, 1)
	}
	s.rewrite(text)
}

// rewrite replaces the text of the scenario.
func (s *sketch) rewrite(text string) {
	s.text.Reset()
	s.text.WriteString(text)
}

// layers lets some scenarios route by layers, if senders choose paths and switches are linked.
func (s *sketch) layers(topology string) {
	text := s.text.String()
	for _, no := range []string{"adaptive-roce", "at: switch", "expresspass"} {
		if strings.Contains(text, no) {
			return
		}
	}
	if strings.Contains(topology, "star") || strings.Contains(topology, "graph") || strings.Contains(topology, "tors: 1,") || !s.chance(0.4) {
		return
	}
	o := options{"kind: layers"}
	o.set("scheme", "%s", oneOf(s.draw, "sample", "overlap", "minimal", "spain", "past"))
	o.set("layers", "%d", s.between(1, 5))
	o.set("next_hops", "%s", oneOf(s.draw, "one", "all"))
	s.policy(oneOf(s.draw, o.String(), o.String(), "ksp", "{kind: ksp, paths: 3, stretch: 1}", "{kind: ksp, paths: 20, longest: 4}"))
	if strings.Contains(s.text.String(), "policy: ksp") || strings.Contains(s.text.String(), "kind: ksp") {
		s.rebalance(oneOf(s.draw, "", "spritz", "{kind: spritz, mode: spray, explore: 3}", "flicr"))
	}
}

// rebalance puts another balancer in the place of one, if it is given by name alone.
func (s *sketch) rebalance(balancer string) {
	if balancer != "" {
		s.rewrite(plainBalancer.ReplaceAllString(s.text.String(), "balancer: "+balancer+"$1"))
	}
}

var plainBalancer = regexp.MustCompile(`balancer: (?:ecmp|ops|arcane|plb|flowlet|bitmap)([,}])`)

// graphOf builds a topology, for the names of its nodes.
func graphOf(t testing.TB, topology string) *topo.Graph {
	t.Helper()
	s := load(t, "weft: 1\ntopology: "+topology+"\ntraffic: [{name: a, pattern: uniform, size: 1B}]\n")
	g, err := s.Topology.Build()
	if err != nil {
		t.Fatalf("%v\n%s", err, topology)
	}
	return g
}

func (d draw) rate() string {
	return oneOf(d, "4Gbps", "10Gbps", "25Gbps", "33Gbps", "100Gbps", "100Gbps", "400Gbps", "399999999999bps")
}

func (d draw) delay() string {
	return oneOf(d, "0s", "0s", "10ns", "100ns", "500ns", "500ns", "1us", "3us")
}

// topology draws a network of 2 to 16 hosts.
func (s *sketch) topology() string {
	var o options
	kind := oneOf(s.draw, "star", "dumbbell", "leaf-spine", "leaf-spine", "leaf-spine", "fat-tree", "fat-tree", "graph", "graph")
	o.set("kind", "%s", kind)
	if kind != "graph" {
		o.set("rate", "%s", s.rate())
		o.set("delay", "%s", s.delay())
		o.set("switch_latency", "%s", s.delay())
		if kind != "star" && kind != "dumbbell" && s.chance(0.5) {
			o.set("uplink_rate", "%s", s.rate())
		}
	}
	switch kind {
	case "star":
		o.set("hosts", "%d", s.between(2, 7))
	case "dumbbell":
		o.set("left", "%d", s.between(1, 4))
		o.set("right", "%d", s.between(1, 4))
		if s.chance(0.6) {
			o.set("bottleneck_rate", "%s", s.rate())
		}
		if s.chance(0.3) {
			o.set("bottleneck_delay", "%s", s.delay())
		}
	case "leaf-spine":
		o.set("tors", "%d", s.between(1, 4))
		o.set("hosts_per_tor", "%d", s.between(2, 3))
		o.set("spines", "%d", s.between(1, 4))
		o.set("links_per_spine", "%d", oneOf(s.draw, 1, 1, 1, 2))
	case "fat-tree":
		o.set("uplinks_per_tor", "%d", s.between(1, 3))
		o.set("hosts_per_tor", "%d", s.between(1, 2))
		if s.chance(0.5) {
			o.set("tors", "%d", s.between(2, 4))
			break
		}
		o.set("tiers", "3")
		o.set("tors_per_pod", "%d", s.between(1, 2))
		o.set("uplinks_per_agg", "%d", s.between(1, 2))
		o.set("pods", "%d", s.between(2, 3))
	case "graph":
		s.links(&o)
	}
	return o.String()
}

// links draws a connected graph of switches with hosts, in no order and with
// rates and delays of their own, or two hosts without a switch.
func (s *sketch) links(o *options) {
	var nodes, links []string
	link := func(a, b string) {
		l := options{"a: " + a, "b: " + b}
		l.set("rate", "%s", s.rate())
		l.set("delay", "%s", s.delay())
		if !strings.HasPrefix(a, "host") && s.chance(0.2) {
			l.set("count", "2")
		}
		links = append(links, l.String())
	}
	switches := s.between(0, 5)
	if switches == 0 {
		nodes = []string{"{name: host0..host1}"}
		link("host0", "host1")
	}
	hosts := 0
	for i := range switches {
		nodes = append(nodes, fmt.Sprintf("{name: s%d, latency: %s}", i, s.delay()))
		if i > 0 {
			link(fmt.Sprintf("s%d", s.IntN(i)), fmt.Sprintf("s%d", i))
		}
		for range s.between(1, 2) + 1/switches {
			nodes = append(nodes, fmt.Sprintf("{name: host%d}", hosts))
			link(fmt.Sprintf("host%d", hosts), fmt.Sprintf("s%d", i))
			hosts++
		}
	}
	for range s.IntN(switches + 1) {
		if a, b := s.IntN(switches), s.IntN(switches); a != b {
			link(fmt.Sprintf("s%d", a), fmt.Sprintf("s%d", b))
		}
	}
	s.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
	o.set("nodes", "[%s]", strings.Join(nodes, ", "))
	o.set("links", "[%s]", strings.Join(links, ", "))
}

// hostNames returns the names of n hosts, at random and without repetition.
func (s *sketch) hostNames(n int) []string {
	names := make([]string, len(s.graph.Hosts))
	for i, h := range s.graph.Hosts {
		names[i] = s.graph.Nodes[h].Name
	}
	s.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return names[:n]
}

// ports returns the names of n links' directions, at random.
func (s *sketch) ports(n int) []string {
	all := s.graph.PortNames()
	names := make([]string, n)
	for i := range names {
		names[i] = oneOf(s.draw, all...)
	}
	return names
}

// switchNames returns the names of all switches.
func (s *sketch) switchNames() (names []string) {
	for _, n := range s.graph.Nodes {
		if n.Kind == topo.Switch {
			names = append(names, n.Name)
		}
	}
	return names
}

// quoted lists words, each of them quoted.
func quoted(words []string) string {
	q := slices.Clone(words)
	for i, w := range q {
		q[i] = fmt.Sprintf("%q", w)
	}
	return "[" + strings.Join(q, ", ") + "]"
}
