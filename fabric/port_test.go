package fabric_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// portCase is a port with what arrives at it and what happens to its link.
type portCase struct {
	config          fabric.PortConfig
	lanes           fabric.LaneGroups
	rate            unit.Rate
	delay, latency  sim.Time
	sends           []send
	changes         []fault.Change
	stops           []sim.Time
	interval        sim.Time // of its record; 0 for none
	domains         int
	queue           sim.QueueKind
	equal           bool // all frames have one size
	departures      []sim.Time
	predicted       *oracle
	predictedAtStop []fabric.PortCounters
}

const (
	// grid is the spacing of the times that decide order. Frame i arrives i ps
	// after a point of the grid, and disciplines serve at rates that take whole
	// grid steps a byte: so no arrival meets a departure, whose order would be
	// that of the entities' ranks.
	grid  = unit.Nanosecond
	start = unit.Microsecond
)

func drawPort(t *rapid.T) *portCase {
	const size = 1000
	c := &portCase{
		delay:   sim.Time(rapid.SampledFrom([]int64{1, 300_000, 4_000_003}).Draw(t, "delay")),
		latency: sim.Time(rapid.SampledFrom([]int64{0, 200_000, 3_000_000}).Draw(t, "latency")),
		domains: rapid.IntRange(1, 2).Draw(t, "domains"),
		queue:   rapid.SampledFrom([]sim.QueueKind{sim.Swept, sim.Calendar, sim.Heap}).Draw(t, "queue"),
		equal:   rapid.Bool().Draw(t, "equal sizes"),
	}
	p := &c.config
	p.Limit = unit.Bytes(rapid.IntRange(size, 8*size).Draw(t, "limit"))
	if rapid.Bool().Draw(t, "ECN") {
		k := unit.Bytes(rapid.IntRange(0, int(p.Limit)).Draw(t, "threshold"))
		if rapid.Bool().Draw(t, "round") {
			k = k / size * size
		}
		p.ECN, p.KMin, p.KMax, p.PMax = true, k, k, 1
		p.MarkAtDequeue = rapid.Bool().Draw(t, "at dequeue")
		p.MarkByPort = rapid.IntRange(0, 2).Draw(t, "by port") == 0
	}
	if rapid.IntRange(0, 3).Draw(t, "classes") > 0 {
		p.Classes = rapid.IntRange(2, 8).Draw(t, "number of classes")
		if rapid.IntRange(0, 2).Draw(t, "trim") == 0 {
			p.Trim = &fabric.TrimConfig{Header: 64, Limit: unit.Bytes(rapid.IntRange(0, 12).Draw(t, "headers")) * 64}
			if rapid.IntRange(0, 3).Draw(t, "whole frames in class 0") > 0 {
				p.Trim.Limit = unit.Bytes(rapid.IntRange(1, 12).Draw(t, "frames of class 0")) * size
			}
			p.Trim.Ratio = rapid.SampledFrom([]int{0, 1, 1, 1, 2, 5}).Draw(t, "ratio")
			p.Trim.Coin = c.equal && !p.ECN && rapid.Bool().Draw(t, "coin")
		}
	}
	if p.Classes > 1 && p.Trim == nil {
		c.lanes = drawLanes(t)
	}
	served := p.Classes > 1 || p.MarkAtDequeue
	rates := rapid.SampledFrom([]unit.Rate{8 * unit.Gbps, 4 * unit.Gbps, 2 * unit.Gbps, unit.Gbps})
	if !served {
		rates = rapid.SampledFrom([]unit.Rate{8 * unit.Gbps, 95 * unit.Gbps, unit.Gbps, 3 * unit.Gbps, 400 * unit.Gbps})
	}
	c.rate = rates.Draw(t, "rate")

	least, calm, classes := 1, 3, 7
	if p.Trim != nil && p.Trim.Ratio > 0 { // which only a crowd reaches
		least, calm, classes = 15, 1, rapid.SampledFrom([]int{1, 2, 7}).Draw(t, "classes of frames")
	}
	if len(c.lanes.Masks) > 0 {
		least, calm = 25, 1
	}
	n := rapid.IntRange(least, 40).Draw(t, "frames")
	span := sim.Time(n) * transmit(c.rate, size) / grid * sim.Time(rapid.IntRange(1, calm).Draw(t, "calm")) / 2
	for i := range n {
		s := send{Src: int32(i), Dst: int32(n), ID: uint32(i), Size: size, Class: uint8(rapid.IntRange(0, classes).Draw(t, "class"))}
		if !c.equal {
			s.Size = uint16(rapid.IntRange(65, 2*size).Draw(t, "size"))
		}
		arrives := start + sim.Time(rapid.Int64Range(0, int64(span)).Draw(t, "at"))*grid + sim.Time(i)
		s.At = arrives - transmit(instant, s.Size)
		c.sends = append(c.sends, s)
	}
	if rapid.Bool().Draw(t, "record") {
		c.interval = rapid.SampledFrom([]sim.Time{transmit(c.rate, size), 777_777, 10_000_000}).Draw(t, "interval")
	}

	// Some things happen at the very instants of departures.
	c.predict()
	departures := c.departures
	moment := func(label string) sim.Time {
		if len(departures) > 0 && rapid.Bool().Draw(t, label+" at a departure") {
			return rapid.SampledFrom(departures).Draw(t, label)
		}
		return start + sim.Time(rapid.Int64Range(0, int64(span)).Draw(t, label))*grid + sim.Time(rapid.IntRange(0, 50).Draw(t, label+" ps"))
	}
	for range rapid.IntRange(0, 6).Draw(t, "changes") {
		ch := fault.Change{At: moment("change"), Port: c.link(), What: rapid.SampledFrom([]fault.Effect{fault.Down, fault.Up, fault.Up, fault.SetRate, fault.SetRate}).Draw(t, "effect")}
		if ch.What == fault.SetRate {
			ch.Rate = rates.Draw(t, "new rate")
		}
		c.changes = append(c.changes, ch)
		if ch.What == fault.SetRate && rapid.Bool().Draw(t, "again") {
			ch.At += sim.Time(rapid.IntRange(0, 2000).Draw(t, "later")) * grid
			ch.Rate = rates.Draw(t, "next rate")
			c.changes = append(c.changes, ch)
		}
	}
	slices.SortStableFunc(c.changes, func(a, b fault.Change) int { return cmp.Compare(a.At, b.At) })
	for range rapid.IntRange(0, 5).Draw(t, "stops") {
		c.stops = append(c.stops, moment("stop"))
	}
	c.predict()
	return c
}

