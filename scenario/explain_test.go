package scenario_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/explain"
	"weft/record"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
)

// explained accounts for a message of a result, and checks that the account is
// whole: its parts and its path cover the completion time, without gap.
func explained(t testing.TB, s *scenario.Scenario, f record.Flow) *scenario.Explanation {
	t.Helper()
	x, err := scenario.Explain(t.Context(), s, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole(x); err != nil {
		t.Fatal(err)
	}
	return x
}

func whole(x *scenario.Explanation) error {
	sum := unit.Time(0)
	for k, p := range x.Parts {
		if p < 0 {
			return fmt.Errorf("%v is %d ps", explain.Kind(k), p)
		}
		sum += p
	}
	at := x.Start
	for _, s := range x.Path {
		if s.From != at || s.To <= s.From {
			return fmt.Errorf("a segment from %d to %d follows %d", s.From, s.To, at)
		}
		at = s.To
	}
	switch {
	case sum != x.End-x.Start || sum != x.Total:
		return fmt.Errorf("the parts %v add up to %d ps, and it took %d", x.Parts, sum, x.End-x.Start)
	case slices.ContainsFunc(x.Ports, func(p explain.PortShare) bool { return x.Port(p.Port) == "" }):
		return fmt.Errorf("a frame queued at a port without a name: %+v", x.Ports)
	case at != x.End:
		return fmt.Errorf("the path ends at %d, and the message at %d", at, x.End)
	}
	return nil
}

// TestRandomScenariosExplained explains messages of random scenarios: what was
// followed is what the result says, and the parts add up to it exactly.
func TestRandomScenariosExplained(t *testing.T) {
	t.Parallel()
	oneThread(t)
	hits, all, refused := map[string]int{}, 0, 0
	for i := 0; i < number(scenarios); i += 4 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newSketch(t, i)
			res := runRandom(t, s, scenario.RunOptions{})
			step := max(1, len(res.Flows)/5)
			for k := i % step; k < len(res.Flows); k += step {
				f := res.Flows[k]
				x, err := scenario.Explain(t.Context(), load(t, s.text.String()), f, nil)
				if err != nil && strings.Contains(err.Error(), "cannot be followed") {
					refused++
					continue
				}
				if err == nil {
					err = errors.Join(whole(x), possible(s.graph, x))
				}
				if err == nil && x.Finished != f.Finished() {
					err = errors.New("it finished in one run only")
				}
				if err != nil {
					t.Fatalf("message %+v: %v\n%s", f, err, s.text.String())
				}
				all++
				for k, p := range x.Parts {
					if p > 0 {
						hits[explain.Kind(k).String()]++
					}
				}
				if !x.Finished {
					hits["unfinished"]++
				}
				if x.Count(explain.Guess) > 0 {
					hits["unknown"]++
				}
			}
		})
	}
	t.Logf("of %d messages had a part of: %v", all, hits)
	if all < refused {
		t.Errorf("%d messages were refused, and %d explained", refused, all)
	}
	if t.Failed() || all < scenarios {
		return
	}
	for _, k := range []explain.Kind{
		explain.Serialisation, explain.Propagation, explain.QueueOwn, explain.QueueOthers, explain.HostWire, explain.Window,
		explain.ReorderLimit, explain.HeldAck, explain.Retransmission, explain.LinkDown, explain.LateHost,
	} {
		if hits[k.String()] < 20 { // fewer would hardly test it
			t.Errorf("only %d of %d messages had to do with %v", hits[k.String()], all, k)
		}
	}
	if 100*hits["unknown"] > all {
		t.Errorf("of %d of %d messages a cause was not known", hits["unknown"], all)
	}
}

