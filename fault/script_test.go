package fault

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/catalog"
	"weft/topo"
	"weft/unit"
)

// written returns the fault of a script.
func written(t testing.TB, text string) Script {
	t.Helper()
	path := filepath.Join(t.TempDir(), "failures.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Script{File: catalog.Path(path), Reading: readingCode}
}

// grid is 4 ToRs with 4 hosts each under 4 spines: 16 links of hosts and 16 between switches.
func grid(t testing.TB) *topo.Graph {
	t.Helper()
	g, err := topo.LeafSpine{ToRs: 4, HostsPerToR: 4, Spines: 4, LinksPerSpine: 1, Rate: 100 * unit.Gbps, Delay: us}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func expand(t testing.TB, g *topo.Graph, f Fault, seed uint64) []Episode {
	t.Helper()
	episodes, _, err := f.Expand(Site{Graph: g, Rand: rand.NewPCG(seed, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return episodes
}

func TestReadScript(t *testing.T) {
	text := "\ufeffStop-Failures-After: 1000000000\r\n\n# nothing else\nRandom-Packet-Drop: ON # at random\nRandom-Packet-Drop-Rate: 4\nSwitch-Fail: ON\nSwitch-Fail-Start-After: 100000000\n" +
		"Switch-Fail-Period: 1e6\nSwitch-Fail-Max-Percent: 0.05\nSwitch-Fail-Duration: ON\nSwitch-Fail-Duration-Time: 2\nCable-Fail: OFF\nCable-Fail-Period: 7\nSwitch-BER: OFF\nSwitch-BER-Max-Percent: 0.01\n" +
		"Cable-Degradation: ON\nOnly-US-CS-Cable: ON\nCable-Fail-Percent-Per-Switch: OFF\nSwitch-Degradation-Percent: 0.5\nNIC-Fail: OFF\nNIC-Fail-Max-Percent:0.1"
	got, err := readScript(text, "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := &script{
		switchFail: failing{on: true, start: 100 * us, period: us, most: 0.05, lasts: true, duration: 2},
		cableFail:  failing{period: 7},
		switchSlow: failing{most: 1},
		cableSlow:  failing{on: true, most: 1},
		coreOnly:   true, slowShare: 0.5, drop: true, dropRate: 4, stop: unit.Millisecond,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(script{}, failing{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadScriptRefuses(t *testing.T) {
	for _, test := range []struct{ text, wrong string }{
		{"", "x.txt: the failure script turns nothing on; write ON for a failure, as in Cable-Fail: ON"},
		{"Cable-Fail: OFF\n", "x.txt: the failure script turns nothing on"},
		{"Nodes 4\n", `x.txt:1:1: "Nodes 4" is no line of a failure script of htsim (failures_input); write KEY: VALUE, as in Cable-Fail: ON`},
		{"\n  Cable-Fial: ON\n", `x.txt:2:3: a failure script of htsim has no key "Cable-Fial"; did you mean "Cable-Fail"?`},
		{"Cable-Fail: ON\nCable-Fail: ON\n", "x.txt:2:1: Cable-Fail is already given in line 1; leave one"},
		{"Cable-Fail:\n", "x.txt:1:1: Cable-Fail has 0 values; write one after the colon"},
		{"Cable-Fail: ON OFF\n", "x.txt:1:1: Cable-Fail has 2 values"},
		{"Cable-Fail: yes\n", `x.txt:1:13: Cable-Fail is "yes"; write ON or OFF`},
		{"Cable-Fail-Start-After: -1\n", `x.txt:1:25: Cable-Fail-Start-After is "-1"; write a number of picoseconds`},
		{"Cable-Fail-Period: 1e30\n", "write a number of picoseconds"},
		{"Cable-Fail-Max-Percent: 10\n", `x.txt:1:25: Cable-Fail-Max-Percent is "10"; write a number from 0 to 1`},
		{"Cable-Fail-Max-Percent: NaN\n", "write a number from 0 to 1"},
		{"Random-Packet-Drop-Rate: 0.5\n", "write a whole number from 1 to 18"},
		{"Switch-BER: ON\n", `x.txt:1:13: Switch-BER is "ON"; weft has no such failure: write OFF, and in the scenario a fault such as {kind: loss,`},
		{"NIC-Fail: on\n", `NIC-Fail is "on"; write ON or OFF`},
		{"NIC-Fail-Period: x\n", `NIC-Fail-Period is "x"; write a number`},
		{"Random-Packet-Drop: ON\n", "x.txt: Random-Packet-Drop is ON, but Random-Packet-Drop-Rate is missing; write it as in"},
		{"Cable-Fail: ON\nCable-Fail-Duration: ON\n", "x.txt: Cable-Fail-Duration is ON, but Cable-Fail-Duration-Time is missing or 0; write the picoseconds that a failure lasts"},
	} {
		if _, err := readScript(test.text, "x.txt"); err == nil || !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%q: got %v, want %q", test.text, err, test.wrong)
		}
	}
}

// TestScriptCounts counts what fails by either reading, and checks that every two hosts stay connected.
func TestScriptCounts(t *testing.T) {
	g := grid(t) // 32 links, 8 switches
	const cables, switches = "Cable-Fail: ON\nCable-Fail-Max-Percent: ", "Switch-Fail: ON\nSwitch-Fail-Max-Percent: "
	for _, test := range []struct {
		text         string
		code, readme int // ports down
	}{
		{cables + "0.1", 4, 3 * 2},
		{cables + "0.09375", 4, 3 * 2}, // exactly 3 of 32
		{cables + "0.01", 1, 1 * 2},
		{cables + "0", 1, 1 * 2},
		{"Cable-Fail: ON", 1, 1 * 2},
		{cables + "1", 1, -1},
		{switches + "0.2", 1 * 2 * 4, 1 * 2 * 4},
		{switches + "0.25", 2 * 2 * 4, 2 * 2 * 4},
		{switches + "1", 1 * 2 * 4, 3 * 2 * 4}, // one spine stays
	} {
		for reading, want := range map[string]int{readingCode: test.code, readingReadme: test.readme} {
			o := written(t, test.text)
			o.Reading = reading
			for seed := range uint64(5) {
				tl, err := NewTimeline([]Fault{o}, g, seed, Options{})
				if err != nil {
					t.Fatalf("%q, %s: %v", test.text, reading, err)
				}
				down := 0
				for _, c := range tl.Changes {
					if c.At != 0 || c.What != Down {
						t.Errorf("%q, %s: %+v", test.text, reading, c)
					}
					down++
				}
				switch {
				case want < 0:
					// Whatever is left, every two hosts need.
					broken := make([]bool, len(g.Links))
					for _, c := range tl.Changes {
						broken[c.Port.Link()] = true
					}
					safe := newConnectivity(g, nil)
					copy(safe.broken, broken)
					for l := range g.Links {
						if !broken[l] && len(safe.harmless([]member{{ports: []topo.PortID{topo.PortID(2 * l)}}}, 1)) > 0 {
							t.Errorf("%q: %s could fail, too", test.text, g.PortName(topo.PortID(2*l)))
						}
					}
				case want >= 0 && down != want:
					t.Errorf("%q, %s: %d ports fail, want %d", test.text, reading, down, want)
				}
			}
		}
	}
}

// TestScriptDraws holds that the seed chooses, and any link can be chosen.
func TestScriptDraws(t *testing.T) {
	g := grid(t)
	o := written(t, "Cable-Fail: ON")
	drawn := map[topo.PortID]bool{}
	for seed := range uint64(400) {
		e := expand(t, g, o, seed)
		drawn[e[0].Port] = true
		if again := expand(t, g, o, seed); !slices.Equal(e, again) {
			t.Fatalf("seed %d: %v and %v", seed, e, again)
		}
	}
	if len(drawn) != 32 { // both directions of 16 links
		t.Errorf("%d ports can fail, want 32", len(drawn))
	}
}

func TestScriptTimes(t *testing.T) {
	g := grid(t)
	spans := func(o Script) (list []string) {
		for _, e := range expand(t, g, o, 1) {
			list = append(list, fmt.Sprintf("%v-%v", e.From, e.To))
		}
		return list
	}
	forever := func(times ...string) (list []string) {
		for _, at := range times {
			list = append(list, at+"-"+unit.Forever.String())
		}
		return list
	}
	for _, test := range []struct {
		name, text string
		until      *unit.Time
		want       []string
	}{
		{"one after another", "Cable-Fail: ON\nCable-Fail-Start-After: 100000000\nCable-Fail-Period: 10000000\nCable-Fail-Max-Percent: 0.1", nil,
			forever("100us", "110us", "120us", "130us")},
		{"until", "Cable-Fail: ON\nCable-Fail-Start-After: 100000000\nCable-Fail-Period: 10000000\nCable-Fail-Max-Percent: 0.1", ptr(120 * us),
			forever("100us", "110us")},
		{"stop", "Stop-Failures-After: 115000000\nCable-Fail: ON\nCable-Fail-Start-After: 100000000\nCable-Fail-Period: 10000000\nCable-Fail-Max-Percent: 0.1", nil,
			[]string{"100us-115us", "110us-115us"}},
		{"again and again", "Cable-Fail: ON\nCable-Fail-Period: 100000000\nCable-Fail-Duration: ON\nCable-Fail-Duration-Time: 50000000\nCable-Fail-Max-Percent: 1", ptr(350 * us),
			[]string{"0s-50us", "100us-150us", "200us-250us", "300us-350us"}},
		// Two may be down at a time: the third waits for the first to recover.
		{"waiting", "Cable-Fail: ON\nCable-Fail-Period: 10000000\nCable-Fail-Duration: ON\nCable-Fail-Duration-Time: 50000000\nCable-Fail-Max-Percent: 0.05", ptr(75 * us),
			[]string{"0s-50us", "10us-60us", "50us-100us", "60us-110us"}},
		{"rarely", "Cable-Fail: ON\nCable-Fail-Period: 5000000000000000000\nCable-Fail-Duration: ON\nCable-Fail-Duration-Time: 1000000\nCable-Fail-Max-Percent: 1", nil,
			[]string{"0s-1us"}},
	} {
		o := written(t, test.text)
		o.Until = test.until
		if test.name == "rarely" {
			o.Until = ptr(unit.Second)
		}
		if diff := cmp.Diff(test.want, spans(o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestScriptCoreOnly(t *testing.T) {
	g, err := topo.FatTree{Tiers: 3, Radix: ptr(4), Rate: unit.Gbps, Delay: us}.Build()
	if err != nil {
		t.Fatal(err)
	}
	// 8 aggregation switches and 4 cores with 4 ports each: of a quarter, 2 of each switch's fail, but
	// an aggregation switch has 2 to cores, and must keep one.
	o := written(t, "Cable-Fail: ON\nOnly-US-CS-Cable: ON\nCable-Fail-Percent-Per-Switch: ON\nCable-Fail-Max-Percent: 0.25")
	for seed := range uint64(10) {
		sends := map[topo.NodeID]int{}
		for _, e := range expand(t, g, o, seed) {
			from, to := g.Ends(e.Port)
			if tiers := g.Nodes[from].Tier + g.Nodes[to].Tier; tiers != 2+3 {
				t.Fatalf("%s fails", g.PortName(e.Port))
			}
			sends[from]++
		}
		for n, count := range sends {
			if count > 2 {
				t.Errorf("%d ports of %s fail", count, g.Nodes[n].Name)
			}
		}
		if len(sends) < 4 {
			t.Errorf("ports of %d switches fail", len(sends))
		}
		if _, err := NewTimeline([]Fault{o}, g, seed, Options{}); err != nil {
			t.Error(err)
		}
	}
}

func TestScriptDegrades(t *testing.T) {
	g := grid(t)
	for reading, rate := range map[string]unit.Rate{readingCode: 10 * unit.Gbps, readingReadme: unit.Kbps} {
		o := written(t, "Switch-Degradation: ON\nSwitch-Degradation-Start-After: 1000000\nSwitch-Degradation-Max-Percent: 0.1")
		o.Reading = reading
		slow, lossy := 0, 0
		for _, e := range expand(t, g, o, 1) {
			switch {
			case e.From != us || e.To != unit.Forever:
				t.Errorf("%+v", e)
			case e.What == SetRate && e.Rate == rate:
				slow++
			case e.What == SetLoss && e.Loss == 0.1:
				lossy++
			default:
				t.Errorf("%s: %+v", reading, e)
			}
		}
		if slow != lossy || slow != 4 && slow != 8 { // a spine, or a ToR with its hosts
			t.Errorf("%s: %d slow and %d lossy ports", reading, slow, lossy)
		}
	}
	counts := map[unit.Ratio]int{}
	const seeds = 3000
	o := written(t, "Cable-Degradation: ON")
	for seed := range uint64(seeds) {
		for _, e := range expand(t, g, o, seed) {
			counts[e.Loss]++
		}
	}
	// Three standard deviations.
	for loss, p := range map[unit.Ratio]float64{0.33: 0.9, 0.66: 0.09, 1: 0.01} {
		if n, d := float64(counts[loss]), 3*54.8*0.3; n < seeds*p-d || n > seeds*p+d {
			t.Errorf("a loss of %v is drawn %v times of %d", loss, n, seeds)
		}
	}
	if len(counts) != 3 {
		t.Errorf("%v", counts)
	}
}

func TestScriptDrops(t *testing.T) {
	g := grid(t)
	for _, e := range expand(t, g, written(t, "Random-Packet-Drop: ON\nRandom-Packet-Drop-Rate: 4\nStop-Failures-After: 1000000"), 1) {
		from, _ := g.Ends(e.Port)
		if e.What != SetLoss || e.Loss != 1e-4 || e.From != 0 || e.To != us || g.Nodes[from].Kind != topo.Host {
			t.Errorf("%+v of %s", e, g.PortName(e.Port))
		}
	}
}

func TestScriptRefuses(t *testing.T) {
	star, err := topo.Star{Hosts: 4, Rate: unit.Gbps, Delay: us}.Build()
	if err != nil {
		t.Fatal(err)
	}
	chain, err := topo.LeafSpine{ToRs: 2, HostsPerToR: 2, Spines: 1, LinksPerSpine: 1, Rate: unit.Gbps, Delay: us}.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		graph      *topo.Graph
		wrong      string
	}{
		{"no cables", "Cable-Fail: ON", star, "script: no link joins two switches, so that no cable can fail; take another topology"},
		{"two tiers", "Cable-Fail: ON\nOnly-US-CS-Cable: ON", grid(t), "script: Only-US-CS-Cable is ON, but no link joins switches of the tiers 2 and 3"},
		{"needed", "Cable-Fail: ON", chain, "script: no link can fail with a shortest path left for every two hosts"},
		{"needed switch", "Switch-Fail: ON", chain, "script: no switch can fail with a shortest path left"},
		{"needed again", "Cable-Fail: ON\nCable-Fail-Duration: ON\nCable-Fail-Duration-Time: 5", chain, "script: no link can fail with a shortest path left"},
		{"without end", "Cable-Fail: ON\nCable-Fail-Duration: ON\nCable-Fail-Duration-Time: 5", grid(t), "script: failures of directions of links begin again and again, more than 1000 times; set until, or Stop-Failures-After in the script"},
		{"stopped", "Stop-Failures-After: 5\nCable-Fail: ON\nCable-Fail-Start-After: 5", grid(t), "script: failures of directions of links begin at 5ps, when they have stopped at 5ps"},
		{"per switch", "Cable-Fail: ON\nCable-Fail-Duration: ON\nCable-Fail-Duration-Time: 5\nCable-Fail-Percent-Per-Switch: ON", grid(t), "which weft does not support; turn one of them off"},
		{"broken", "Cable-Fail", grid(t), `failures.txt:1:1: "Cable-Fail" is no line`},
	} {
		o := written(t, test.text)
		_, _, err := o.Expand(Site{Graph: test.graph, Rand: rand.NewPCG(1, 0)})
		if err == nil || !strings.Contains(err.Error(), test.wrong) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.wrong)
		}
	}
	if _, _, err := (Script{File: "none.txt"}).Expand(Site{Graph: star}); err == nil || !strings.Contains(err.Error(), "script: the failure script cannot be read: stat none.txt") {
		t.Errorf("a missing file: %v", err)
	}
}

// TestScriptKeepsHostsConnected holds for any script of failures, after any other fault.
func TestScriptKeepsHostsConnected(t *testing.T) {
	g := grid(t)
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for _, name := range []string{"Switch-Fail", "Cable-Fail", "Switch-Degradation", "Cable-Degradation"} {
			if !rapid.Bool().Draw(t, name) {
				continue
			}
			fmt.Fprintf(&b, "%s: ON\n%[1]s-Start-After: %[2]d\n%[1]s-Period: %[3]d\n%[1]s-Max-Percent: %[4]v\n", name,
				rapid.IntRange(0, 3).Draw(t, "start"), rapid.IntRange(0, 3).Draw(t, "period"), rapid.SampledFrom([]float64{0.01, 0.1, 0.4, 1}).Draw(t, "share"))
			if strings.HasSuffix(name, "Fail") && rapid.Bool().Draw(t, "lasts") {
				fmt.Fprintf(&b, "%s-Duration: ON\n%[1]s-Duration-Time: %[2]d\n", name, rapid.IntRange(1, 9).Draw(t, "duration"))
			}
		}
		if b.Len() == 0 {
			return
		}
		path := filepath.Join(dir, "failures.txt")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		o := Script{File: catalog.Path(path), Reading: rapid.SampledFrom([]string{readingCode, readingReadme}).Draw(t, "reading"), Until: ptr(unit.Time(20))}
		before := LinkDown{Where: Where{Links: []string{"tor0->spine0"}}}
		tl, err := NewTimeline([]Fault{before, o}, g, rapid.Uint64().Draw(t, "seed"), Options{})
		if err != nil && !strings.Contains(err.Error(), "can fail with a shortest path left") {
			t.Fatalf("%v of\n%s", err, b.String())
		}
		if err == nil && len(tl.Struck) != 2 {
			t.Fatal("no faults")
		}
	})
}

func FuzzScript(f *testing.F) {
	f.Add("Cable-Fail: ON\nCable-Fail-Start-After: 0\nCable-Fail-Period: 0\nCable-Fail-Max-Percent: 0.1")
	f.Add("\ufeffSwitch-Fail: ON # one\r\nSwitch-Fail-Duration: ON\nSwitch-Fail-Duration-Time: 1e6\nStop-Failures-After: 5\n\n")
	f.Add("NIC-Fail-Max-Percent:0.1\nRandom-Packet-Drop: ON\nRandom-Packet-Drop-Rate: 4\nSwitch-BER: OFF")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readScript(text, "x.txt")
		if err != nil {
			if len(err.Error()) > 4000 || !strings.HasPrefix(err.Error(), "x.txt:") {
				t.Errorf("message: %v", err)
			}
			return
		}
		if !s.on() || s.slowShare < 0 || s.cableFail.start < 0 || s.stop < 0 {
			t.Errorf("%+v", s)
		}
	})
}
