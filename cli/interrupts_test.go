package cli_test

import (
	"os"
	"slices"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"weft"
	"weft/catalog"
	"weft/scenario"
	"weft/topo"
)

// stalled returns a registry with a topology that is never built: its builder makes the
// file "building" and waits for ever. Where the process of a variant is to be the first that
// builds it, its parent gets a star.
func stalled() *scenario.Registry {
	reg := weft.Builtin()
	type options struct {
		Child bool `yaml:"child" default:"false" doc:"Stall in the process of a variant alone."`
	}
	err := reg.Topologies.Add(catalog.Define("endless", "is never built", "", func(o options) (*topo.Graph, error) {
		if o.Child && !slices.Contains(os.Args, "run-variant") {
			return topo.Star{Hosts: 2, Rate: 100e9}.Build()
		}
		if err := os.WriteFile("building", nil, 0o666); err != nil {
			return nil, err
		}
		for {
			time.Sleep(time.Hour)
		}
	}))
	if err != nil {
		panic(err)
	}
	return reg
}

// appears is the command of scripts "appears FILE", which waits for a file.
func appears(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: appears FILE")
	}
	const patience = time.Minute // by then something is wrong
	for began := time.Now(); time.Since(began) < patience; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
	}
	ts.Fatalf("%s does not appear", args[0])
}
