package scenario_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"weft"
	"weft/catalog"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// TestLeastTimes gives every option that is a time, of the file and of every entry of the catalog, the least value that it may
// have. Such a scenario is refused, or its run ends: no interval of zero keeps it at one instant.
func TestLeastTimes(t *testing.T) {
	t.Parallel()
	const base = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps}
traffic:
  - {name: a, pattern: {kind: incast, receiver: host0}, size: 20KB}
  - {name: b, pattern: permutation, size: 30KB, start: 30us}
record: {ports: ["*->host0"], windows: ["*->*"]}
until: 300us
`
	var sets []string
	timesOf(reflect.TypeFor[scenario.Spec](), "", func(path, value string) {
		sets = append(sets, path+"="+value)
	})
	for _, s := range weft.Builtin().Sections() {
		for _, name := range s.Entries.Names() {
			info, _ := s.Entries.Find(name)
			timesOf(info.Options, "", func(option, value string) {
				choice := fmt.Sprintf("{kind: %s, %s: %s}", name, option, value)
				switch s.Key {
				case "transport.congestion", "transport.balancer", "routing.policy", "fabric.ecn":
					sets = append(sets, s.Key+"="+choice)
				case "traffic[].arrival":
					sets = append(sets, "traffic.a.arrival="+choice)
				}
			})
		}
	}
	ran := 0
	for _, set := range sets {
		f, err := scenario.Parse("x.yaml", []byte(base), weft.Builtin(), []string{set})
		if err != nil {
			continue // it goes with other options only, or is refused
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		began := time.Now()
		res, err := scenario.Run(ctx, f.Variants[0], scenario.RunOptions{})
		cancel()
		if err != nil {
			if strings.Contains(err.Error(), "fault of weft") {
				t.Errorf("%s: %v", set, err)
			}
			continue
		}
		ran++
		if res.Summary.Ended == record.Interrupted {
			t.Errorf("%s: it did not end", set)
		}
		if took := time.Since(began); took > time.Second {
			t.Logf("%s: took %v, %d events", set, took, res.Summary.Events)
		}
	}
	if t.Logf("%d of %d scenarios ran", ran, len(sets)); 2*ran < len(sets) {
		t.Errorf("only %d of %d scenarios with the least times ran", ran, len(sets))
	}
}

// timesOf yields the options of a type, and of the structs in it, that are times, each with its least value.
func timesOf(t reflect.Type, prefix string, yield func(path, value string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	fields, err := catalog.Fields(t)
	if _, choice := reflect.New(t).Interface().(catalog.Chooser); err != nil || choice {
		return
	}
	for _, f := range fields {
		of := f.Type
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case of != reflect.TypeFor[unit.Time]():
			if strings.Count(prefix, ".") < 4 && f.Name != "traffic" {
				timesOf(of, prefix+f.Name+".", yield)
			}
		case f.Min != "":
			yield(prefix+f.Name, f.Min)
		default:
			yield(prefix+f.Name, "0s")
			yield(prefix+f.Name, "1ps")
		}
	}
}
