package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestKeysOfExplanationsAreDocumented looks for each key of weft explain --json in the
// section about it.
func TestKeysOfExplanationsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "## Why a message took its time")
	if !ok {
		t.Fatal("there is no section about explanations")
	}
	for _, of := range []any{explanationJSON{}, partJSON{}, portJSON{}, slowJSON{}, stepJSON{}, segmentJSON{}, packetJSON{}, hopJSON{}} {
		for f := range reflect.TypeOf(of).Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !strings.Contains(section, "`"+key+"`") {
				t.Errorf("%T: %s is not documented", of, key)
			}
		}
	}
}
