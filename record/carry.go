package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// oldFolder is part of the name of the hidden folder that a result is moved to while another
// replaces it.
const oldFolder = "old"

// finishOld completes the replacement of a result whose folder has been moved into the hidden
// folder old. It moves the user's files to the new result in place and removes the rest.
func finishOld(old, place string) error {
	before := filepath.Join(old, filepath.Base(place))
	own := written(before)
	others, err := foreign(before, own)
	if err != nil {
		return err
	}
	for _, name := range others {
		if err := carry(before, place, name); err != nil {
			return fmt.Errorf("%w; other files that %s held are in %s", err, place, before)
		}
	}
	if err := removeOwn(before, own); err != nil {
		return err
	}
	return os.Remove(old)
}

// carry moves a file or folder from one folder to another and creates the parent folders needed.
func carry(from, to, name string) error {
	if parent := filepath.Dir(name); parent != "." {
		if err := sameFolders(from, to, parent); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(filepath.Join(to, name)); err == nil {
		return &fs.PathError{Op: "keep", Path: filepath.Join(to, name), Err: fs.ErrExist}
	}
	return os.Rename(filepath.Join(from, name), filepath.Join(to, name))
}

// sameFolders creates a folder and its parents in to, with the modes that they have in from.
func sameFolders(from, to, name string) error {
	if parent := filepath.Dir(name); parent != "." {
		if err := sameFolders(from, to, parent); err != nil {
			return err
		}
	}
	info, err := os.Stat(filepath.Join(from, name))
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(to, name), info.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// recoverOld completes the replacement of a result at place whose process was killed in the
// middle of it.
func recoverOld(place string) error {
	parent, base := filepath.Split(place)
	name := siblingName(regexp.QuoteMeta(base), oldFolder)
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !name.MatchString(e.Name()) {
			continue
		}
		old := filepath.Join(parent, e.Name())
		before := filepath.Join(old, base)
		if !isFolder(before) {
			continue
		}
		if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(before, place)
			if err := errors.Join(err, os.Remove(old)); err != nil {
				return err
			}
			continue
		}
		if err := finishOld(old, place); err != nil {
			return err
		}
	}
	return nil
}
