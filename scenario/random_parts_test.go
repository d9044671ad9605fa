package scenario_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/protocol/reliable"
	"weft/unit"
)

// fabric draws the queues of switch ports.
func (s *sketch) fabric() string {
	var o options
	frame := s.payload + s.header
	if s.chance(0.2) {
		o.set("queue", "%s", oneOf(s.draw, "1BDP", "2.5BDP"))
	} else {
		o.set("queue", "%dB", frame*s.between(1, 10)+s.IntN(frame))
	}
	s.classes = oneOf(s.draw, 1, 1, 2, 3, 8)
	o.set("classes", "%d", s.classes)
	at := oneOf(s.draw, "enqueue", "enqueue", "dequeue")
	switch oneOf(s.draw, "off", "threshold", "red", "red") {
	case "off":
		s.unmarked = true
		o.set("ecn", `"off"`)
	case "threshold":
		o.set("ecn", "{kind: threshold, k: %d%%, at: %s}", s.between(0, 100), at)
	case "red":
		low := s.between(0, 100)
		o.set("ecn", "{kind: red, kmin: %d%%, kmax: %d%%, pmax: %d%%, at: %s}", low, s.between(low, 100), s.between(1, 100), at)
	}
	if s.trimming = s.chance(0.6); s.trimming {
		s.classes = max(s.classes, 2)
		header := min(64, s.payload-1)
		o.set("overflow", "trim")
		o.set("trim", "{header: %dB, victim: %s, queue: %dB%s}", header, oneOf(s.draw, "arriving", "coin"), header*oneOf(s.draw, 1, 3, 20, 200),
			oneOf(s.draw, "", ", ratio: strict", ", ratio: 1", ", ratio: 10"))
	}
	s.scheduler(&o)
	if entries := s.portQueues(); len(entries) > 0 {
		o.set("ports", "[%s]", strings.Join(entries, ", "))
	}
	o.set("host_jitter", "%s", oneOf(s.draw, "auto", "auto", "none", "1ps", "700ns"))
	if s.chance(0.3) {
		o.set("nic_jitter", "%s", oneOf(s.draw, "5ns", "{ppm: 200}", "{delay: 1ps, ppm: 10000}", "{delay: 3us, ppm: 1}"))
	}
	return o.String()
}

// scheduler draws how ports choose among their classes.
func (s *sketch) scheduler(o *options) {
	least := 2
	if s.trimming {
		least = 3
	}
	if s.classes < least || s.schedulers.chance(0.5) {
		return
	}
	o.set("scheduler", "%s", oneOf(s.schedulers, "strict", "drr", "sfq", "{kind: drr, weights: [3]}", "{kind: sfq, weights: [7, 2]}", "{kind: sfq, weights: [1, 1000]}", "{kind: drr, weights: [1, 20]}"))
}

// portQueues draws what the queues of some ports have of their own.
func (s *sketch) portQueues() (entries []string) {
	ports := slices.DeleteFunc(s.graph.PortNames(), func(name string) bool { return strings.HasPrefix(name, "host") })
	if len(ports) == 0 || s.chance(0.7) {
		return nil
	}
	frame := s.payload + s.header
	for range s.between(1, 3) {
		var o options
		o.set("links", "%v", quoted([]string{oneOf(s.draw, ports...), oneOf(s.draw, ports...)}))
		o.set("queue", "%s", oneOf(s.draw, "1BDP", "2.5BDP", fmt.Sprintf("%dB", frame*s.between(1, 10)+s.IntN(frame))))
		if s.chance(0.5) {
			o.set("ecn", "%s", oneOf(s.draw, `"off"`, "{kind: threshold, k: 30%}", "{kind: red, kmin: 10%, kmax: 90%, at: dequeue}"))
		}
		entries = append(entries, o.String())
	}
	return entries
}

