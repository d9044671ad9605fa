package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks a file, for this process alone or shared with others. It does not wait: it returns
// ErrHeld if another process holds a conflicting lock. Windows forbids others to read a locked
// range, so Try locks a byte far beyond the text.
func Try(f *os.File, shared bool) error {
	const beyond = 1 << 30
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: beyond})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}
