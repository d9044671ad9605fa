package study

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Task is one run for an engine to execute. It is self-contained except for the files that the
// scenario names.
type Task struct {
	// Key names the run: see Key. Two tasks with one key are the same run.
	Key string `json:"key"`
	// Cell is the hash of the scenario without its seed: tasks of one cell differ
	// in the seed only.
	Cell string `json:"cell"`
	// Name is that of its cell, for people, as in "ARCANE, load 60%".
	Name string `json:"name"`
	// Scenario is the scenario with every default filled in, as in a manifest.
	Scenario json.RawMessage `json:"scenario"`
	Seed     uint64          `json:"seed"`
	// Inputs are the files that the scenario names. A worker that does not share
	// the file system gets their contents and finds them under other paths.
	Inputs []Input `json:"inputs,omitempty"`
}

// Input is a file that a scenario names.
type Input struct {
	// Path is as the scenario names it, absolute.
	Path string `json:"path"`
	// SHA256 is of its content, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// Outcome is how a task ended.
type Outcome struct {
	Key string `json:"key"`
	// Result is the packed result (record.Pack), nil if there is none.
	Result []byte `json:"-"`
	// Failure is why there is no result, nil if there is one.
	Failure *Failure `json:"failure,omitempty"`
	// Status is what the study makes of it; engines leave it empty.
	Status Status `json:"-"`
	// Worker names the process that ran it, as host/pid.
	Worker string `json:"worker"`
	// Attempts counts how often it was begun, at least 1.
	Attempts int `json:"attempts"`
	// Started and Took are of the last attempt, in real time.
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took"`
}

// Failure is why a run has no result.
type Failure struct {
	Message string `json:"message"`
	// Permanent failures come again whenever the run is repeated: a scenario that
	// is refused, a panic. The others (no memory, no disk, a process that died)
	// may not.
	Permanent bool `json:"permanent"`
}

func (f *Failure) Error() string { return f.Message }

// Runner executes a task in this process and returns its packed result. The
// progress function may be called at any rate, with the share that is done, from 0
// to 1.
type Runner func(ctx context.Context, t Task, progress func(share float64)) ([]byte, *Failure)

// ErrNotResult marks an outcome whose result cannot be read, or is that of another run.
var ErrNotResult = errors.New("not a result of this run")

// Engine executes tasks somewhere. Implementations are in packages of their own;
// one needs this method only.
type Engine interface {
	// Execute runs the tasks and reports their progress to w, until each has ended or the
	// context is done. A run whose worker dies is begun again a few times, and then ends with a
	// Failure that is not permanent. An error means that the engine cannot go on, such as a
	// server that cannot be reached; what was not reported as ended may be executed again
	// later.
	Execute(ctx context.Context, tasks []Task, w Watcher) error
}

// Watcher receives the progress of tasks. Calls come one at a time.
type Watcher interface {
	// Began: a worker has taken up a task.
	Began(key, worker string)
	// Progressed: a share of a run, from 0 to 1, is done.
	Progressed(key string, share float64)
	// Lost: the attempt failed because the worker died or lacked a resource; the task will be
	// retried.
	Lost(key, worker, why string)
	// Ended: the task has an outcome. If it returns an error the outcome is not
	// kept. If that is ErrNotResult the attempt has failed: the engine forgets the
	// outcome, and begins the task again or ends it with a Failure. With any other
	// error the engine must stop, and leave the task undone.
	Ended(o Outcome) error
	// Notice: something that the user should know.
	Notice(text string)
}
