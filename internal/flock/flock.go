// Package flock locks open files and folders against other processes on the same machine. The
// operating system releases a lock when its process ends, even after a crash.
package flock

import "errors"

// ErrNone reports that the file system has no locks, such as Lustre mounted without the option
// flock.
var ErrNone = errors.New("the file system has no locks")

// ErrHeld reports that another process holds the lock.
var ErrHeld = errors.New("locked")
