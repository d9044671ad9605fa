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

// TestTimeLeft checks what is said of the time that a study still takes: from how far runs
// are, from what others of their cell took, and else from the mean.
func TestTimeLeft(t *testing.T) {
	began := time.Now()
	now := began
	l := &live{
		plan: &study.Plan{Name: "s"}, total: 3, began: began, now: func() time.Time { return now },
		cells: map[string]int{"a": 0, "b": 1, "c": 1}, running: map[string]*inFlight{}, byCell: map[int]*estimate{},
	}
	expect := func(want string) {
		t.Helper()
		if got := l.headline(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	expect("s: 0 of 3 done, 0 running, 0:00")
	l.Began("a", "w1")
	now = now.Add(10 * time.Second)
	l.Progressed("a", 0.01)
	expect("s: 0 of 3 done, 1 running (1%), 0:10")
	l.Progressed("a", 0.1) // 100 s a run: 90 s of this one and two more, one at a time
	expect("s: 0 of 3 done, 1 running (10%), 0:10, about 4:50 left")
	l.Began("b", "w2") // two at a time: a 90 s, b and c 100 s each
	expect("s: 0 of 3 done, 2 running (10%, 0%), 0:10, about 2:25 left")
	if err := l.Ended(study.Outcome{Key: "a", Took: 20 * time.Second}); err != nil {
		t.Fatal(err)
	}
	expect("s: 1 of 3 done, 1 running (0%), 0:10, about 0:20 left") // two of 20 s at two workers
	l.Began("c", "w1")
	now = now.Add(10 * time.Second)
	l.Progressed("b", 0.05) // 200 s
	expect("s: 1 of 3 done, 2 running (5%, 0%), 0:20, about 3:10 left")
}

func TestProgressIsForTerminals(t *testing.T) {
	var stderr bytes.Buffer
	v := &variantRun{program: &program{stderr: &stderr}, scenario: &scenario.Scenario{}}
	if failure := v.watch(strings.NewReader(`{"Now":1,"Total":2}{"Now":2} and rubbish`)); failure != "" {
		t.Errorf("it failed: %s", failure)
	}
	if failure := v.watch(strings.NewReader(`{"Now":1,"Total":2}{"Failure":"no memory"}`)); failure != "no memory" {
		t.Errorf("it failed: %q", failure)
	}
	if stderr.Len() > 0 {
		t.Errorf("a pipe got %q", stderr.String())
	}
}