// transport draws a transport; a group draws only some of it.
func (s *sketch) transport(whole bool) string {
	if s.lossless {
		return s.losslessTransport(whole)
	}
	var o options
	says := func() bool { return whole || s.chance(0.3) }
	if whole {
		o.set("payload", "%dB", s.payload)
		o.set("header", "%dB", s.header)
	} else if s.chance(0.2) && !s.trimming {
		o.set("payload", "%dB", s.between(1+s.payload/4, s.payload))
	}
	if says() {
		s.acks(&o)
	}
	if whole && !s.trimming {
		s.irn = s.chance(0.15)
	}
	switch {
	case s.irn && whole: // which has timeouts of its own
		o.set("recovery", "%s", oneOf(s.draw, "irn", "{kind: irn, rto_low: 30us, rto_high: 60us, few: 1}", "{kind: irn, tolerance: 3}"))
	case !s.irn && !s.trimming && s.chance(0.2):
		o.set("recovery", "%s", oneOf(s.draw, "go-back-n", "{kind: go-back-n, ask_again: 20us}", "selective"))
	}
	if !s.irn && s.chance(0.4) {
		o.set("rto", "%s", oneOf(s.draw, "25us", "60us", "200us"))
	}
	if s.chance(0.2) {
		o.set("nagle", "%s", oneOf(s.draw, "true", "false"))
	}
	if !s.irn && s.chance(0.3) {
		o.set("timer", "%s", oneOf(s.draw, "packet", "connection"))
	}
	if says() {
		s.connection(&o)
	}
	if s.chance(0.3) {
		o.set("reorder_limit", "%d", oneOf(s.draw, 1, 2, 5, 64))
	}
	if says() {
		least := 0
		if s.trimming {
			least = 1
		}
		class := s.between(least, s.classes-1)
		s.leastClass = min(s.leastClass, class)
		o.set("class", "%d", class)
	}
	if says() {
		o.set("congestion", "%s", s.congestion())
	}
	if says() {
		o.set("balancer", "%s", s.balancer())
	}
	return o.String()
}

func (s *sketch) connection(o *options) {
	of := oneOf(s.draw, "message", "pair", "pool")
	o.set("connection", "%s", of)
	if of != "pool" {
		return
	}
	o.set("pool", "%d", s.between(1, 3))
	if !s.trimming && s.chance(0.5) { // with trimming receivers may give credit
		o.set("pick", "%s", oneOf(s.draw, "idle", "turn"))
	}
}

func (s *sketch) acks(o *options) {
	ack := options{}
	ack.set("size", "%dB", oneOf(s.draw, 1, 40, 64, 64))
	every := oneOf(s.draw, 1, 1, 1, 2, 4, 16, 64)
	ack.set("every", "%d", every)
	if every <= reliable.MaxEntropies {
		ack.set("entropies", "%s", oneOf(s.draw, "trigger", "unmarked"))
	} else {
		ack.set("entropies", "trigger")
	}
	if s.chance(0.3) {
		ack.set("class", "%d", s.IntN(s.classes))
	}
	if s.chance(0.3) {
		ack.set("bitmap", "true")
	}
	o.set("ack", "%v", ack)
}

func (s *sketch) congestion() string {
	if s.trimming && s.chance(0.4) {
		return "eqds"
	}
	switch oneOf(s.draw, "mprdma", "mprdma", "dctcp", "constant", "nscc") {
	case "nscc":
		return oneOf(s.draw, "nscc", "{kind: nscc, quick_adapt: false}", "{kind: nscc, target: 2us, gate: 0, initial: 64KiB}")
	case "mprdma":
		text := oneOf(s.draw, "mprdma", "{kind: mprdma, initial: 64KiB, largest: 1MiB}", "{kind: mprdma, cut_marked: 2, trimmed_is_lost: false}", "{kind: mprdma, least: 3000B}")
		if !s.unmarked {
			return text
		}
	case "dctcp":
		text := oneOf(s.draw, "dctcp", "{kind: dctcp, slow_start: false, gain: 50%, alpha: 0%}", "{kind: dctcp, initial: 100KiB, largest: 200KiB, trimmed_is_lost: false}")
		if !s.unmarked {
			return text
		}
	}
	return fmt.Sprintf("{kind: constant, window: %s}", oneOf(s.draw, "0B", "1BDP", "4BDP", "100KiB", "1MiB"))
}

