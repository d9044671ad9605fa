package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
)

// recoveryText is eight hosts that overload a queue of their receiver.
const recoveryText = `weft: 1
topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us}
fabric: {queue: 100kB}
transport: {congestion: {kind: constant, window: 1BDP}, balancer: ecmp}
record: {flows: all}
traffic: [{name: main, pattern: incast, size: 400kB}]
`

// TestLossRecovery: go-back-N sends far more again than IRN, and all messages end.
func TestLossRecovery(t *testing.T) {
	again := map[string]int64{}
	for _, kind := range []string{"selective", "go-back-n", "irn", "{kind: irn, rto_low: 50us, rto_high: 50us}", "sack", "{kind: go-back-n, ask_again: 1ms}", "order", "{kind: order, silence: 300%}"} {
		r := execute(t, parsed(t, recoveryText, "transport.recovery="+kind), scenario.RunOptions{Check: true})
		if r.Summary.Unfinished != 0 || r.Summary.Messages != 8 {
			t.Errorf("%s: %d messages, %d unfinished", kind, r.Summary.Messages, r.Summary.Unfinished)
		}
		for _, f := range r.Flows {
			again[kind] += f.Retransmits
		}
	}
	if again["irn"] == 0 || again["go-back-n"] < 2*again["irn"] {
		t.Errorf("retransmissions: %v", again)
	}
}

// TestRecoveryByDefault: selective is what a scenario without the option has.
func TestRecoveryByDefault(t *testing.T) {
	// A control of weft itself brings its own where nothing else is said.
	unsaid := strings.Replace(recoveryText, "balancer: ecmp", "balancer: round-robin", 1)
	want := execute(t, parsed(t, unsaid), scenario.RunOptions{})
	got := execute(t, parsed(t, unsaid, "transport.recovery=selective"), scenario.RunOptions{})
	if got.Summary.ResultHash != want.Summary.ResultHash {
		t.Error("selective is something else")
	}
}

// TestExplainRecovery explains messages that recover from losses: their parts add up.
func TestExplainRecovery(t *testing.T) {
	for _, kind := range []string{"go-back-n", "irn", "sack", "{kind: irn, class: 0}", "order", "{kind: order, class: 0}"} {
		s := parsed(t, recoveryText, "fabric.classes=2", "transport.class=1", "transport.recovery="+kind)
		for _, f := range execute(t, s, scenario.RunOptions{}).Flows {
			x := explained(t, s, f)
			if !x.Finished || int64(x.Counts.Timeouts) > f.Timeouts || f.Retransmits > 0 && x.Counts.Retransmits == 0 {
				t.Errorf("%s: %+v is explained by %+v", kind, f, x.Counts)
			}
		}
	}
}

// TestRecoveryOfAnotherKind: a group with a kind of its own takes none of the other kind's options along.
func TestRecoveryOfAnotherKind(t *testing.T) {
	s := parsed(t, recoveryText, "transport.recovery={kind: sack, duplicates: 1}", "traffic[0].transport.recovery={kind: go-back-n, ask_again: 20us}")
	if r := s.Traffic[0].Transport.Recovery; r.Kind != "go-back-n" || r.Duplicates != nil {
		t.Errorf("the group recovers by %+v", r)
	}
}

// TestLossRecoveryRefusals: what does not go together is refused with its place.
func TestLossRecoveryRefusals(t *testing.T) {
	for set, want := range map[string]string{
		"transport.recovery=gbn":                                                                     `"gbn" is no way to recover losses; write selective, go-back-n, irn, sack or order, or as in {kind: irn, rto_low: 50us}`,
		"transport.recovery={kind: irn, ask_again: 1us}":                                             "ask_again is an option of go-back-n, and kind is irn",
		"transport.recovery={kind: irn, rto_high: 1us}":                                              "rto_high, 1us, is less than rto_low, 100us",
		"transport.recovery={kind: irn, duplicates: 3}":                                              "duplicates is an option of sack, and kind is irn",
		"transport.recovery={kind: irn, silence: 200%}":                                              "silence is an option of order, and kind is irn",
		"transport.recovery={kind: order, silence: 50%}":                                             "silence",
		"transport={recovery: irn, rto: 1us}":                                                        "irn has timeouts of its own",
		"transport={recovery: irn, timer: connection}":                                               "irn has timeouts of its own",
		"transport.recovery={kind: selective, class: 0}":                                             "do not go ahead of data of class 0; write fabric: {classes: 2}, transport: {class: 1, recovery: {kind: selective, class: 0}}",
		"transport.recovery={kind: irn, class: 3}":                                                   "there is no class 3 for retransmissions; fabric.classes is 1",
		"fabric.overflow=trim transport.recovery={kind: selective, class: 0}":                        "class 0 is that of trimmed headers, or of credits, and not for retransmissions; write fabric: {classes: 3}, transport: {class: 2, recovery: {kind: selective, class: 1}}",
		"fabric={classes: 2, pfc: 50KB} transport={class: 1, recovery: {kind: go-back-n, class: 0}}": "the class of retransmissions is lossless (fabric.pfc), and hosts cannot pause retransmissions alone",
		"fabric.overflow=trim transport.recovery=go-back-n":                                          "write recovery: selective, or write overflow: drop",
		"fabric.overflow=trim transport={recovery: irn, congestion: eqds}":                           "switches report them; write recovery: selective\n",
	} {
		text := recoveryText
		if rest, trims := strings.CutPrefix(set, "fabric.overflow=trim "); trims {
			text, set = strings.Replace(text, "{queue: 100kB}", "{queue: 100kB, overflow: trim}", 1), rest
		}
		sets := []string{set}
		if first, second, two := strings.Cut(set, " transport="); two {
			sets = []string{first, "transport=" + second}
		}
		if err := verified("x.yaml", text, sets...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
}

// TestReorderingLooksLikeLoss: a notice says what to write when IRN repeats what spraying
// reordered, and then it repeats nothing. A tolerance does the same.
func TestReorderingLooksLikeLoss(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us}
fabric: {queue: infinite}
transport: {congestion: {kind: constant, window: 1BDP}, balancer: ops, recovery: irn}
traffic: [{name: main, pattern: tornado, size: 4MB}]
`
	noted := func(r *record.Result) bool {
		return slices.ContainsFunc(r.Manifest.Notices, func(n string) bool { return strings.Contains(n, "write recovery: selective") })
	}
	if r := execute(t, parsed(t, text), scenario.RunOptions{}); !noted(r) || r.Summary.SpuriousRetransmits == 0 {
		t.Errorf("%d spurious, notices %q", r.Summary.SpuriousRetransmits, r.Manifest.Notices)
	}
	for _, set := range []string{"transport.recovery=selective", "transport.recovery={kind: irn, tolerance: 1000}"} {
		if r := execute(t, parsed(t, text, set), scenario.RunOptions{}); noted(r) || r.Summary.Retransmits != 0 {
			t.Errorf("with %s: %d retransmissions, notices %q", set, r.Summary.Retransmits, r.Manifest.Notices)
		}
	}
}
