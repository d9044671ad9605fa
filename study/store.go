package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"weft/internal/userfile"
	"weft/record"
	"weft/unit"
)

// Store keeps the results of runs in a folder, by key. Each small result is one packed
// file. A large result is a folder of plain files that other programs can read. A failure
// is a file with the reason. A file under its final name is complete. Several processes may
// put runs into one store; runs with the same key are the same run.
type Store struct {
	// Dir is the store's folder.
	Dir string
	// describer, if not nil, knows the scenarios of the runs.
	describer *describer
}

// The endings of file names in a store.
const (
	packedEnding = ".zip"
	failedEnding = ".failed.json"
)

// largeResult is the size from which on a result is kept as a folder.
const largeResult = 8 << 20

// place returns the path of a run, without the ending.
func (s Store) place(key string) string {
	return filepath.Join(s.Dir, key[:min(len(key), groupLength)], key)
}

// groupLength is the number of digits of the key that the runs in one folder share.
const groupLength = 2

// Path returns the path of a run's result, a packed file or a folder. Without a result the
// error wraps fs.ErrNotExist.
func (s Store) Path(key string) (string, error) {
	for _, path := range []string{s.place(key) + packedEnding, s.place(key)} {
		if _, err := os.Lstat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: no such run: %w", s.place(key), fs.ErrNotExist)
}

// pathOf returns the path of a run's result or failure.
func (s Store) pathOf(key string, what kept) (string, error) {
	if what == failure {
		return s.place(key) + failedEnding, nil
	}
	return s.Path(key)
}

// put stores a packed result, replacing an earlier one of the same key. It returns the path
// and its fingerprint. A stored failure of the key no longer counts.
func (s Store) put(key string, packed []byte) (path string, sum fileSum, err error) {
	if len(packed) >= largeResult {
		path = s.place(key)
		if err := record.UnpackTo(path, key, packed); err != nil {
			return path, sum, err
		}
		sum, err = sumOf(path)
		return path, sum, err
	}
	path = s.place(key) + packedEnding
	sum, err = s.write(path, packed)
	return path, sum, err
}

// putFailure stores the reason why a run has no result.
func (s Store) putFailure(key string, e Entry) (path string, sum fileSum, err error) {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return "", sum, err
	}
	path = s.place(key) + failedEnding
	sum, err = s.write(path, text)
	return path, sum, err
}

// write writes a file of the store so that it appears complete or not at all.
func (s Store) write(path string, content []byte) (fileSum, error) {
	sum, err := writeWhole(path, content)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return sum, fmt.Errorf("keeping a run: %w", err)
		}
		sum, err = writeWhole(path, content)
	}
	if err != nil {
		return sum, fmt.Errorf("keeping a run: %w", err)
	}
	return sum, nil
}

