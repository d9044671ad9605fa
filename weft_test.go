package weft_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
)

// run executes the named variant of a scenario file, or its only one.
func run(t *testing.T, path, variant string, sets ...string) *record.Result {
	t.Helper()
	f, err := weft.Load(path, weft.Builtin(), sets...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Variants {
		if s.Variant != variant && variant != "" {
			continue
		}
		res, err := weft.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if s := &res.Summary; s.Ended != record.Drained || s.Unfinished > 0 {
			t.Fatalf("%s ended as %s (%s) with %d messages unfinished", variant, s.Ended, s.Cause, s.Unfinished)
		}
		return res
	}
	t.Fatalf("%s has no variant %q", path, variant)
	return nil
}

// TestSlowUplink reruns Figure 3 of ARCANE (§4.3.2): eight flows over eight
// uplinks of which one runs at half speed. The paper reports 1400 µs for OPS and
// 756 µs for ARCANE.
//
// What is possible follows from the scenario alone. Spraying that ignores the
// slow uplink sends an eighth of all frames there, and waits for them. Nobody can
// do better than to keep all uplinks busy to the end. The upper bounds leave 8 %
// and 9 % for start, end and the control loops; they were fixed before the first
// run.
func TestSlowUplink(t *testing.T) {
	const file = "scenarios/arcane/slow-uplink.yaml"
	f, err := weft.Load(file, weft.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	s := f.Variants[0]
	payload, header, size := s.Transport.Payload, s.Transport.Header, s.Traffic[0].Size.Fixed
	packets := (size + payload - 1) / payload
	all := 8 * (size + packets*header)
	const fast, slow = 400 * unit.Gbps, 200 * unit.Gbps
	uniform := slow.Transmit(all / 8)
	best := (7*fast + slow).Transmit(all)
	if us := uniform / unit.Microsecond; us != 1363 {
		t.Errorf("an eighth of %v takes %v at %v; the file is not that of the claim", all, uniform, slow)
	}
	if us := best / unit.Microsecond; us != 727 {
		t.Errorf("%v take %v at best; the file is not that of the claim", all, best)
	}
	for _, claim := range []struct {
		variant  string
		from, to unit.Time
	}{
		{"OPS", uniform, 1470 * unit.Microsecond},
		{"ARCANE", best, 794 * unit.Microsecond},
	} {
		res := run(t, file, claim.variant)
		got := res.Summary.Runtime
		t.Logf("%s took %v", claim.variant, got)
		if got < claim.from || got > claim.to {
			t.Errorf("%s took %v, outside %v to %v", claim.variant, got, claim.from, claim.to)
		}
		if res.Summary.Messages != 8 {
			t.Errorf("%d messages", res.Summary.Messages)
		}
		// ARCANE learns to send half as much over the slow uplink as over the
		// others; OPS never does.
		share := shareOf(t, res, "tor0->spine0", all)
		low, high := 0.115, 0.130 // 1/8, but what it drops there takes any uplink again
		if claim.variant == "ARCANE" {
			low, high = 0.060, 0.075 // 1/15
		}
		if share < low || share > high {
			t.Errorf("%s sent %.1f %% over the slow uplink, outside %.1f to %.1f %%", claim.variant, 100*share, 100*low, 100*high)
		}
	}
}

// shareOf returns the share of all bytes that a port sent.
func shareOf(t *testing.T, res *record.Result, name string, all unit.Bytes) float64 {
	t.Helper()
	for i := range res.Ports {
		if p := &res.Ports[i]; p.Name == name {
			return float64(p.SentBytes) / float64(all)
		}
	}
	t.Fatalf("there is no port %s", name)
	return 0
}

// TestSteadyState counts the allocations of a benchmark from its first
// microsecond, when its messages have started and the first packets are on their
// way, to its last event. They are set against data packets delivered only; the
// acknowledgements, as many again, don't count in favour. Reading the file,
// building the network and collecting the rows take a few thousand more,
// whatever the length of the run.
func TestSteadyState(t *testing.T) {
	const file = "scenarios/bench/permutation-128.yaml"
	f, err := weft.Load(file, weft.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	var first, last, now runtime.MemStats
	runtime.ReadMemStats(&now)
	begin := now.Mallocs
	res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{Progress: func(p scenario.Progress) {
		runtime.ReadMemStats(&last)
		if first.Mallocs == 0 {
			first = last
			if p.Now > unit.Microsecond || p.Messages != 128 {
				t.Errorf("the first look was at %v, with %d messages started", p.Now, p.Messages)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&now)
	packets := int64(0)
	for i := range res.Flows {
		packets += res.Flows[i].Packets
	}
	if want := 128 * int64(64*unit.MiB/4096); packets != want || res.Summary.Unfinished != 0 {
		t.Fatalf("%d packets in messages of which %d are unfinished; %d were to be sent", packets, res.Summary.Unfinished, want)
	}
	const most = 0.001
	mallocs := last.Mallocs - first.Mallocs
	share := float64(mallocs) / float64(packets)
	t.Logf("%d allocations for %d data packets, %.6f each; %d with all before and after", mallocs, packets, share, now.Mallocs-begin)
	if share >= most {
		t.Errorf("%.6f allocations a data packet; less than %v are allowed", share, most)
	}
}

// large tells whether a scenario has so many switches that building it takes long.
func large(f *scenario.File) bool { return f.Name == "80k" || f.Name == "million" }

// TestLargeScenarios builds the large scenarios at the smallest size of their kind.
func TestLargeScenarios(t *testing.T) {
	for _, name := range []string{"80k", "million"} {
		f, err := weft.Load("scenarios/fatpaths/"+name+".yaml", weft.Builtin(), "topology.order=5")
		if err != nil {
			t.Fatal(err)
		}
		if !large(f) || f.Variants[0].Variant != "slim-fly" || f.Variants[1].Topology.Kind != "jellyfish" {
			t.Errorf("%s has variants %s", name, f.VariantNames())
		}
		if _, err := f.Variants[0].Verify(); err != nil {
			t.Error(err)
		}
	}
}

// TestShippedScenarios validates every scenario file that comes with weft.
func TestShippedScenarios(t *testing.T) {
	files, err := filepath.Glob("scenarios/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	controls, err := filepath.Glob("scenarios/rdma/controls/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(append(files, controls...), func(file string) bool {
		return slices.Contains([]string{"paper.yaml", "claims.yaml"}, filepath.Base(file)) // of a ledger
	})
	folders := map[string]string{}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			f, err := weft.Load(file, weft.Builtin())
			if err != nil {
				t.Fatal(err)
			}
			folder := "out/" + f.Name
			if other := folders[folder]; other != "" {
				t.Errorf("results go to %s, as those of %s do; give one of them another name", folder, other)
			}
			folders[folder] = file
			if large(f) {
				return // its tables take too long; their builders are tested where they are
			}
			for _, s := range f.Variants {
				if _, err := s.Verify(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestBuiltinIsOnesOwn adds to one registry and finds another as it was.
func TestBuiltinIsOnesOwn(t *testing.T) {
	count := func(r *scenario.Registry) (n int) {
		for _, s := range r.Sections() {
			n += len(s.Entries.Names())
		}
		return n
	}
	one, other := weft.Builtin(), weft.Builtin()
	before := count(other)
	if err := one.Topologies.Add(topo.Entries()[0]); err == nil {
		t.Error("an entry was added twice")
	}
	mine := topo.Entries()[0]
	mine.Name = "mine"
	if err := one.Topologies.Add(mine); err != nil {
		t.Fatal(err)
	}
	if count(one) != before+1 || count(other) != before {
		t.Errorf("the registries hold %d and %d entries, each began with %d", count(one), count(other), before)
	}
}
