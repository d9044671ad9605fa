package study

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"weft/internal/userfile"
	"weft/record"
)

// fileSum is a fingerprint of a run's files. Opening a study compares the size and time of
// each run with the index. It reads and hashes the content only if the time differs, so a
// study of gigabytes opens at once.
type fileSum struct {
	// Size is the size in bytes, for a folder the sum over its files.
	Size int64 `json:"size"`
	// Modified is the time of the last write, in nanoseconds since 1970. For a folder it is
	// the time of its latest file.
	Modified int64 `json:"modified_ns"`
	// SHA256 is the hash of the content. For a folder it is the hash of one line per file,
	// as sha256sum writes them, in the order of names.
	SHA256 string `json:"sha256"`
}

func (f fileSum) known() bool { return f.SHA256 != "" }

// errOtherContent: the content changed, although the size is the same.
var errOtherContent = errors.New("its content differs from what the study kept")

// check compares the files of a run with the fingerprint, and returns their fingerprint
// now.
func (f fileSum) check(path string) (fileSum, error) {
	now, err := statRun(path)
	switch {
	case err != nil:
		return now, err
	case now.Size != f.Size:
		return now, fmt.Errorf("%s: it has %d bytes, but had %d when it was kept", path, now.Size, f.Size)
	case now.Modified == f.Modified:
		return f, nil
	}
	if now, err = sumOf(path); err == nil && now.SHA256 != f.SHA256 {
		err = fmt.Errorf("%s: %w", path, errOtherContent)
	}
	return now, err
}

// statRun returns the size and time of a run's file or folder.
func statRun(path string) (fileSum, error) {
	var sum fileSum
	info, err := os.Stat(path)
	if err != nil {
		return sum, err
	}
	if !info.IsDir() {
		return sum, sum.add(path, info)
	}
	return sum, eachFile(path, sum.add)
}

// sumOf works like statRun, and also hashes the content.
func sumOf(path string) (fileSum, error) {
	var sum fileSum
	info, err := os.Stat(path)
	if err != nil {
		return sum, err
	}
	if !info.IsDir() {
		if err := sum.add(path, info); err != nil {
			return sum, err
		}
		sum.SHA256, err = userfile.SHA256(path)
		return sum, err
	}
	all := sha256.New()
	err = eachFile(path, func(file string, info fs.FileInfo) error {
		if err := sum.add(file, info); err != nil {
			return err
		}
		hash, err := userfile.SHA256(file)
		fmt.Fprintf(all, "%s  %s\n", hash, filepath.Base(file))
		return err
	})
	sum.SHA256 = hex.EncodeToString(all.Sum(nil))
	return sum, err
}

func (f *fileSum) add(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return notRegular(path, info.Mode())
	}
	f.Size += info.Size()
	f.Modified = max(f.Modified, info.ModTime().UnixNano())
	return nil
}

// eachFile calls visit for the files of a run's folder, in the order of their names. It
// skips other files that users put there.
func eachFile(dir string, visit func(path string, info fs.FileInfo) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !record.RunFile(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if err := visit(path, info); err != nil {
			return err
		}
	}
	return nil
}

// notRegular returns the error for a path that should be a file.
func notRegular(path string, mode fs.FileMode) error {
	what := "a device, pipe or socket"
	if mode.IsDir() {
		what = "a folder"
	}
	return fmt.Errorf("%s: it is %s, not a file", path, what)
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
