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

// newFile is the mode of newly created files, before the umask.
const newFile = 0o666

// Write writes the output of content to a file, as WriteBytes does. If content fails, nothing is
// written.
func Write(path string, content func(io.Writer) error) error {
	var b bytes.Buffer
	if err := content(&b); err != nil {
		return err
	}
	return WriteBytes(path, b.Bytes())
}

// Stream writes the output of content to a file, as WriteBytes does, without holding it in
// memory. If content fails, a regular file keeps its old content, but a pipe has received a part.
// Stream may call content a second time, which must then write the same.
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

// WriteBytes writes a file. A regular file appears, or replaces its predecessor, only when it is
// complete. Links stay, and their target is replaced. Devices, pipes and streams such as
// /dev/stdout are written to and stay. Errors are *fs.PathError.
func WriteBytes(path string, content []byte) error {
	return Stream(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// stream returns standard output or standard error if info is its file, and nil otherwise. Such a
// file must not be replaced: later output would go to the old one.
func stream(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if at, err := f.Stat(); err == nil && os.SameFile(at, info) {
			return f
		}
	}
	return nil
}

// rewrite replaces the content of an existing regular file. If the folder does not allow
// replacing the file, as with a bind-mounted file, rewrite overwrites it.
func rewrite(path string, content func(io.Writer) error, info fs.FileInfo) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err // replacing a write-protected file would circumvent the protection
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

// replace writes a complete new file and renames it to path. If info is not nil, it describes the
// old file, whose mode the new one gets.
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

// named makes an error name the file that the user knows, instead of the temporary one.
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

// through writes to an existing file in place.
func through(path string, content func(io.Writer) error, flags int) error {
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// mostLinks limits the number of links followed in a row, as operating systems do.
const mostLinks = 40

// dangling follows links to their target, which does not exist.
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
			// The folder may be a link itself, so ".." must be resolved from its target.
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
