package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Identifiers of weft's own folders, and the version of their layout.
const (
	runFormat        = "weft-run"
	comparisonFormat = "weft-comparison"
	formatVersion    = 1
)

// format is the beginning of each file that marks a folder as weft's.
type format struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// manifestJSON is manifest.json.
type manifestJSON struct {
	format
	Manifest
	Marks []Mark `json:"marks,omitempty"`
}

// WriteFolder writes a run as the folder dir. The folder appears only when it is complete, and
// replaces an earlier result that weft wrote there. It is an error if anything else is in its
// place, and that is left alone. If writing fails, the earlier content stays.
func WriteFolder(dir string, r *Result) error {
	s, err := stage(dir)
	if err != nil {
		return err
	}
	defer s.discard()
	if err := s.clear(runFiles); err != nil {
		return err
	}
	for _, f := range new(tables).filesOf(r, indented) {
		if err := folder(s.dir).write(f.name, f.content); err != nil {
			return fmt.Errorf("writing the results of %s: %w", dir, err)
		}
	}
	return s.commit()
}

// folder stores the files of a run in a folder.
type folder string

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// write creates a file with the output of content.
func (f folder) write(name string, content func(io.Writer) error) (err error) {
	file, err := os.Create(f.path(name))
	if err != nil {
		return err
	}
	defer func() {
		if e := file.Close(); err == nil {
			err = e
		}
	}()
	if err := content(file); err != nil {
		return fmt.Errorf("%s: %w", f.path(name), err)
	}
	return nil
}

// file is one of the files of a run.
type file struct {
	name    string
	content func(io.Writer) error
	// rows is the number of rows in a table. few returns them as JSON shows them.
	rows int
	few  func() any
	// spare is set if readers can do without the table when it has no rows.
	spare bool
}

// filesOf returns the files of a run, the manifest last. encode encodes JSON.
func (t *tables) filesOf(r *Result, encode func(any) ([]byte, error)) []file {
	writeJSON := func(w io.Writer, v any) error {
		text, err := encode(v)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	files := []file{
		tableFile(flowsFile, &t.flows, r.Flows, rowOf, false),
		tableFile(portsFile, &t.ports, r.Ports, itself, false),
		tableFile(seriesFile, &t.series, r.Series, itself, true),
		tableFile(faultsFile, &t.faults, r.Faults, faultRowOf, true),
		tableFile(nodesFile, &t.nodes, r.Nodes, itself, true),
		tableFile(snapshotsFile, &t.snapshots, r.Snapshots, itself, true),
	}
	if len(r.Pauses) > 0 { // few runs have any
		files = append(files, tableFile(pausesFile, &t.pauses, r.Pauses, itself, true))
	}
	if len(r.Jobs.Ranks) > 0 {
		files = append(files, tableFile(ranksFile, &t.ranks, r.Jobs.Ranks, itself, true))
	}
	if len(r.Jobs.Activities) > 0 {
		files = append(files, tableFile(activitiesFile, &t.activities, r.Jobs.Activities, itself, true))
	}
	if len(r.Jobs.Collectives) > 0 {
		files = append(files, tableFile(collectivesFile, &t.collectives, r.Jobs.Collectives, itself, true))
	}
	return append(files,
		file{name: summaryFile, content: func(w io.Writer) error { return writeJSON(w, r.Summary) }},
		file{name: manifestFile, content: func(w io.Writer) error {
			return writeJSON(w, manifestJSON{format{runFormat, formatVersion}, r.Manifest, r.Marks})
		}},
	)
}

func tableFile[T, R any](name string, t *table[T, R], rows []T, convert func(T) R, spare bool) file {
	return file{
		name:    name,
		content: func(w io.Writer) error { return t.write(w, rows, convert) },
		rows:    len(rows),
		few: func() any {
			converted := make([]R, len(rows))
			for i, row := range rows {
				converted[i] = convert(row)
			}
			return converted
		},
		spare: spare,
	}
}

// compact encodes JSON without whitespace.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// indented encodes JSON for people.
func indented(v any) ([]byte, error) {
	text, err := compact(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, bytes.TrimSpace(unescaped(text)), "", "  ")
	return b.Bytes(), err
}

// unescaped undoes the escapes with which the standard encoding keeps JSON safe within HTML, so
// that "->" stays readable. A backslash that is itself escaped begins no escape.
func unescaped(text []byte) []byte {
	escapes := strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	return []byte(escapes.Replace(string(text)))
}

// Variant is one run of a comparison.
type Variant struct {
	Name string `json:"name"`
	// Folder is relative to the comparison's folder in its file. Variants returns it as a path
	// that can be opened.
	Folder string `json:"folder"`
}

type comparisonJSON struct {
	format
	Scenario string    `json:"scenario"`
	Partial  bool      `json:"partial"`
	Variants []Variant `json:"variants"`
}

// Comparison is a folder of several runs that is being written. Commit makes it appear, or
// replace an earlier one.
type Comparison struct {
	scenario string
	staging  *staging
	variants []Variant
}

// NewComparison begins the folder dir for the variants of a scenario, which may be named by its
// file. It fails at once if dir cannot be written or holds anything but a result of weft.
func NewComparison(dir, scenario string) (*Comparison, error) {
	s, err := stage(dir)
	if err != nil {
		return nil, err
	}
	return &Comparison{scenario: scenario, staging: s}, nil
}

// Variant adds a variant and returns the folder that WriteFolder should write it to, in this
// process or another.
func (c *Comparison) Variant(name string) string {
	folder := folderName(name)
	// Some file systems ignore case.
	taken := func(v Variant) bool { return strings.EqualFold(v.Folder, folder) }
	for n := 2; slices.ContainsFunc(c.variants, taken) || !c.staging.room(folder); n++ {
		folder = fmt.Sprintf("%s-%d", folderName(name), n)
	}
	c.variants = append(c.variants, Variant{name, folder})
	return filepath.Join(c.staging.dir, folder)
}

// Commit makes the folder appear with the variants that were written. It is partial if one of the
// added variants is missing or is itself partial. It is an error if all are missing.
func (c *Comparison) Commit() error {
	defer c.staging.discard()
	file := comparisonJSON{format: format{comparisonFormat, formatVersion}, Scenario: c.scenario}
	for _, v := range c.variants {
		m, err := readManifest(filepath.Join(c.staging.dir, v.Folder))
		switch {
		case os.IsNotExist(err):
			file.Partial = true
			continue
		case err != nil:
			return err
		}
		file.Partial = file.Partial || m.Partial
		file.Variants = append(file.Variants, v)
	}
	if len(file.Variants) == 0 {
		return fmt.Errorf("%s: no variant was completed; nothing was written", c.staging.target)
	}
	text, err := indented(file)
	if err == nil {
		err = os.WriteFile(filepath.Join(c.staging.dir, comparisonFile), text, 0o666)
	}
	if err != nil {
		return fmt.Errorf("writing the results of %s: %w", c.staging.target, err)
	}
	return c.staging.commit()
}

// Discard removes what was written, unless it was committed.
func (c *Comparison) Discard() { c.staging.discard() }

// folderName turns a variant's name into a folder name of letters, digits, dots, dashes and
// underscores. It does not begin with a dot and is none of the names with a meaning in a result's
// folder.
func folderName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, name)
	name = strings.TrimRight(strings.TrimLeft(name, "."), "-")
	if name == "" || ours(name) {
		return strings.TrimRight("variant-"+name, "-")
	}
	return name
}
