package scenario_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/protocol/arcane"
	"weft/record"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
)

// verify returns what is wrong with the result of a scenario, as far as it can be
// told from the rows alone.
func verify(s *scenario.Scenario, g *topo.Graph, res *record.Result) error {
	errs := []error{verifyEnd(s, res)}
	for i := range res.Flows {
		if err := verifyFlow(s, &res.Flows[i]); err != nil {
			errs = append(errs, fmt.Errorf("message %+v: %w", res.Flows[i], err))
		}
	}
	errs = append(errs, verifyMessages(s, g, res)...)
	for i := range res.Ports {
		if err := verifyPort(s, res, &res.Ports[i]); err != nil {
			errs = append(errs, fmt.Errorf("port %+v: %w", res.Ports[i], err))
		}
	}
	errs = append(errs, verifySnapshots(s, g, res)...)
	if res.Summary.Ended == record.Drained && s.Measure == (scenario.Measure{}) {
		errs = append(errs, verifySwitches(g, res)...)
		errs = append(errs, verifyHosts(s, res))
	}
	return errors.Join(errs...)
}

// verifyEnd checks that a run ends for a reason that the scenario gives.
func verifyEnd(s *scenario.Scenario, res *record.Result) error {
	sum := &res.Summary
	stuck := sum.Ended == record.Stuck
	switch {
	case sum.Ended != record.Drained && sum.Ended != record.Until && !stuck:
		return fmt.Errorf("it ended as %q", sum.Ended)
	case sum.Ended == record.Until && s.Until == nil:
		return errors.New("it ended at until, which is not given")
	case stuck != sum.Partial || stuck != (sum.Cause != ""):
		return fmt.Errorf("it ended as %s, partial %v, because %q", sum.Ended, sum.Partial, sum.Cause)
	case sum.Ended == record.Drained && sum.NotStarted() > 0:
		return fmt.Errorf("it drained with %d of %d messages not started", sum.NotStarted(), sum.Planned)
	case sum.Planned > 0 && sum.Planned < sum.Messages:
		return fmt.Errorf("%d messages started, of %d", sum.Messages, sum.Planned)
	case sum.Ended == record.Drained && sum.Unfinished > 0:
		return fmt.Errorf("it drained with %d messages unfinished", sum.Unfinished)
	case sum.PacketsDelivered > 0 && sum.PacketHops == 0, sum.PacketHops > sum.Events:
		return fmt.Errorf("%d packets, %d hops and %d events", sum.PacketsDelivered, sum.PacketHops, sum.Events)
	}
	return nil
}

// verifyFlow checks a message by itself.
func verifyFlow(s *scenario.Scenario, f *record.Flow) error {
	var payload unit.Bytes
	for j := range s.Traffic {
		if s.Traffic[j].Name == f.Group {
			payload = s.Traffic[j].Transport.Payload
		}
	}
	late := s.Measure.To != nil && f.Start >= *s.Measure.To
	switch {
	case payload == 0:
		return errors.New("its group is unknown")
	case f.Packets != int64((f.Bytes+payload-1)/payload):
		return fmt.Errorf("in packets of %v it has another number of them", payload)
	case !f.Measured || f.Start < s.Measure.From || late:
		return errors.New("it started outside the measured window")
	case f.Src == f.Dst:
		return errors.New("it goes nowhere")
	case f.Finished() && f.End <= f.Start:
		return errors.New("it took no time")
	case f.SenderEnd != record.Unfinished && (!f.Finished() || f.SenderEnd < f.End):
		return errors.New("its sender knew before it was delivered")
	case f.Retransmits > f.Timeouts+f.Trims && !reported(s):
		return errors.New("it was sent again without a cause")
	case f.Ideal <= 0 || f.IdealRef <= 0:
		return errors.New("it has no ideal")
	case f.Finished() && onePath(s) && f.FCT() < f.Ideal:
		return errors.New("it was faster than alone")
	case f.IdealBare <= 0 || f.Finished() && f.FCT() < f.IdealBare:
		return errors.New("it was faster than any protocol can be")
	}
	return nil
}

// onePath tells whether any two hosts have one path between them at all times.
func onePath(s *scenario.Scenario) bool {
	return s.Topology.Kind == "star" || s.Topology.Kind == "dumbbell"
}

