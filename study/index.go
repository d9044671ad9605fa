package study

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"weft/internal/printable"
	"weft/internal/userfile"
	"weft/record"
)

// Status is the state in which a run ended.
type Status string

// Values of Status.
const (
	// Done: the run has a complete result.
	Done Status = "done"
	// Partial: the result was cut short, as for a stuck run.
	Partial Status = "partial"
	// Failed: the run has no result, and repeating it would not help.
	Failed Status = "failed"
	// Dead: the process died repeatedly, or a resource was lacking. The run may succeed
	// elsewhere or later.
	Dead Status = "dead"
)

// Entry is a run in the index. It holds what tables need, so that results need not be
// opened.
type Entry struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Cell   string `json:"cell"`
	Seed   uint64 `json:"seed"`
	Status Status `json:"status"`
	// Message explains why a run failed or was cut short.
	Message string `json:"message,omitempty"`
	// Program identifies the program that executed the run.
	Program  string        `json:"program,omitempty"`
	Worker   string        `json:"worker,omitempty"`
	Attempts int           `json:"attempts,omitempty"`
	Started  time.Time     `json:"started,omitzero"`
	Took     time.Duration `json:"took_ns,omitempty"`
	// PeakRSS is a plain number of bytes, for programs that read the index.
	PeakRSS int64 `json:"peak_rss_bytes,omitempty"`
	// Hash is the result hash.
	Hash string `json:"result_hash,omitempty"`
	// Metrics are the numbers of record.Summary.Metrics that exist.
	Metrics map[string]float64 `json:"metrics,omitempty"`
	// Notices are the kinds of notices that qualify these numbers.
	Notices []record.NoticeKind `json:"notices,omitempty"`
}

// notices returns the kinds of notices that qualify the numbers. Published runs have only
// numbers, so it adds the kind that a number implies.
func (e *Entry) notices() []record.NoticeKind {
	if e.Metrics["unstable"] > 0 && !slices.Contains(e.Notices, record.NoticeUnstable) {
		return append(slices.Clone(e.Notices), record.NoticeUnstable)
	}
	return e.Notices
}

// summarized fills in the entry from a summary.
func (e *Entry) summarized(s *record.Summary) {
	e.Status, e.Message = Done, ""
	if s.Partial {
		e.Status, e.Message = Partial, s.Cause
	}
	e.Hash, e.PeakRSS = s.ResultHash, int64(s.PeakRSS)
	e.Notices = s.Kinds()
	e.Metrics = map[string]float64{}
	for _, m := range s.Metrics() {
		if !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0) {
			e.Metrics[m.Name] = m.Value
		}
	}
}

// usable reports whether an entry read from a file is valid: its key must match its run,
// and its text must be printable.
func (e *Entry) usable() bool {
	switch e.Status {
	case Done, Partial, Failed, Dead:
	default:
		return false
	}
	return Key(e.Program, e.Cell, e.Seed) == e.Key && printable.Line(e.Program) == e.Program && printable.Line(e.Cell) == e.Cell
}

// clean makes text from elsewhere safe to show.
func (e *Entry) clean() {
	e.Name, e.Message, e.Worker = printable.Line(e.Name), printable.Lines(e.Message), printable.Line(e.Worker)
	if strings.Trim(e.Hash, "0123456789abcdef") != "" {
		e.Hash = ""
	}
	known := record.NoticeKinds()
	e.Notices = slices.DeleteFunc(e.Notices, func(k record.NoticeKind) bool { return !slices.Contains(known, k) })
	for name := range e.Metrics {
		if printable.Line(name) != name {
			delete(e.Metrics, name)
		}
	}
}

// index holds the entries of a study by key. On disk it is lines of JSON; the last line of
// a key counts. It can be rebuilt from the store.
type index struct {
	path    string
	entries map[string]Entry
	// sums holds the fingerprints of the store's files.
	sums map[string]fileSum
	file *os.File
	// adopted holds runs that count although the store lacks them. They are also in
	// entries, but not on disk.
	adopted map[string]Adopted
}

func newIndex(path string) *index {
	return &index{path: path, entries: map[string]Entry{}, sums: map[string]fileSum{}}
}

// line is a line of the index.
type line struct {
	Entry
	// File is absent in lines of earlier programs. Their runs are checked again.
	File fileSum `json:"file,omitzero"`
}

