package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"weft/internal/userfile"
)

// writeFile writes a file that the user named, as userfile.Write does.
func writeFile(path string, content func(io.Writer) error) error {
	var failed error
	err := userfile.Write(path, func(w io.Writer) error {
		failed = content(w)
		return failed
	})
	var file *fs.PathError
	switch {
	case failed != nil:
		return fmt.Errorf("%s: %w", path, failed)
	case errors.As(err, &file) && file.Op != "write":
		return badInput(unwritable(path, err))
	}
	return err
}

// readAgain refuses a scenario that can be read only once: other processes read it, too.
func readAgain(path string) error {
	if userfile.IsStream(path) {
		return badInput(fmt.Errorf("%s can be read only once, but each run reads the scenario; write it to a file, and name that", path))
	}
	return nil
}

// unwritable says what to do about a file that cannot be written.
func unwritable(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	dir := filepath.Dir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be written: there is no folder %s; create it, as in mkdir -p %s, or choose another", path, dir, shellWord(dir))
	}
	return fmt.Errorf("%s cannot be written: %w; choose another file, or a folder other than %s", path, err, dir)
}

// absolute returns a path that does not depend on the working directory, or the path as it is if that is
// unknown.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
