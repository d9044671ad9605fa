package main

import (
	"context"
	"testing"

	"weft"
)

// TestRunsBesideTheBuiltIn runs the example's scenario.
func TestRunsBesideTheBuiltIn(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Balancers.Add(walk()); err != nil {
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
		if n := result.Summary.Unfinished; n > 0 {
			t.Errorf("%s: %d messages unfinished", s.Variant, n)
		}
	}
}
