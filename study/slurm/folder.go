package slurm

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Folder holds what belongs to the jobs of a study: the script, logs, copies of the
// program, and a list of submitted jobs.
type Folder struct {
	// Dir is its absolute path.
	Dir string
}

const (
	scriptFile    = "job.sh"
	jobsFile      = "jobs.jsonl"
	programPrefix = "program-"
)

// FolderOf returns the jobs' folder of the study in dir.
func FolderOf(dir string) (Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Folder{}, err
	}
	return Folder{filepath.Join(abs, "slurm")}, nil
}

// Script returns the path of the script.
func (f Folder) Script() string { return filepath.Join(f.Dir, scriptFile) }

// Logs returns the pattern of the paths of a job's logs.
func (f Folder) Logs(id ID) string { return filepath.Join(f.Dir, id.String()+"_*.log") }

// Program returns the path for the copy of an executable. The copy keeps its name; the
// folder is named after the content.
func (f Folder) Program(content, name string) string {
	return filepath.Join(f.Dir, programPrefix+content, name)
}

// Content returns a name for the content of an executable.
func Content(executable string) (string, error) {
	from, err := os.Open(executable)
	if err != nil {
		return "", err
	}
	defer from.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, from); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// Install copies an executable to the path that Program returned.
func (f Folder) Install(executable, place string) error {
	if info, err := os.Stat(place); err == nil {
		// The file appears under its name only when it is complete.
		if was, err := os.Stat(executable); err == nil && was.Size() == info.Size() {
			return nil
		}
	}
	from, err := os.Open(executable)
	if err != nil {
		return err
	}
	defer from.Close()
	return f.write(place, 0o777, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}

// RemovePrograms removes the copies of programs, except one. No job may be waiting for
// them.
func (f Folder) RemovePrograms(but string) error {
	copies, err := os.ReadDir(f.Dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range copies {
		path := filepath.Join(f.Dir, c.Name())
		if c.IsDir() && strings.HasPrefix(c.Name(), programPrefix) && path != filepath.Dir(but) {
			errs = append(errs, os.RemoveAll(path))
		}
	}
	return errors.Join(errs...)
}

// WriteScript writes the script. Its file is not executable; sbatch does not need that.
func (f Folder) WriteScript(text []byte) error {
	return f.write(f.Script(), 0o666, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// write writes a file so that it appears complete or not at all.
func (f Folder) write(path string, mode fs.FileMode, content func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	// Unlike os.CreateTemp, this follows the umask, since others of a group may submit,
	// too.
	temporary := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	w, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	err = content(w)
	if closing := w.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Submitted is a submitted job.
type Submitted struct {
	ID
	// Plan is the hash of the study's plan, or empty for workers.
	Plan string `json:"plan,omitempty"`
	// Tasks and Runs are the numbers of tasks and runs in the job.
	Tasks int       `json:"tasks"`
	Runs  int       `json:"runs,omitempty"`
	At    time.Time `json:"at"`
}

// Note records a job.
func (f Folder) Note(s Submitted) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	w, err := os.OpenFile(filepath.Join(f.Dir, jobsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return errors.Join(err, w.Close())
}

// Jobs lists the submitted jobs, the latest last.
func (f Folder) Jobs() ([]Submitted, error) {
	text, err := os.ReadFile(filepath.Join(f.Dir, jobsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseJobs(text)
}

func parseJobs(text []byte) ([]Submitted, error) {
	var list []Submitted
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var s Submitted
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil || s.Job == 0 {
			return nil, fmt.Errorf("%s: %q is not a job; remove the line if no job is waiting", jobsFile, lines.Text())
		}
		list = append(list, s)
	}
	return list, lines.Err()
}