func (s *sketch) balancer() string {
	switch oneOf(s.draw, "ecmp", "ops", "mptcp", "other", "other", "arcane", "arcane", "arcane") {
	case "mptcp":
		return oneOf(s.draw, "mptcp", "{kind: mptcp, subflows: 3, divide_bdp: true}")
	case "ecmp":
		return "ecmp"
	case "ops":
		return oneOf(s.draw, "ops", "{kind: ops, at: switch}", "{kind: ops, entropies: 3}")
	case "other":
		return oneOf(s.draw, "round-robin", "{kind: round-robin, at: switch}", "flowlet", "letflow", "{kind: letflow, gap: 1us, flowlets: 2}",
			"plb", "{kind: plb, rounds: 3, idle_rounds: 2, pause: 30us}", "bitmap", "{kind: bitmap, entropies: 16, max_penalty: 15}",
			"adaptive-roce", "{kind: adaptive-roce, load: time, local_failures: avoid}", "{kind: adaptive-roce, choices: 2, bin: 4KiB, ties: first}", "{kind: adaptive-roce, ties: ranked}")
	}
	var o options
	o.set("kind", "arcane")
	o.set("preset", "%s", oneOf(s.draw, "fixed", "as-printed", "code"))
	o.set("exit", "%s", oneOf(s.draw, "time", "probe"))
	o.set("buffer", "%d", oneOf(s.draw, 1, 8, 8, 31))
	o.set("entropies", "%d", oneOf(s.draw, 1, 16, 65536))
	o.set("detection", "%s", oneOf(s.draw, "timeout", "trim", "none"))
	if s.chance(0.3) {
		o.set("max_rtt", "false")
	}
	if s.chance(0.3) {
		o.set("freezing_timeout", "%s", oneOf(s.draw, "0s", "10us", "1ms"))
	}
	if s.chance(0.1) {
		o.set("freeze_at", "20us")
	}
	return o.String()
}

// traffic draws group number g.
func (s *sketch) traffic(g int) string {
	var o options
	o.set("name", "g%d", g)
	hosts := len(s.graph.Hosts)
	members := hosts
	if s.chance(0.3) && hosts > 2 {
		members = s.between(2, hosts)
	}
	names := s.hostNames(members)
	if members < hosts {
		o.set("hosts", "%s", quoted(names))
	}
	o.set("pattern", "%s", s.pattern(names))
	size := 0
	switch {
	case s.chance(0.2):
		o.set("size", "{cdf: sizes.csv, rule: %s}", oneOf(s.draw, "step", "linear", "log"))
	case s.chance(0.2):
		size = oneOf(s.draw, 1, s.payload, s.payload+1, 8*s.payload)
	default:
		size = s.between(1, 40*s.payload)
	}
	if size > 0 {
		o.set("size", "%dB", size)
	}
	o.set("arrival", "%s", s.arrival(size))
	if s.chance(0.3) {
		o.set("start", "%dns", s.IntN(20_000))
	}
	if s.chance(0.3) {
		o.set("jitter", "%dns", s.IntN(10_000))
	}
	if s.chance(0.5) {
		o.set("transport", "%s", s.transport(false))
	}
	return o.String()
}

// pattern draws who sends to whom; the named hosts may send.
func (s *sketch) pattern(names []string) string {
	kinds := []string{"incast", "incast", "incast", "permutation", "uniform", "pairs"}
	if len(s.graph.Hosts)%2 == 0 {
		kinds = append(kinds, "tornado")
	}
	switch kind := oneOf(s.draw, kinds...); kind {
	case "incast":
		o := options{"kind: incast"}
		o.set("receiver", "%s", oneOf(s.draw, names...))
		if s.chance(0.3) {
			o.set("senders", "%d", s.between(1, len(names)-1))
		}
		return o.String()
	case "pairs":
		var pairs []string
		for range s.between(1, 4) {
			a, b := s.IntN(len(names)), s.IntN(len(names)-1)
			if b >= a {
				b++
			}
			pairs = append(pairs, names[a]+"->"+names[b])
		}
		return fmt.Sprintf("{kind: pairs, pairs: %s}", quoted(pairs))
	default:
		return kind
	}
}

