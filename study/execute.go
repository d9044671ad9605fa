package study

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/record"
)

// Shard is one of several equal parts of a study, for machines that share only a
// file system. The zero Shard is all of it.
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

// holds tells whether a run is the shard's.
func (s Shard) holds(place int) bool { return s.Of == 0 || ShardOf(place, s.Of) == s.Index }

// ShardOf tells to which of n shards the run at a place in Plan.Runs belongs. Of each
// n runs in turn every shard has one. Which one is mixed: cells differ in how long
// they take, and by any plain rule some number of shards would give a shard the same
// few cells with every seed.
func ShardOf(place, n int) int {
	// The finalizer of SplitMix64.
	x := uint64(place/n) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((uint64(place) + (x^x>>31)%uint64(n)) % uint64(n))
}

// ExecuteOptions say which runs to execute and how.
type ExecuteOptions struct {
	Part Part
	// Retry repeats runs that failed, too.
	Retry bool
	// Watch, if not nil, is told what happens, after the study has kept it.
	Watch Watcher
	// Planned, if not nil, is called with the entries of runs that are there
	// already and the number of those that are to be executed.
	Planned func(have []Entry, missing int)
}

// Execute executes the runs that are missing. A run that fails does not end it. It
// returns when every run has ended or the context is done; runs that were in
// flight then are repeated the next time.
func (s *Study) Execute(ctx context.Context, e Engine, o ExecuteOptions) error {
	release, err := lock(s.Dir, o.Part.Shard)
	switch {
	case errors.Is(err, errNoLocks):
		if o.Watch != nil {
			o.Watch.Notice(fmt.Sprintf("nothing keeps another process from executing the same runs: %v", err))
		}
	case err != nil:
		return err
	default:
		defer release()
		if o.Part.Shard.Of == 0 { // nobody else writes
			if err := s.store.sweep(); err != nil {
				return err
			}
		}
	}
	if err := s.read(); err != nil {
		return err
	}
	for _, d := range s.damaged {
		if err := s.store.Remove(d.Key); err != nil {
			return err
		}
		if o.Watch != nil {
			o.Watch.Notice(fmt.Sprintf("run %s was damaged and is repeated", d.Key))
		}
	}
	if o.Part.Shard.Of == 0 {
		if err := s.index.rewrite(); err != nil {
			return err
		}
	}
	x := &execution{Study: s, options: o, names: map[string]Task{}}
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
	err = e.Execute(ctx, tasks, x)
	return errors.Join(err, s.index.close())
}

// execution keeps what an engine reports.
type execution struct {
	*Study
	options ExecuteOptions
	names   map[string]Task // what is being executed, by key, without scenarios
}

// tasks lists what is to be executed and what is there.
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

// repeated tells whether a run that ended is to be repeated.
func repeated(e Entry, retry bool) bool {
	return e.Status == Dead || e.Status == Failed && retry
}

func (x *execution) Ended(o Outcome) error {
	t, ours := x.names[o.Key]
	if !ours {
		return nil
	}
	e := Entry{
		Key: o.Key, Name: t.Name, Cell: t.Cell, Seed: t.Seed, Program: x.Plan.Program,
		Worker: o.Worker, Attempts: o.Attempts, Started: o.Started, Took: o.Took,
	}
	if err := x.keep(&e, o); err != nil {
		return err
	}
	// The index of a shard's runs is made when all are gathered.
	if x.options.Part.Shard.Of == 0 {
		if err := x.index.add(e); err != nil {
			return fmt.Errorf("the index of %s: %w", x.Dir, err)
		}
	} else {
		x.index.put(e)
	}
	o.Status = e.Status
	if x.options.Watch != nil {
		return x.options.Watch.Ended(o)
	}
	return nil
}

// keep puts an outcome into the store and completes its entry.
func (x *execution) keep(e *Entry, o Outcome) error {
	if o.Failure != nil {
		e.Status, e.Message = Dead, o.Failure.Message
		if o.Failure.Permanent {
			e.Status = Failed
		}
		return x.store.PutFailure(o.Key, *e)
	}
	summary, err := record.PackedSummary(o.Key, o.Result)
	if err != nil {
		return err
	}
	e.summarized(&summary)
	if err := x.store.Put(o.Key, o.Result); err != nil {
		return err
	}
	if before, ok := x.index.entries[o.Key]; ok && (before.Status == Failed || before.Status == Dead) {
		return x.store.forgetFailure(o.Key)
	}
	return nil
}

func (x *execution) Began(key, worker string) {
	if x.options.Watch != nil {
		x.options.Watch.Began(key, worker)
	}
}

func (x *execution) Progressed(key string, share float64) {
	if x.options.Watch != nil {
		x.options.Watch.Progressed(key, share)
	}
}

func (x *execution) Lost(key, worker, why string) {
	if x.options.Watch != nil {
		x.options.Watch.Lost(key, worker, why)
	}
}

func (x *execution) Notice(text string) {
	if x.options.Watch != nil {
		x.options.Watch.Notice(text)
	}
}
