//go:build unix

package workers

import (
	"os"
	"syscall"
)

// signalOf returns the signal that ended a process, or 0.
func signalOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
