package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"weft/scenario"
	"weft/study"
)

func TestProgressLine(t *testing.T) {
	v := &variantRun{scenario: &scenario.Scenario{Variant: "OPS"}, number: 2, of: 3}
	alone := &variantRun{scenario: &scenario.Scenario{Variant: "x"}, number: 1, of: 1}
	const us = 1_000_000
	tests := []struct {
		run  *variantRun
		p    progress
		took time.Duration
		want string
	}{
		{v, progress{Now: 5 * us, Delivered: 25, Total: 100, Events: 30e6}, 2 * time.Second,
			"[2/3] OPS   25%  at 5.0 us  15.0 M events/s  about 6s left"},
		{alone, progress{Now: 5 * us, Until: 10 * us, Events: 1e6}, time.Second,
			"x   50%  at 5.0 us  1.0 M events/s  about 1s left"},
		{alone, progress{Now: 5 * us, Events: 1e6}, time.Second, "x  at 5.0 us  1.0 M events/s"},
		{alone, progress{Now: 5 * us, Delivered: 1, Total: 2}, time.Millisecond, "x   50%  at 5.0 us"},
	}
	for _, tt := range tests {
		if got := tt.run.line(tt.p, tt.took); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestProgressAmongStudies checks that a study that is one of several counts on in
// the number of all runs.
func TestProgressAmongStudies(t *testing.T) {
	l := &live{plan: &study.Plan{Name: "paper fig6 (2 of 2)"}, total: 18, now: time.Now}
	l.began = l.now()
	l.around = func(ended int) string { return fmt.Sprintf("%d of 24 of all studies", 6+ended) }
	for l.done = range 3 {
		want := fmt.Sprintf("paper fig6 (2 of 2): %d of 18 done, 0 running, 0:00; %d of 24 of all studies", l.done, 6+l.done)
		if got := l.headline(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestProgressIsForTerminals(t *testing.T) {
	var stderr bytes.Buffer
	v := &variantRun{program: &program{stderr: &stderr}, scenario: &scenario.Scenario{}}
	v.watch(strings.NewReader(`{"Now":1,"Total":2}{"Now":2} and rubbish`))
	if stderr.Len() > 0 {
		t.Errorf("a pipe got %q", stderr.String())
	}
}
