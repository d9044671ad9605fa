package study

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Task is one run for an engine to execute. Except for the files that the scenario names,
// it is self-contained.
type Task struct {
	// Key identifies the run (see Key). Two tasks with the same key are the same run.
	Key string `json:"key"`
	// Cell is the hash of the scenario without its seed. Tasks of one cell differ only in
	// their seeds.
	Cell string `json:"cell"`
	// Name is the name of its cell, for people, as in "ARCANE, load 60%".
	Name string `json:"name"`
	// Scenario is the scenario with every default filled in, as in a manifest.
	Scenario json.RawMessage `json:"scenario"`
	Seed     uint64          `json:"seed"`
	// Inputs are the files that the scenario names. A worker without the same file system
	// receives their contents, and finds them under other paths.
	Inputs []Input `json:"inputs,omitempty"`
}

// Input is a file that a scenario names.
type Input struct {
	// Path is the absolute path by which the scenario names it.
	Path string `json:"path"`
	// SHA256 is the hash of its content, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// Outcome is the end of a task.
type Outcome struct {
	Key string `json:"key"`
	// Result is the packed result (record.Pack), nil if there is none.
	Result []byte `json:"-"`
	// Failure is the reason why there is no result, nil if there is one.
	Failure *Failure `json:"failure,omitempty"`
	// Status is how the study classifies the outcome. Engines leave it empty.
	Status Status `json:"-"`
	// Worker names the process that ran it, as host/pid.
	Worker string `json:"worker"`
	// Attempts is the number of attempts, at least 1.
	Attempts int `json:"attempts"`
	// Started and Took are the real time of the last attempt.
	Started time.Time     `json:"started"`
	Took    time.Duration `json:"took"`
}

// Failure is the reason why a run has no result.
type Failure struct {
	Message string `json:"message"`
	// Permanent failures recur whenever the run is repeated, such as a refused scenario or
	// a panic. Others may not recur, such as a lack of memory or disk space, or a process
	// that died.
	Permanent bool `json:"permanent"`
}

func (f *Failure) Error() string { return f.Message }

// Runner executes a task in this process and returns its packed result. It may call
// progress at any rate, with the share that is done, from 0 to 1.
type Runner func(ctx context.Context, t Task, progress func(share float64)) ([]byte, *Failure)

// ErrNotResult marks an outcome whose result cannot be read or belongs to another run.
var ErrNotResult = errors.New("not a result of this run")

// Engine executes tasks somewhere. Each implementation is a package of its own, and needs
// only this method.
type Engine interface {
	// Execute runs the tasks and reports their progress to w, until each has ended or the
	// context is done. If the worker of a run dies, the run is started again a few times,
	// and then ends with a Failure that is not permanent. An error means that the engine
	// cannot continue, for example because a server cannot be reached. Tasks that were not
	// reported as ended may be executed again later.
	Execute(ctx context.Context, tasks []Task, w Watcher) error
}

// Watcher receives the progress of tasks. Calls come one at a time.
type Watcher interface {
	// Began: a worker has started a task.
	Began(key, worker string)
	// Progressed: this share of a run is done, from 0 to 1.
	Progressed(key string, share float64)
	// Lost: the attempt failed because the worker died or lacked a resource. The task will
	// be retried.
	Lost(key, worker, why string)
	// Ended: the task has an outcome. An error means that the outcome was not stored. After
	// ErrNotResult, the attempt has failed: the engine drops the outcome, and starts the
	// task again or ends it with a Failure. After any other error, the engine must stop and
	// leave the task undone.
	Ended(o Outcome) error
	// Notice: a text that the user should read.
	Notice(text string)
}
