package workers

import (
	"fmt"
	"time"

	"weft/study"
)

// DefaultAttempts and DefaultRetryDelay are the defaults of engines.
const (
	DefaultAttempts   = 5
	DefaultRetryDelay = 500 * time.Millisecond
	longestDelay      = 5 * time.Minute
)

// Tries counts attempts at a task: those that ended, and among them those that a death or
// a lack ended.
type Tries struct{ Begun, Failed int }

// Fail takes note of an attempt without a result. It returns nil if the task is to be begun
// again, and else the failure that it ends with, in words that tell of all attempts.
func (t *Tries) Fail(f *study.Failure, lost bool, most int) *study.Failure {
	t.Failed++
	t.Begun++
	if f.Permanent {
		return f
	}
	if t.Failed < most {
		return nil
	}
	what := "it failed"
	if lost {
		what = "its process died"
	}
	times := fmt.Sprintf("%d times, last", t.Failed)
	if t.Failed == 1 {
		times = "once"
	}
	return &study.Failure{Message: fmt.Sprintf("%s %s: %s", what, times, f.Message)}
}

// Delay is how long a task that failed for want of something waits until it is begun
// again: first as long as that, and then twice as long each time.
func (t *Tries) Delay(first time.Duration) time.Duration {
	return min(first<<min(t.Failed-1, 10), longestDelay)
}
