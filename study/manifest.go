package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"weft/internal/printable"
	"weft/internal/userfile"
	"weft/record"
)

const (
	studyFormat  = "weft-study"
	studyVersion = 1
)

// manifest is the content of study.json.
type manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`

	Name    string         `json:"name"`
	About   string         `json:"about,omitempty"`
	Source  string         `json:"source"`
	Sets    []string       `json:"sets,omitempty"`
	Program string         `json:"program"`
	Build   record.Program `json:"build"`
	Created time.Time      `json:"created"`
	Axes    []Axis         `json:"axes"`
	Seeds   []uint64       `json:"seeds"`
	Cells   []PlannedCell  `json:"cells"`
	// Text is the text of the scenario file.
	Text string `json:"text"`
}

// readPlan reads study.json in a folder.
func readPlan(dir string) (*Plan, error) {
	path := filepath.Join(dir, manifestFile)
	text, err := userfile.Read(path, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, noStudy(dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; %s", err, anotherFolder)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil || m.Format != studyFormat {
		return nil, fmt.Errorf("%s: damaged, or not written by weft; %s", path, anotherFolder)
	}
	if m.Version > studyVersion {
		return nil, fmt.Errorf("%s: version %d of the format is newer than this weft, which reads up to %d; update weft", path, m.Version, studyVersion)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w; %s", path, err, anotherFolder)
	}
	m.clean()
	return &Plan{
		Name: m.Name, About: m.About, Source: m.Source, Text: []byte(m.Text), Sets: m.Sets,
		Program: m.Program, Axes: m.Axes, Cells: m.Cells, Seeds: m.Seeds,
	}, nil
}

// noStudy explains why a path is not the folder of a study.
func noStudy(dir string, err error) error {
	const remedy = "name a folder that weft study run wrote"
	switch info, e := os.Stat(dir); {
	case e != nil:
		return &noStudyError{fmt.Sprintf("%s: there is no such folder; %s", dir, remedy), err}
	case !info.IsDir():
		return &noStudyError{fmt.Sprintf("%s: a file, not the folder of a study; %s", dir, remedy), err}
	}
	return &noStudyError{fmt.Sprintf("%s: not the folder of a study, since it has no %s; %s", dir, manifestFile, remedy), err}
}

// noStudyError holds the text for users, and the cause for Create and Join.
type noStudyError struct {
	text  string
	cause error
}

func (e *noStudyError) Error() string { return e.text }
func (e *noStudyError) Unwrap() error { return e.cause }

// IsStudy reports whether a folder is the folder of a study.
func IsStudy(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// maxRuns exceeds the number of runs that a scenario may have.
const maxRuns = 4_000_000

const anotherFolder = "move the folder away, or run the study again with another --out"

// check refuses a plan that no study can have, since tables use its levels as indices.
func (m *manifest) check() error {
	if m.Version < 1 {
		return fmt.Errorf("version %d of the format does not exist", m.Version)
	}
	if printable.Line(m.Program) != m.Program {
		return fmt.Errorf("program %q does not exist", m.Program)
	}
	if len(m.Cells) == 0 || len(m.Seeds) == 0 {
		return errors.New("it has no cells or no seeds")
	}
	if len(m.Seeds) > maxRuns/len(m.Cells) {
		return fmt.Errorf("%d cells with %d seeds are more than the %d runs that a study may have", len(m.Cells), len(m.Seeds), maxRuns)
	}
	for _, a := range m.Axes {
		if len(a.Levels) == 0 || len(a.Numbers) != 0 && len(a.Numbers) != len(a.Levels) {
			return fmt.Errorf("axis %q has %d levels but %d numbers", a.Name, len(a.Levels), len(a.Numbers))
		}
	}
	for _, c := range m.Cells {
		if len(c.Levels) != len(m.Axes) {
			return fmt.Errorf("cell %q has levels of %d axes, but there are %d", c.Name, len(c.Levels), len(m.Axes))
		}
		for i, level := range c.Levels {
			if level < 0 || level >= len(m.Axes[i].Levels) {
				return fmt.Errorf("cell %q has level %d of axis %q, which has %d, from 0", c.Name, level, m.Axes[i].Name, len(m.Axes[i].Levels))
			}
		}
	}
	return nil
}

// clean makes the names in a plan safe to show. Its runs are planned again from the
// scenario's text.
func (m *manifest) clean() {
	m.Name, m.About = printable.Line(m.Name), printable.Lines(m.About)
	for i := range m.Axes {
		a := &m.Axes[i]
		a.Name, a.Path, a.Unit = printable.Line(a.Name), printable.Line(a.Path), printable.Line(a.Unit)
		for j := range a.Levels {
			a.Levels[j] = printable.Line(a.Levels[j])
		}
	}
	for i := range m.Cells {
		m.Cells[i].Name, m.Cells[i].Preset = printable.Line(m.Cells[i].Name), printable.Line(m.Cells[i].Preset)
	}
}
