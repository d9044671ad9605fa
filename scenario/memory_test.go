package scenario_test

import (
	"runtime"
	"strings"
	"testing"
)

// TestTooManyAtOnce: messages that start together and that no machine holds are refused
// where it says how many; as many one after another are not.
func TestTooManyAtOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how much memory there is")
	}
	const top = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\nuntil: 1ms\n"
	for _, kind := range []string{"once", "closed"} {
		_, err := parsed(t, top+"traffic:\n- {name: main, pattern: permutation, size: 4KiB, arrival: {kind: "+kind+", count: 2147483647}}\n").Verify()
		if kind == "closed" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		for _, want := range []string{":5:", "arrival", "17179869176 messages start at once and need at least 4096.0 GiB of memory", "arrival: {kind: closed}"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v\nwant %q", err, want)
			}
		}
	}
}

// TestTooManyPairs: what a transport of hosts holds for pairs of them counts, and depends on
// whom they send to.
func TestTooManyPairs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how much memory there is")
	}
	const top = "weft: 1\ntopology: {kind: leaf-spine, tors: 256, hosts_per_tor: 32, spines: 4}\nfabric: {classes: 2}\ntransport: {congestion: sird, balancer: ops}\n"
	for _, test := range []struct {
		traffic string
		refused bool
	}{
		{"{name: main, pattern: uniform, size: 4KiB, arrival: {kind: closed, count: 30000}}", true},
		{"{name: main, pattern: uniform, size: 4KiB, arrival: {kind: closed, count: 1}}", false},
		{"{name: main, pattern: permutation, size: 4KiB, arrival: {kind: closed, count: 30000}}", false},
	} {
		_, err := parsed(t, top+"traffic:\n- "+test.traffic+"\n").Verify()
		if !test.refused {
			if err != nil {
				t.Errorf("%s: %v", test.traffic, err)
			}
			continue
		}
		if err == nil {
			t.Skip("this machine has the memory")
		}
		for _, want := range []string{":2:", "8192 hosts need at least 3", "of which sird takes 3", "simulate fewer hosts"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v\nwant %q", err, want)
			}
		}
	}
}
