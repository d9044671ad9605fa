// Package pagetest makes up results that look like those of real runs, for tests of the
// HTML report and for looking at it. The same arguments give the same results.
package pagetest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"weft/record"
	"weft/unit"
)

// Run describes a made-up run.
type Run struct {
	Variant string
	Seed    uint64
	// Pace is how fast messages are: 1 is plain, 0.5 takes twice as long.
	Pace float64
	// Messages is how many there are, of Sizes different sizes; 0 sizes draws them from
	// a wide range.
	Messages, Sizes int
	// Groups names the groups of traffic.
	Groups []string
	// Unfinished leaves every so many-th message unfinished; 0 leaves none.
	Unfinished int
	// Partial marks the run as cut short.
	Partial bool
	// Fabric is the topology; nil has none.
	Fabric *Fabric
	// Recorded is how many ports, and connections, are recorded, over Buckets.
	Recorded, Buckets int
	// Snapshots is how many snapshots there are.
	Snapshots int
	Marks     []record.Mark
	// Set changes the scenario, by dotted path.
	Set map[string]any
}

const interval = 5 * unit.Microsecond

// Result makes the run's result.
func (c Run) Result() *record.Result {
	random := rand.New(rand.NewPCG(c.Seed, uint64(len(c.Variant))))
	r := &record.Result{Marks: c.Marks}
	r.Manifest = c.manifest()
	c.flows(r, random)
	if c.Fabric != nil {
		r.Nodes = c.Fabric.Nodes
		c.ports(r, random)
	}
	r.Summary = record.Summarize(r.Flows, r.Ports, record.Extent{})
	r.Summary.Name, r.Summary.Partial, r.Summary.Ended = c.Variant, c.Partial, record.Drained
	if c.Partial {
		r.Summary.Ended, r.Summary.Cause = record.Stuck, "no route from tor0 to host3"
	}
	r.Summary.ResultHash = fmt.Sprintf("%064x", c.Seed*7919+uint64(len(c.Variant)))
	return r
}

func (c Run) manifest() record.Manifest {
	scenario := map[string]any{
		"weft": 1, "name": "made-up", "seed": c.Seed,
		"topology":  map[string]any{"kind": "leaf-spine", "tors": 4, "rate": "400Gbps", "delay": "500ns"},
		"transport": map[string]any{"payload": "4KiB", "balancer": map[string]any{"kind": c.Variant}, "rto": nil},
		"traffic":   []any{map[string]any{"name": "flows", "size": "websearch", "arrival": map[string]any{"kind": "poisson", "load": "60%"}}},
		"until":     nil,
	}
	for key, value := range c.Set {
		scenario[key] = value
	}
	text, err := json.Marshal(scenario)
	if err != nil {
		panic(err) // The maps above are known to encode.
	}
	return record.Manifest{
		Name: c.Variant, Partial: c.Partial, Scenario: text, Seed: c.Seed, Interval: interval,
		Derived: []record.Derived{
			record.DerivedTime("base_rtt", 8*unit.Microsecond, "round trip of a full frame and its acknowledgement on the longest minimal path"),
			record.DerivedBytes("bdp", 400*unit.KB, "host rate times base RTT"),
		},
		Hashes:  record.Hashes{Scenario: fmt.Sprintf("%064x", len(c.Variant)), Result: fmt.Sprintf("%064x", c.Seed)},
		Program: record.Program{Version: "v1.0.0", Revision: "0123456789abcdef", Go: "go1.26"},
		Host:    record.Host{CPU: "a processor", Cores: 2, OS: "linux", Arch: "amd64"},
	}
}

