package cli

import (
	"bytes"
	"testing"
	"time"

	"weft/study/remote"
)

// TestWorkerLog demands of a worker's log that it shows how far the worker got: now and
// then, when it has nothing to do, and at the end.
func TestWorkerLog(t *testing.T) {
	var out bytes.Buffer
	w := &workerLine{program: &program{stderr: &out}}
	tell := func(busy, done int, since time.Duration) {
		w.logged = time.Now().Add(-since)
		w.status(remote.WorkerStatus{Connected: true, Workers: 2, Busy: busy, Done: done})
	}
	tell(0, 0, 0)
	tell(2, 1, time.Second)
	tell(2, 9, 2*logEvery)
	tell(0, 12, 2*idleEvery)
	tell(0, 12, 2*logEvery)
	tell(2, 14, time.Second)
	w.end()
	const want = `connected  0 of 2 busy  0 done
connected  2 of 2 busy  9 done
connected  0 of 2 busy  12 done
connected  2 of 2 busy  14 done
`
	if got := out.String(); got != want {
		t.Errorf("the log is\n%sand should be\n%s", got, want)
	}
}
