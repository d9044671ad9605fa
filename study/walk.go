package study

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"weft/record"
)

// kept is what a store holds for a key.
type kept uint8

const (
	nothing kept = iota
	failure
	result
)

// contents is the content of a store.
type contents struct {
	runs map[string]kept
	// foreign are paths that no writer of a store creates.
	foreign []string
}

// isKey reports whether a name could be a result of Key.
func isKey(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*keyBytes && strings.ToLower(name) == name
}

// contents lists the content of the store. It skips what killed writers left behind.
func (s Store) contents() (contents, error) {
	c := contents{runs: map[string]kept{}}
	err := s.each(func(group, name string) error {
		key, failed := strings.CutSuffix(name, failedEnding)
		what := failure
		if !failed {
			key, what = strings.TrimSuffix(name, packedEnding), result
		}
		switch {
		case strings.HasPrefix(name, "."):
		case !isKey(key) || key[:groupLength] != group:
			c.foreign = append(c.foreign, filepath.Join(s.Dir, group, name))
		default:
			c.runs[key] = max(c.runs[key], what)
		}
		return nil
	}, func(name string) {
		if !strings.HasPrefix(name, ".") && name != keptFolder {
			c.foreign = append(c.foreign, filepath.Join(s.Dir, name))
		}
	})
	slices.Sort(c.foreign)
	return c, err
}

// leftover matches the names of files and folders while they are written, here and by
// record.WriteFolder: hidden, with the key. replaced matches folders that were being
// replaced. These can hold files of users.
var (
	leftover = regexp.MustCompile(`^\.([0-9a-f]{32})\.`)
	replaced = regexp.MustCompile(`^\.([0-9a-f]{32})\.old-`)
)

// sweep removes what killed writers left behind. Nobody may be writing.
func (s Store) sweep() error {
	return s.each(func(group, name string) error {
		path := filepath.Join(s.Dir, group, name)
		if m := replaced.FindStringSubmatch(name); m != nil {
			err := record.RemoveFolder(filepath.Join(path, m[1]))
			_ = os.Remove(path) // unless something is left
			return err
		}
		if !leftover.MatchString(name) {
			return nil // a hidden file of somebody else
		}
		return os.RemoveAll(path)
	}, func(string) {})
}

// each calls visit for everything in the folders of the store, and other for everything
// next to these folders.
func (s Store) each(visit func(group, name string) error, other func(name string)) error {
	groups, err := os.ReadDir(s.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: a file, not the folder of the study's runs; move it away, and the runs are repeated", s.Dir)
	case err != nil:
		return err
	}
	for _, group := range groups {
		dir := filepath.Join(s.Dir, group.Name())
		// A folder may be a link to another disk.
		if info, err := os.Stat(dir); len(group.Name()) != groupLength || err != nil || !info.IsDir() {
			other(group.Name())
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := visit(group.Name(), e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}
