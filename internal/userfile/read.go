// Package userfile reads and writes the files that users name.
//
// A name can stand for anything: a pipe that nobody fills, a device without an end, a link to
// another place. Reading refuses anything but regular files, and files above a size limit.
// Writing replaces a regular file in one step, follows links, and writes through to devices and
// pipes.
package userfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"weft/problem"
	"weft/unit"
)

// File is a regular file open for reading.
type File struct {
	*os.File
	path  string
	limit int64 // bytes; 0 for no limit
	read  int64
}

// Open opens a regular file for reading, or a stream that this process has, such as /dev/stdin.
// Reading more than limit bytes is an error. A limit of 0 means no limit, but then Open refuses
// streams. Errors are *fs.PathError, as with os.Open. If this package refuses the file, the error
// wraps a *problem.Problem.
func Open(path string, limit unit.Bytes) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	// Opening a pipe waits for a writer, and opening a device can have effects.
	if err := check(path, info, int64(limit)); err != nil && (limit == 0 || info.IsDir() || !IsStream(path)) {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &File{File: f, path: path, limit: int64(limit)}, nil
}

// IsStream reports whether a path names a stream that this process inherited and can read only
// once: standard input, or the result of <(command) in a shell.
func IsStream(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	inherited := path == "/dev/stdin" || slices.Contains([]string{"/dev/fd", "/proc/self/fd"}, filepath.Dir(path))
	info, err := os.Stat(path)
	return inherited && err == nil && !info.Mode().IsRegular()
}

func check(path string, info fs.FileInfo, limit int64) error {
	var err error
	switch mode := info.Mode(); {
	case mode.IsRegular() && limit > 0 && info.Size() > limit:
		err = tooLarge(limit)
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		err = syscall.EISDIR
	default:
		err = problem.New("is %s, not a regular file", kind(mode)).Mend("write its content into a file, and name that")
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}

func tooLarge(limit int64) error {
	return problem.New("is larger than %v, the limit for such files", unit.Bytes(limit))
}

// Read implements io.Reader. It fails beyond the limit.
func (f *File) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.read += int64(n)
	if f.limit > 0 && f.read > f.limit {
		return 0, &fs.PathError{Op: "read", Path: f.path, Err: tooLarge(f.limit)}
	}
	return n, err
}

// WriteTo implements io.WriterTo, so that io.Copy cannot read past the limit.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{f})
}

// Read returns the content of a regular file of at most limit bytes.
func Read(path string, limit unit.Bytes) ([]byte, error) {
	f, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	return text, errors.Join(err, f.Close())
}

// SHA256 returns the hash of a regular file, in hexadecimal. For a folder it returns AllSHA256 of
// its regular files in the order of their names.
func SHA256(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return folderSHA256(path)
	}
	f, err := Open(path, 0)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, f.Close())
}

func folderSHA256(path string) (string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, e := range entries {
		one := filepath.Join(path, e.Name())
		if info, err := os.Stat(one); err != nil || !info.Mode().IsRegular() {
			continue // a folder or a dangling link; no format reads these
		}
		paths = append(paths, one)
	}
	return AllSHA256(paths)
}

// AllSHA256 returns one hash for several files of a folder, in hexadecimal: the hash of the lines
// that sha256sum prints for them.
func AllSHA256(paths []string) (string, error) {
	sum := sha256.New()
	for _, path := range paths {
		hash, err := SHA256(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s  %s\n", hash, filepath.Base(path))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