// readIndex reads an index. A missing one is empty. It skips lines that are invalid or were
// cut off when their writer died.
func readIndex(path string) (*index, error) {
	x := newIndex(path)
	f, err := userfile.Open(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; move it away, and weft makes it again from the runs", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		text, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			var l line
			if json.Unmarshal(text, &l) == nil && l.usable() {
				l.clean()
				x.put(l)
			}
		}
		if errors.Is(err, io.EOF) {
			return x, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

// put sets the entry of a run in the store.
func (x *index) put(l line) {
	x.entries[l.Key], x.sums[l.Key] = l.Entry, l.File
	delete(x.adopted, l.Key)
}

func (x *index) remove(key string) {
	delete(x.entries, key)
	delete(x.sums, key)
}

// append writes lines. When it returns, they would survive a power failure.
func (x *index) append(lines []line) error {
	var b bytes.Buffer
	if x.file == nil {
		f, err := os.OpenFile(x.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return err
		}
		x.file = f
		// A line cut off by a killed writer must not spoil the next one.
		b.WriteByte('\n')
	}
	for _, l := range lines {
		text, err := json.Marshal(l)
		if err != nil {
			return err
		}
		b.Write(append(text, '\n'))
	}
	if _, err := x.file.Write(b.Bytes()); err != nil {
		return err
	}
	return unlessUnable(x.file.Sync())
}

// rewrite writes the whole index anew.
func (x *index) rewrite() error {
	if err := x.close(); err != nil {
		return err
	}
	var b bytes.Buffer
	for key, e := range x.entries {
		if _, elsewhere := x.adopted[key]; elsewhere {
			continue
		}
		text, err := json.Marshal(line{e, x.sums[key]})
		if err != nil {
			return err
		}
		b.Write(append(text, '\n'))
	}
	if err := writeDurably(x.path, b.Bytes()); err != nil {
		return fmt.Errorf("writing the index of the study: %w", err)
	}
	return nil
}

func (x *index) close() error {
	if x.file == nil {
		return nil
	}
	f := x.file
	x.file = nil
	return f.Close()
}

// seen holds what refresh found in a store besides complete runs.
type seen struct {
	damaged []*DamagedError
	// foreign are paths that no study wrote.
	foreign []string
}

// refresh makes the index agree with the store. It drops the entries of removed runs, reads
// runs that are new or have succeeded meanwhile, and compares the others with their
// fingerprints. Damaged runs count as missing. If only is not nil, refresh looks only at
// those runs.
func (x *index) refresh(s Store, only map[string]bool) (seen, error) {
	have, err := s.contents()
	if err != nil {
		return seen{}, err
	}
	found := seen{foreign: have.foreign}
	for key := range x.entries {
		if have.runs[key] == nothing {
			x.remove(key)
		}
	}
	for key, what := range have.runs {
		if only != nil && !only[key] {
			continue
		}
		err := x.look(s, key, what)
		if err == nil {
			continue
		}
		x.remove(key)
		path, gone := s.pathOf(key, what)
		if _, e := os.Lstat(path); gone == nil && e == nil { // and no other process has just removed it
			found.damaged = append(found.damaged, &DamagedError{Key: key, Path: path, Err: err})
		}
	}
	x.fill()
	return found, nil
}

// look compares a run of the store with its entry. It makes a new entry if the store holds
// something else.
func (x *index) look(s Store, key string, what kept) error {
	e, known := x.entries[key]
	sum := x.sums[key]
	if known && sum.known() && (what == failure) == (e.Status == Failed || e.Status == Dead) {
		path, err := s.pathOf(key, what)
		if err != nil {
			return err
		}
		if x.sums[key], err = sum.check(path); err != nil {
			return err
		}
		return nil
	}
	e, sum, err := s.entry(key, what)
	if err != nil {
		return err
	}
	x.put(line{e, sum})
	return nil
}

// EntryOf returns the entry of a run, without a key, from its manifest and summary.
func EntryOf(m *record.Manifest, s *record.Summary) Entry {
	e := Entry{Name: m.Name, Seed: m.Seed, Attempts: 1, Started: m.Timings.Started, Took: s.Wall}
	if m.Study != nil {
		e.Cell, e.Program, e.Worker = m.Study.Cell, m.Study.Program, m.Study.Worker
	}
	e.summarized(s)
	e.clean()
	return e
}
