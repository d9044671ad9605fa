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

// Tries counts the attempts at a task that have ended. Failed counts only those that ended
// with a death or a lack of resources.
type Tries struct{ Begun, Failed int }

// Fail records an attempt without a result. It returns nil if the task is to be started
// again. Otherwise it returns the final failure, which describes all attempts.
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

// Delay returns the wait before a task that failed for lack of a resource is started again.
// It begins with first, and doubles each time.
func (t *Tries) Delay(first time.Duration) time.Duration {
	return min(first<<min(t.Failed-1, 10), longestDelay)
}
