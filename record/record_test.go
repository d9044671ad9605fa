package record

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"weft/record/section"
	"weft/record/section/deflection"
	"weft/record/section/reactions"
	"weft/unit"
)

// sample returns a small result that uses every field.
func sample() *Result {
	flows := []Flow{
		{Group: "main", ID: 0, Src: "host0", Dst: "host8", Bytes: 32 * unit.MiB, Packets: 8192,
			Start: 0, End: 756*unit.Microsecond + 1, SenderEnd: 758 * unit.Microsecond,
			Ideal: 700 * unit.Microsecond, IdealRef: 690 * unit.Microsecond, Retransmits: 3, Timeouts: 1, Trims: 2},
		{Group: "main", ID: 1, Src: "host1", Dst: "host9", Bytes: 32 * unit.MiB, Packets: 8192,
			Start: 10, End: Unfinished, SenderEnd: Unfinished,
			Ideal: 700 * unit.Microsecond, IdealRef: 690 * unit.Microsecond},
		{Group: "background", ID: 7, Src: "host2", Dst: "host10", Bytes: 1, Packets: 1,
			Start: 5 * unit.Microsecond, End: 9 * unit.Microsecond, SenderEnd: 10 * unit.Microsecond,
			Ideal: 4 * unit.Microsecond, IdealRef: 4 * unit.Microsecond},
	}
	ports := []Port{
		{Name: "tor0->spine0", From: "tor0", To: "spine0", Rate: 400 * unit.Gbps,
			Frames: 100, Bytes: 416000, SentFrames: 90, SentBytes: 374400,
			Drops: Drops{1, 2, 3, 4, 5, 0, 0, 0}, DroppedBytes: 62400, FlushedFrames: 2, FlushedBytes: 8320,
			Marks: 6, Trims: 7, TrimmedBytes: 28672, QueueMean: 1234.5, QueueMax: 83200},
		{Name: "spine0->tor0", From: "spine0", To: "tor0", Rate: 400 * unit.Gbps, Frames: 1, Bytes: 64, SentFrames: 1, SentBytes: 64},
	}
	r := &Result{
		Manifest: Manifest{
			Name:     "ARCANE",
			Partial:  true,
			Notices:  []string{"one domain is left; one thread runs it"},
			Scenario: json.RawMessage(`{"weft":1,"topology":{"kind":"leaf-spine"},"faults":["tor0->spine0"]}`),
			Derived: []Derived{
				DerivedTime("base_rtt", 8160*unit.Nanosecond, "unloaded round trip of a full frame and its ACK"),
				DerivedBytes("bdp", 408000, "host rate times base RTT"),
				DerivedRate("host_rate", 400*unit.Gbps, "rate of a host's link"),
				DerivedCount("window", 99, "packets", "initial window"),
			},
			Seed:             math.MaxUint64,
			Interval:         20 * unit.Microsecond,
			SnapshotInterval: 5 * unit.Microsecond,
			Hashes:           Hashes{Scenario: "5ce0", Result: ResultHash(flows, ports, pauseRows())},
			Engine:           Engine{Threads: 2, Domains: 3, Queue: "calendar"},
			Timings: Timings{
				Started: time.Date(2026, 11, 21, 1, 2, 3, 4, time.UTC),
				Build:   12345678, Run: 3 * time.Second, EngineCPU: 2500 * time.Millisecond,
			},
			Program: Program{Version: "(devel)", Revision: "0b462b6", Modified: true, Go: "go1.26"},
			Host:    Host{CPU: "a processor", Cores: 2, OS: "linux", Arch: "amd64"},
		},
		Summary: Summarize(flows, ports, Extent{}),
		Flows:   flows,
		Ports:   ports,
		Series: []Series{
			{Accepted, "tor0->spine0", 0, 1000000},
			{Transmitted, "tor0->spine0", 0, 990000},
			{Queue, "tor0->spine0", 20 * unit.Microsecond, 4160},
		},
		Faults: []Fault{
			{Port: "tor0->spine0", Kind: FaultDown, From: 100 * unit.Microsecond, To: 200 * unit.Microsecond,
				Lost: 9, LostBytes: 9009, Flushed: 2, Offered: 6, OfferedBytes: 6006,
				LastOffered: 150 * unit.Microsecond, Avoided: 140 * unit.Microsecond,
				RateBefore: 3 * unit.Gbps, RateTarget: 2 * unit.Gbps, Regained: 230 * unit.Microsecond},
			{Port: "spine0->tor0", Kind: FaultDown, From: 100 * unit.Microsecond, To: Unfinished, Offered: 1, OfferedBytes: 64,
				LastOffered: 110 * unit.Microsecond, Avoided: 110 * unit.Microsecond,
				RateBefore: 3 * unit.Gbps, RateTarget: 2 * unit.Gbps, Regained: 230 * unit.Microsecond},
			{Port: "tor0->spine0", Kind: FaultRate, From: 7, To: 8, Rate: unit.Gbps, LastOffered: Unfinished, Avoided: Unfinished, Regained: Unfinished},
			{Port: "tor0->spine0", Kind: FaultLoss, From: 0, To: Unfinished, Probability: 0.25, Lost: 3, LostBytes: 300,
				LastOffered: Unfinished, Avoided: Unfinished, Regained: Unfinished},
		},
		Nodes: []Node{{"host0", "host", 0}, {"tor0", "switch", 1}, {"spine0", "switch", 2}},
		Snapshots: []Snapshot{
			{Time: 0, Port: "tor0->spine0", Transmitted: 374400, Queue: 83200, Dropped: 2},
			{Time: 5 * unit.Microsecond, Port: "tor0->spine0", Dropped: 1},
		},
		Pauses: pauseRows(),
		Marks:  []Mark{{100 * unit.Microsecond, "tor0->spine0 down"}},
	}
	s := &r.Summary
	s.Name, s.Ended, s.Cause, s.Partial = "ARCANE", Stuck, "no route to host9 from spine0", true
	s.Simulated = 800*unit.Microsecond + 7
	s.Events, s.PacketHops, s.PacketsDelivered = 1<<40, 12, 11
	s.LostToFaults, s.LostToCongestion = Loss{12, 12000}, Loss{3, 3000}
	s.Faults = SumFaults(r.Faults)
	s.Sections = section.Set{
		SumPauses(r.Pauses, 500*unit.Microsecond),
		&deflection.Counts{Hops: 41, Messages: 12, Rows: 9, RowsMax: 3, RowsMean: 0.5, Aged: 1, Left: 2, Refused: deflection.Refusals{BelowThreshold: 700, NoTokens: 1, TableFull: 2, NoPort: 3}},
		&reactions.Section{
			Since: 300 * unit.Microsecond, QueueMax: 123 * unit.KB,
			Connections: []reactions.Connection{
				{Name: "host0->host2", Before: 95 * unit.Gbps, Least: 33 * unit.Gbps, Cut: 2100 * unit.Nanosecond},
				{Name: "host1->host2", Before: 5 * unit.Gbps, Least: 5 * unit.Gbps, Cut: reactions.Never},
			},
		},
	}
	s.Drawn = []Draw{{Fault: "faults[0]", Kind: "link-down", Hit: 1, Matching: 2, What: "links", Names: []string{"tor0->spine0"}}}
	s.RTT = RTTs{100, 8 * unit.Microsecond, 12 * unit.Microsecond, 13 * unit.Microsecond, 13*unit.Microsecond + 1}
	s.EngineCPU, s.Wall, s.PeakRSS = 2500*time.Millisecond, 3*time.Second, 12*unit.MiB
	s.ResultHash = r.Manifest.Hashes.Result
	return r
}

func pauseRows() []Pause {
	return []Pause{
		{Port: "tor0->spine0", Class: 1, Pauses: 3, Time: 41 * unit.Microsecond, HeldMax: 104800},
		{Port: "spine0->tor0", Class: 1, Sent: 4, Resumes: 3},
	}
}

// many returns n flows that end in no particular order.
func many(n int) []Flow {
	flows := make([]Flow, n)
	for i := range flows {
		end := unit.Time((i*7919)%n+1) * unit.Microsecond
		flows[i] = Flow{
			Group: "main", ID: uint64(i), Src: fmt.Sprintf("host%d", i), Dst: fmt.Sprintf("host%d", (i+1)%n),
			Bytes: unit.Bytes(i), Packets: int64(i), End: end, SenderEnd: end + 1, Ideal: 1, IdealRef: 1,
		}
	}
	return flows
}
