package scenario_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/protocol/congestion"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// reaction is what a watched sender knew and decided with an acknowledgement.
type reaction struct {
	at, rtt unit.Time
	rate    unit.Rate
	window  unit.Bytes
	answer  uint64
	stamps  []protocol.Stamp
	told    bool // by a notice of a switch
}

// watched is a congestion control whose reactions are noted.
type watched struct {
	protocol.Congestion
	protocol.Pacer
	notes *[]reaction
}

func (w *watched) Acked(a *protocol.Ack) {
	w.Congestion.Acked(a)
	r := reaction{at: a.Now, rtt: a.RTT, rate: w.Pace().Rate, window: w.Window(), stamps: append([]protocol.Stamp(nil), a.Stamps.Hops...)}
	if a.Answered {
		r.answer = a.Answer[0]
	}
	*w.notes = append(*w.notes, r)
}

// notified is a watched control that switches notify. What it decides then is noted, too.
type notified struct {
	watched
	to protocol.Notified
}

func (n *notified) Notify(now unit.Time, from int32, notice protocol.Notice) {
	n.to.Notify(now, from, notice)
	*n.notes = append(*n.notes, reaction{at: now, rate: n.Pace().Rate, window: n.Window(), told: true})
}

// watch is define for a control of which the senders of a scenario are watched together.
func watch[O interface {
	Build() (protocol.CongestionControl, error)
}](name string, notes *[]reaction) catalog.Entry[protocol.CongestionControl] {
	return catalog.Define(name, "a control whose reactions are noted", "weft", func(o O) (protocol.CongestionControl, error) {
		b, err := o.Build()
		if err != nil {
			return b, err
		}
		make := b.New
		b.New = func(env protocol.Env) protocol.Congestion {
			c := make(env)
			w := watched{c, c.(protocol.Pacer), notes}
			if to, ok := c.(protocol.Notified); ok {
				return &notified{w, to}
			}
			return &w
		}
		return b, nil
	})
}

// watching runs the only scenario of a file, in which hpcc-0, fncc-0, direct-0 and hpcc-1, fncc-1, direct-1 are those
// controls, watched, and returns the reactions of the senders of each number.
func watching(t testing.TB, text string, sets ...string) (*record.Result, [2][]reaction) {
	t.Helper()
	var notes [2][]reaction
	reg := weft.Builtin()
	for i := range notes {
		if err := reg.Congestion.Add(
			watch[congestion.HPCC](fmt.Sprint("hpcc-", i), &notes[i]), watch[congestion.FNCC](fmt.Sprint("fncc-", i), &notes[i]),
			watch[congestion.Direct](fmt.Sprint("direct-", i), &notes[i]),
		); err != nil {
			t.Fatal(err)
		}
	}
	f, err := scenario.Parse("testdata/scenario.yaml", []byte(text), reg, exactly(text, sets))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{Threads: 1, Domains: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i := range notes { // hosts take turns within a window
		slices.SortStableFunc(notes[i], func(a, b reaction) int { return cmp.Compare(a.at, b.at) })
	}
	return res, notes
}

const (
	// rdmaLine is the rate of all links in FNCC's experiments, rdmaDelay how long each is, and rdmaFrame
	// a full frame of 1456 B of payload (§5).
	rdmaLine  = 100 * unit.Gbps
	rdmaDelay = 1500 * unit.Nanosecond
	rdmaFrame = unit.Bytes(1518)
)

// chain is FNCC's dumbbell (Figure 9): as many switches in a row as there are numbers of hosts. The hosts are
// named in the order of their switches.
func chain(hosts ...int) string {
	var nodes, links []string
	n := 0
	for i, k := range hosts {
		nodes = append(nodes, fmt.Sprintf("{name: switch%d}", i))
		if i > 0 {
			links = append(links, fmt.Sprintf("{a: switch%d, b: switch%d}", i-1, i))
		}
		for range k {
			nodes = append(nodes, fmt.Sprintf("{name: host%d}", n))
			links = append(links, fmt.Sprintf("{a: host%d, b: switch%d}", n, i))
			n++
		}
	}
	return fmt.Sprintf("topology: {kind: graph, rate: 100Gbps, delay: 1.5us, switch_latency: 0s, nodes: [%s],\n  links: [%s]}\n",
		strings.Join(nodes, ", "), strings.Join(links, ", "))
}
