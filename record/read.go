package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"weft/internal/printable"
	"weft/internal/userfile"
	"weft/unit"
)

// Variants returns the runs in a folder, in the order of the scenario: the variants of a
// comparison, or the single run that dir is.
func Variants(dir string) ([]Variant, error) {
	variants, err := comparison(dir)
	if errors.Is(err, fs.ErrNotExist) {
		m, err := readManifest(dir)
		if err != nil {
			return nil, missing(dir, err)
		}
		return []Variant{{Name: m.Name, Folder: dir}}, nil
	}
	if err != nil {
		return nil, err
	}
	for i, v := range variants {
		if !filepath.IsLocal(v.Folder) {
			return nil, fmt.Errorf("%s: variant %q is listed as %q, which is outside the folder; run the scenario again",
				filepath.Join(dir, comparisonFile), v.Name, v.Folder)
		}
		variants[i].Folder = filepath.Join(dir, v.Folder)
	}
	return variants, nil
}

// comparison reads the list of runs in a folder of several. Their folders are relative to it.
func comparison(dir string) ([]Variant, error) {
	path := filepath.Join(dir, comparisonFile)
	text, err := userfile.Read(path, maxText)
	if err != nil {
		return nil, err
	}
	var file comparisonJSON
	err = decode(path, text, comparisonFormat, &file)
	return file.Variants, err
}

// maxText is the largest size of a text file in a result, such as its manifest.
const maxText = 256 * unit.MiB

// ReadFolder reads the folder of one run.
func ReadFolder(dir string) (*Result, error) {
	m, err := readManifest(dir)
	if err != nil {
		if variants, e := Variants(dir); e == nil && len(variants) > 0 {
			var folders []string
			for _, v := range variants {
				folders = append(folders, v.Folder)
			}
			return nil, fmt.Errorf("%s: holds %d runs; name one of them: %s", dir, len(variants), strings.Join(folders, ", "))
		}
		return nil, missing(dir, err)
	}
	r, err := readRun(folder(dir), m)
	if err != nil {
		return nil, missing(dir, err)
	}
	return r, nil
}

// source is where the files of a run are stored.
type source interface {
	open(name string) (*opened, error)
	// few returns the name of the file that has a table's few rows as JSON, if there is one.
	few(table string) (name string, ok bool)
	// path returns the name of a file for messages.
	path(name string) string
}

// opened is an open file of a run.
type opened struct {
	io.ReaderAt
	io.Closer
	size int64
	// limit is the most memory that the rows of a table, and its unpacked pages, may take; 0 is
	// no limit.
	limit int64
}

func (o *opened) text() ([]byte, error) {
	defer o.Close()
	if o.size > int64(maxText) {
		return nil, fmt.Errorf("it is larger than %v, too large for a text of a result", maxText)
	}
	return io.ReadAll(io.NewSectionReader(o, 0, o.size))
}

