package jetstream

import (
	"time"

	"weft/study"
	"weft/study/workers"
)

type state int

const (
	waiting state = iota // to be sent to the server
	queued               // with the server, or a worker
	resting              // to be sent again after some time
	ended
)

// entry is what the coordinator knows of a task.
type entry struct {
	task  study.Task
	state state
	// session and attempt are of the message that is on the server. A message
	// that another coordinator left there has no session that is known.
	session string
	attempt int
	// sent is when the server confirmed the message.
	sent  time.Time
	tries workers.Tries
	// dangling: it ended while a message of it was on its way to the server.
	dangling bool
	// worker runs it, as far as is known.
	worker string
	// unread is why a message that should be its outcome is none.
	unread string
}

// verdict is what to do with a task after news of it.
type verdict int

const (
	ignore verdict = iota
	finish         // it has ended
	repeat         // begin it again
)

// stale reports news of an attempt that is not the last. News of a task that this execution has
// not sent and that no former one left is of an attempt gone by, or of a stranger.
func (e *entry) stale(session string, attempt int) bool {
	return e.state != queued || e.session != session || e.attempt != attempt
}

// outcome takes note of the end of an attempt. Its last failure is put into words
// that tell of all.
func (e *entry) outcome(m outcomeMeta, maxAttempts int) (verdict, *study.Failure) {
	switch {
	case e.state == ended:
		return ignore, nil
	case m.Failure == nil:
		// A result is good, whichever attempt it is of: the study checks what it is of.
		e.tries.Begun++
		return finish, nil
	case e.stale(m.Session, m.Attempt):
		// A failure cannot be checked, so it counts for the attempt that is under way alone.
		// One that comes again shows again.
		return ignore, nil
	case m.Failure.Permanent && !m.Lost:
		e.tries.Begun++
		return finish, m.Failure
	}
	return e.fail(m.Failure, m.Lost, maxAttempts)
}

// spoiled takes note that the result of an attempt, which outcome has taken for good, is
// none.
func (e *entry) spoiled(m outcomeMeta, maxAttempts int) (verdict, *study.Failure) {
	e.tries.Begun--
	if e.stale(m.Session, m.Attempt) {
		return ignore, nil
	}
	return e.fail(m.Failure, false, maxAttempts)
}

// fail takes note of an attempt that may be repeated.
func (e *entry) fail(f *study.Failure, lost bool, maxAttempts int) (verdict, *study.Failure) {
	if last := e.tries.Fail(f, lost, maxAttempts); last != nil {
		return finish, last
	}
	return repeat, f
}