// verifyMessages checks that each message is there once, and that all are there
// if the run drained.
func verifyMessages(s *scenario.Scenario, g *topo.Graph, res *record.Result) (errs []error) {
	type sender struct{ group, host string }
	starts := map[sender][]unit.Time{}
	for i := range res.Flows {
		f := &res.Flows[i]
		if i > 0 && f.ID <= res.Flows[i-1].ID {
			errs = append(errs, fmt.Errorf("message %d has the number of another, or is out of order", f.ID))
		}
		k := sender{f.Group, f.Src}
		if n := len(starts[k]); n > 0 && f.Start < starts[k][n-1] {
			errs = append(errs, fmt.Errorf("message %d of %s started before the one before it", i, f.Src))
		}
		starts[k] = append(starts[k], f.Start)
	}
	if res.Summary.Ended != record.Drained || s.Measure != (scenario.Measure{}) {
		return errs
	}
	for i := range s.Traffic {
		tr := &s.Traffic[i]
		arrival, err := tr.Arrival.Build()
		if err != nil {
			return append(errs, err)
		}
		for host, fan := range fans(tr, g) {
			want, _ := arrival.Messages(fan)
			if got := len(starts[sender{tr.Name, host}]); int64(got) != want {
				errs = append(errs, fmt.Errorf("%s sent %d messages of %s and not %d", host, got, tr.Name, want))
			}
		}
	}
	return errs
}

// fans returns how many destinations each host of a group takes in turn, for the
// patterns in which no chance decides it.
func fans(tr *scenario.Traffic, g *topo.Graph) map[string]int {
	members := tr.Hosts
	if len(members) == 0 {
		for _, h := range g.Hosts {
			members = append(members, g.Nodes[h].Name)
		}
	}
	fan := map[string]int{}
	switch tr.Pattern.Kind {
	case "permutation", "tornado", "uniform":
		for _, m := range members {
			fan[m] = 1
		}
	}
	return fan
}

// mostQueued returns what all classes of a port of a switch hold together: bytes as they are
// given, and bandwidth-delay products of its link.
func mostQueued(s *scenario.Scenario, res *record.Result, p *record.Port) unit.Bytes {
	derived := map[string]float64{}
	for _, d := range res.Manifest.Derived {
		derived[d.Name] = d.Value
	}
	limit := s.Fabric.Queue.Amount
	parallels, _, _ := strings.Cut(p.Name, "#") // which names them all
	for _, e := range s.Fabric.Ports {
		if slices.Contains(e.Links, p.Name) || slices.Contains(e.Links, parallels) {
			limit = e.Queue.Amount
		}
	}
	share := float64(p.Rate) / float64(unit.Gbps) / derived["host_rate"]
	of := func(a unit.Amount) unit.Bytes {
		if a.BDPs == 0 {
			return a.Bytes
		}
		const roundings = 8
		bytes := a.BDPs * derived["bdp"]
		if share < 1 {
			return unit.Bytes(max(share*bytes, min(bytes, 8*float64(s.Transport.Payload+s.Transport.Header)))) + roundings
		}
		return unit.Bytes(share*bytes) + roundings
	}
	classes := max(1, s.Fabric.Classes)
	if s.Fabric.Trim == nil {
		return of(limit) * unit.Bytes(classes)
	}
	return of(limit)*unit.Bytes(max(1, classes-1)) + of(s.Fabric.Trim.Queue)
}

