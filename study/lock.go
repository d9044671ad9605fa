package study

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/internal/flock"
	"weft/internal/printable"
)

// A process that executes a whole study holds the file "lock" exclusively. A process that
// executes a shard shares that lock with other shards, and holds one of its own.

const wholeLock = "lock"

// lockName returns the name of the file that a shard, or the whole study, holds
// exclusively.
func lockName(shard Shard) string {
	if shard.Of == 0 {
		return wholeLock
	}
	return fmt.Sprintf("%s.%d-of-%d", wholeLock, shard.Index, shard.Of)
}

// lock keeps other processes from executing the same runs of a study. The system releases
// it when the process ends in any way.
func lock(dir string, shard Shard) (release func(), err error) {
	var common *os.File
	if shard.Of > 0 {
		if common, err = lockFile(filepath.Join(dir, wholeLock), true); err != nil {
			return nil, held(dir, err)
		}
	}
	own, err := lockFile(filepath.Join(dir, lockName(shard)), false)
	if err != nil {
		common.Close() // Close accepts a nil file
		return nil, held(dir, err)
	}
	if err = own.Truncate(0); err == nil {
		_, err = own.WriteAt([]byte(workerName()+"\n"), 0)
	}
	release = func() {
		own.Truncate(0) // so that nobody takes this process for the holder
		own.Close()
		common.Close()
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("%s: %w", own.Name(), err)
	}
	return release, nil
}

// heldError: another process has the lock.
type heldError struct{ holder string }

func (e *heldError) Error() string { return "held by " + e.holder }

// ErrBusy marks errors about another process that executes the study.
var ErrBusy = errors.New("the study is being executed")

// busyError explains who holds a lock, and what to do.
type busyError struct{ text string }

func (e *busyError) Error() string { return e.text }

func (e *busyError) Is(target error) bool { return target == ErrBusy }

// held words an error of locking for the user.
func held(dir string, err error) error {
	var other *heldError
	switch {
	case !errors.As(err, &other):
		return err
	case other.holder == "":
		return &busyError{fmt.Sprintf("%s: shards of this study are being executed; weft study status %[1]s lists the processes; wait until they have finished or stop them, or choose another folder with --out", dir)}
	}
	return &busyError{fmt.Sprintf("%s: process %s is executing this study; wait until it has finished or stop it, or choose another folder with --out", dir, other.holder)}
}

const (
	// lockTries and lockPause bound the retries of a lock. A process that only checks who
	// holds a lock takes it for a moment.
	lockTries = 10
	lockPause = 50 * time.Millisecond
)

// lockFile opens and locks a file, shared or exclusively.
func lockFile(path string, shared bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	err = flock.Try(f, shared)
	for try := 0; errors.Is(err, flock.ErrHeld) && try < lockTries; try++ {
		time.Sleep(lockPause)
		err = flock.Try(f, shared)
	}
	if err == nil {
		return f, nil
	}
	defer f.Close()
	if errors.Is(err, flock.ErrHeld) {
		text, _ := io.ReadAll(io.LimitReader(f, 200))
		return nil, &heldError{printable.Line(strings.TrimSpace(string(text)))}
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}
