package main

import (
	"context"
	"testing"

	"weft"
	"weft/protocol"
)

// TestOneInEvery has three classes with frames all the time. The first gets what the others do not.
func TestOneInEvery(t *testing.T) {
	g := &guard{every: 5}
	var sent [3]int
	for k := range sent {
		g.Queued(k, 1500, true)
	}
	for range 1000 {
		sent[g.Next(&protocol.Ready{Waiting: 0b111, Open: 0b111})]++
	}
	if want := [3]int{800, 100, 100}; sent != want {
		t.Errorf("sent %v frames of the classes, want %v", sent, want)
	}
	if k := g.Next(&protocol.Ready{Waiting: 0b111, Open: 0b100}); k != 2 {
		t.Errorf("class %d goes while only class 2 may", k)
	}
}

// TestRunsBesideTheBuiltIn runs the example's scenario: under strict priority the last class starves, guarded it has a tenth.
func TestRunsBesideTheBuiltIn(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Schedulers.Add(guarded()); err != nil {
		t.Fatal(err)
	}
	file, err := weft.Load("scenario.yaml", reg)
	if err != nil {
		t.Fatal(err)
	}
	took := map[string]float64{} // of the short message of the last class, in µs
	for _, s := range file.Variants {
		result, err := weft.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n := result.Summary.Unfinished; n > 0 {
			t.Errorf("%s: %d messages unfinished", s.Variant, n)
		}
		for _, g := range result.Summary.Groups {
			if g.Name == "best-effort" {
				took[s.Variant] = float64(g.FCT.Max) / 1e6
			}
		}
	}
	// 1 MB in 244 frames of 4160 B, one in ten: 244 · 10 · 0.333 µs. Strictly it waits for 20 MB, 1.6 ms.
	if strict, g := took["strict"], took["guarded"]; strict < 1600 || g < 780 || g > 880 {
		t.Errorf("1 MB of the last class takes %.0f µs under strict priority and %.0f guarded, want more than 1600 and about 813", strict, g)
	}
}