// forgetFailure removes a stored failure.
func (s Store) forgetFailure(key string) error {
	err := os.Remove(s.place(key) + failedEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Result reads the result of a run. If the result cannot be used, the error is ErrDamaged.
func (s Store) Result(key string) (*record.Result, error) { return s.result(key, fileSum{}) }

// result works like Result, and also checks the run's files against a fingerprint, if it is
// set.
func (s Store) result(key string, sum fileSum) (*record.Result, error) {
	path, err := s.Path(key)
	if err != nil {
		return nil, err
	}
	r, err := readResult(path, sum)
	if err == nil {
		err = s.identify(key, &r.Manifest, &r.Summary)
	}
	if err != nil {
		return nil, &DamagedError{Key: key, Path: path, Err: err}
	}
	return r, nil
}

func readResult(path string, sum fileSum) (*record.Result, error) {
	if !strings.HasSuffix(path, packedEnding) {
		return record.ReadFolder(path)
	}
	packed, err := readPacked(path)
	if err != nil {
		return nil, err
	}
	if sum.known() && hashOf(packed) != sum.SHA256 {
		return nil, fmt.Errorf("%s: %w", path, errOtherContent)
	}
	return record.Unpack(path, packed)
}

// mostFailure exceeds the size of any record of a failure.
const mostFailure = 16 * unit.MiB

// readPacked reads a packed result. It refuses a file larger than any result, before it
// fills memory.
func readPacked(path string) ([]byte, error) {
	packed, err := userfile.Read(path, record.MostPacked)
	if err != nil {
		return nil, fmt.Errorf("%w; no run of a study is larger: remove the file, and run the study again", err)
	}
	return packed, nil
}

// identify refuses a result that does not belong to a key. It computes the key again from
// the scenario, seed and program in the manifest, and checks that manifest and summary
// agree. It cannot check the numbers without repeating the run; they are as good as their
// source.
func (s Store) identify(key string, m *record.Manifest, summary *record.Summary) error {
	run := m.Study
	switch {
	case run == nil:
		return errors.New("its manifest names no run of a study")
	case Key(run.Program, run.Cell, m.Seed) != key:
		return fmt.Errorf("it holds the result of another run: seed %d of cell %q by program %q", m.Seed, run.Cell, run.Program)
	case m.Hashes.Result != summary.ResultHash:
		return errors.New("its manifest and its summary have different hashes of the result")
	}
	var scenario struct {
		Seed *json.Number `json:"seed"`
	}
	if err := json.Unmarshal(m.Scenario, &scenario); err != nil {
		return fmt.Errorf("its manifest has no scenario that can be read: %w", err)
	}
	if scenario.Seed != nil && scenario.Seed.String() != strconv.FormatUint(m.Seed, 10) {
		return fmt.Errorf("its manifest has seed %d, and its scenario seed %s", m.Seed, *scenario.Seed)
	}
	if s.describer != nil {
		return s.describer.check(run, m.Scenario)
	}
	return nil
}

// inspect reads the whole of an unknown result, and returns its entry and fingerprint.
func (s Store) inspect(key string) (Entry, fileSum, error) {
	path, err := s.Path(key)
	if err != nil {
		return Entry{}, fileSum{}, err
	}
	m, summary, sum, err := inspected(path)
	if err != nil {
		return Entry{}, sum, err
	}
	if err := s.identify(key, &m, &summary); err != nil {
		return Entry{}, sum, fmt.Errorf("%s: %w", path, err)
	}
	e := EntryOf(&m, &summary)
	e.Key = key
	return e, sum, nil
}

// inspected reads the whole of a packed file or a folder.
func inspected(path string) (m record.Manifest, s record.Summary, sum fileSum, err error) {
	if !strings.HasSuffix(path, packedEnding) {
		r, err := record.ReadFolder(path)
		if err != nil {
			return m, s, sum, err
		}
		sum, err = sumOf(path)
		return r.Manifest, r.Summary, sum, err
	}
	packed, err := readPacked(path)
	if err != nil {
		return m, s, sum, err
	}
	if _, err = record.CheckPack(path, packed); err != nil {
		return m, s, sum, err
	}
	if sum, err = statRun(path); err != nil {
		return m, s, sum, err
	}
	sum.SHA256 = hashOf(packed)
	m, s, err = record.UnpackSummary(path, packed)
	return m, s, sum, err
}

// entry makes the entry of a run from its files in the store.
func (s Store) entry(key string, what kept) (Entry, fileSum, error) {
	if what == result {
		return s.inspect(key)
	}
	path := s.place(key) + failedEnding
	text, err := userfile.Read(path, mostFailure)
	if err != nil {
		return Entry{}, fileSum{}, err
	}
	var e Entry
	if err := json.Unmarshal(text, &e); err != nil {
		return e, fileSum{}, fmt.Errorf("%s: not the record of a failure (%w)", path, err)
	}
	if e.Key != key || !e.usable() || e.Status != Failed && e.Status != Dead {
		return e, fileSum{}, fmt.Errorf("%s: it records no failure of this run", path)
	}
	e.clean()
	sum, err := statRun(path)
	sum.SHA256 = hashOf(text)
	return e, sum, err
}

// summary reads only the summary of a run.
func (s Store) summary(key string) (record.Summary, error) {
	path, err := s.Path(key)
	if err != nil {
		return record.Summary{}, err
	}
	if !strings.HasSuffix(path, packedEnding) {
		return record.ReadSummary(path)
	}
	packed, err := readPacked(path)
	if err != nil {
		return record.Summary{}, err
	}
	_, summary, err := record.UnpackSummary(path, packed)
	return summary, err
}

// Unpack writes the result of a run as a folder of plain files.
func (s Store) Unpack(key, dir string) error {
	r, err := s.Result(key)
	if err != nil {
		return err
	}
	return record.WriteFolder(dir, r)
}

// keptFolder, in the store's folder, receives users' files that were in the folder of a
// removed run.
const keptFolder = "kept"

// Remove removes a run. Other files in its folder move to keptFolder.
func (s Store) Remove(key string) error {
	var errs []error
	for _, path := range []string{s.place(key) + packedEnding, s.place(key) + failedEnding} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, record.RemoveFolder(s.place(key)), s.setAside(key))
	return errors.Join(errs...)
}

// setAside moves the rest of the folder of a removed run.
func (s Store) setAside(key string) error {
	if _, err := os.Lstat(s.place(key)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	kept := filepath.Join(s.Dir, keptFolder)
	if err := os.MkdirAll(kept, 0o777); err != nil {
		return err
	}
	to := filepath.Join(kept, key)
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(s.place(key), to)
		}
		to = filepath.Join(kept, fmt.Sprintf("%s-%d", key, n))
	}
}
