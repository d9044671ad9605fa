package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"weft/record"
)

// Store keeps the results of runs under a folder, by their keys: small ones as one
// packed file each, large ones as a folder of plain files that other programs read,
// and failures as a file that says why. What appears under its name is whole.
// Several processes may put runs into one store; those with the same key are the
// same run.
type Store struct {
	// Dir is the folder.
	Dir string
}

// The endings of names in a store.
const (
	packedEnding = ".zip"
	failedEnding = ".failed.json"
)

// largeResult is from which size on a result is kept as a folder.
const largeResult = 8 << 20

// place returns where a run is kept, without ending.
func (s Store) place(key string) string {
	return filepath.Join(s.Dir, key[:2], key)
}

// Path returns where the result of a run is: a packed file or a folder; or an error
// that wraps fs.ErrNotExist.
func (s Store) Path(key string) (string, error) {
	for _, path := range []string{s.place(key) + packedEnding, s.place(key)} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: no such run: %w", s.place(key), fs.ErrNotExist)
}

// Put keeps a packed result, in the place of what was there under its key. A
// failure that is kept under it counts no more.
func (s Store) Put(key string, packed []byte) error {
	if len(packed) >= largeResult {
		return record.UnpackTo(s.place(key), key, packed)
	}
	return s.write(s.place(key)+packedEnding, packed)
}

// forgetFailure removes a failure.
func (s Store) forgetFailure(key string) error {
	err := os.Remove(s.place(key) + failedEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// PutFailure keeps why a run has no result.
func (s Store) PutFailure(key string, e Entry) error {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return s.write(s.place(key)+failedEnding, text)
}

// write makes a file appear whole. Its name until then is random, since processes in
// containers have the same numbers.
func (s Store) write(path string, content []byte) error {
	dir, base := filepath.Split(path)
	temporary := filepath.Join(dir, fmt.Sprintf(".%s.%x", base, rand.Uint64()))
	err := os.WriteFile(temporary, content, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		err = os.WriteFile(temporary, content, 0o666)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return fmt.Errorf("keeping a run: %w", err)
	}
	return nil
}

// Result reads the result of a run. If it cannot be used the error is ErrDamaged.
func (s Store) Result(key string) (*record.Result, error) {
	path, err := s.Path(key)
	if err != nil {
		return nil, err
	}
	r, err := ReadResult(path)
	if err != nil {
		return nil, s.damage(key, err)
	}
	return r, nil
}

// damage says that a run cannot be used.
func (s Store) damage(key string, err error) *DamagedError {
	path, e := s.Path(key)
	if e != nil {
		path = s.place(key)
	}
	return &DamagedError{Key: key, Path: path, Err: err}
}

// ReadResult reads a result that is a packed file or a folder.
func ReadResult(path string) (*record.Result, error) {
	if !strings.HasSuffix(path, packedEnding) {
		return record.ReadFolder(path)
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return record.Unpack(path, packed)
}

// summary reads manifest and summary of a run.
func (s Store) summary(key string) (record.Manifest, record.Summary, error) {
	path, err := s.Path(key)
	if err != nil {
		return record.Manifest{}, record.Summary{}, err
	}
	if !strings.HasSuffix(path, packedEnding) {
		return record.ReadManifest(path)
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		return record.Manifest{}, record.Summary{}, err
	}
	return record.UnpackSummary(path, packed)
}

// Unpack writes the result of a run as a folder of plain files.
func (s Store) Unpack(key, dir string) error {
	r, err := s.Result(key)
	if err != nil {
		return err
	}
	return record.WriteFolder(dir, r)
}

// Remove forgets a run.
func (s Store) Remove(key string) error {
	var errs []error
	for _, path := range []string{s.place(key) + packedEnding, s.place(key) + failedEnding} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, os.RemoveAll(s.place(key)))
	return errors.Join(errs...)
}

// kept is what a store has under a key.
type kept uint8

const (
	nothing kept = iota
	failure
	result
)

// keys lists what the store has. Left-overs of writers that were killed are passed
// over.
func (s Store) keys() (map[string]kept, error) {
	have := map[string]kept{}
	err := s.each(func(path string) error {
		name := filepath.Base(path)
		if strings.HasPrefix(name, ".") {
			return nil
		}
		if key, ok := strings.CutSuffix(name, failedEnding); ok {
			have[key] = max(have[key], failure)
		} else {
			have[strings.TrimSuffix(name, packedEnding)] = result
		}
		return nil
	})
	return have, err
}

// sweep removes what writers left that were killed. Nobody may be writing.
func (s Store) sweep() error {
	return s.each(func(path string) error {
		if !strings.HasPrefix(filepath.Base(path), ".") {
			return nil
		}
		return os.RemoveAll(path)
	})
}

// each calls visit with the paths of all that is in the store.
func (s Store) each(visit func(path string) error) error {
	groups, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, group := range groups {
		if !group.IsDir() || len(group.Name()) != 2 {
			continue
		}
		dir := filepath.Join(s.Dir, group.Name())
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := visit(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
