//go:build !unix || solaris || aix

package jetstream

import (
	"fmt"
	"os"
)

func lockFolder(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("the lock of the queue: %w", err)
	}
	return f, nil
}
