package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/record"
	"weft/unit"
)

func TestSeriesUnits(t *testing.T) {
	r := &record.Result{Manifest: record.Manifest{Interval: 10 * unit.Microsecond}}
	row := func(kind, entity string, bucket, value int64) {
		r.Series = append(r.Series, record.Series{Kind: kind, Entity: entity, Time: unit.Time(bucket) * r.Manifest.Interval, Value: value})
	}
	row(record.Accepted, "a->b", 0, 500_000) // 500 kB in 10 µs are 400 Gb/s
	row(record.Queue, "a->b", 2, 12_000)
	row(record.Window, "x->y", 1, 64_000)
	row(record.Queue, "a->b", 1<<40, 1) // not believed
	lines, _ := reduceSeries(r)
	got := map[string]string{}
	for _, l := range lines {
		got[l.kind] = fmt.Sprint(l.values)
	}
	for kind, want := range map[string]string{record.Accepted: "[400 0 0]", record.Queue: "[0 0 12]", record.Window: "[NaN 64 NaN]"} {
		if got[kind] != want {
			t.Errorf("%s is %s, want %s", kind, got[kind], want)
		}
	}
}

// Of many ports those stay that did most of anything; one that only dropped is among them.
func TestSeriesOfManyPorts(t *testing.T) {
	r := &record.Result{Manifest: record.Manifest{Interval: unit.Microsecond}}
	for i := range 200 {
		r.Series = append(r.Series, record.Series{Kind: record.Transmitted, Entity: fmt.Sprintf("p%d", i), Value: int64(1000 + i)})
	}
	r.Series = append(r.Series, record.Series{Kind: record.Dropped, Entity: "p0", Value: 3})
	lines, left := reduceSeries(r)
	names := map[string]bool{}
	for _, l := range lines {
		names[l.entity] = true
	}
	if len(names) != mostLines || !names["p0"] || !names["p199"] || names["p1"] {
		t.Errorf("%d ports are kept, p0: %t, p199: %t, p1: %t", len(names), names["p0"], names["p199"], names["p1"])
	}
	if left[record.Transmitted] != 200-mostLines {
		t.Errorf("%d are said to be left out", left[record.Transmitted])
	}
}

// tree makes a leaf–spine fabric with the given hosts under each of the switches.
func tree(tors, hosts int) *record.Result {
	r := &record.Result{}
	link := func(a, b string) {
		for _, p := range [][2]string{{a, b}, {b, a}} {
			r.Ports = append(r.Ports, record.Port{Name: p[0] + "->" + p[1], From: p[0], To: p[1], Rate: 100 * unit.Gbps, SentBytes: 125_000})
		}
	}
	for tor := range tors {
		for s := range 2 {
			link(fmt.Sprintf("tor%d", tor), fmt.Sprintf("spine%d", s))
		}
		for h := range hosts {
			link(fmt.Sprintf("host%d", tor*hosts+h), fmt.Sprintf("tor%d", tor))
		}
	}
	r.Summary.Runtime = 100 * unit.Microsecond
	return r
}

func TestMapOfATree(t *testing.T) {
	n := reduceNetwork(tree(4, 2))
	if n.layout != layered || n.hosts != 8 || n.switches != 6 || len(n.nodes) != 14 || len(n.links) != 32 {
		t.Fatalf("%s of %d hosts, %d switches; %d nodes, %d links", n.layout, n.hosts, n.switches, len(n.nodes), len(n.links))
	}
	heights := map[string]float64{}
	for _, node := range n.nodes {
		kind := strings.TrimRight(node.name, "0123456789")
		if y, known := heights[kind]; known && y != node.y {
			t.Errorf("%s is not in line with the others of its tier", node.name)
		}
		heights[kind] = node.y
	}
	if !(heights["spine"] < heights["tor"] && heights["tor"] < heights["host"]) {
		t.Errorf("the tiers are at %v", heights)
	}
	// 125 kB in 100 µs are a tenth of 100 Gb/s.
	if got := record.ShareOf(n.whole.bytes[0], n.whole.room[0]); math.Abs(got-0.1) > 1e-9 {
		t.Errorf("the load is %v, want 0.1", got)
	}
}