// possible checks that the frames followed moved as frames do.
func possible(g *topo.Graph, x *scenario.Explanation) error {
	delay := explain.Never // of acknowledgements that a timer sends
	for _, f := range x.Frames {
		if f.Kind == explain.Data && (f.Opening == nil || f.Opening.At > f.Sent) {
			return fmt.Errorf("packet %d was sent though it was not allowed", f.Packet)
		}
		if f.Kind != explain.Data {
			held := f.Ready - f.Since
			switch {
			case f.Trigger == nil || f.Since != f.Trigger.Delivered:
				return fmt.Errorf("the %v of packet %d is without a cause", f.Kind, f.Packet)
			case held != 0 && delay != explain.Never && held != delay:
				return fmt.Errorf("acknowledgements are held for %d and %d", held, delay)
			case held != 0:
				delay = held
			}
			if f.Sent == explain.Never {
				continue
			}
		}
		at := f.Sent
		for i, h := range f.Hops {
			id := topo.PortID(h.Port)
			_, to := g.Ends(id)
			delay := g.Links[id.Link()].Delay + g.Nodes[to].Latency
			last := i == len(f.Hops)-1
			switch {
			case h.Begin == explain.Never && (h.Ready != at || !last || h.Departs != explain.Never || h.Arrives != explain.Never || f.Delivered != explain.Never):
				return fmt.Errorf("packet %d waits at %s: %+v after %d", f.Packet, x.Port(h.Port), h, at)
			case h.Begin == explain.Never:
			case h.Ready != at || h.Begin < h.Ready || h.Departs <= h.Begin:
				return fmt.Errorf("packet %d at %s: %+v after %d", f.Packet, x.Port(h.Port), h, at)
			case h.Arrives == explain.Never && (!last || f.Delivered != explain.Never):
				return fmt.Errorf("packet %d does not arrive over %s", f.Packet, x.Port(h.Port))
			case h.Arrives != explain.Never && h.Arrives-h.Late != h.Departs+delay:
				return fmt.Errorf("packet %d needs %d over %s and not %d, but for %d by which a host is late", f.Packet, h.Arrives-h.Departs, x.Port(h.Port), delay, h.Late)
			case h.Late != 0 && i > 0 && !last || h.Late < 0:
				return fmt.Errorf("packet %d is %d late at %s, where there is no host", f.Packet, h.Late, x.Port(h.Port))
			}
			at = h.Arrives
		}
		if f.Delivered != explain.Never && (f.Delivered != at || f.LostAt != explain.Never) {
			return fmt.Errorf("packet %d was delivered at %d, and came over its last link at %d", f.Packet, f.Delivered, at)
		}
	}
	return nil
}

// TestExplainCopiesThatWait explains messages of whose packets copies still wait behind a
// slow link when the message is delivered, given up by a timeout: the port has a name.
func TestExplainCopiesThatWait(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps}
transport: {balancer: ops, congestion: eqds, rto: 5us}
fabric: {queue: 1GB, overflow: trim, ecn: "off"}
traffic: [{name: burst, pattern: {kind: incast, receiver: host0}, size: 64KiB}]
faults: [{kind: degrade, links: "tor1->spine0", rate: 0.2%}]
`
	waiting := 0
	for _, f := range simulate(t, text).Flows {
		x := explained(t, load(t, text), f)
		for i := range x.Steps {
			if s := &x.Steps[i]; s.Does == explain.LostCopy && s.LostPort == explain.None {
				waiting++
			}
		}
	}
	if waiting == 0 {
		t.Error("no copy was given up that was not lost")
	}
}

// TestExplainAcksOfRequests follows senders to whom the acknowledgements of all packets were lost: they ask for credit
// for a message that is there, and are told so. Such an acknowledgement is caused by the request.
func TestExplainAcksOfRequests(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const text = `weft: 1
topology: {kind: leaf-spine, rate: 4Gbps, delay: 10ns, switch_latency: 500ns, uplink_rate: 10Gbps, tors: 4, hosts_per_tor: 2, spines: 2, links_per_spine: 1}
routing: {policy: wcmp}
fabric: {queue: 1BDP, classes: 2, overflow: trim, trim: {header: 64B, victim: arriving, queue: 192B, ratio: 1}}
transport: {payload: 9000B, header: 64B, ack: {size: 40B, every: 4, class: 0}, rto: 25us, connection: pair, class: 1, congestion: eqds, balancer: {kind: mptcp, subflows: 3, divide_bdp: true}}
traffic:
  - {name: g0, pattern: tornado, size: 214515B, arrival: {kind: once, count: 1}}
  - {name: g1, pattern: permutation, size: 342924B, arrival: {kind: closed, outstanding: 2, count: 3}, start: 12981ns}
`
	asked := 0
	for _, f := range simulate(t, text).Flows {
		s := load(t, text)
		x := explained(t, s, f)
		for _, a := range x.Frames {
			if a.Kind == explain.Ack && a.Trigger == nil {
				t.Fatalf("message %d: the ack of packet %d is without a cause", f.ID, a.Packet)
			}
			if a.Kind == explain.Ack && a.Trigger.Kind == explain.Request {
				asked++
			}
		}
	}
	if asked == 0 {
		t.Error("no request was answered by an acknowledgement")
	}
}
