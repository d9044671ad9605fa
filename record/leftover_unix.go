//go:build unix

package record

import (
	"errors"
	"os"
	"syscall"

	"weft/internal/flock"
)

// hold locks a folder until it is released, or the process ends, and tells whether it has the lock. Whoever writes a result holds its
// folder, since numbers of processes say nothing across containers and machines that share a disk.
func hold(dir string) (release func(), held bool) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return func() {}, false
	}
	return func() { _ = f.Close() }, flock.Try(f, false) == nil
}

// lives tells whether there is a process of that number here.
func lives(pid int) bool { return pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