// verifyPort checks the row of a port by itself.
func verifyPort(s *scenario.Scenario, res *record.Result, p *record.Port) error {
	// A frame that came before the measured window and is cut in it takes bytes away.
	for _, n := range []int64{p.Frames, p.Bytes + p.TrimmedBytes, p.SentFrames, p.SentBytes, p.QueueFull, p.HeaderQueueFull, p.LinkDown, p.Loss,
		p.NoRoute, p.DroppedBytes, p.FlushedFrames, p.FlushedBytes, p.Marks, p.Trims, p.TrimmedBytes, int64(p.QueueMax)} {
		if n < 0 {
			return errors.New("it counted less than nothing")
		}
	}
	nic := strings.HasPrefix(p.From, "host")
	switch {
	case p.QueueMean < 0 || p.QueueMean > float64(p.QueueMax)*(1+1e-9):
		return errors.New("its mean queue is not between nothing and its largest")
	case p.FlushedFrames > p.LinkDown+p.Loss:
		return errors.New("it lost more from its queue than it lost")
	case nic && (p.QueueFull+p.HeaderQueueFull+p.Marks+p.Trims > 0):
		return errors.New("the port of a host has a queue")
	case p.Trims > 0 && s.Fabric.Overflow != "trim", p.HeaderQueueFull > 0 && s.Fabric.Overflow != "trim":
		return errors.New("it trimmed")
	}
	if limit := mostQueued(s, res, p); !nic && p.QueueMax > limit {
		return fmt.Errorf("its queue was larger than %v", limit)
	}
	if s.Measure != (scenario.Measure{}) {
		return nil
	}
	waiting, bytes := p.Frames-p.SentFrames-p.FlushedFrames, p.Bytes-p.SentBytes-p.FlushedBytes
	if waiting < 0 || bytes < 0 || (waiting == 0) != (bytes == 0) {
		return fmt.Errorf("%d frames of %d B wait in it", waiting, bytes)
	}
	return nil
}

// verifySwitches checks that of a drained network whose links did not fail every
// switch sent on, trimmed or dropped all that reached it.
func verifySwitches(g *topo.Graph, res *record.Result) (errs []error) {
	type sum struct{ frames, bytes int64 }
	in, out := map[string]sum{}, map[string]sum{}
	for i := range res.Ports {
		p := &res.Ports[i]
		if p.LinkDown+p.FlushedFrames > 0 {
			return errs
		}
		if waiting := p.Frames - p.SentFrames; waiting != 0 {
			errs = append(errs, fmt.Errorf("the network is drained, but %d frames wait in %s", waiting, p.Name))
		}
		a, b := in[p.To], out[p.From]
		in[p.To] = sum{a.frames + p.SentFrames - p.Loss, a.bytes + p.SentBytes}
		refused := p.QueueFull + p.HeaderQueueFull + p.NoRoute + p.CreditQueueFull
		out[p.From] = sum{b.frames + p.Frames + refused, b.bytes + p.Bytes + p.DroppedBytes + p.TrimmedBytes}
	}
	// What is lost at random counts at the port that sent it: its bytes cannot be
	// told from those that the port refused.
	lossy := res.Summary.Drops.Loss > 0
	for _, n := range g.Nodes {
		a, b := in[n.Name], out[n.Name]
		if n.Kind == topo.Switch && (a.frames != b.frames || !lossy && a.bytes != b.bytes) {
			errs = append(errs, fmt.Errorf("%s: %+v came in and %+v went out or were dropped", n.Name, a, b))
		}
	}
	return errs
}

// verifyHosts checks what the hosts of a drained network sent: every packet of
// every message, once and again as often as the rows say, and no more
// acknowledgements than packets, unless there are pulls or probes. If nothing was sent again, the bytes must be
// those of payload, headers and acknowledgements.
func verifyHosts(s *scenario.Scenario, res *record.Result) error {
	var frames, bytes int64 // that hosts sent
	for i := range res.Ports {
		if p := &res.Ports[i]; strings.HasPrefix(p.From, "host") {
			frames += p.Frames
			bytes += p.Bytes
		}
	}
	header, ack, others := map[string]unit.Bytes{}, map[unit.Bytes]bool{}, false
	for i := range s.Traffic {
		tr := &s.Traffic[i].Transport
		header[s.Traffic[i].Name] = tr.Header
		ack[tr.Ack.Size] = true
		o, ok := tr.Balancer.Options.(*arcane.Options)
		others = others || tr.Congestion.Kind == "eqds" || tr.Recovery.Kind == "order" || ok && o.Exit == arcane.ByProbe
	}
	var packets, retransmits, wire int64
	for i := range res.Flows {
		f := &res.Flows[i]
		packets += f.Packets
		retransmits += f.Retransmits
		wire += int64(f.Bytes) + f.Packets*int64(header[f.Group])
	}
	acks := frames - packets - retransmits
	switch {
	case acks < 0 || acks > packets+retransmits && !others:
		return fmt.Errorf("hosts sent %d frames for %d packets and %d retransmissions", frames, packets, retransmits)
	case res.Summary.PacketsDelivered != packets:
		return fmt.Errorf("%d packets were delivered for the first time, and messages have %d", res.Summary.PacketsDelivered, packets)
	}
	for size := range ack {
		if want := wire + acks*int64(size); len(ack) == 1 && retransmits == 0 && bytes != want {
			return fmt.Errorf("hosts sent %d B for messages of %d B with headers and %d acknowledgements of %v", bytes, wire, acks, size)
		}
	}
	return nil
}

