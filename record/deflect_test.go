package record

import (
	"testing"

	"weft/unit"
)

// What a summary says of deflections as metrics, and that a run without has none.
func TestDeflectionMetrics(t *testing.T) {
	s := sample().Summary
	s.Deflections.MeanRows(3*unit.Microsecond, 2*unit.Microsecond)
	want := map[string]float64{
		"deflections": 41, "deflected_messages": 12, "deflect_rows_max": 3, "deflect_rows_mean": 1.5,
		"deflect_below_threshold": 700, "deflect_no_tokens": 1, "deflect_table_full": 2, "deflect_no_port": 3,
	}
	found := 0
	for _, m := range s.Metrics() {
		if v, ok := want[m.Name]; ok {
			found++
			if m.Value != v {
				t.Errorf("%s is %v, want %v", m.Name, m.Value, v)
			}
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d metrics", found, len(want))
	}
	if hot := s.Deflections.Refused.Hot(); hot != 6 {
		t.Errorf("%d first packets met a long queue and were refused, want 6", hot)
	}
	s.Deflections = nil
	for _, m := range s.Metrics() {
		if _, ok := want[m.Name]; ok {
			t.Errorf("a run without deflection has %s", m.Name)
		}
	}
}
