package main

import (
	"context"
	"testing"

	"weft"
	"weft/protocol"
	"weft/unit"
)

// TestMarksAfterAnInterval lets frames wait above the target, one a microsecond: the first
// mark comes after an interval, the next ones by the law of its square root.
func TestMarksAfterAnInterval(t *testing.T) {
	const us = unit.Microsecond
	c := &queue{target: 10 * us, interval: 100 * us}
	var marks []unit.Time
	for now := us; now < 500*us; now += us {
		if c.Left(protocol.Queue{Now: now, Frame: 1000, Class: 50000}, 20*us) {
			marks = append(marks, now/us)
		}
	}
	want := []unit.Time{101, 201, 272, 330, 380, 425, 465} // each 100/√n after the last
	if len(marks) != len(want) {
		t.Fatalf("marked at %d µs, want %d", marks, want)
	}
	for i := range marks {
		if marks[i] != want[i] {
			t.Fatalf("marked at %d µs, want %d", marks, want)
		}
	}
	if c.Left(protocol.Queue{Now: 500 * us, Frame: 1000, Class: 50000}, 5*us) || c.dropping {
		t.Error("marks on though the wait is below the target")
	}
}

// TestRunsBesideTheBuiltIn runs the example's scenario.
func TestRunsBesideTheBuiltIn(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Markings.Add(codel()); err != nil {
		t.Fatal(err)
	}
	file, err := weft.Load("scenario.yaml", reg)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Variants) != 3 {
		t.Fatalf("%d variants, want 3", len(file.Variants))
	}
	for _, s := range file.Variants {
		result, err := weft.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n := result.Summary.Unfinished; n > 0 || result.Summary.ECNMarks == 0 {
			t.Errorf("%s: %d messages unfinished, %d marks", s.Variant, n, result.Summary.ECNMarks)
		}
	}
}