func (f folder) open(name string) (*opened, error) {
	file, err := userfile.Open(f.path(name), 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &opened{file, file, info.Size(), 0}, nil
}

func (f folder) few(string) (name string, ok bool) { return "", false }

func readRun(from source, m manifestJSON) (*Result, error) {
	r := &Result{Manifest: m.Manifest, Marks: m.Marks}
	var err error
	if r.Summary, err = readSummary(from); err != nil {
		return nil, err
	}
	if r.Flows, err = readTable(from, flowsFile, flowRow.flow); err != nil {
		return nil, err
	}
	if r.Ports, err = readTable(from, portsFile, itself[Port]); err != nil {
		return nil, err
	}
	if r.Series, err = readOptional(from, seriesFile, itself[Series]); err != nil {
		return nil, err
	}
	if r.Faults, err = readOptional(from, faultsFile, faultRow.fault); err != nil {
		return nil, err
	}
	if r.Nodes, err = readOptional(from, nodesFile, itself[Node]); err != nil {
		return nil, err
	}
	if r.Snapshots, err = readOptional(from, snapshotsFile, itself[Snapshot]); err != nil {
		return nil, err
	}
	if r.Pauses, err = readOptional(from, pausesFile, itself[Pause]); err != nil {
		return nil, err
	}
	if r.Jobs.Ranks, err = readOptional(from, ranksFile, itself[Rank]); err != nil {
		return nil, err
	}
	if r.Jobs.Activities, err = readOptional(from, activitiesFile, itself[Activity]); err != nil {
		return nil, err
	}
	if r.Jobs.Collectives, err = readOptional(from, collectivesFile, itself[Collective]); err != nil {
		return nil, err
	}
	return r, nil
}

// readOptional reads a table that may be absent: packed results leave out empty ones, and folders
// of earlier versions lack those added later.
func readOptional[T, R any](from source, name string, convert func(R) T) ([]T, error) {
	rows, err := readTable(from, name, convert)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return rows, err
}

func readSummary(from source) (s Summary, err error) {
	file, err := from.open(summaryFile)
	if err != nil {
		return s, err
	}
	text, err := file.text()
	if err != nil {
		return s, fmt.Errorf("%s: %w", from.path(summaryFile), err)
	}
	return s, decodeJSON(from.path(summaryFile), text, &s)
}

// ReadSummary reads only the summary of the folder of one run.
func ReadSummary(dir string) (Summary, error) {
	s, err := readSummary(folder(dir))
	if err != nil {
		return s, missing(dir, err)
	}
	return s, nil
}

// ReadManifest reads only the manifest and the summary of the folder of one run.
func ReadManifest(dir string) (Manifest, Summary, error) {
	m, err := readManifest(dir)
	if err != nil {
		return Manifest{}, Summary{}, missing(dir, err)
	}
	s, err := ReadSummary(dir)
	return m.Manifest, s, err
}

// missing explains the absence of a file of a run.
func missing(dir string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, e := os.Stat(dir); errors.Is(e, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w; name a folder that weft run wrote", dir, syscall.ENOENT)
	}
	return fmt.Errorf("%s: not a result of weft, or an incomplete one (%w); name a folder that weft run wrote", dir, err)
}

func readManifest(dir string) (manifestJSON, error) { return manifestOf(folder(dir)) }

func manifestOf(from source) (manifestJSON, error) {
	file, err := from.open(manifestFile)
	if err != nil {
		return manifestJSON{}, err
	}
	text, err := file.text()
	if err != nil {
		return manifestJSON{}, fmt.Errorf("%s: %w", from.path(manifestFile), err)
	}
	return parseManifest(from.path(manifestFile), text)
}

func parseManifest(path string, text []byte) (manifestJSON, error) {
	var m manifestJSON
	if err := decode(path, text, runFormat, &m); err != nil {
		return m, err
	}
	// The file is indented for people. The indentation is not part of the scenario.
	var scenario bytes.Buffer
	if string(m.Scenario) == "null" {
		m.Scenario = nil
	}
	if len(m.Scenario) > 0 {
		if err := json.Compact(&scenario, m.Scenario); err != nil {
			return m, fmt.Errorf("%s: scenario: %w", path, err)
		}
		m.Scenario = scenario.Bytes()
	}
	return m, nil
}

// decode reads one of the JSON files that begin with a format. It checks the format separately
// only after an error, because a file of another format need not decode at all.
func decode(path string, text []byte, want string, v formatted) error {
	wrong := decodeJSON(path, text, v)
	if wrong == nil {
		return v.stated().check(path, want)
	}
	var f format
	if err := decodeJSON(path, text, &f); err != nil {
		return err
	}
	return cmp.Or(f.check(path, want), wrong)
}

// formatted is a JSON file that begins with a format.
type formatted interface{ stated() format }

func (f format) stated() format { return f }

// check rejects a file of another format, or of a version that this weft does not know.
func (f format) check(path, want string) error {
	switch {
	case f.Format != want:
		return fmt.Errorf("%s: its format is %q, not %q: it is not a result of weft", path, f.Format, want)
	case f.Version > formatVersion:
		return fmt.Errorf("%s: format version %d is newer than this weft, which reads up to %d; update weft", path, f.Version, formatVersion)
	case f.Version < 1:
		return fmt.Errorf("%s: format version %d does not exist; versions are 1 to %d", path, f.Version, formatVersion)
	}
	return nil
}

// decodeJSON reads JSON that may come from a stranger. It makes all texts printable, for
// terminals, pages and pictures.
func decodeJSON(path string, text []byte, v any) error {
	text = printable.CleanJSON(text)
	err := json.Unmarshal(text, v)
	if err == nil {
		return nil
	}
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
	)
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: %w; run the scenario again", at(path, text, syntax.Offset), err)
	case errors.As(err, &mismatch) && mismatch.Offset > 0:
		return fmt.Errorf("%s: %s cannot be a %s; run the scenario again", at(path, text, mismatch.Offset), key(mismatch.Field), mismatch.Value)
	}
	return fmt.Errorf("%s: %w; run the scenario again", path, err)
}

// key removes the names of embedded structs from a path of JSON keys, which are in lower case.
func key(field string) string {
	var keys []string
	for part := range strings.SplitSeq(field, ".") {
		if part == strings.ToLower(part) {
			keys = append(keys, part)
		}
	}
	return strings.Join(keys, ".")
}

// at returns path:line:column of the byte before an offset.
func at(path string, text []byte, offset int64) string {
	before := text[:min(max(offset-1, 0), int64(len(text)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", path, line, column)
}
