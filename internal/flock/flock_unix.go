//go:build unix && !solaris && !aix

package flock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Try locks a file, for this process alone or shared with others. It does not wait: it returns
// ErrHeld if another process holds a conflicting lock, and ErrNone if the file system has no
// locks.
func Try(f *os.File, shared bool) error {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK):
			return fmt.Errorf("%w (%w)", ErrNone, err)
		}
		return err
	}
}
