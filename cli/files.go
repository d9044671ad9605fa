package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile makes a file appear whole under its name.
func writeFile(path string, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return badInput(unwritable(path, err))
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

// unwritable names the file that was asked for, not the one that is written first.
func unwritable(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	dir := filepath.Dir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be written: there is no folder %s; create it, as in mkdir -p %s, or choose another", path, dir, shellWord(dir))
	}
	return fmt.Errorf("%s cannot be written: %w; choose another folder than %s", path, err, dir)
}
