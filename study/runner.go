package study

import (
	"context"
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

// NewRunner returns a Runner for scenarios that name what the registry holds. It
// must not be called from several goroutines at a time.
func NewRunner(reg *scenario.Registry, program string) Runner {
	r := &runner{reg: reg, program: program, cells: map[string]*scenario.Scenario{}}
	return r.run
}

type runner struct {
	reg     *scenario.Registry
	program string
	// cells are the latest scenarios, by their hashes: tasks of one cell differ in
	// their seeds only, and reading a scenario takes longer than a small run.
	cells  map[string]*scenario.Scenario
	packer record.Packer
}

const maxCachedCells = 64

func (r *runner) run(ctx context.Context, t Task, progress func(share float64)) (packed []byte, failure *Failure) {
	defer func() {
		if p := recover(); p != nil {
			packed, failure = nil, &Failure{Message: fmt.Sprintf("the simulator panicked, which is a mistake in it: %v\n%s", p, debug.Stack()), Permanent: true}
		}
	}()
	s, err := r.scenario(t)
	if err != nil {
		return nil, &Failure{Message: err.Error(), Permanent: true}
	}
	cell := *s
	cell.Seed, cell.Variant = t.Seed, t.Name
	resetPeakMemory()
	var reported time.Time
	res, err := scenario.Run(ctx, &cell, scenario.RunOptions{Threads: 1, Progress: func(p scenario.Progress) {
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
	res.Manifest.Study = &record.StudyRun{Cell: t.Cell, Program: r.program, Worker: workerName()}
	if packed, err = r.packer.Pack(res); err != nil {
		return nil, failureOf(err)
	}
	return packed, nil
}

// scenario reads the scenario of a task.
func (r *runner) scenario(t Task) (*scenario.Scenario, error) {
	if s, ok := r.cells[t.Cell]; ok {
		return s, nil
	}
	f, err := scenario.Parse(t.Name, t.Scenario, r.reg, nil)
	if err != nil {
		return nil, err
	}
	if len(r.cells) >= maxCachedCells {
		clear(r.cells)
	}
	r.cells[t.Cell] = f.Variants[0]
	return f.Variants[0], nil
}

// failureOf tells failures that come again from those of the machine.
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
