// Package flock locks open files and folders against other processes of the machine. The system releases a lock when its process ends,
// however it ends.
package flock

import "errors"

// ErrNone: the file system has no locks, as Lustre mounted without the option flock.
var ErrNone = errors.New("the file system has no locks")

// ErrHeld: another process has the lock.
var ErrHeld = errors.New("locked")
