package scenario

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/problem"
	"weft/record"
	"weft/trace/timeline"
	"weft/trace/traffic"
	"weft/transport"
	"weft/unit"
)

// JobExplanation explains when the job of a traced group ended: its critical path.
type JobExplanation struct {
	Group string
	// Start is when the job starts in the run. Times of steps count from there, and Time is until the end of the job.
	Start unit.Time
	Time  unit.Time
	Steps []JobStep
	// Left lists what keeps the job from ending; it is empty if the job ended.
	Left []string

	job replayer
}

// Perfetto writes the activity of the ranks as a file for ui.perfetto.dev. Its times count from the start of the job.
func (x *JobExplanation) Perfetto(w io.Writer) error { return x.job.Perfetto(w) }

// JobStep is one step of the critical path. The steps follow each other without gaps.
type JobStep struct {
	traffic.Step
	// From and At name the host of the rank that sent and of the rank that waited.
	From, At string
	// Message is the number of a network message, and Name its name.
	Message uint64
	Name    string
}

// ExplainJob simulates a scenario and finds the critical path of a group's trace. An empty
// group means the only one.
func ExplainJob(ctx context.Context, s *Scenario, group string, progress func(Progress)) (*JobExplanation, error) {
	p, err := s.plan(nil)
	if err != nil {
		return nil, err
	}
	run, err := p.assemble(RunOptions{Progress: progress}, s.Engine.Threads, int(s.Engine.Domains), queueKinds[s.Engine.Queue])
	if err != nil {
		return nil, err
	}
	job, err := run.jobOf(group)
	if err != nil {
		return nil, err
	}
	if err := run.execute(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Variant, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w at %v, before the job ended", s.Variant, err, run.Now)
	}
	index := slices.IndexFunc(p.groups, func(g transport.Group) bool { return g.Name == job.Group() })
	x := &JobExplanation{Group: job.Group(), Start: job.Started(), job: job, Left: job.Stuck()}
	for _, step := range job.CriticalPath() {
		one := JobStep{Step: step, From: run.hostName(step.Host)}
		if step.To >= 0 {
			one.At = run.hostName(step.Receiver)
		}
		if step.InNetwork {
			one.Message = (&transport.Message{Group: index, Src: step.Host, Ordinal: step.Ordinal}).ID()
			one.Name = record.MessageName(x.Group, one.From, one.Message)
		}
		x.Steps = append(x.Steps, one)
		x.Time = step.End
	}
	return x, nil
}

// jobOf returns the job of a group of traffic.
func (r *run) jobOf(group string) (replayer, error) {
	o, ok := find[*replays](r.observers)
	if !ok {
		return nil, problem.New("no group of traffic replays a trace, so that there is no job to explain").Mend("leave out --job to explain a message")
	}
	var names []string
	for _, job := range o.list {
		if job.Group() == group || group == "" && len(o.list) == 1 {
			return job, nil
		}
		names = append(names, job.Group())
	}
	if group == "" {
		return nil, problem.New("there are %d jobs: %s", len(names), strings.Join(names, ", ")).Mend("choose one with --group")
	}
	return nil, problem.New("no job is named %q", group).Mend("use one of %s", strings.Join(names, ", "))
}

// Sums returns the time that the critical path spends in each class. Messages of the
// network and messages of inner links are separate classes.
func (x *JobExplanation) Sums() (computing, network, inner, other unit.Time) {
	for i := range x.Steps {
		s := &x.Steps[i]
		length := s.End - s.Begin
		switch {
		case s.Class == timeline.Compute:
			computing += length
		case s.InNetwork:
			network += length
		case s.Class == timeline.Transfer:
			inner += length
		default:
			other += length
		}
	}
	return computing, network, inner, other
}

// Longest returns the network messages that take the longest on the critical path, at most
// n.
func (x *JobExplanation) Longest(n int) []*JobStep {
	var list []*JobStep
	for i := range x.Steps {
		if x.Steps[i].InNetwork {
			list = append(list, &x.Steps[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *JobStep) int { return int(min(1, max(-1, (b.End-b.Begin)-(a.End-a.Begin)))) })
	return list[:min(n, len(list))]
}
