package study

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"weft/config"
	"weft/record"
	"weft/scenario"
)

// NewRunner returns a Runner for scenarios that name entries of the registry. It must not
// be called by several goroutines at a time.
func NewRunner(reg *scenario.Registry, program string) Runner {
	r := &runner{reg: reg, program: program, cells: map[[sha256.Size]byte]*cell{}}
	return r.run
}

type runner struct {
	reg     *scenario.Registry
	program string
	// cells caches the latest scenarios by scenario and inputs. Tasks of one cell differ
	// only in their seeds, and reading a scenario takes longer than a small run.
	cells  map[[sha256.Size]byte]*cell
	packer record.Packer
}

// cell is the scenario of a task.
type cell struct {
	*scenario.Scenario
	// identity is its hash. It is computed here, since the sender of the task may be
	// mistaken.
	identity string
}

const maxCachedCells = 64

func (r *runner) run(ctx context.Context, t Task, progress func(share float64)) (packed []byte, failure *Failure) {
	defer func() {
		if p := recover(); p != nil {
			packed, failure = nil, &Failure{Message: fmt.Sprintf("the simulator panicked, which is a bug in weft: %v\n%s", p, debug.Stack()), Permanent: true}
		}
	}()
	of, err := r.cell(t)
	if err != nil {
		return nil, &Failure{Message: err.Error(), Permanent: true}
	}
	if Key(r.program, of.identity, t.Seed) != t.Key {
		return nil, &Failure{Permanent: true, Message: fmt.Sprintf(
			"task %s is not the run of its scenario and seed with program %s; run the study again", t.Key, r.program)}
	}
	s := *of.Scenario
	s.Seed, s.Variant = t.Seed, t.Name
	resetPeakMemory()
	var reported time.Time
	res, err := scenario.Run(ctx, &s, scenario.RunOptions{Threads: 1, Progress: func(p scenario.Progress) {
		if now := time.Now(); now.Sub(reported) > 100*time.Millisecond {
			reported = now
			progress(p.Share())
		}
	}})
	switch {
	case err != nil:
		return nil, failureOf(err)
	case res.Summary.Ended == record.Interrupted:
		return nil, &Failure{Message: "interrupted"}
	}
	res.Manifest.Study = &record.StudyRun{Cell: of.identity, Program: r.program, Worker: workerName()}
	if packed, err = r.packer.Pack(res); err != nil {
		return nil, failureOf(err)
	}
	return packed, nil
}

// cell reads the scenario of a task. The text is untrusted, so it may only read the task's
// inputs, and only if their content matches the task.
func (r *runner) cell(t Task) (*cell, error) {
	id := t.scenarioID()
	if c, ok := r.cells[id]; ok {
		return c, nil
	}
	permitted := newPermit(t.Inputs)
	f, err := scenario.ParseStranger(t.Name, t.Scenario, r.reg, permitted.file)
	if err != nil {
		return nil, err
	}
	c := &cell{Scenario: f.Variants[0]}
	if c.identity, err = c.Identity(permitted.sums); err != nil {
		return nil, err
	}
	if len(r.cells) >= maxCachedCells {
		clear(r.cells)
	}
	r.cells[id] = c
	return c, nil
}

// scenarioID identifies the scenario and inputs of a task.
func (t *Task) scenarioID() [sha256.Size]byte {
	sum := sha256.New()
	fmt.Fprintf(sum, "%d\n%s\n", len(t.Scenario), t.Scenario)
	for _, in := range t.Inputs {
		fmt.Fprintf(sum, "%q %q\n", in.Path, in.SHA256)
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// failureOf distinguishes permanent failures from failures of the machine.
func failureOf(err error) *Failure {
	f := &Failure{Message: err.Error(), Permanent: true}
	for _, passing := range []error{syscall.ENOSPC, syscall.ENOMEM, syscall.EDQUOT, syscall.EIO, os.ErrPermission} {
		if errors.Is(err, passing) {
			f.Permanent = false
		}
	}
	var wrong *config.Error
	if errors.As(err, &wrong) {
		f.Message = "the scenario is refused: " + f.Message
	}
	return f
}

// workerName names this process.
var workerName = sync.OnceValue(func() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
})
