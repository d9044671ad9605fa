package study

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockName is the lock of a whole study, or of a shard's part of it.
func lockName(shard Shard) string {
	if shard.Of == 0 {
		return "lock"
	}
	return fmt.Sprintf("lock.%d-of-%d", shard.Index, shard.Of)
}

// lock keeps other processes from executing the runs of a study. The system
// releases it when the process ends, however it ends.
func lock(dir string, shard Shard) (release func(), err error) {
	path := filepath.Join(dir, lockName(shard))
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		holder, _ := io.ReadAll(io.LimitReader(f, 200))
		return nil, fmt.Errorf("%s: process %s is executing this study; wait until it has finished or stop it, or choose another folder with --out",
			dir, strings.TrimSpace(string(holder)))
	}
	if err := f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(workerName()+"\n"), 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return func() { f.Close() }, nil
}
