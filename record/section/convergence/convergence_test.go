package convergence

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"weft/unit"
)

// TestJSON: what is written is read again, with times in microseconds.
func TestJSON(t *testing.T) {
	for _, s := range []Times{{}, {Count: 3, P50: 12_500 * unit.Nanosecond, P90: 13 * unit.Microsecond, P99: unit.Millisecond, Worst: unit.Second}} {
		text, err := json.Marshal(&s)
		if err != nil || s.Count > 0 && !strings.Contains(string(text), `"p50_us":12.5,`) {
			t.Errorf("%s, %v", text, err)
		}
		var again Times
		if err := json.Unmarshal(text, &again); err != nil || again != s {
			t.Errorf("%+v is %+v, %v", s, again, err)
		}
	}
}

// TestShown: metrics and columns say the same, and nothing of what was not measured.
func TestShown(t *testing.T) {
	s := &Times{Count: 3, P50: 12_500 * unit.Nanosecond, P99: 14 * unit.Microsecond}
	if m := s.Metrics(nil); m[0].Value != 3 || m[1].Name != "convergence_p50_us" || m[1].Value != 12.5 || m[3].Value != 14 {
		t.Errorf("%+v", m)
	}
	if c := s.Columns(nil); c[0].Text != "12.50" || c[1].Text != "14.00" {
		t.Errorf("%+v", c)
	}
	none := new(Times)
	if m, c := none.Metrics(nil), none.Columns(nil); m[0].Value != 0 || !math.IsNaN(m[1].Value) || c[0].Text != "-" {
		t.Errorf("%+v, %+v", m, c)
	}
}