// link is the port under test: the last link of the funnel.
func (c *portCase) link() topo.PortID { return topo.PortID(2 * (len(c.sends) + 1)) }

// end is a time after everything: the slowest link has sent the largest frames.
func (c *portCase) end() sim.Time {
	last := start
	for _, s := range c.sends {
		last = max(last, s.At)
	}
	for _, m := range c.moments() {
		last = max(last, m)
	}
	return last + sim.Time(len(c.sends))*transmit(unit.Gbps, 2000) + 10*unit.Microsecond
}

// moments returns all times at which the run stops, in order.
func (c *portCase) moments() []sim.Time {
	at := slices.Clone(c.stops)
	for _, ch := range c.changes {
		at = append(at, ch.At)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// predict works out what the port does.
func (c *portCase) predict() {
	o := newOracle(c.config, c.lanes, c.rate, c.delay, c.latency)
	sends := slices.Clone(c.sends)
	arrives := func(s send) sim.Time { return s.At + transmit(instant, s.Size) }
	slices.SortFunc(sends, func(a, b send) int { return cmp.Compare(arrives(a), arrives(b)) })
	c.predictedAtStop = nil
	changes := c.changes
	for _, m := range append(c.moments(), c.end()) {
		for ; len(sends) > 0 && arrives(sends[0]) < m; sends = sends[1:] {
			at := arrives(sends[0])
			o.advance(at)
			o.resume(at)
			o.arrive(at, sends[0])
		}
		o.advance(m)
		o.land(m)
		c.predictedAtStop = append(c.predictedAtStop, o.read(m))
		for ; len(changes) > 0 && changes[0].At == m; changes = changes[1:] {
			o.change(changes[0])
		}
		o.resume(m)
	}
	c.departures = nil
	for _, f := range o.sent {
		c.departures = append(c.departures, f.end)
	}
	c.predicted = o
}

// TestPortAgainstModel compares plain and classful ports, with limits,
// thresholds, trimming, failures and changes of rate, within a domain and
// across, with a plain model: every delivery, every counter at every stop, and
// the record over time.
func TestPortAgainstModel(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		c := drawPort(t)
		s := setup{
			Graph: funnel(len(c.sends), c.rate, c.delay, c.latency), Domains: c.domains, Queue: c.queue, Sends: c.sends,
			Groups: c.lanes,
			Port: func(id topo.PortID) fabric.PortConfig {
				if id == c.link() {
					return c.config
				}
				return unlimited(id)
			},
		}
		n := s.build(t)
		var series *fabric.Series
		if c.interval > 0 {
			series = n.Record(c.link(), c.interval)
		}
		changes := c.changes
		for i, m := range append(c.moments(), c.end()) {
			n.run(t, m)
			compareCounters(t, m, c.predictedAtStop[i], n.Counters(c.link(), m))
			for ; len(changes) > 0 && changes[0].At == m; changes = changes[1:] {
				n.Apply(m, changes[0])
			}
		}
		n.Finish(c.end())
		n.drain(t)

		o := c.predicted
		var want []delivery
		free := sim.Time(0)
		for _, d := range o.arrived {
			free = max(free, d.At) + transmit(instant, d.Size)
			d.At = free
			want = append(want, d)
		}
		got := n.logs[len(c.sends)]
		if c.config.Trim != nil && c.config.Trim.Coin {
			want, got = anonymous(want), anonymous(got)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("deliveries (-want +got):\n%s", diff)
		}
		if series != nil {
			wantSeries := o.series(c.end(), c.interval)
			if c.config.Trim != nil && c.config.Trim.Coin {
				wantSeries.Offered = denseOf(series).Offered // what was offered depends on the coin
			}
			if diff := gocmp.Diff(wantSeries, denseOf(series)); diff != "" {
				t.Errorf("series (-want +got):\n%s", diff)
			}
		}

		n0 := o.counters
		cover.note("cases", true)
		cover.note("drops", n0.Drops[fabric.QueueFull] > 0)
		cover.note("marks", n0.Marks > 0)
		cover.note("trims", n0.Trims > 0)
		cover.note("class 0 giving way", o.gaveWay())
		cover.note("frames lost by a failure", n0.FlushedFrames > 0)
		cover.note("changes of rate while frames wait", len(c.changes) > 0 && n0.QueueMax > 2000)
		cover.note("marking at dequeue", c.config.MarkAtDequeue)
		cover.note("marking by all classes", c.config.MarkByPort && c.config.Classes > 1)
		cover.note("lanes out of the order of classes", o.outOfOrder())
		cover.note("marking by lanes", len(c.lanes.Masks) > 0 && !c.lanes.MarkEach && !c.config.MarkByPort && n0.Marks > 0)
		cover.note("several domains", c.domains > 1)
	})
	cover.report(t, 5)
}