// A link that a fault slows down to a tenth for the whole run is fully loaded by a tenth of the bytes, in every
// span; one that is down for half of the run by half.
func TestMapOfSlowLinks(t *testing.T) {
	r := tree(4, 2)
	r.Faults = []record.Fault{
		{Port: r.Ports[0].Name, Kind: record.FaultRate, From: 0, To: record.Unfinished, Rate: r.Ports[0].Rate / 10},
		{Port: r.Ports[1].Name, Kind: record.FaultDown, From: 50 * unit.Microsecond, To: record.Unfinished},
	}
	r.Manifest.SnapshotInterval = 50 * unit.Microsecond
	for span := range unit.Time(2) {
		r.Snapshots = append(r.Snapshots, record.Snapshot{Time: span * 50 * unit.Microsecond, Port: r.Ports[0].Name, Transmitted: 62_500})
	}
	n := reduceNetwork(r)
	if len(n.frames) != 2 {
		t.Fatalf("%d spans", len(n.frames))
	}
	d := newGraph(r.Nodes, r.Ports).draw()
	for i, f := range append(n.frames, n.whole, n.join(2)[0]) {
		if got := frameOf(&f).Load.values[d.linkOf[0]]; math.Abs(got-100) > 1e-9 {
			t.Errorf("span %d: the slow link has a load of %v %%, want 100", i, got)
		}
	}
	if got := frameOf(&n.whole).Load.values[d.linkOf[1]]; math.Abs(got-20) > 1e-9 {
		t.Errorf("the link that was up for half of the run has a load of %v %%, want 20", got)
	}
	if got := frameOf(&n.frames[1]).Load.values[d.linkOf[1]]; !math.IsNaN(got) {
		t.Errorf("while it is down it has a load of %v", got)
	}
}

// Whatever is drawn as one, nothing that ports did is lost.
func TestMapOfManyHosts(t *testing.T) {
	r := tree(300, 40)
	n := reduceNetwork(r)
	if len(n.nodes) > 4*mostInTier || len(n.links) > mostLinks {
		t.Errorf("%d nodes and %d links are drawn", len(n.nodes), len(n.links))
	}
	bytes, ports, members := 0.0, 0, 0
	for i, l := range n.links {
		bytes += n.whole.bytes[i]
		ports += l.ports
	}
	for _, node := range n.nodes {
		members += node.members
		if node.x < 0 || node.x > 1 || node.y < 0 || node.y > 1 {
			t.Errorf("%s is at %v, %v", node.name, node.x, node.y)
		}
	}
	if want := 125_000 * float64(len(r.Ports)); bytes != want || ports != len(r.Ports) || members != 300*41+2 {
		t.Errorf("links have %v bytes of %v, %d ports of %d, nodes %d members", bytes, want, ports, len(r.Ports), members)
	}
}

func TestMapWithoutTiers(t *testing.T) {
	r := &record.Result{}
	for i := range 6 {
		r.Nodes = append(r.Nodes, record.Node{Name: fmt.Sprintf("r%d", i), Kind: "switch", Tier: 1}, record.Node{Name: fmt.Sprintf("h%d", i), Kind: "host"})
		r.Ports = append(r.Ports, record.Port{Name: fmt.Sprintf("h%d", i), From: fmt.Sprintf("h%d", i), To: fmt.Sprintf("r%d", i)})
		for j := range i {
			r.Ports = append(r.Ports, record.Port{Name: fmt.Sprintf("%d-%d", i, j), From: fmt.Sprintf("r%d", i), To: fmt.Sprintf("r%d", j)})
		}
	}
	n := reduceNetwork(r)
	if n.layout != circular || len(n.nodes) != 12 {
		t.Fatalf("%s of %d nodes", n.layout, len(n.nodes))
	}
	for _, node := range n.nodes {
		radius := math.Hypot(node.x-0.5, node.y-0.5)
		if want := map[bool]float64{true: 0.48, false: 0.36}[node.host]; math.Abs(radius-want) > 1e-9 {
			t.Errorf("%s is %v from the middle, want %v", node.name, radius, want)
		}
	}
}

// Snapshots of which nothing happened are frames too, and joined frames add up.
func TestMapFrames(t *testing.T) {
	r := tree(2, 1)
	r.Manifest.SnapshotInterval = 10 * unit.Microsecond
	for _, at := range []int64{0, 1, 3} {
		r.Snapshots = append(r.Snapshots, record.Snapshot{Time: unit.Time(at) * 10 * unit.Microsecond, Port: r.Ports[0].Name, Transmitted: 100, Queue: 5 * at, Dropped: 1})
	}
	n := reduceNetwork(r)
	if len(n.frames) != 4 || n.frames[2].at != 20*unit.Microsecond || n.frames[2].bytes[0] != 0 {
		t.Fatalf("%d frames, want 4 of which the third is empty", len(n.frames))
	}
	joined := n.join(2)
	if len(joined) != 2 || joined[0].bytes[0] != 200 || joined[0].drops[0] != 2 || joined[1].queue[0] != 15 {
		t.Errorf("joined to %+v", joined)
	}
}
