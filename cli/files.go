package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile makes a file appear whole under its name.
func writeFile(path string, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return badInput(fmt.Errorf("%s cannot be written: %w", path, err))
	}
	defer os.Remove(f.Name())
	if err := content(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
