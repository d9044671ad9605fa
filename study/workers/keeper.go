package workers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"weft/study"
)

// maxBadStarts is how many processes in a row may fail before they execute anything.
const maxBadStarts = 3

// Keeper keeps one worker process: it starts one, and starts another when that one has
// died. Only one goroutine may use it at a time.
type Keeper struct {
	command Command
	process *Process
	// badStarts counts processes in a row that ended before they executed anything.
	badStarts int
}

// NewKeeper returns a Keeper without a process.
func NewKeeper(command Command) *Keeper { return &Keeper{command: command} }

// Ready makes sure that there is a process. Its error is the context's, or means that
// processes cannot be kept alive.
func (k *Keeper) Ready(ctx context.Context) error {
	for k.process == nil {
		p, err := Start(ctx, k.command)
		if err == nil {
			k.process = p
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if k.badStarts++; k.badStarts >= maxBadStarts {
			return fmt.Errorf("worker processes end before they do anything, %d in turn; the last: %w", k.badStarts, err)
		}
	}
	return nil
}

// Exited is closed when the process that Ready provided has ended.
func (k *Keeper) Exited() <-chan struct{} { return k.process.Exited() }

// Worker names the process that Ready provided.
func (k *Keeper) Worker() string { return Name(k.process.Pid()) }

// Close ends the process, if there is one.
func (k *Keeper) Close() {
	if k.process != nil {
		k.process.Close()
		k.process = nil
	}
}

// Attempt is the outcome of a task in a process.
type Attempt struct {
	// Packed is the result, nil if there is a Failure.
	Packed  []byte
	Failure *study.Failure
	// Lost: the process died; Failure describes how.
	Lost    bool
	Worker  string
	Started time.Time
	Took    time.Duration
}

// Run executes a task, a study.Task as JSON, in the process. It repeats nothing: the engine
// decides what follows a death or a lack of resources. Its error is the context's, if that
// ended the attempt.
func (k *Keeper) Run(ctx context.Context, task []byte, progress func(share float64)) (Attempt, error) {
	a := Attempt{Worker: k.Worker(), Started: time.Now()}
	r, err := k.process.Run(ctx, task, progress)
	if err == nil {
		k.badStarts = 0
		a.Packed, a.Failure, a.Started, a.Took = r.Packed, r.Failure, r.Started, r.Took
		return a, nil
	}
	k.Close()
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	a.Took = time.Since(a.Started)
	a.Failure = &study.Failure{Message: err.Error()}
	var died *Died
	if errors.As(err, &died) {
		a.Lost, a.Failure.Permanent = true, died.Panicked
	}
	return a, nil
}

// Name names a process of this machine, as host/pid.
func Name(pid int) string { return fmt.Sprintf("%s/%d", Hostname(), pid) }

// Hostname names this machine for people.
var Hostname = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
})
