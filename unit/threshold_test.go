package unit

import (
	"strings"
	"testing"
)

// TestThresholdText reads and writes thresholds.
func TestThresholdText(t *testing.T) {
	for _, text := range []string{"inf", "0.5BDP", "48114B", "0B"} {
		var v Threshold
		if err := v.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := v.MarshalText(); err != nil || string(got) != text {
			t.Errorf("%s is written as %s, error %v", text, got, err)
		}
	}
	var v Threshold
	if err := v.UnmarshalText([]byte("soon")); err == nil || !strings.Contains(err.Error(), "inf") {
		t.Errorf("error %v", err)
	}
}
