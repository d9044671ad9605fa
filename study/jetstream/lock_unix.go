//go:build unix && !solaris && !aix

package jetstream

import (
	"fmt"
	"os"
	"syscall"
)

// lockFolder takes a lock that ends with the process, however that ends.
func lockFolder(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("the lock of the queue: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("another process executes this study: %s is locked (%w)", path, err)
	}
	return f, nil
}
