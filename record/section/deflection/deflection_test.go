package deflection

import (
	"testing"

	"weft/unit"
)

// What the section says as metrics, and how many first packets its column calls refused.
func TestMetrics(t *testing.T) {
	s := &Counts{Hops: 41, Messages: 12, RowsMax: 3, Refused: Refusals{700, 1, 2, 3}}
	s.MeanRows(3*unit.Microsecond, 2*unit.Microsecond)
	want := map[string]float64{
		"deflections": 41, "deflected_messages": 12, "deflect_rows_max": 3, "deflect_rows_mean": 1.5,
		"deflect_below_threshold": 700, "deflect_no_tokens": 1, "deflect_table_full": 2, "deflect_no_port": 3,
	}
	found := 0
	for _, m := range s.Metrics(nil) {
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
	if refused := s.Columns(nil)[1].Text; refused != "6" {
		t.Errorf("%s first packets met a long queue and were refused, want 6", refused)
	}
}