// arrival draws when messages of a size, 0 for a table of sizes, start.
func (s *sketch) arrival(size int) string {
	var o options
	kind := oneOf(s.draw, "once", "once", "closed", "poisson")
	o.set("kind", "%s", kind)
	ends := s.chance(0.6)
	count := s.between(1, 4)
	switch kind {
	case "once":
		ends = true
	case "closed":
		o.set("outstanding", "%d", s.between(1, 3))
		switch {
		case !ends:
			o.set("think", "%dns", s.between(1000, 5000))
		case s.chance(0.5):
			o.set("think", "%dns", s.IntN(3000))
		}
	case "poisson":
		load := float64(s.between(20, 120))
		if !ends {
			load = min(load, s.affordable(size))
		}
		o.set("load", "%g%%", load)
	}
	if ends {
		o.set("count", "%d", count)
	}
	s.endless = s.endless || !ends
	return o.String()
}

// affordable returns the load in per cent at which no host sends more than some
// 300 messages or packets, whichever are smaller, in the longest run.
func (s *sketch) affordable(size int) float64 {
	const frames = 300
	if size == 0 || size > s.payload {
		size = s.payload
	}
	fastest := 1 * unit.Gbps
	for _, l := range s.graph.Links {
		fastest = max(fastest, l.Rate)
	}
	longest := longestRun * unit.Nanosecond
	load := float64(frames*size*100) / float64(fastest.In(longest))
	if load > 1 {
		return math.Floor(load)
	}
	return math.Round(load*1e4) / 1e4
}

// longestRun is the latest end of an endless run in nanoseconds.
const longestRun = 150_000

// faults draws what goes wrong.
func (s *sketch) faults() {
	if s.chance(0.5) {
		return
	}
	s.text.WriteString("faults:\n")
	for range s.between(1, 3) {
		fmt.Fprintf(&s.text, "  - %s\n", s.fault())
	}
}

func (s *sketch) fault() string {
	var o options
	kinds := []string{"link-down", "link-down", "link-up", "degrade", "degrade", "loss", "loss", "flap", "missing"}
	switches := s.switchNames()
	if len(switches) > 0 {
		kinds = append(kinds, "switch-down")
	}
	kind := oneOf(s.draw, kinds...)
	o.set("kind", "%s", kind)
	if kind == "switch-down" {
		o.set("switches", "%q", oneOf(s.draw, switches...))
	} else {
		links := quoted(s.ports(s.between(1, 3)))
		if s.chance(0.2) {
			links = `"*->*"`
		}
		o.set("links", "%s", links)
		if s.chance(0.3) && kind != "missing" {
			o.set("one_way", "true")
		}
	}
	switch kind {
	case "link-down", "flap", "switch-down", "missing":
		o.set("allow_cutoff", "true")
	}
	if kind == "missing" {
		o.set("pick", "1")
		return o.String()
	}
	o.set("at", "%dns", s.IntN(40_000)*s.IntN(2))
	if kind != "link-up" && s.chance(0.2) {
		o.set("pick", "1")
	}
	if kind != "link-up" && kind != "flap" && s.chance(0.2) {
		o.set("every", "%dns", s.between(1, 20_000))
	}
	switch kind {
	case "degrade":
		o.set("rate", "%d%%", s.between(5, 100))
	case "loss":
		o.set("probability", "%s", oneOf(s.draw, "0.1%", "3%", "30%"))
	case "flap":
		o.set("period", "%dns", s.between(10_000, 50_000))
		o.set("down", "%dns", s.between(1, 9_999))
		o.set("count", "%d", s.between(1, 4))
	}
	if kind != "flap" && kind != "link-up" && s.chance(0.75) {
		o.set("for", "%dns", s.between(1, 60_000))
	}
	return o.String()
}

// windows draws when the run ends and what of it is measured.
func (s *sketch) windows() {
	until := 0
	if s.endless || s.chance(0.2) {
		until = s.between(25_000, longestRun)
		fmt.Fprintf(&s.text, "until: %dns\n", until)
	}
	if s.chance(0.2) {
		from := s.IntN(15_000)
		o := options{fmt.Sprintf("from: %dns", from)}
		if s.chance(0.5) {
			o.set("to", "%dns", from+s.between(1, 10_000))
		}
		fmt.Fprintf(&s.text, "measure: %v\n", o)
	}
	fmt.Fprintf(&s.text, "stuck_after: %dus\n", s.between(300, 900))
}