// verifySnapshots checks that the spans make up the whole run, port by port.
func verifySnapshots(s *scenario.Scenario, g *topo.Graph, res *record.Result) (errs []error) {
	order := map[string]int{}
	for i, name := range g.PortNames() {
		order[name] = i
	}
	span := res.Manifest.SnapshotInterval
	sent, dropped := map[string]int64{}, map[string]int64{}
	queue := map[string]unit.Bytes{}
	last := record.Snapshot{Time: -1}
	for _, r := range res.Snapshots {
		switch {
		case r.Transmitted < 0 || r.Queue < 0 || r.Dropped < 0 || r.Transmitted|r.Queue|r.Dropped == 0:
			errs = append(errs, fmt.Errorf("a snapshot of nothing: %+v", r))
		case r.Time%span != 0 || r.Time > res.Summary.Simulated:
			errs = append(errs, fmt.Errorf("a snapshot in no span of %v: %+v", span, r))
		case r.Time < last.Time || r.Time == last.Time && order[r.Port] <= order[last.Port]:
			errs = append(errs, fmt.Errorf("a snapshot out of order: %+v after %+v", r, last))
		}
		last = r
		sent[r.Port] += r.Transmitted
		dropped[r.Port] += r.Dropped
		queue[r.Port] = max(queue[r.Port], unit.Bytes(r.Queue))
	}
	if most := unit.Time(s.Record.Snapshots + s.Record.Snapshots%2); last.Time >= most*span && last.Time < res.Summary.Simulated {
		errs = append(errs, fmt.Errorf("more than %d snapshots: the last begins at %v, and spans take %v", most, last.Time, span))
	}
	if s.Measure != (scenario.Measure{}) {
		return errs // ports count in the window only
	}
	for i := range res.Ports {
		if p := &res.Ports[i]; p.SentBytes != sent[p.Name] || p.Drops.Total() != dropped[p.Name] || queue[p.Name] > p.QueueMax {
			errs = append(errs, fmt.Errorf("the snapshots of %s make up %d bytes and %d drops, and a queue of %v: %+v", p.Name, sent[p.Name], dropped[p.Name], queue[p.Name], *p))
		}
	}
	return errs
}

// verifySeries checks that where all ports were recorded, the buckets of each make
// up what it dropped and sent in the whole run, which its snapshots tell too.
func verifySeries(w way, res *record.Result) error {
	type sums struct{ sent, dropped int64 }
	series, snapshots := map[string]sums{}, map[string]sums{}
	for _, r := range res.Series {
		s := series[r.Entity]
		switch r.Kind {
		case record.Transmitted:
			s.sent += r.Value
		case record.Dropped:
			s.dropped += r.Value
		default:
			continue
		}
		series[r.Entity] = s
	}
	for _, r := range res.Snapshots {
		if r.Transmitted == 0 && r.Dropped == 0 { // something waits, no more
			continue
		}
		s := snapshots[r.Port]
		s.sent += r.Transmitted
		s.dropped += r.Dropped
		snapshots[r.Port] = s
	}
	// A frame that is still being sent at the end is in a snapshot's queue, and was not sent.
	for _, m := range []map[string]sums{series, snapshots} {
		maps.DeleteFunc(m, func(_ string, s sums) bool { return s == sums{} })
	}
	if slices.Contains(w.sets, "record.ports=*->*") && !maps.Equal(series, snapshots) {
		return fmt.Errorf("the series make up %v, but the snapshots %v", series, snapshots)
	}
	return nil
}

// reported tells whether a scenario has receivers that report losses.
func reported(s *scenario.Scenario) bool {
	return slices.ContainsFunc(s.Traffic, func(t scenario.Traffic) bool {
		const selective = "selective"
		return t.Transport.Recovery.Kind != selective || t.Reply != nil && t.Reply.Transport.Recovery.Kind != selective ||
			t.Background != nil && t.Background.Transport.Recovery.Kind != selective
	})
}
