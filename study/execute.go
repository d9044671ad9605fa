package study

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/internal/flock"
	"weft/internal/printable"
	"weft/record"
)

// Shard is one of several equal parts of a study, for machines that share only a file
// system. The zero Shard is the whole study.
type Shard struct{ Index, Of int }

// ParseShard reads "i/n", where i is from 0 to n-1.
func ParseShard(text string) (Shard, error) {
	a, b, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return Shard{}, fmt.Errorf("%q is not a shard; write i/n, as in 0/4 for the first of four", text)
	}
	return Shard{i, n}, nil
}

// holds reports whether a run belongs to the shard.
func (s Shard) holds(place int) bool { return s.Of == 0 || ShardOf(place, s.Of) == s.Index }

// ShardOf returns which of n shards the run at an index of Plan.Runs belongs to. Each shard
// gets one of every n consecutive runs, chosen pseudo-randomly. Cells differ in how long
// they take, and under a plain rule, for some n, one shard would get the same few cells
// with every seed.
func ShardOf(place, n int) int {
	// The finalizer of SplitMix64.
	x := uint64(place/n) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((uint64(place) + (x^x>>31)%uint64(n)) % uint64(n))
}

// ExecuteOptions choose the runs to execute, and how.
type ExecuteOptions struct {
	Part Part
	// Retry also repeats runs that failed.
	Retry bool
	// Watch, if not nil, is notified of each event after the study has stored it.
	Watch Watcher
	// Planned, if not nil, is called with the entries of finished runs and the number of runs
	// to execute.
	Planned func(have []Entry, missing int)
}

// Execute executes the missing runs. A failing run does not stop it. It returns when every
// run has ended or the context is done. Runs in flight at that time are repeated by the
// next Execute.
func (s *Study) Execute(ctx context.Context, e Engine, o ExecuteOptions) error {
	release, err := lock(s.Dir, o.Part.Shard)
	switch {
	case errors.Is(err, flock.ErrNone):
		if o.Watch != nil {
			o.Watch.Notice(fmt.Sprintf("weft cannot prevent other processes from executing the same runs: %v", err))
		}
	case err != nil:
		return err
	default:
		defer release()
		if o.Part.Shard.Of == 0 { // no other process writes
			if err := s.store.sweep(); err != nil {
				return err
			}
		}
	}
	if err := s.read(); err != nil {
		return err
	}
	x := &execution{Study: s, options: o, names: map[string]Task{}}
	if err := s.setAside(x.Notice); err != nil {
		return err
	}
	for _, text := range s.Warnings() {
		x.Notice(text)
	}
	// The index of a shard's runs is written when all shards are gathered.
	var write func([]line) error
	if o.Part.Shard.Of == 0 {
		if err := s.index.rewrite(); err != nil {
			return err
		}
		write = s.index.append
	}
	tasks, have, err := x.tasks()
	if err != nil {
		return err
	}
	if o.Planned != nil {
		o.Planned(have, len(tasks))
	}
	if len(tasks) == 0 {
		return nil
	}
	x.group = newGroup(s.store.Dir, write, syncer{path: syncPath, folder: syncFolder})
	err = e.Execute(ctx, tasks, x)
	return errors.Join(err, x.group.close(), s.index.close())
}

// execution stores what an engine reports. Workers are not trusted: users see their reports
// only as printable text.
type execution struct {
	*Study
	options ExecuteOptions
	names   map[string]Task // tasks under way, by key, without scenarios
	group   *group
}

// tasks lists the runs to execute, and the entries of finished ones.
func (x *execution) tasks() (tasks []Task, have []Entry, err error) {
	var cache TaskCache
	for _, r := range x.Plan.In(x.options.Part) {
		if e, ok := x.index.entries[r.Key]; ok && !repeated(e, x.options.Retry) {
			have = append(have, e)
			continue
		}
		if _, twice := x.names[r.Key]; twice {
			continue
		}
		t, err := x.Plan.Task(r, &cache)
		if err != nil {
			return nil, nil, err
		}
		tasks = append(tasks, t)
		t.Scenario = nil
		x.names[r.Key] = t
	}
	return tasks, have, nil
}

// repeated reports whether an ended run must be repeated.
func repeated(e Entry, retry bool) bool {
	return e.Status == Dead || e.Status == Failed && retry
}

func (x *execution) Ended(o Outcome) error {
	t, ours := x.names[o.Key]
	if !ours {
		return nil
	}
	o.Worker = printable.Line(o.Worker)
	if f := o.Failure; f != nil {
		o.Failure = &Failure{Message: printable.Lines(f.Message), Permanent: f.Permanent}
	}
	l := line{Entry: Entry{
		Key: o.Key, Name: t.Name, Cell: t.Cell, Seed: t.Seed, Program: x.Plan.Program,
		Worker: o.Worker, Attempts: o.Attempts, Started: o.Started, Took: o.Took,
	}}
	path, err := x.keep(&l, o)
	if err != nil {
		return err
	}
	x.index.put(l)
	if err := x.group.add(path, l); err != nil {
		return err
	}
	o.Status = l.Status
	if x.options.Watch != nil {
		return x.options.Watch.Ended(o)
	}
	return nil
}

// keep puts an outcome into the store, completes its line for the index, and returns its
// path.
func (x *execution) keep(l *line, o Outcome) (path string, err error) {
	if o.Failure != nil {
		l.Status, l.Message = Dead, o.Failure.Message
		if o.Failure.Permanent {
			l.Status = Failed
		}
		l.clean()
		path, l.File, err = x.store.putFailure(o.Key, l.Entry)
		return path, err
	}
	packed, err := record.CheckPack("its result", o.Result)
	if err == nil {
		err = x.store.identify(o.Key, &packed.Manifest, &packed.Summary)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotResult, err)
	}
	l.summarized(&packed.Summary)
	l.clean()
	if path, l.File, err = x.store.put(o.Key, o.Result); err != nil {
		return path, err
	}
	if before, ok := x.index.entries[o.Key]; ok && (before.Status == Failed || before.Status == Dead) {
		err = x.store.forgetFailure(o.Key)
	}
	return path, err
}

func (x *execution) Began(key, worker string) {
	if x.options.Watch != nil {
		x.options.Watch.Began(key, printable.Line(worker))
	}
}

func (x *execution) Progressed(key string, share float64) {
	if x.options.Watch != nil {
		x.options.Watch.Progressed(key, min(max(share, 0), 1))
	}
}

func (x *execution) Lost(key, worker, why string) {
	if x.options.Watch != nil {
		x.options.Watch.Lost(key, printable.Line(worker), printable.First(why))
	}
}

func (x *execution) Notice(text string) {
	if x.options.Watch != nil {
		x.options.Watch.Notice(printable.Line(text))
	}
}
