package topo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/unit"
)

const netbenchRun = `# Topology
scenario_topology_file=topologies/ring.topology
scenario_topology_extend_with_servers=regular
scenario_topology_extend_servers_per_tl_node=2

seed=1
link=perfect_simple
link_delay_ns=20.5
link_bandwidth_bit_per_ns=2.5
`

// ringOfToRs is a topology whose servers are the ToRs themselves.
const ringOfToRs = "|V|=3\n|E|=6\nToRs=set(0,1,2)\nServers=set(0,1,2)\nSwitches=set()\n0 1\n1 0\n1 2\n2 1\n2 0\n0 2\n"

// TestNetbenchRun reads a run that lies two folders below the one that its topology
// is named from, as netbench's examples do.
func TestNetbenchRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"example/runs/ring.properties": netbenchRun, "topologies/ring.topology": ringOfToRs} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "example", "runs", "ring.properties")
	read := map[string]func() (*Graph, error){
		"by its extension": func() (*Graph, error) { return ReadFile(path, defaults) },
		"by its format":    func() (*Graph, error) { return format(t, "netbench").ReadFile(path, defaults) },
	}
	for how, get := range read {
		g, err := get()
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		if len(g.Hosts) != 6 || len(g.Nodes) != 9 || len(g.Links) != 9 {
			t.Errorf("%s: %d hosts, %d nodes, %d links", how, len(g.Hosts), len(g.Nodes), len(g.Links))
		}
		for _, l := range g.Links {
			if l.Rate != 2_500_000_000 || l.Delay != 20_500*unit.Picosecond {
				t.Errorf("%s: a link of %v and %v", how, l.Rate, l.Delay)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, "topologies", "ring.topology")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path, defaults); err == nil || !strings.Contains(err.Error(), "neither in this folder nor in a parent; correct scenario_topology_file") {
		t.Errorf("without its topology: %v", err)
	}
}

func TestNetbenchRunRefuses(t *testing.T) {
	for _, c := range []struct{ what, text, wrong string }{
		{"empty", "", "x: scenario_topology_file is missing"},
		{"no value", "scenario_topology_file=\n", "x:1:1: scenario_topology_file has no value"},
		{"twice", "link_delay_ns=1\nlink_delay_ns=2\n", "x:2:1: link_delay_ns is already given (x:1:1)"},
		{"other extension", "scenario_topology_file=a\nscenario_topology_extend_with_servers=odd\n", `x:2:1: scenario_topology_extend_with_servers is "odd"; only regular is supported`},
		{"no number", "scenario_topology_file=a\nscenario_topology_extend_with_servers=regular\n", "x:2:1: scenario_topology_extend_servers_per_tl_node is missing"},
		{"no servers", "scenario_topology_file=a\nscenario_topology_extend_with_servers=regular\nscenario_topology_extend_servers_per_tl_node=0\n", `x:3:1: scenario_topology_extend_servers_per_tl_node: "0" is not a whole number`},
		{"no rate", "scenario_topology_file=a\nlink_bandwidth_bit_per_ns=0\n", "x:2:1: link_bandwidth_bit_per_ns: a link of rate 0"},
		{"bad delay", "scenario_topology_file=a\nlink_delay_ns=soon\n", "x:2:1: link_delay_ns: "},
	} {
		if _, err := ReadNetbenchRun(strings.NewReader(c.text), "x"); err == nil || !strings.HasPrefix(err.Error(), c.wrong) {
			t.Errorf("%s: got %v, want %s", c.what, err, c.wrong)
		}
	}
}
