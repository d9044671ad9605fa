package scenario_test

import (
	"regexp"
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
		for _, want := range []string{":5:", "arrival", "17179869176 messages start at once and need at least 7168.0 GiB of memory", "arrival: {kind: closed}"} {
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
		for _, want := range []string{":2:", "8192 hosts need at least 3", "(sird takes 3", "simulate fewer hosts"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v\nwant %q", err, want)
			}
		}
	}
}

// TestTooManyStart: messages of a load that no link carries wait, and the others have rows.
func TestTooManyStart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how much memory there is")
	}
	const text = `weft: 1
topology: {kind: star, hosts: 8}
traffic: [{name: a, pattern: uniform, size: 1B, arrival: {kind: poisson, load: 200%}}]
transport: {connection: pool, pool: 65536}
until: 10s
`
	for _, test := range []struct{ old, new, want string }{
		{"", "", "about 8e+12 messages start by 10s, and about 8e+12 of them wait or have a row then; they need at least 19"},
		{"connection: pool, pool: 65536", "connection: pair", "GiB is available; write until: "},
		{"200%", "1%", "about 4e+10 messages start by 10s, and about 4e+10 "},
		{"200%}", "200%}, start: 1s, stop: 9s", "write stop: 10000"},
		{"200%}}]", "3%}}]\nmeasure: {from: 9s}", "GiB is available; make messages larger, lower"},
		{"200%}}]", "1%}}]\nmeasure: {from: 9999999us}", ""},
		{"200%}}]", "1%}}]\nrecord: {flows: sample}", ""},
		{"10s", "1us", ""},
		{"size: 1B", "size: 1GB", ""},
		{"pool: 65536}", "pool: 65536, balancer: {kind: bitmap, entropies: 65536}}", "GiB is available; write until: "},
		{"pool: 65536}\nuntil: 10s", "pool: 65536, balancer: {kind: bitmap, entropies: 65536}}\nuntil: 10us", "need at least 19"}, // lists of choosers
		{"pool: 65536}\nuntil: 10s", "pool: 65536, balancer: {kind: bitmap, entropies: 64}}\nuntil: 10us", ""},
		{"load: 200%", "load: 200%, count: 10", ""},
	} {
		changed := strings.Replace(text, test.old, test.new, 1)
		_, err := parsed(t, changed).Verify()
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.new, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), ":3:") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v\nwant %q", test.new, err, test.want)
			continue
		}
		remedy := regexp.MustCompile(`write (until|stop): (\S+) or less`).FindStringSubmatch(err.Error())
		if remedy == nil {
			continue
		}
		key, value := remedy[1], remedy[2]
		advised := regexp.MustCompile(key+`: \d+u?s`).ReplaceAllString(changed, key+": "+value)
		if _, err := parsed(t, advised).Verify(); err != nil || advised == changed {
			t.Errorf("%s: with the remedy, %s: %s: %v", test.new, key, value, err)
		}
	}
}