func (c Run) flows(r *record.Result, random *rand.Rand) {
	for i := range c.Messages {
		f := record.Flow{Group: "flows", Measured: true, ID: uint64(i), Src: "host0", Dst: "host1"}
		if len(c.Groups) > 0 {
			f.Group = c.Groups[i%len(c.Groups)]
		}
		size := math.Exp(random.Float64()*10) * 1000
		if c.Sizes > 0 {
			size = math.Pow(8, float64(i%c.Sizes)) * 4096
		}
		f.Bytes = unit.Bytes(size)
		f.Packets = int64(size/4096) + 1
		f.Ideal = 4*unit.Microsecond + (400 * unit.Gbps).Transmit(f.Bytes)
		f.IdealRef, f.IdealBare = f.Ideal, f.Ideal
		f.Start = unit.Time(random.Int64N(int64(200 * unit.Microsecond)))
		slow := 1 + random.ExpFloat64()*random.ExpFloat64()/c.Pace
		f.End = f.Start + unit.Time(float64(f.Ideal)*slow)
		f.SenderEnd = f.End
		f.Retransmits = int64(random.IntN(3))
		if c.Unfinished > 0 && i%c.Unfinished == 1 {
			f.End, f.SenderEnd = record.Unfinished, record.Unfinished
		}
		r.Flows = append(r.Flows, f)
	}
}

// ports makes up what ports did, and the series and snapshots of it.
func (c Run) ports(r *record.Result, random *rand.Rand) {
	recorded := 0
	runtime := float64(max(c.Buckets, 100)) * float64(interval)
	if c.Snapshots > 0 {
		r.Manifest.SnapshotInterval = unit.Time(runtime / float64(c.Snapshots))
	}
	for i, port := range c.Fabric.Ports {
		busy := math.Min(0.98, 0.3+0.4*random.Float64()+0.3*float64(i%3)/3) * min(c.Pace, 1)
		port.SentBytes = int64(busy * float64(port.Rate) / 8 * runtime / float64(unit.Second))
		port.Bytes = port.SentBytes
		port.QueueMax = unit.Bytes(busy * 400e3)
		if i%5 == 0 && c.Pace < 1 {
			port.QueueFull = int64(random.IntN(400))
		}
		r.Ports = append(r.Ports, port)
		if recorded < c.Recorded && port.From[0] != 'h' {
			recorded++
			c.series(r, random, &port, busy, recorded)
		}
	}
	for s := range c.Snapshots {
		at := unit.Time(s) * r.Manifest.SnapshotInterval
		for i := range r.Ports {
			p := &r.Ports[i]
			wave := 1 + math.Sin(float64(s)/6+float64(i%7))
			r.Snapshots = append(r.Snapshots, record.Snapshot{
				Time: at, Port: p.Name, Transmitted: int64(wave * float64(p.SentBytes) / float64(c.Snapshots)),
				Queue: int64(wave * float64(p.QueueMax) / 2), Dropped: p.QueueFull / int64(c.Snapshots),
			})
		}
	}
}

func (c Run) series(r *record.Result, random *rand.Rand, p *record.Port, busy float64, number int) {
	queue, window := 0.0, 300e3
	connection := fmt.Sprintf("host%d->host%d", number, number+8)
	for b := range c.Buckets {
		gbps := busy * float64(p.Rate) / 1e9 * (1 - 0.4*math.Exp(-float64(b)/20)) * (1 + 0.06*random.NormFloat64())
		sent := min(gbps, float64(p.Rate)/1e9)
		queue = max(0, min(queue+(gbps-sent)*200+6e3*random.NormFloat64(), 400e3))
		row := func(kind, entity string, v float64) {
			r.Series = append(r.Series, record.Series{Kind: kind, Entity: entity, Time: unit.Time(b) * interval, Value: int64(v)})
		}
		perGbps := float64(interval) / 8000
		row(record.Accepted, p.Name, gbps*perGbps)
		row(record.Transmitted, p.Name, sent*perGbps)
		row(record.Queue, p.Name, queue)
		if c.Pace < 1 && b%37 == number {
			row(record.Dropped, p.Name, float64(1+random.IntN(9)))
		}
		window *= 1.01
		if random.IntN(60) == 0 {
			window /= 2
		}
		window = min(max(window, 4e3), 600e3)
		row(record.Window, connection, window)
		row(record.InFlight, connection, window*(0.8+0.2*random.Float64()))
	}
}

// When is a time for pages that are to be the same each time.
func When() time.Time { return time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC) }
