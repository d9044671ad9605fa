package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks a file for this process alone, or shared with others. It does not wait:
// the error is ErrHeld if others have it. The system forbids others to read what is
// locked, so that a byte far beyond the text is.
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
