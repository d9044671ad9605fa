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

// writeWhole writes a file so that it appears complete or not at all. Until then it has a
// random name, since processes in different containers can have the same number. The file
// can still be lost in a power failure, until it and its folder are synced.
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

// writeDurably works like writeWhole, and returns only after the file would survive a power
// failure.
func writeDurably(path string, content []byte) error {
	if _, err := writeWhole(path, content); err != nil {
		return err
	}
	return errors.Join(syncFile(path), syncFolder(filepath.Dir(path)))
}

// syncPath makes the content of a run's file or folder survive a power failure. Its name
// survives once the enclosing folder is synced. A path that was removed meanwhile is no
// error.
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
	if runtime.GOOS == "windows" { // a folder cannot be opened for syncing there
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
