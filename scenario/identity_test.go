package scenario_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestIdentityOfNetbench: the identity of a scenario changes with the topology file that properties of netbench name.
func TestIdentityOfNetbench(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const topology = "|V|=2\n|E|=2\nToRs=incl_range(0,1)\nServers=set()\nSwitches=set()\n0 1\n1 0\n"
	run := put("run.properties", "scenario_topology_file=two.topology\nlink_bandwidth_bit_per_ns=10\nlink_delay_ns=20\n")
	text := "weft: 1\nname: x\ntopology: {kind: graph, file: " + run + ", hosts_per_switch: 2}\ntraffic: [{name: f, pattern: permutation, size: 1KiB}]\n"
	put("two.topology", topology)
	id := identityOf(t, parsed(t, text))
	if identityOf(t, parsed(t, text)) != id {
		t.Error("the identity differs without a change")
	}
	put("two.topology", "# another\n"+topology)
	s := parsed(t, text)
	if identityOf(t, s) == id {
		t.Error("the identity is the same with another topology file")
	}
	sums := map[string]string{}
	if got, err := s.Identity(sums); err != nil || got != identityOf(t, s) || len(sums) != 2 {
		t.Error(got, err, sums)
	}
}
