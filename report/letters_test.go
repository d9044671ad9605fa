package report

import (
	"testing"
	"weft/internal/readable"
)

// TestLetters leaves letters that stand for numbers as they are: a capital ρ looks like P.
func TestLetters(t *testing.T) {
	for name, want := range map[string]string{"ρ": "ρ", "n": "n", "topology": "Topology", "hosts_per_tor": "hosts_per_tor"} {
		if got := titleCase(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for label, want := range map[string]string{"ρ (%)": "ρ (%)", "λ": "λ", "p99 FCT (µs)": "p99 FCT (µs)", "load (%)": "Load (%)"} {
		if got := readable.Capital(label); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}
