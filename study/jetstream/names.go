package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Names on the server. Subjects end in tokens for program, study and key, so that the
// server can filter, list and remove messages by each.
const (
	taskStream    = "WEFT_TASKS"
	outcomeStream = "WEFT_OUTCOMES"

	taskSubjects    = "weft.task."
	outcomeSubjects = "weft.outcome."
	eventSubjects   = "weft.event."
	ownerSubjects   = "weft.coordinator."
	helloSubject    = "weft.hello"
)

// scope identifies a study of a program by tokens of subjects.
type scope struct{ program, study string }

func newScope(program, study string) scope { return scope{hashed(program), token(study)} }

func (s scope) tail() string { return s.program + "." + s.study }

func (s scope) task(key string) string    { return taskSubjects + s.tail() + "." + token(key) }
func (s scope) tasks() string             { return taskSubjects + s.tail() + ".*" }
func (s scope) outcome(key string) string { return outcomeSubjects + s.tail() + "." + token(key) }
func (s scope) outcomes() string          { return outcomeSubjects + s.tail() + ".*" }
func (s scope) events() string            { return eventSubjects + s.tail() }
func (s scope) owner() string             { return ownerSubjects + s.tail() }

// consumer returns the name of the consumer of the study's outcomes.
func (s scope) consumer() string { return "study-" + s.program + "-" + s.study }

// bucket returns the name of the bucket for the study's files: inputs, and results that are
// too large for a message.
func (s scope) bucket() string { return "weft-" + s.program + "-" + s.study }

// programTasks and programConsumer return the subjects and the consumer that the workers of
// a program share.
func programTasks(token string) string    { return taskSubjects + token + ".>" }
func programConsumer(token string) string { return "workers-" + token }

// scopeOf returns the scope of a task's subject.
func scopeOf(subject string) (scope, bool) {
	parts := strings.Split(strings.TrimPrefix(subject, taskSubjects), ".")
	if len(parts) != 3 || !strings.HasPrefix(subject, taskSubjects) {
		return scope{}, false
	}
	return scope{parts[0], parts[1]}, true
}

// token returns text if it may be part of a subject, of a stream's name and of a file's
// name. Otherwise it returns a hash of text.
func token(text string) string {
	if text == "" || len(text) > 64 {
		return hashed(text)
	}
	for _, c := range []byte(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return hashed(text)
		}
	}
	return text
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