// anonymous forgets which of several equal frames was trimmed: a coin decides.
func anonymous(log []delivery) []delivery {
	log = slices.Clone(log)
	for i := range log {
		log[i].ID, log[i].Src = 0, 0
	}
	return log
}

// compareCounters compares counters, the queue's integral within the precision
// of its sum.
func compareCounters(t rapid.TB, at sim.Time, want, got fabric.PortCounters) {
	t.Helper()
	if math.Abs(want.QueueByteTime-got.QueueByteTime) <= 1e-9*want.QueueByteTime {
		got.QueueByteTime = want.QueueByteTime
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("counters at %d (-want +got):\n%s", at, diff)
	}
}

// TestResetQueueMax looks for the largest queue in two parts of a run: five frames
// come at once, and later two while one of them is left.
func TestResetQueueMax(t *testing.T) {
	for _, classes := range []int{1, 2} {
		s := setup{Graph: funnel(7, 8*unit.Gbps, 1000, 0), Port: func(topo.PortID) fabric.PortConfig {
			return fabric.PortConfig{Limit: unit.MiB, Classes: classes}
		}}
		for i := range 7 {
			at := sim.Time(i)
			if i >= 5 {
				at += 4500 * unit.Nanosecond
			}
			s.Sends = append(s.Sends, send{At: at, Src: int32(i), Dst: 7, Size: 1000, Class: uint8(i % 2)})
		}
		n := s.build(t)
		link := n.port(t, "left", "right")
		for _, step := range []struct {
			at   sim.Time
			want uint32
		}{{1600 * unit.Nanosecond, 5000}, {4200 * unit.Nanosecond, 4000}, {unit.Millisecond, 3000}} {
			n.run(t, step.at)
			if got := n.Counters(link, step.at).QueueMax; got != step.want {
				t.Errorf("%d classes: the largest queue up to %d was %d, want %d", classes, step.at, got, step.want)
			}
			n.ResetQueueMax(step.at)
		}
	}
}
