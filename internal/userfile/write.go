package userfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// newFile is the mode of files that did not exist, before the umask.
const newFile = 0o666

// Write is WriteBytes with what content writes. If content fails, nothing is written.
func Write(path string, content func(io.Writer) error) error {
	var b bytes.Buffer
	if err := content(&b); err != nil {
		return err
	}
	return WriteBytes(path, b.Bytes())
}

// Stream is WriteBytes with what content writes, which is not held in memory. A regular file stays as it
// was if content fails, but a pipe has got the beginning then. Content may be called again, and then
// writes the same.
func Stream(path string, content func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if path, err = dangling(path); err != nil {
			return err
		}
		return replace(path, content, nil)
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	if f := stream(info); f != nil {
		return content(f)
	}
	if !info.Mode().IsRegular() {
		return through(path, content, os.O_WRONLY)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	return rewrite(path, content, info)
}

// WriteBytes writes a file. A regular file appears, or replaces the one before, when
// it is complete; a link stays, and the file that it leads to is replaced. What is no
// regular file, as a device, a pipe or /dev/stdout, is written to and stays what it
// is. Errors are *fs.PathError.
func WriteBytes(path string, content []byte) error {
	return Stream(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// stream returns the standard stream that a file is, or nil. A file that the stream
// goes to must not be replaced: what follows would go to the old one.
func stream(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if at, err := f.Stat(); err == nil && os.SameFile(at, info) {
			return f
		}
	}
	return nil
}

// rewrite gives a regular file that exists another content. Where its folder does not
// allow replacing it, as with a file that is mounted alone, it is overwritten.
func rewrite(path string, content func(io.Writer) error, info fs.FileInfo) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err // replacing a file that is protected would get around that
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = replace(path, content, info)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) {
		return through(path, content, os.O_WRONLY|os.O_TRUNC)
	}
	return err
}

// replace puts a complete file in the place of the one before, whose info is nil if
// there is none, and keeps its mode.
func replace(path string, content func(io.Writer) error, info fs.FileInfo) (err error) {
	part := filepath.Join(filepath.Dir(path), fmt.Sprintf(".weft-%016x", rand.Uint64()))
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFile)
	if err != nil {
		return named(err, path)
	}
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	err = content(f)
	if info != nil && err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return named(err, path)
	}
	return named(os.Rename(part, path), path)
}

// named makes an error tell of the file that the user knows, not of the one that is
// written first.
func named(err error, path string) error {
	var (
		file *fs.PathError
		move *os.LinkError
	)
	switch {
	case errors.As(err, &file):
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	case errors.As(err, &move):
		return &fs.PathError{Op: "replace", Path: path, Err: move.Err}
	}
	return err
}

// through writes to what is there.
func through(path string, content func(io.Writer) error, flags int) error {
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// mostLinks is how many links in a row are followed, as systems do.
const mostLinks = 40

// dangling follows links to the file that they lead to, which does not exist.
func dangling(path string) (string, error) {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return "", &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	for range mostLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link
		}
		if !filepath.IsAbs(to) {
			// The folder may be a link itself, so that ".." leads elsewhere than it reads.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}
