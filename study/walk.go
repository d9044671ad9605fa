package study

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// kept is what a store has under a key.
type kept uint8

const (
	nothing kept = iota
	failure
	result
)

// contents is what a store has.
type contents struct {
	runs map[string]kept
	// foreign are paths that no writer of a store makes.
	foreign []string
}

// isKey reports that a name is one that Key may return.
func isKey(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*keyBytes && strings.ToLower(name) == name
}

// contents lists what the store has. Left-overs of writers that were killed are passed
// over.
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
		if !strings.HasPrefix(name, ".") {
			c.foreign = append(c.foreign, filepath.Join(s.Dir, name))
		}
	})
	slices.Sort(c.foreign)
	return c, err
}

// sweep removes what writers left that were killed. Nobody may be writing.
func (s Store) sweep() error {
	return s.each(func(group, name string) error {
		if !strings.HasPrefix(name, ".") {
			return nil
		}
		return os.RemoveAll(filepath.Join(s.Dir, group, name))
	}, func(string) {})
}

// each calls visit for all that is in the folders of the store, and other for what is
// beside these folders.
func (s Store) each(visit func(group, name string) error, other func(name string)) error {
	groups, err := os.ReadDir(s.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: a file, and not the folder of the study's runs; move it away, and the runs are repeated", s.Dir)
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
