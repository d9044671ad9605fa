//go:build unix

package record

import (
	"errors"
	"os"
	"syscall"

	"weft/internal/flock"
)

// hold locks a folder until release or the end of the process, and reports whether it got the
// lock. Every writer of a result holds its folder, because process IDs mean nothing across
// containers and machines that share a disk.
func hold(dir string) (release func(), held bool) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return func() {}, false
	}
	return func() { _ = f.Close() }, flock.Try(f, false) == nil
}

// lives reports whether a process with this ID exists on this machine.
func lives(pid int) bool { return pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
