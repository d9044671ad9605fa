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
	"time"

	"weft/record"
)

// Status is how a run ended.
type Status string

// Values of Status.
const (
	// Done: the run has a whole result.
	Done Status = "done"
	// Partial: its result was cut short, as that of a stuck run.
	Partial Status = "partial"
	// Failed: it has no result, and will have none if it is repeated.
	Failed Status = "failed"
	// Dead: its process died again and again, or what it needs is lacking; it may
	// succeed elsewhere or later.
	Dead Status = "dead"
)

// Entry is a run in the index: what tables need of it, so that its result need not
// be opened.
type Entry struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Cell   string `json:"cell"`
	Seed   uint64 `json:"seed"`
	Status Status `json:"status"`
	// Message says why a run failed or was cut short.
	Message string `json:"message,omitempty"`
	// Program identifies the program that ran it.
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
}

// summarized fills in what a summary tells.
func (e *Entry) summarized(s *record.Summary) {
	e.Status, e.Message = Done, ""
	if s.Partial {
		e.Status, e.Message = Partial, s.Cause
	}
	e.Hash, e.PeakRSS = s.ResultHash, int64(s.PeakRSS)
	e.Metrics = map[string]float64{}
	for _, m := range s.Metrics() {
		if !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0) {
			e.Metrics[m.Name] = m.Value
		}
	}
}

// index is the entries of a study by key. On disk it is lines of JSON, of which the
// last one of a key counts; it can be made again from the store.
type index struct {
	path    string
	entries map[string]Entry
	file    *os.File
	// adopted are runs that the store lacks and that count nevertheless. They are
	// among the entries, and not on disk.
	adopted map[string]Adopted
}

// readIndex reads an index; one that is missing is empty. A line that was cut off
// when its writer died is passed over.
func readIndex(path string) (*index, error) {
	x := &index{path: path, entries: map[string]Entry{}}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e Entry
			if json.Unmarshal(line, &e) == nil && e.Key != "" {
				x.entries[e.Key] = e
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

// add appends an entry.
func (x *index) add(e Entry) error {
	x.put(e)
	if x.file == nil {
		f, err := os.OpenFile(x.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return err
		}
		x.file = f
		// What a writer that was killed left without its end must not spoil
		// the next line.
		if _, err := f.Write([]byte("\n")); err != nil {
			return err
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = x.file.Write(append(line, '\n'))
	return err
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
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return Store{}.write(x.path, b.Bytes())
}

func (x *index) close() error {
	if x.file == nil {
		return nil
	}
	f := x.file
	x.file = nil
	return f.Close()
}

// refresh makes the index agree with the store: entries of runs that are gone are
// dropped, and runs that it does not have yet, or that succeeded since, are looked
// at. It returns those that cannot be read, such as after a power cut:
// to the index they are not there. If only is not nil, other runs are not looked at.
func (x *index) refresh(s Store, only map[string]bool) (damaged []*DamagedError, err error) {
	have, err := s.keys()
	if err != nil {
		return nil, err
	}
	for key := range x.entries {
		if have[key] == nothing {
			delete(x.entries, key)
		}
	}
	for key, what := range have {
		if only != nil && !only[key] {
			continue
		}
		e, known := x.entries[key]
		if known && (what == failure) == (e.Status == Failed || e.Status == Dead) {
			continue
		}
		if e, err = s.entry(key, what); err != nil {
			delete(x.entries, key)
			damaged = append(damaged, s.damage(key, err))
			continue
		}
		x.put(e)
	}
	x.fill()
	return damaged, nil
}

// entry makes the entry of a run from what the store keeps of it.
func (s Store) entry(key string, what kept) (Entry, error) {
	if what == failure {
		var e Entry
		text, err := os.ReadFile(s.place(key) + failedEnding)
		if err != nil {
			return e, err
		}
		if err := json.Unmarshal(text, &e); err != nil {
			return e, fmt.Errorf("%s: damaged (%w); remove it, and the run is repeated", s.place(key)+failedEnding, err)
		}
		return e, nil
	}
	m, summary, err := s.summary(key)
	if err != nil {
		return Entry{}, err
	}
	e := EntryOf(&m, &summary)
	e.Key = key
	return e, nil
}

// EntryOf returns what the manifest and summary of a run tell, without a key.
func EntryOf(m *record.Manifest, s *record.Summary) Entry {
	e := Entry{Name: m.Name, Seed: m.Seed, Attempts: 1, Started: m.Timings.Started, Took: s.Wall}
	if m.Study != nil {
		e.Cell, e.Program, e.Worker = m.Study.Cell, m.Study.Program, m.Study.Worker
	}
	e.summarized(s)
	return e
}
