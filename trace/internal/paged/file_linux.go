package paged

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// file is a temporary file without a name, and its mapped parts.
type file struct {
	fd    int
	size  int64
	parts [][]byte
}

func create(folder string) (*file, error) {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("temporary file in %s: %w", folder, err)
	}
	return &file{fd: fd}, nil
}

// extend maps the next part of the file.
func (f *file) extend(size int) ([]byte, error) {
	if err := unix.Fallocate(f.fd, 0, f.size, int64(size)); err != nil {
		return nil, fmt.Errorf("space for a temporary file: %w", err)
	}
	b, err := unix.Mmap(f.fd, f.size, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping a temporary file: %w", err)
	}
	// Each rank is at another place, and reading ahead for all of them would need more memory than there is.
	_ = unix.Madvise(b, unix.MADV_RANDOM)
	f.size += int64(size)
	f.parts = append(f.parts, b)
	return b, nil
}

// close gives everything back. Nothing can be done about an error.
func (f *file) close() {
	for _, b := range f.parts {
		_ = unix.Munmap(b)
	}
	_ = unix.Close(f.fd)
}
