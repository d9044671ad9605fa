package study

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// writeWhole makes a file appear whole. Its name until then is random, since processes
// in containers have the same numbers. It may be lost if the machine loses its power
// before the file and its folder are synced.
func writeWhole(path string, content []byte) (sum fileSum, err error) {
	dir, base := filepath.Split(path)
	temporary := filepath.Join(dir, fmt.Sprintf(".%s.%x", base, rand.Uint64()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return sum, err
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
		}
	}()
	_, err = f.Write(content)
	var written os.FileInfo
	if err == nil {
		written, err = f.Stat()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return sum, err
	}
	if err := sum.add(temporary, written); err != nil {
		return sum, err
	}
	sum.SHA256 = hashOf(content)
	return sum, os.Rename(temporary, path)
}

// writeDurably is writeWhole, and does not return before the file would survive the
// loss of power.
func writeDurably(path string, content []byte) error {
	if _, err := writeWhole(path, content); err != nil {
		return err
	}
	return errors.Join(syncFile(path), syncFolder(filepath.Dir(path)))
}

// syncPath makes a run's file, or folder of files, survive the loss of power. Its name
// does when the folder that it is in is synced. What was removed meanwhile is no error.
func syncPath(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return syncFile(path)
	}
	err = eachFile(path, func(file string, _ os.FileInfo) error { return syncFile(file) })
	return errors.Join(err, syncFolder(path))
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(unlessUnable(f.Sync()), f.Close())
}

func syncFolder(path string) error {
	if runtime.GOOS == "windows" { // where a folder cannot be opened for that
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(unlessUnable(f.Sync()), f.Close())
}

// unlessUnable drops the error of a file system that cannot sync at all.
func unlessUnable(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return nil
	}
	return err
}
