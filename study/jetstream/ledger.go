package jetstream

import (
	"time"

	"weft/study"
	"weft/study/workers"
)

type state int

const (
	waiting state = iota // to be sent to the server
	queued               // held by the server or a worker
	resting              // to be sent again later
	ended
)

// entry is the coordinator's record of a task.
type entry struct {
	task  study.Task
	state state
	// session and attempt identify the task's message on the server. A message left by
	// another coordinator has an unknown session.
	session string
	attempt int
	// sent is the time at which the server confirmed the message.
	sent  time.Time
	tries workers.Tries
	// dangling: the task ended while a message of it was on its way to the server.
	dangling bool
	// worker is the last known worker of the task.
	worker string
	// unread is the reason why a message that should be its outcome could not be read.
	unread string
}

// verdict is what to do with a task after an event.
type verdict int

const (
	ignore verdict = iota
	finish         // the task has ended
	repeat         // start it again
)

// stale reports whether an event is not about the latest attempt. An event about a task
// that is not on the server for this execution concerns an earlier attempt, or comes from a
// stranger.
func (e *entry) stale(session string, attempt int) bool {
	return e.state != queued || e.session != session || e.attempt != attempt
}

// outcome records the end of an attempt. The last failure of a task describes all its
// attempts.
func (e *entry) outcome(m outcomeMeta, maxAttempts int) (verdict, *study.Failure) {
	switch {
	case e.state == ended:
		return ignore, nil
	case m.Failure == nil:
		// A result counts, whichever attempt it comes from: the study checks that it
		// belongs to the run.
		e.tries.Begun++
		return finish, nil
	case e.stale(m.Session, m.Attempt):
		// A failure cannot be checked, so it only counts for the current attempt. If it is
		// real, it will occur again.
		return ignore, nil
	case m.Failure.Permanent && !m.Lost:
		e.tries.Begun++
		return finish, m.Failure
	}
	return e.fail(m.Failure, m.Lost, maxAttempts)
}

// spoiled records that the study refused a result that outcome had accepted.
func (e *entry) spoiled(m outcomeMeta, maxAttempts int) (verdict, *study.Failure) {
	e.tries.Begun--
	if e.stale(m.Session, m.Attempt) {
		return ignore, nil
	}
	return e.fail(m.Failure, false, maxAttempts)
}

// fail records a failed attempt that may be repeated.
func (e *entry) fail(f *study.Failure, lost bool, maxAttempts int) (verdict, *study.Failure) {
	if last := e.tries.Fail(f, lost, maxAttempts); last != nil {
		return finish, last
	}
	return repeat, f
}
